"""An engine in this process, with a cheap player, to be talked to in tests."""

from trellis.loading import load
from trellis.protocols.gtp.making import make_engine
from trellis.protocols.gtp.manners import Manners
from trellis.protocols.gtp.rulesets import named_rules


class Talk:
    """Sends lines, takes replies apart."""

    def __init__(self, game="go:board_size=5", player="random", rules="cgos", **manners):
        self.engine, self.attention = make_engine(
            load(game),
            player,
            named_rules(rules) if rules and game.split(":")[0] == "go" else None,
            Manners(**manners),
            seed=1,
        )

    @property
    def session(self):
        """The game in progress."""
        return self.engine.session

    def raw(self, text):
        """Return all that is written in answer to some lines."""
        return self.engine.answer_all(text)

    def __call__(self, line):
        """Return the text of a reply that is no failure."""
        answer = self.raw(line)
        assert answer.startswith("="), (line, answer)
        assert answer.endswith("\n\n")
        return answer[1:-2].strip()

    def fails(self, line):
        """Return the text of a reply that is a failure."""
        answer = self.raw(line)
        assert answer.startswith("? "), (line, answer)
        return answer[2:-2]

    def all(self, *lines):
        """Return the replies to several lines, none of which fails."""
        return [self(line) for line in lines]
