"""Traced runs: which lines of the script ran and what its expressions came
to, however it ended.

In the scripts `#+` ends a line that must be in the trace, `#?` one that may be
(interpreters differ in the lines of one statement); no other line may be.
"""
import base64
import glob
import os
import re
import shutil
import signal

import pytest

from conftest import version_of
from frames import essence

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


def test_traced_run_tells_its_lines_and_ends_as_ever(make, python):
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


def test_trace_survives_a_timeout(make, python):
    w = make(python=python)
    w.start()
    text = "import time  #+\ntime.sleep(99)  #+\nprint(1)\n"
    got = w.run(text, "trace", timeout_ms=3000)
    assert (got["end"], got["signal"]) == ("timeout", signal.SIGTERM)
    assert_ran(text, got["ran"])


def test_lost_tracer_is_no_trace_rather_than_half_of_one(make, python):
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
def test_lines_are_counted_as_the_interpreter_does(make, newline):
    w = make()
    w.start()
    text = "x = 1  #+\nif x > 1:  #+\n    x = 2\nprint(x)  #+\n"
    got = w.run(text.replace("\n", newline), "trace")
    assert got["out"] == "1\n"
    assert_ran(text, got["ran"])


def test_modules_beside_the_script_are_not_its_lines(make):
    w = make()
    (w.script_dir / "helper.py").write_text("\n" * 9 + "VALUE = 5\n")
    w.start()
    got = w.run("import helper\nprint(helper.VALUE)\n", "trace")
    assert (got["out"], got["ran"]) == ("5\n", "1-2")


def test_trace_leaves_the_files_of_the_run_alone(make):
    w = make()
    w.start()
    text = ("import os\nprint(sorted(os.listdir('.')), "
            "os.listdir(os.environ['TMPDIR']), open('s.py').fileno())\n")
    assert w.run(text, "trace")["out"] == w.run(text)["out"]
    root, = os.listdir(w.tmp)
    assert not [name for name in os.listdir(w.tmp / root)
                if name.startswith(("run-", "tmp-", "ran-"))]


def test_what_does_not_compile_has_no_trace(make):
    w = make()
    w.start()
    got = w.run("x = (\n", "trace")
    assert got["end"] == "syntax" and "ran" not in got


def test_without_fork_server_there_is_no_trace(make):
    w = make(backend="subproc")
    assert not w.start()["forks"]
    got = w.run("print(1)\n", "trace")
    assert (got["end"], got["out"]) == ("exit", "1\n")
    assert not got["forked"] and "ran" not in got


# ---- what expressions came to ----

def values_of(data, got, back=None):
    """The expressions of `data` (bytes) with their values; what came back
    besides goes into `back`. Checks the form."""
    values, before = {}, (-1, 0)
    for line in got["values"].splitlines():
        span, mark, value = re.fullmatch(r"(\d+-\d+)([=+])(.*)", line).groups()
        start, end = map(int, span.split("-"))
        assert before < (start, -end)
        before = (start, -end)
        source = data[start:end].decode("utf-8")
        room = max(end - start, 24) if source.isidentifier() else end - start
        assert (mark == "=") == bool(value) and len(value) <= room
        if value:
            values.setdefault(source, []).append(value)
        elif back is not None:
            back.add(source)
    return values


SEEN = """\
import argparse, dataclasses
@dataclasses.dataclass
class Config:
    size: int = 64 * 2
    kind: str = 'half'
config = Config()
table = {'half': 1.5}
def work(n, scale=len(table)):
    '''n times.'''
    total = 0
    for i in range(config.size // 64):
        total += config.size + i + scale
        width = config.size if config.kind == 'half' else None
    return table[config.kind], -config.size
values = work(n=config.size, scale=len(table))
shape = values[1:] + (None,)
alike = shape if shape is not None else values
print(alike, f"{config.size}", config.size.real)
raw = bytes(2)[:1], list(range(2)), [table][0:1]
del table['half']
raise SystemExit(config.size)
"""


