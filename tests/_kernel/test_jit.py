"""The kernel cache: warm in the second process, cold again after any edit it depends on."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

import trellis
from trellis._kernel.jit import direct

HELPER = """
from trellis._kernel.jit import kernel

@kernel()
def step(x):
    return x + {number}
"""

CALLER = """
import numba.types as nt
from trellis._kernel import jit
jit.on_compile(lambda module: print("compiling", module))
{import_line}

@jit.kernel(nt.int64(nt.int64))
def run(x):
    return step(x) * 10

jit.finish_compiling()
print(run(1), sum(run.stats.cache_hits.values()))
"""


@pytest.fixture
def run_in_process(tmp_path):
    """Run a kernel that calls a helper in another file; return what the process printed."""
    package = tmp_path / "some_package"
    package.mkdir()
    (package / "__init__.py").touch()

    def run(number, way="package", **environment):
        folder = tmp_path if way == "beside" else package
        line = {
            "package": "from some_package.helper import step",
            "relative": "from .helper import step",
            "module": "from some_package import helper\nstep = helper.step",
            "beside": "import helper\nstep = helper.step",
        }[way]
        (folder / "helper.py").write_text(textwrap.dedent(HELPER.format(number=number)))
        (folder / "caller.py").write_text(textwrap.dedent(CALLER.format(import_line=line)))
        name = "caller" if way == "beside" else "some_package.caller"
        done = subprocess.run(
            [sys.executable, "-c", f"import {name}"],
            cwd=tmp_path,
            env=os.environ | {"TRELLIS_CACHE_DIR": str(tmp_path / "cache")} | environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.splitlines()

    return run


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_second_process_is_warm_and_an_edit_of_an_imported_kernel_is_noticed(run_in_process):
    cold = ["compiling some_package.helper", "compiling some_package.caller"]
    assert run_in_process(1) == [*cold, "20 0"]
    assert run_in_process(1) == ["20 1"]
    assert run_in_process(2) == [*cold, "30 0"]
    assert run_in_process(2) == ["30 1"]
    # The old version is still there for whoever switches back.
    assert run_in_process(1)[-1].startswith("20")


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
@pytest.mark.parametrize("way", ["relative", "module", "beside"])
def test_an_edit_is_noticed_however_the_helper_was_imported(run_in_process, way):
    assert run_in_process(1, way)[-1] == "20 0"
    assert run_in_process(5, way)[-1] == "60 0"
    assert run_in_process(5, way)[-1] == "60 1"


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_flags_that_change_machine_code_have_a_cache_of_their_own(run_in_process):
    run_in_process(1)
    assert run_in_process(1, NUMBA_BOUNDSCHECK="1")[-1] == "20 0"
    assert run_in_process(1, NUMBA_BOUNDSCHECK="1")[-1] == "20 1"


def test_a_cache_folder_that_cannot_be_written_is_named_and_replaced(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from trellis._kernel.cache_home import cache_home as home; print(home())",
        ],
        env=os.environ | {"TRELLIS_CACHE_DIR": str(blocked), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(blocked) in done.stderr
    assert done.stdout.strip().startswith(str(tmp_path))


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
@pytest.mark.parametrize("damage", [b"", b"garbage", None])
@pytest.mark.parametrize("kind", ["*.nbi", "*.nbc"])
def test_a_damaged_cache_mends_itself(run_in_process, tmp_path, kind, damage):
    assert run_in_process(1)[-1] == "20 0"
    files = list((tmp_path / "cache").rglob(kind))
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[:50] if damage is None else damage)
    assert run_in_process(1)[-1].startswith("20 ")
    assert run_in_process(1)[-1] == "20 1"


def imported(module, folder, check=False):
    """Import a module of a folder in another process, with a cache of its own."""
    return subprocess.run(
        [sys.executable, "-c", f"import {module}"],
        cwd=folder,
        env=os.environ | {"TRELLIS_CACHE_DIR": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=check,
    )


FAULTY = """
import numba
from trellis._kernel import jit

