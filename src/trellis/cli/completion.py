"""`trellis completion`: a script with which a shell completes games, players and options."""

from typing import Annotated

from trellis.cli.offers import starting
from trellis.cli.options import Argument
from trellis.cli.output import write_lines
from trellis.cli.task import Task
from trellis.game.errors import BadParameter, shorten

_SHELLS = ("bash", "zsh", "fish")
_COMPLETE = "_TRELLIS_COMPLETE"

# Bash ends words at : and =, which stand in the middle of ours.
_BASH = f"""_trellis() {{
    local line="${{COMP_LINE:0:COMP_POINT}}" IFS=$' \\t\\n'
    local words=($line)
    [[ "$line" == *[[:space:]] ]] && words+=("")
    local last=$(( ${{#words[@]}} - 1 ))
    local now="${{words[last]}}" all="${{words[*]}}"
    IFS=$'\\n'
    COMPREPLY=($(COMP_WORDS="$all" COMP_CWORD=$last {_COMPLETE}=complete_bash "$1"))
    local head="${{now%"${{now##*[:=]}}"}}"
    COMPREPLY=("${{COMPREPLY[@]#"$head"}}")
    [[ "${{COMPREPLY[0]}}" == *[:=] ]] && compopt -o nospace
}}
complete -o default -F _trellis trellis
"""


def completion(
    task: Task,
    shell: Annotated[
        str, Argument("bash, zsh or fish.", metavar="SHELL", complete=starting(_SHELLS))
    ],
) -> None:
    """Print a script that makes a shell complete games, players, their settings and all options.

    For bash, put `eval "$(trellis completion bash)"` into ~/.bashrc; likewise for zsh.  For fish,
    write it to ~/.config/fish/completions/trellis.fish.
    """
    if shell not in _SHELLS:
        raise BadParameter(f"bad shell {shorten(shell)}: expected {', '.join(_SHELLS)}")
    script = _BASH
    if shell != "bash":
        from typer._completion_shared import get_completion_script

        script = get_completion_script(prog_name="trellis", complete_var=_COMPLETE, shell=shell)
    task.answer({"shell": shell, "script": script}, lambda: write_lines(script.splitlines()))