def test_values_are_told_and_change_nothing(make, python):
    w = make(python=python, preload=["threading"])
    w.start()
    plain, got = w.run(SEEN), w.run(SEEN, "observe")
    assert essence(plain) == essence(got)
    assert plain["exit_code"] == 128
    back = set()
    seen = values_of(SEEN.encode(), got, back)
    wanted = {
        "64 * 2": "128", "config.size": "128", "config.kind": "'half'",
        "config.size // 64": "2", "config.kind == 'half'": "True",
        "config.size if config.kind == 'half' else None": "128",
        "table[config.kind]": "1.5", "-config.size": "-128",
        "len(table)": "1", "config.size.real": "128", "scale": "1",
        "values[1:] + (None,)": "(-128, None)",
        "shape is not None": "True",
        "work(n=config.size, scale=len(table))": "(1.5, -128)",
        "shape if shape is not None else values": "(-128, None)",
        'f"{config.size}"': "'128'", "bytes(2)[:1]": "b'\\x00'",
        "list(range(2))": "[0, 1]", "shape": "(-128, None)",
    }
    for source, value in wanted.items():
        assert set(seen[source]) == {value}, (source, seen[source])
    assert len(seen["config.size"]) == 7  # not the one in the f-string
    # Those that changed, are longer than the expression, or no expressions.
    for source in ("config.size + i", "i", "total", "n", "[table][0:1]", "table",
                   "table['half']", "config.size + i + scale"):
        assert source not in seen, (source, seen[source])
    assert {"Config()", "range(config.size // 64)", "config.size + i",
            "print(alike, f\"{config.size}\", config.size.real)"} <= back
    assert not back & {"i", "total"}


NAMED = """\
import functools
class Meta(type):
    made = {}
    def __new__(kind, name, bases, own):
        Meta.made[name.lower()] = made = super().__new__(kind, "", bases, own)
        return made
class Op(metaclass=Meta):
    def twice(self, x): return 2 * x
class Table:
    def add(self, name):
        def put(fn):
            @functools.wraps(fn)
            def first(*args): return fn(*args)
            def second(*args): return first(*args)
            setattr(self, name, second)
        return put
table = Table()
@table.add('work')
def work(n): return n
def other(n): return -n
def both(n): return work(n), other(n)
table.plain = other
table.pair = (lambda f, g: lambda n: f(n) + g(n))(other, both)
table.work(1)
table.plain(1)
Meta.made['op']().twice(1)
hasattr(table, 'pair') and (table.pair, table.work)
"""


def test_a_function_has_the_name_that_the_script_has_it_by(make, python):
    w = make(python=python, preload=["threading"])
    w.start()
    plain, got = w.run(NAMED), w.run(NAMED, "observe")
    assert essence(plain) == essence(got)
    assert plain["exit_code"] == 0, plain
    back = set()
    seen = values_of(NAMED.encode(), got, back)
    # Under its decorators, by a wrapper of it, and with another __name__.
    assert set(seen["table.work"]) == {"work"}
    assert seen["table.plain"] == ["other"]
    assert seen["Meta.made['op']"] == ["Op"]
    # Of two functions that are wrapped, and of a method, there is no telling.
    assert "table.pair" not in seen and "Meta.made['op']().twice" not in seen
    assert "Meta.made['op']().twice" not in back


@pytest.mark.parametrize("before, newline", [
    (b"", "\n"), (b"\xef\xbb\xbf", "\n"), (b"\xef\xbb\xbf", "\r\n"), (b"", "\r")])
def test_places_are_bytes_of_the_file(make, python, before, newline):
    w = make(python=python, preload=["threading"])
    w.start()
    text = ("# -*- coding: utf-8 -*-\n"
            "größe = {'ключ': 'értékek'}\n"
            "if größe:\n"
            "\tw = größe['ключ'] , len('€€') ;\tx = '''€\n''' + str(3)\n"
            "\tw = [len(größe)\n\t\t, größe == '\U0001f600']\n")
    data = before + text.replace("\n", newline).encode()
    got = w.run(data.decode(), "observe")
    assert got["end"] == "exit" and got["exit_code"] == 0, got
    seen = values_of(data, got)
    assert seen["len('€€')"] == ["2"]
    assert seen["str(3)"] == ["'3'"]
    assert seen["len(größe)"] == ["1"]
    assert seen["größe == '\U0001f600'"] == ["False"]
    assert "größe['ключ']" not in seen  # not ASCII


def test_other_encodings_have_values_where_bytes_are_known(make):
    w = make()
    w.start()
    text = ("# coding: latin-1\nn = len('abc')\nm = 'é', len('abcd')\n"
            "k = len('abcde')\n")
    data = text.encode("latin-1")
    got = w.run({"base64": base64.b64encode(data).decode()}, "observe")
    assert got["exit_code"] == 0, got
    lines = [line.split("=") for line in got["values"].splitlines()]
    assert [(data[slice(*map(int, span.split("-")))], value)
            for span, value in lines] == [
                (b"len('abc')", "3"), (b"len('abcde')", "5")]