@numba.extending.overload(len)
def no_length(thing):
    if isinstance(thing, numba.types.Integer):
        raise ValueError("a fault of the kernel's own")

@jit.kernel(numba.types.int64(numba.types.int64))
def run(x):
    return len(x)
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_a_fault_in_somebodys_kernel_leaves_the_cache_alone(run_in_process, tmp_path):
    assert run_in_process(1)[-1] == "20 0"
    (tmp_path / "faulty.py").write_text(FAULTY)
    done = imported("faulty", tmp_path)
    assert done.returncode != 0
    assert "a fault of the kernel's own" in done.stderr
    assert run_in_process(1)[-1] == "20 1"


PARTS = """
import numba.types as nt
from trellis._kernel import jit

@jit.kernel(hot=True)
def inner(x, by):
    return x * by

@jit.kernel(lean=True)
def outer(x, by):
    if by < 0:
        raise ValueError("negative")
    return inner(x, 2) + inner(x, 3) + inner(x, by)

@jit.kernel(nt.int64(nt.int64), later=True)
def run(x):
    return outer(x, 1) + outer(x, 4)

print(len(outer.overloads), len(inner.overloads))
print(run(10), jit.plain(run)(10), jit.ready(run)(1))
print(len(outer.overloads), len(inner.overloads), sum(jit.ready(run).stats.cache_hits.values()))
"""


def test_parts_are_compiled_once_and_only_when_what_contains_them_is_called(tmp_path):
    (tmp_path / "parts.py").write_text(PARTS)
    printed = [imported("parts", tmp_path, check=True).stdout.splitlines() for _ in range(2)]
    assert printed[0] == ["0 0", "150 150 15", "1 1 0"]
    assert printed[1] == ["0 0", "150 150 15", "0 0 1"]  # nothing to compile the second time


def test_bytecode_is_kept_beside_the_kernels_where_none_may_lie_beside_sources(tmp_path):
    def trellis(*words):
        return subprocess.run(
            [sys.executable, "-m", "trellis", *words],
            env=os.environ | {"TRELLIS_CACHE_DIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    trellis("games")
    assert list((tmp_path / "bytecode").rglob("*.pyc"))
    found = json.loads(trellis("cache", "--json"))
    assert found["files"] > 0


INTERRUPTED = """
import signal
from numba.core.codegen import JITCodeLibrary
from trellis._kernel import jit

signal.signal(signal.SIGINT, signal.default_int_handler)
jit.heed_interrupts()
load = JITCodeLibrary._object_getbuffer_hook

def press(library):
    signal.raise_signal(signal.SIGINT)
    return load(library)

JITCodeLibrary._object_getbuffer_hook = press
try:
    import some_package.caller
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_while_machine_code_is_loaded_crashes_nothing(run_in_process, tmp_path):
    run_in_process(1)
    assert run_in_process(1)[-1] == "20 1"  # loaded, not compiled
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        cwd=tmp_path,
        env=os.environ | {"TRELLIS_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


def test_the_direct_way_into_a_kernel_gives_the_same():
    rules, start = trellis.load("tic_tac_toe").rules, trellis.load("tic_tac_toe").start()
    state = start.play("b2").state
    assert direct(rules.acting)(start.game.tables, state) == 1
    assert direct(rules.key)(start.game.tables, state) == start.play("b2").key
    assert direct(len) is len


KEPT = """
import sys
import trellis
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher

trellis.Search("connect_four", memory=1)
kernels = {
    (name, each): value
    for name, module in [*sys.modules.items()] if name.startswith("trellis.")
    for each, value in vars(module).items()
    if isinstance(value, Dispatcher) and value.signatures and value.__module__ == name
    and not value.targetoptions.get("no_cpython_wrapper")
}
print(len(kernels))
print(*(name for name, value in kernels.items() if isinstance(value._cache, NullCache)))
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_every_kernel_that_python_calls_is_kept_on_disk():
    """In whichever order modules are loaded; else every start compiles a search anew."""
    done = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True, check=True)
    count, not_kept = done.stdout.split("\n")[:2]
    assert int(count) > 20
    assert not_kept == ""
