"""Traced runs: which lines of the script ran, however it ended.

In the scripts `#+` ends a line that must be in the trace, `#?` one that may be
(interpreters differ in the lines of one statement); no other line may be.
"""
import glob
import os
import shutil
import signal

import pytest

from conftest import version_of
from test_worker import essence, make  # noqa: F401 (a fixture)

MINORS = (9, 11, 12, 13, 14)  # settrace, settrace, sys.monitoring from 12 on


def python_of(minor):
    """An interpreter of that version; skips the test where there is none."""
    name = "python3.%d" % minor
    pyenv = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    found = glob.glob("%s/versions/3.%d.*/bin/python3" % (pyenv, minor))
    for path in [shutil.which(name)] + found:
        if path and version_of(path) == (3, minor):
            return path
    pytest.skip("no %s here" % name)


@pytest.fixture(scope="module", params=MINORS)
def python(request):
    return python_of(request.param)


BODY = """\
import sys, os, threading, signal  #+
def unused():  #+
    print('never')
def used(n):  #+
    \"\"\"Words.\"\"\"
    total = 0  #+
    for i in range(n):  #+
        if i % 2:  #+
            total += i  #+
        elif i > 100:  #+
            total = None
        else:
            total -= 1  #+
    return total  #+
class A:  #+
    x = 1  #+
    def method(self):  #+
        return 5
print(used(3),  #+
      len('ab'),  #?
      [used(i)  #?
       for i in range(2)])  #?
"""

ENDS = {
    "plain": ("print('end')  #+\n", ("exit", 0)),
    "exception": ("raise ValueError('a')  #+\nprint(1)\n", ("exit", 1)),
    "handled": ("try:  #?\n    1/0  #+\n    print(1)\n"
                "except OSError:  #+\n    print(2)\n"
                "except ZeroDivisionError:  #+\n    print(3)  #+\n",
                ("exit", 0)),
    "sys_exit": ("sys.exit(3)  #+\nprint(1)\n", ("exit", 3)),
    "os_exit": ("sys.stdout.flush()  #+\nos._exit(4)  #+\nprint(1)\n",
                ("exit", 4)),
    "signal": ("sys.stdout.flush()  #+\n"
               "os.kill(os.getpid(), signal.SIGSEGV)  #+\nprint(1)\n",
               ("signal", 0)),
    "killed": ("sys.stdout.flush()  #+\n"
               "os.kill(os.getpid(), signal.SIGKILL)  #+\nprint(1)\n",
               ("signal", 0)),
    "thread": ("def f():  #+\n    print('t')  #+\n    if 1 > len('a'):  #+\n"
               "        print('n')\nt = threading.Thread(target=f)  #+\n"
               "t.start()  #+\nt.join()  #+\n", ("exit", 0)),
    "late_thread": ("def f():  #+\n    threading.main_thread().join()  #+\n"
                    "    print('late')  #+\n"
                    "threading.Thread(target=f).start()  #+\n", ("exit", 0)),
    "atexit": ("import atexit  #+\n@atexit.register  #+\n"
               "def bye():  #?\n    print('bye')  #+\n"
               "def hook(*a):  #+\n    print('hook')  #+\n"
               "sys.excepthook = hook  #+\n1/0  #+\nprint(1)\n", ("exit", 1)),
    "fork": ("sys.stdout.flush()  #+\npid = os.fork()  #+\n"
             "if pid == 0:  #+\n    os._exit(0)  #+\n"
             "os.waitpid(pid, 0)  #+\n", ("exit", 0)),
    "generator": ("def g():  #+\n    yield 1  #+\n    yield 2  #+\n"
                  "    yield 3\nit = g()  #+\nnext(it)  #+\nnext(it)  #+\n"
                  "h = lambda: (  #+\n    used('never'))\n", ("exit", 0)),
}