LAST = {
    "killed": ("import os, signal, sys\nsys.stdout.flush()\n"
               "a = len('abc')\nos.kill(os.getpid(), signal.SIGKILL)\n"),
    "left": "import os\na = len('abc')\nos._exit(len('abcd'))\n",
    "fork": ("import os\na = [0]\npid = os.fork()\nb = 1 if pid else 2\n"
             "c = len('abc')\nif not pid:\n    d = len('abcd')\n"
             "    os._exit(0)\nos.waitpid(pid, 0)\n"),
    "thread": ("import threading\ndef f():\n    a = len('abc')\n"
               "t = threading.Thread(target=f)\nt.start()\nt.join()\n"),
}


@pytest.mark.parametrize("name", LAST)
def test_values_survive_any_end(make, name):
    w = make()
    w.start()
    text = LAST[name]
    got = w.run(text, "observe")
    assert essence(w.run(text)) == essence(got)
    seen = values_of(text.encode(), got)
    assert seen["len('abc')"] == ["3"]
    if name == "fork":
        assert seen["len('abcd')"] == ["4"]
        assert "1 if pid else 2" not in seen  # each of the two had its own


TURNS = """\
def check(rows):
    for name, row in rows:
        for column, value in enumerate(row):
            if value is None:
                raise ValueError(name)
def first(rows):
    for row in rows:
        if row:
            return row
def each(rows):
    for row in rows:
        yield row
for key in ('a', 'b'):
    rows = [('x', [1, 2]), ('y', [3, []]), ('z', [key, None, 0])]
    first([0, rows, 1])
    for size in 4, 8:
        pass
    for rows[0] in rows:
        pass
    for more in each([rows[1:], rows[2:]]):
        check(more)
"""


def test_the_turn_that_a_run_ends_in_is_told(make, python):
    w = make(python=python, preload=["threading"])
    w.start()
    plain, got = w.run(TURNS), w.run(TURNS, "observe")
    assert essence(plain) == essence(got)
    assert got["exc_type"] == "ValueError" and got["exc_line"] == 5
    turns = {}
    for line in got["values"].splitlines():
        span, turn = re.fullmatch(r"(\d+-\d+)[=+~](.*)", line).groups()
        if "~" in line:
            source = TURNS[slice(*map(int, span.split("-")))]
            turns.setdefault(source, []).append(turn)
    # Of two loops over `row` one was left in its second turn, one is waiting.
    assert turns == {"name, row": ["[1]"], "column, value": ["(1, None)"],
                     "row": ["[1]", "[0]"], "key": ["'a'"], "more": ["[0]"]}


def test_loops_side_by_side_are_told_apart(make, python):
    w = make(python=python, preload=["threading"])
    w.start()
    text = ("def jit(f):\n"
            "    return f\n"
            "SIZE = 3 + 1\n"
            "for a in 1, 2: pass\n"
            "@jit\n"
            "def one(): return SIZE\n"
            "for b in 3, 4:\n"
            "    for c in 5, 6: pass\n"
            "    @jit\n"
            "    def two(): return SIZE, b\n"
            "    for d in 7, 8: print(c, d)\n"
            "    for e in 'xy': print(e, d // (b - 4))\n"
            "    for f in 9, 10: pass\n")
    plain, got = w.run(text), w.run(text, "observe")
    assert essence(plain) == essence(got)
    assert got["exc_line"] == 12, got
    lines = got["values"].splitlines()
    told = [[text[slice(*map(int, line.split(sign)[0].split("-")))],
             line.split(sign)[1]]
            for sign in "~=" for line in lines if sign in line]
    assert told[:2] == [["b", "4"], ["e", "'x'"]]
    # Before each of the two definitions, and in neither.
    assert [t for t in told if t[0] == "SIZE"] == [["SIZE", "4"]] * 2


def test_what_a_front_end_reads_back_is_left_alone(make, python):
    w = make(python=python, preload=["threading"])
    w.start()
    text = ("import inspect\n"
            "class T:\n"
            "    @staticmethod\n"
            "    def jit(f=None, **_):\n"
            "        print(inspect.getsource(f).count('SIZE'),\n"
            "              f.__code__.co_names)\n"
            "        return f\n"
            "def outer(config, size, later=None):\n"
            "    total = size + 1\n"
            "    @T.jit\n"
            "    def kernel(x, total: config.width = 3):\n"
            "        y = total + size\n"
            "        return [config.width + y + later + z for z in x + SIZE]\n"
            "    later = size\n"
            "    return kernel\n"
            "SIZE = [4000 + 1]\n"
            "class Config:\n"
            "    width = 99 + 1\n"
            "outer(Config, 512 - 1)\n")
    plain, got = w.run(text), w.run(text, "observe")
    assert essence(plain) == essence(got)
    assert got["exit_code"] == 0, got
    seen = values_of(text.encode(), got)
    # In the kernel too: what it takes from around it.
    assert seen["size"] == ["511", "511", "511"]
    assert seen["config.width"] == ["100", "100"]
    assert seen["later"] == ["None"]  # what it was so far
    for source in ("total", "y", "SIZE", "z"):
        assert source not in seen


def test_a_value_longer_than_the_ceiling_is_dropped(make):
    w = make()
    w.start()
    name = "n" * 200
    text = "%s = 'x' * 150\ny = %s\nz = %s[0]\n" % (name, name, name)
    seen = values_of(text.encode(), w.run(text, "observe"))
    assert name not in seen and seen[name + "[0]"] == ["'x'"]


SHAPE = """\
class Size(tuple): __module__ = "torch"
class Other(tuple): pass
shape, other = Size((6, 1)), Other((6, 1))
rows = max(max(*shape), *other)
"""


def test_the_extents_of_a_tensor_are_a_tuple(make):
    w = make()
    w.start()
    seen = values_of(SHAPE.encode(), w.run(SHAPE, "observe"))
    assert seen["shape"] == ["(6, 1)"] and "other" not in seen, seen


ARRAYS = """\
import sys, types
class Tensor:
    __module__ = "torch"
    layout, device = "strided", types.SimpleNamespace(type="cpu")
    def __init__(self, *shape, dtype="torch.float32", grad=False):
        self.shape, self.requires_grad = shape, grad
        self.dtype = types.SimpleNamespace() if dtype is None else Name(dtype)
class Name(str):
    def __repr__(self): return str(self)
th = sys.modules["torch"] = types.ModuleType("torch")
th.strided, single = "strided", Name("torch.float32")
th.get_default_dtype = lambda: single
def make(*shape, **options):
    tensor = Tensor(*shape, **options)
    if tensor.dtype == single:
        tensor.dtype = single
    return tensor
plain = make(2, 3, **dict(grad=False))
scalar = [make(), None, "padding"][0 * 1]
learnt = [make(4, **dict(grad=True)), "a long text behind"][0]
half = [make(4, dtype="torch.float16"), "a long text behind"][0]
index = [make(4, dtype="torch.int64"), "a long text behind"][0]
pair = [(make(4), make(2, 5)), "a long text behind"][0]
short = make(7)
for n in 1, 2:
    varied = make(n, **dict(grad=False))
    steady = make(9, **dict(grad=False))
"""


def test_an_array_is_told_by_what_has_its_shape(make):
    w = make()
    w.start()
    got = w.run(ARRAYS, "observe")
    seen = {}
    for line in got["values"].splitlines():
        span, mark, text = re.fullmatch(r"(\d+-\d+)([=*+])(.*)", line).groups()
        start, end = map(int, span.split("-"))
        assert mark != "*" or len(text) <= end - start
        if mark == "*":
            seen[ARRAYS[start:end]] = text
    stood = [text for part, text in seen.items() if "**dict" in part
             or "[0" in part]
    assert sorted(stood) == sorted([
        "th.ones(2, 3)", "th.ones(())", "th.ones(4, requires_grad=True)",
        "th.ones(4, dtype=th.float16)", "th.ones(4, dtype=int)",
        "(th.ones(4), th.ones(2, 5))", "th.ones(9)"]), seen
    assert "make(7)" not in seen and "tensor" not in seen, seen


def test_more_expressions_than_there_is_room_for(make):
    w = make()
    w.start()
    source = "len('%0100d')" % 0
    text = "a = [0]\n" + ("b = a[0] + %s\n" % source) * 9000
    got = w.run(text, "observe")
    assert got["end"] == "exit" and got["exit_code"] == 0, got
    seen = values_of(text.encode(), got)
    assert 1000 < len(seen[source]) < 9000