def lines_of(ran):
    """The set that "1-3,7" stands for; checks that it is well formed."""
    lines, before = set(), -1
    for part in ran.split(",") if ran else []:
        first, _, last = part.partition("-")
        first, last = int(first), int(last or first)
        assert before + 1 < first <= last
        lines.update(range(first, last + 1))
        before = last
    return lines


def assert_ran(text, ran):
    got = lines_of(ran)
    for number, line in enumerate(text.splitlines(), 1):
        if line.endswith("#+"):
            assert number in got, (line, ran)
        elif not line.endswith("#?"):
            assert number not in got, (line, ran)
    assert max(got, default=1) <= len(text.splitlines())


def test_traced_run_tells_its_lines_and_ends_as_ever(make, python):  # noqa: F811
    w = make(python=python, preload=["threading"])
    ready = w.start()
    assert ready["forks"], ready
    for name, (end, (kind, code)) in ENDS.items():
        text = BODY + end
        traced = w.run(text, "trace")
        assert traced["forked"], name
        assert (traced["end"], traced["exit_code"]) == (kind, code), traced
        assert_ran(text, traced["ran"])
        plain = w.run(text)
        assert "ran" not in plain
        assert essence(plain) == essence(traced), name


def test_trace_survives_a_timeout(make, python):  # noqa: F811
    w = make(python=python)
    w.start()
    text = "import time  #+\ntime.sleep(99)  #+\nprint(1)\n"
    got = w.run(text, "trace", timeout_ms=3000)
    assert (got["end"], got["signal"]) == ("timeout", signal.SIGTERM)
    assert_ran(text, got["ran"])


def test_lost_tracer_is_no_trace_rather_than_half_of_one(make, python):  # noqa: F811
    w = make(python=python)
    w.start()
    for text in (
            "import sys  #+\nsys.settrace(lambda *a: None)  #+\n"
            "def f():  #+\n    return 1  #+\nf()  #+\n",
            "def f():  #+\n    f()  #+\ntry:  #?\n    f()  #+\n"
            "except RecursionError:  #+\n    print('deep')  #+\n"):
        got = w.run(text, "trace")
        assert (got["end"], got["exit_code"]) == ("exit", 0)
        if version_of(python) >= (3, 12):
            assert_ran(text, got["ran"])
        else:
            assert "ran" not in got


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_lines_are_counted_as_the_interpreter_does(make, newline):  # noqa: F811
    w = make()
    w.start()
    text = "x = 1  #+\nif x > 1:  #+\n    x = 2\nprint(x)  #+\n"
    got = w.run(text.replace("\n", newline), "trace")
    assert got["out"] == "1\n"
    assert_ran(text, got["ran"])


def test_modules_beside_the_script_are_not_its_lines(make):  # noqa: F811
    w = make()
    (w.script_dir / "helper.py").write_text("\n" * 9 + "VALUE = 5\n")
    w.start()
    got = w.run("import helper\nprint(helper.VALUE)\n", "trace")
    assert (got["out"], got["ran"]) == ("5\n", "1-2")


def test_trace_leaves_the_files_of_the_run_alone(make):  # noqa: F811
    w = make()
    w.start()
    text = ("import os\nprint(sorted(os.listdir('.')), "
            "os.listdir(os.environ['TMPDIR']), open('s.py').fileno())\n")
    assert w.run(text, "trace")["out"] == w.run(text)["out"]
    root, = os.listdir(w.tmp)
    assert not [name for name in os.listdir(w.tmp / root)
                if name.startswith(("run-", "tmp-", "ran-"))]


def test_what_does_not_compile_has_no_trace(make):  # noqa: F811
    w = make()
    w.start()
    got = w.run("x = (\n", "trace")
    assert got["end"] == "syntax" and "ran" not in got


def test_without_fork_server_there_is_no_trace(make):  # noqa: F811
    w = make(backend="subproc")
    assert not w.start()["forks"]
    got = w.run("print(1)\n", "trace")
    assert (got["end"], got["out"]) == ("exit", "1\n")
    assert not got["forked"] and "ran" not in got