def test_values_need_a_fork_server(make):
    w = make(backend="subproc")
    assert not w.start()["forks"]
    got = w.run("a = len('abc')\n", "observe")
    assert got["exit_code"] == 0
    assert "ran" not in got and "values" not in got


def test_what_nests_too_deep_is_traced_without_values(make, python):
    w = make(python=python, preload=["threading"])
    w.start()
    text = "a = 1\nb = " + "+".join(["a"] * 2000) + "\nprint(b)\n"
    plain, got = w.run(text), w.run(text, "observe")
    assert essence(plain) == essence(got)
    assert (got["end"] == "syntax") == ("ran" not in got)


# ---- and what the minimizer makes of it ----

def test_values_are_put_in_place(tool):
    script = tool.write("s.py", """\
class Config:
    width = 60 + 4
config = Config()
def size(n):
    return n * config.width
def fail(n, m):
    raise ValueError("bad %d of %d" % (n, m))
fail(size(2), config.width)
""")
    out = tool.work / "out.py"
    done = tool.run(script, "--err-msg", "bad 128 of 64", "--signature", "exact",
                    "-o", out, "-j", "1", "-vv")
    assert done.code == 0, done
    assert "class" not in out.read_text()
    # Nothing here never runs: the values are the first trial.
    assert re.search(r"trial 1: merge, saves \d+: verdict 1", done.err), done


def test_script_that_breaks_when_observed_is_minimized_without(tool):
    script = tool.write("s.py", """\
def unused():
    print("never")
def f(a):
    return a.real + a.imag
if len(f.__code__.co_names) > 2:
    raise SystemExit("seen")
values = [f(1), f(2)]
raise ValueError("bad")
""")
    out = tool.work / "out.py"
    done = tool.run(script, "--err-msg", "bad", "--keep", "none", "-o", out,
                    "-j", "1", "-vv")
    assert done.code == 0, done
    assert "when values are noted" in done.err, done
    assert "under a tracer" not in done.err
    assert out.read_text() == 'raise ValueError("bad")\n'


def test_script_without_values_is_minimized(tool):
    script = tool.write("s.py", 'x = 1\ny = 2\nassert False, "bad"\n')
    out = tool.work / "out.py"
    done = tool.run(script, "--err-msg", "bad", "-o", out, "-j", "1")
    assert done.code == 0, done
    assert out.read_text() == 'assert 0, "bad"\n'


def test_a_resumed_search_keeps_the_first_values(tool):
    """The clock is a value that another traced run has not."""
    script = tool.write("s.py", """\
import time
stamp = "%020.9f" % time.time()
rest = ["a", "b", stamp]
def fail(n):
    raise ValueError("bad")
fail(len(rest))
""")
    arguments = (script, "--err-msg", "bad", "-o", tool.work / "out.py",
                 "-j", "1", "--report", tool.root / "r.json")
    first = tool.run(*arguments)
    assert first.code == 0, first
    before = tool.report(tool.root / "r.json")
    again = tool.run(*arguments)
    assert again.code == 0, again
    after = tool.report(tool.root / "r.json")
    # Calibration, trace and final check alone: no trial was run again.
    assert before["accepted"] == after["accepted"] > 0
    assert before["result"] == after["result"]
    assert after["cached"] > before["cached"], after
    assert after["runs"] < before["runs"], (before, after)


def test_what_is_left_is_traced_again(tool):
    """Most names had several values while there was more than one case."""
    script = tool.write("s.py", """\
import sys
class Shape:
    def __init__(self, dims):
        self.dims = dims
    def __str__(self):
        return "x".join(str(d) for d in self.dims)
    def __mul__(self, n):
        return Shape([d * n for d in self.dims])
def check(shape, limit):
    total = 1
    for d in shape.dims:
        total *= d
    if total > limit:
        raise ValueError(f"shape {shape} is over {limit}")
for dims in ([1, 2], [3, 4], [5, 60]):
    check(Shape(dims) * 2, 1000)
""")
    out = tool.work / "out.py"
    arguments = (script, "--err-msg", "shape 10x120 is over 1000",
                 "--signature", "exact", "-o", out, "-vv")
    done = tool.run(*arguments, "-j", "2", "--mutate", "none")
    assert done.code == 0, done
    assert "look, saves 0: verdict 1" in done.err, done
    assert "class" not in out.read_text(), out.read_text()
