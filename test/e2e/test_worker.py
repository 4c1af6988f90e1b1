"""The real worker, driven by frames: how runs end, and what is left behind."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from frames import AUTODD_C, PATIENCE, PYTHON, essence


@pytest.fixture
def worker(make):
    """A worker whose fork server is up."""
    made = make()
    ready = made.start()
    assert ready["ok"] and ready["forks"], ready
    assert made.run("")["forked"]
    return made


SAME = {
    "nothing": "",
    "exception": "def f():\n    raise ValueError('a')\nf()\n",
    "multi_line_message": "raise RuntimeError('first\\nsecond\\n  third')\n",
    "chained": "try:\n    1/0\nexcept Exception as e:\n"
               "    raise KeyError('x') from e\n",
    "exit_3": "import sys\nsys.exit(3)\n",
    "exit_text": "import sys\nsys.exit('text')\n",
    "exit_none": "raise SystemExit\n",
    "exit_big": "raise SystemExit(300)\n",
    "os_exit": "import os\nprint('x', flush=True)\nos._exit(7)\n",
    "abort": "import os\nos.abort()\n",
    "segv": "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n",
    "atexit": "import atexit\natexit.register(print, 'bye')\nprint('hi')\n",
    "object_at_exit": "class A:\n    def __del__(self):\n"
                      "        print('gone')\na = A()\n",
    "unraisable": "class A:\n    def __repr__(self):\n        return 'A'\n"
                  "    def __del__(self):\n        raise ValueError('del')\n"
                  "A.__del__.__qualname__ = 'd'\nprint('on')\n",
    "thread": "import threading, time\ndef f():\n    time.sleep(0.2)\n"
              "    print('t')\nthreading.Thread(target=f).start()\n"
              "print('m')\n",
    "thread_exception": "import threading\ndef f():\n    1/0\n"
                        "threading.Thread(target=f, name='T').start()\n",
    "daemon_thread": "import threading, time\nthreading.Thread("
                     "target=time.sleep, args=(99,), daemon=True).start()\n",
    "warning": "import warnings\nwarnings.warn('w')\n"
               "warnings.warn('d', DeprecationWarning)\n",
    "warning_from_below": "import warnings\ndef f():\n"
                          "    warnings.warn('w', stacklevel=5)\nf()\n",
    "syntax_warning": "assert (1, 'm')\n",
    "guard": "if __name__ == '__main__':\n    print('main')\n"
             "print(sorted(globals()), __spec__, __package__, __file__)\n",
    "argv_and_path": "import sys\nprint(sys.argv, sys.path)\n",
    "sibling": "import helper\nprint(helper.VALUE)\n",
    "own_source": "print(open(__file__).read())\nimport inspect\n"
                  "def f():\n    return 1\nprint(inspect.getsource(f))\n",
    "stdin": "import sys\nprint(repr(sys.stdin.read()))\ninput()\n",
    "keyboard_interrupt": "raise KeyboardInterrupt\n",
    "hook": "import sys\nsys.excepthook = lambda *a: print('hook', a[0])\n"
            "1/0\n",
    "bad_hook": "import sys\ndef h(*a):\n    raise KeyError('bad')\n"
                "sys.excepthook = h\n1/0\n",
    "failing_flush": "import os\nprint('x')\nos.close(1)\n",
    "closed_outputs": "import os\nos.close(1)\nos.close(2)\nos._exit(5)\n",
    "native_output": "import ctypes\nctypes.CDLL(None).printf(b'native\\n')\n",
    "hash_seed": "print(hash('abc'), {'a', 'b', 'c'})\n",
    "spawned_pool": "import multiprocessing as mp\ndef f(x):\n"
                    "    return x + 1\nif __name__ == '__main__':\n"
                    "    mp.set_start_method('spawn')\n"
                    "    with mp.Pool(1) as p:\n        print(p.map(f, [1]))\n",
    "temporary": "import os, tempfile\n"
                 "print(tempfile.gettempdir() == os.environ['TMPDIR'])\n",
    "run_time_syntax": "compile('x = (', 'other.py', 'exec')\n",
    "not_utf8": "import os\nos.write(1, b'\\xff\\xfe\\n')\n",
}


@pytest.mark.parametrize("name", SAME)
def test_fork_and_fresh_run_show_the_same(make, name):
    w = make(argv=["--a", "b c"],
             preload=["helper", "inspect", "multiprocessing", "threading"])
    (w.script_dir / "helper.py").write_text("VALUE = 5\n")
    assert w.start()["forks"]
    forked = w.run(SAME[name])
    fresh = w.run(SAME[name], "fresh")
    assert forked["forked"] and not fresh["forked"]
    assert essence(forked) == essence(fresh)
    assert forked["end"] in ("exit", "signal")


def test_what_does_not_compile_is_not_run(worker):
    forked = worker.run("print('no')\nx = (\n")
    fresh = worker.run("print('no')\nx = (\n", "fresh")
    assert forked["end"] == "syntax" and forked.get("out", "") == ""
    assert (forked["exc_type"], forked["exc_message"]) == (
        fresh["exc_type"], fresh["exc_message"])
    assert fresh["exit_code"] == 1


def test_fresh_run_has_its_own_view(make):
    w = make(env=["WISH=1", "TRITON_CACHE_DIR=/mine"])
    w.start()
    text = ("import os\nfor k in ('WISH', 'TRITON_CACHE_DIR', "
            "'PYTORCH_NVML_BASED_CUDA_CHECK', 'AUTODD_JOB', 'AUTODD_RUN', "
            "'PYTHONHASHSEED', 'TILELANG_CACHE_DIR'):\n"
            "    print(k, os.environ.get(k))\n")
    fork = dict(x.split(" ", 1) for x in w.run(text)["out"].splitlines())
    fresh = dict(x.split(" ", 1)
                 for x in w.run(text, "fresh")["out"].splitlines())
    assert fork["WISH"] == fresh["WISH"] == "1"
    assert fork["TRITON_CACHE_DIR"] == fresh["TRITON_CACHE_DIR"] == "/mine"
    assert fork["PYTORCH_NVML_BASED_CUDA_CHECK"] == "1"
    assert fresh["PYTORCH_NVML_BASED_CUDA_CHECK"] == "None"
    assert fork["AUTODD_RUN"] == w.mark + "-1"
    assert fresh["AUTODD_RUN"] == w.mark + "-2"
    assert fork["PYTHONHASHSEED"] == "0"
    assert fork["TILELANG_CACHE_DIR"].startswith(str(w.tmp))
    assert fork["TILELANG_CACHE_DIR"] != fresh["TILELANG_CACHE_DIR"]


HOWS = ("fork", "fresh")


@pytest.mark.parametrize("how", HOWS)
def test_hang_is_a_timeout_even_if_it_ignores_term(worker, how):
    calm = worker.run("import time\ntime.sleep(99)\n", how, timeout_ms=700)
    deaf = worker.run("import signal, time\n"
                      "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                      "print('up', flush=True)\nwhile True:\n"
                      "    time.sleep(1)\n", how, timeout_ms=1500)
    assert (calm["end"], calm["signal"]) == ("timeout", signal.SIGTERM)
    assert (deaf["end"], deaf["signal"]) == ("timeout", signal.SIGKILL)
    assert deaf["out"] == "up\n"


@pytest.mark.parametrize("how", HOWS)
def test_flood_passes(make, how):
    w = make(output_max=4096,
             patterns=[{"text": "needle", "regex": False}])
    w.start()
    got = w.run("import os\nx = b'x' * 999 + b'\\n'\n"
                "for i in range(200):\n    os.write(1, x * 500)\n"
                "    os.write(2, x * 500)\n    if i == 100:\n"
                "        os.write(1, b'needle\\n')\nos._exit(4)\n", how)
    assert (got["end"], got["exit_code"]) == ("exit", 4)
    assert got["out_cut"] and got["err_cut"]
    assert len(got["out"]) < 8192
    assert got["matches"][0]["plain"] == 1


@pytest.mark.parametrize("how", HOWS)
def test_stray_processes_are_swept(worker, how):
    got = worker.run(
        "import os, subprocess, sys, time\n"
        "subprocess.Popen(['sleep', '98'])\n"
        "subprocess.Popen(['setsid', 'sleep', '97'], "
        "start_new_session=True)\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        time.sleep(96)\n    os._exit(0)\n"
        "os._exit(6)\n", how)
    assert (got["end"], got["exit_code"]) == ("exit", 6)
    assert set(worker.processes()) <= {worker.zygote()}


@pytest.mark.parametrize("how", HOWS)
def test_full_temporary_folder_is_emptied(worker, how):
    got = worker.run(
        "import os, tempfile\nfor i in range(50):\n"
        "    d = tempfile.mkdtemp()\n"
        "    open(os.path.join(d, 'x'), 'wb').write(b'x' * 100000)\n"
        "    os.chmod(d, 0)\n"
        "os.makedirs('/'.join(['deep'] * 200))\n"
        "os.symlink('/', 'root')\n", how)
    assert (got["end"], got["exit_code"]) == ("exit", 0)
    root, = os.listdir(worker.tmp)
    assert not [name for name in os.listdir(worker.tmp / root)
                if name.startswith(("run-", "tmp-"))]


@pytest.mark.parametrize("how", HOWS)
def test_limits_are_no_verdict_of_their_own(make, how):
    w = make(memory_max=700 << 20, procs_max=20, file_max=1 << 20)
    w.start()
    fat = w.run("x = b'x' * (900 << 20)\nimport time\ntime.sleep(99)\n", how)
    many = w.run("import os, time\nfor i in range(40):\n"
                 "    if os.fork() == 0:\n        time.sleep(99)\n"
                 "time.sleep(99)\n", how)
    wide = w.run("open('big', 'wb').write(b'x' * (2 << 20))\n", how)
    assert fat["end"] == "limit" and "memory" in fat["why"]
    assert many["end"] == "limit" and "processes" in many["why"]
    assert wide["end"] == "exit" and wide["exc_type"] == "OSError"


def test_cancel_ends_a_run_and_one_that_waits(worker):
    first = [worker.begin("import time\ntime.sleep(99)\n", how)
             for how in HOWS]
    third = worker.begin("print(1)\n")
    for number in [third] + first:
        worker.send(dict(frame="cancel", id=number))
    for number in first + [third]:
        got = worker.result(number)
        assert (got["end"], got["why"]) == ("lost", "canceled")
    assert worker.run("print(2)\n")["out"] == "2\n"


def test_ping_is_answered(worker):
    worker.send(dict(frame="ping", id=9))
    assert worker.wait_for("pong")["id"] == 9


def test_killed_fork_server_costs_its_runs_only(worker):
    run = worker.begin("import time\nprint('up', flush=True)\n"
                       "time.sleep(99)\n")
    os.kill(worker.zygote(), signal.SIGKILL)
    got = worker.result(run)
    assert got["end"] == "lost" and got["why"]
    again = worker.run("print('again')\n")
    assert again["out"] == "again\n" and again["forked"]


def test_fork_server_that_keeps_dying_gives_way_to_fresh_runs(make):
    w = make()
    w.start()
    text = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n" \
           "import time\ntime.sleep(99)\n"
    ends = [w.run(text, timeout_ms=2000)["end"] for _ in range(6)]
    assert ends == ["lost"] * 6
    got = w.run("print('x')\n")
    assert not got["forked"] and got["out"] == "x\n"
    assert w.notes


def test_grown_fork_server_gets_a_successor(make, tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "grower.py").write_text(
        "import os\nKEPT = []\nos.register_at_fork(after_in_parent=lambda: "
        "KEPT.append(b'x' * (100 << 20)))\n")
    w = make(preload=["grower"], env=["PYTHONPATH=%s" % (tmp_path / "lib")])
    w.start()
    text = "import os\nprint(os.getppid())\n"
    first = w.run(text)["out"]
    deadline = time.monotonic() + PATIENCE
    while w.run(text)["out"] == first:
        assert time.monotonic() < deadline
    assert len(w.notes) == 0


@pytest.mark.parametrize("how", ["stdin", "stdout"])
def test_worker_without_pipes_says_so(how):
    ends = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE,
            how: subprocess.DEVNULL}
    got = subprocess.Popen([AUTODD_C, "worker"], stderr=subprocess.PIPE,
                           **ends)
    said = got.communicate(timeout=PATIENCE)[1]
    assert got.returncode == 3 and b"pipes" in said


STUBBORN = ("import signal, subprocess, time\n"
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "subprocess.Popen(['sleep', '95'], start_new_session=True)\n"
            "open('up', 'w').close()\nwhile True:\n    time.sleep(1)\n")


def wait_until_up(worker, count):
    """Wait until so many stubborn runs have written their file."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        up = 0
        for folder, _, files in os.walk(worker.tmp):
            up += "up" in files
        if up == count:
            return
        time.sleep(0.02)
    raise AssertionError("the runs did not start")


def test_end_of_stdin_ends_all(worker):
    for how in HOWS:
        worker.begin(STUBBORN, how)
    wait_until_up(worker, 2)
    assert worker.finish() == 0
    assert worker.processes() == [] and os.listdir(worker.tmp) == []


def test_end_of_stdin_while_setting_up(make):
    w = make(preload=["asyncio"])
    w.send(w.setup)
    w.begin("print(1)\n", "fresh")
    assert w.finish() == 0
    assert w.processes() == [] and os.listdir(w.tmp) == []


def test_killed_worker_is_tidied_by_its_successor(make):
    w = make()
    w.start()
    for how in HOWS:
        w.begin(STUBBORN, how)
    wait_until_up(w, 2)
    w.process.kill()
    w.process.wait(PATIENCE)
    following = make(mark=w.mark)
    following.mark = w.mark
    following.start()
    assert set(following.processes()) == {following.zygote()}
    assert len(os.listdir(w.tmp)) == 1


def test_final_check_runs_a_file_where_it_lies(worker, tmp_path):
    path = tmp_path / "src" / "s.min.py"
    path.write_text("print(__file__)\nimport os\nprint(os.getcwd())\n")
    got = worker.run("", "fresh", path=str(path))
    lines = got["out"].splitlines()
    assert lines[0] == str(path) and lines[1].startswith(str(worker.tmp))


def test_missing_interpreter_is_named_with_the_remedy(make):
    ready = make(python="python9").start()
    assert not ready["ok"]
    assert "python9" in ready["error"] and "--python" in ready["error"]


def test_something_else_as_interpreter_is_refused(make):
    w = make(python=shutil.which("false"))
    ready = w.start()
    assert not ready["ok"] and "--python" in ready["error"]
    assert w.run("print(1)\n")["end"] == "lost"


def test_bad_pattern_is_refused(make):
    ready = make(patterns=[{"text": "(", "regex": True}]).start()
    assert not ready["ok"] and ready["error"]


def test_missing_preload_is_noted(make):
    w = make(preload=["no_such_module", "json"])
    assert w.start()["forks"]
    assert w.run("print(1)\n")["forked"]
    assert "no_such_module" in w.notes[0]


def test_module_hidden_by_a_sibling_means_no_forks(make):
    w = make(preload=["json"])
    (w.script_dir / "json.py").write_text("VALUE = 5\n")
    assert w.start()["ok"]
    got = w.run("import json\nprint(json.VALUE)\n")
    assert got["out"] == "5\n" and not got["forked"]
    assert "json" in w.notes[0]


def test_crashing_preload_means_no_forks(make, tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "killer.py").write_text("import os\nos.abort()\n")
    w = make(preload=["killer"], env=["PYTHONPATH=%s" % (tmp_path / "lib")])
    assert w.start()["ok"]
    got = w.run("print(1)\n")
    assert got["out"] == "1\n" and not got["forked"]
    assert "SIGABRT" in w.notes[0]


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_preload_that_initialises_cuda_is_named(make, tmp_path):
    lib = tmp_path / "lib"
    lib.mkdir()
    (lib / "fake.c").write_text(
        "int cuDeviceGetCount(int *n) { *n = 1; return 0; }\n")
    subprocess.check_call(
        ["cc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o",
         str(lib / "libcuda.so.1"), str(lib / "fake.c")])
    (lib / "toucher.py").write_text(
        "import ctypes\nctypes.CDLL(%r)\n" % str(lib / "libcuda.so.1"))
    w = make(preload=["json", "toucher"], env=["PYTHONPATH=%s" % lib])
    assert w.start()["ok"]
    assert not w.run("print(1)\n")["forked"]
    assert "toucher" in w.notes[0] and "CUDA" in w.notes[0]


def test_new_interpreters_do_not_wait_for_the_fork_server(make, tmp_path):
    (tmp_path / "lib").mkdir()
    os.mkfifo(tmp_path / "door")
    (tmp_path / "lib" / "waits.py").write_text(
        "open(%r).read()\n" % str(tmp_path / "door"))
    w = make(preload=["waits"], env=["PYTHONPATH=%s" % (tmp_path / "lib")])
    assert w.start()["forks"]
    forked = w.begin("print(1)\n")
    assert w.run("print(2)\n", how="fresh")["out"] == "2\n"
    assert forked not in w.results
    (tmp_path / "door").write_text("")  # returns when it is being read
    assert w.result(forked)["forked"]


THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")


def threads(make, tmp_path, env=(), **setup):
    """What a library and the script see of the number of threads."""
    (tmp_path / "lib").mkdir(exist_ok=True)
    (tmp_path / "lib" / "pool.py").write_text(
        "import os\nSEEN = [os.environ.get(n) for n in %r]\n" % (THREADS,))
    w = make(preload=["pool"], env=["PYTHONPATH=%s" % (tmp_path / "lib"), *env],
             **setup)
    w.start()
    got = w.run("import os, pool\nprint(pool.SEEN, [os.environ.get(n) for n "
                "in %r])\n" % (THREADS,))
    assert got["forked"] and w.finish() == 0
    return eval("[%s]" % got["out"].strip().replace("] [", "], ["))


def test_runs_share_the_cores_where_nobody_has_said_how(make, tmp_path):
    cores = len(os.sched_getaffinity(0))
    share = str(max(1, cores // 2))
    assert threads(make, tmp_path, slots=2) == [[share] * 2, [None] * 2]
    assert threads(make, tmp_path, slots=1) == [[None] * 2, [None] * 2]
    assert threads(make, tmp_path, slots=2, env=["OMP_NUM_THREADS=7"]) == [
        ["7", None], ["7", None]]
    assert threads(make, tmp_path, slots=2, early_env=["MKL_NUM_THREADS=5"]) == [
        [None, "5"], [None, None]]


def test_early_environment_is_seen_by_imports_alone(make, tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "reader.py").write_text(
        "import os\nSEEN = os.environ.get('EARLY')\n")
    w = make(preload=["reader"], early_env=["EARLY=1"],
             env=["PYTHONPATH=%s" % (tmp_path / "lib")])
    w.start()
    got = w.run("import os, reader\n"
                "print(reader.SEEN, os.environ.get('EARLY'))\n")
    assert got["out"] == "1 None\n"


COMPARES = """\
def scaled(x):
    return [2.0 * v %s for v in x]

x = [1.0, 2.0, 4.0]
got, want = scaled(x), [3.0 * v for v in x]
print("apart by", max(map(abs, (a - b for a, b in zip(got, want)))))
assert got == want, "other"
"""


def spans_in(text, *parts):
    return " ".join("%d-%d" % (text.rindex(part), text.rindex(part) + len(part))
                    for part in parts)


def figures_of(w, text, *parts):
    got = w.run(text, compared=spans_in(text, *parts))
    assert got["exit_code"] == 1, got
    assert got["exc_type"] == "AssertionError", got
    return got["figures"]


def test_what_is_compared_is_told_in_figures(make):
    w = make(slots=1)
    w.start()
    parts = "scaled(x)", "[3.0 * v for v in x]"
    first = figures_of(w, COMPARES % "", *parts)
    assert first != 0
    assert figures_of(w, COMPARES % "+ 0.0", *parts) == first
    assert figures_of(w, COMPARES % "+ 1e-9", *parts) == first
    assert figures_of(w, COMPARES % "- 0.5", *parts) not in (first, 0)
    assert w.run(COMPARES % "")["figures"] == 0
    # A drift is looked at more closely.
    close = w.run(COMPARES % "", compared="5 " + spans_in(COMPARES % "", *parts))
    drifts = w.run(COMPARES % "+ 1e-4",
                   compared="5 " + spans_in(COMPARES % "+ 1e-4", *parts))
    assert figures_of(w, COMPARES % "+ 1e-4", *parts) == first
    assert close["figures"] not in (0, drifts["figures"])
    # What does not stand there, or is not run as it stands, has none.
    assert figures_of(w, COMPARES % "", "scaled(", parts[1]) == 0
    inside = ("import inspect\ndef read(f):\n    names = {}\n"
              "    exec(inspect.getsource(f).split('\\n', 1)[1], names)\n"
              "    return names['check']\n%s\ndef check(x):\n"
              "    assert [x] == [2 * x]\ncheck(3)\n")
    assert figures_of(w, inside % "@read", "[x]", "[2 * x]") == 0
    wrapped = "import functools\n@functools.lru_cache"
    assert figures_of(w, inside % wrapped, "[x]", "[2 * x]") != 0
    # What compiles bytecode must not meet names that the script does not have.
    compiled = ("def njit(f):\n    assert not f.__code__.co_names, 'names'\n"
                "    return f\n@njit\ndef apart(x, y):\n"
                "    return x[0] - y[0] < 0\nassert not apart([1], [2]), 'apart'\n")
    assert figures_of(w, compiled, "x[0]", "y[0]") == 0
    got = w.run(compiled, compared=spans_in(compiled, "x[0]", "y[0]"))
    assert got["err"].endswith("apart\n"), got


COMPARES_LISTS = """\
got, want = [1.0] * 500, [1.0] * 500
got[%d] = 9.0
assert got == want, "other"
"""


def test_all_of_a_long_list_is_compared(make):
    w = make(slots=1)
    w.start()
    spans = "got", "want"
    near = figures_of(w, COMPARES_LISTS % 3, *spans)
    assert near and near == figures_of(w, COMPARES_LISTS % 3, *spans)
    assert figures_of(w, COMPARES_LISTS % 400, *spans) not in (near, 0)


COMPARES_OBJECTS = """\
class Box:
    %s
assert Box() == Box(), "other"
"""


def test_an_object_that_cannot_be_read_is_one_of_its_class(make):
    w = make(slots=1)
    w.start()
    first = figures_of(w, COMPARES_OBJECTS % "pass", "Box()")
    assert first
    assert figures_of(w, COMPARES_OBJECTS % "dtype = 0", "Box()") == first


COMPARES_CASES = """\
def check(got, want):
    assert got == want
for case in %s:
    check(2.0 * case, case * case)
"""


def test_what_passes_before_the_case_that_fails_makes_no_difference(make):
    w = make(slots=1)
    w.start()
    spans = "got", "want"
    first = figures_of(w, COMPARES_CASES % "[3.0]", *spans)
    assert first
    for cases in "[2.0, 3.0]", "[0.0, 2.0, 3.0, 4.0]":
        assert figures_of(w, COMPARES_CASES % cases, *spans) == first
    assert figures_of(w, COMPARES_CASES % "[2.0, 4.0]", *spans) not in (
        first, 0)


def test_a_run_that_compares_very_much_tells_nothing_and_ends_soon(make):
    w = make(slots=1)
    w.start()
    text = ("def same(got, want):\n    return got != want\n"
            "for i in range(%d):\n    same(i, i)\nassert same(1, 1)\n")
    assert figures_of(w, text % 100, "got", "want") != 0
    assert figures_of(w, text % 40000, "got", "want") == 0


@pytest.mark.parametrize("text, spans", [
    ("def both(a, b):\n    assert a == b\none, two = [1], [2]\n"
     "both(*one, *two)\n", ("*one", "*two")),
    ("def fail(a, b):\n    assert a == b\nfail(1, 2)\nassert [1] == [2]\n",
     ("fail(1, 2)", "[2]"))])
def test_what_is_no_single_value_is_run_as_it_stands(make, text, spans):
    w = make(slots=1)
    w.start()
    figures_of(w, text, *spans)


BROADCAST = """\
import numpy
one = numpy.broadcast_to(numpy.array([[1.0], [2.0]]), (1 << 20, 2, 1 << 20))
two = numpy.broadcast_to(%s, (1 << 20, 2, 1 << 20))
assert one.base is two.base, "other"
"""


def test_an_array_larger_than_memory_is_compared(make):
    pytest.importorskip("numpy")
    w = make(slots=1)
    w.start()
    spans = "one", "two"
    first = figures_of(w, BROADCAST % "numpy.float64(1)", *spans)
    assert figures_of(w, BROADCAST % "numpy.float64(2)", *spans) not in (
        first, 0)


LIBRARY = {  # packages whose bodies import one another in all ways
    "inner/__init__.py": "",
    "inner/part.py": "",
    "inner/late.py": "",
    "outer/__init__.py": "import inner.part\nfrom . import own\n"
                         "__all__ = ['own']\n",
    "outer/own.py": "import importlib\n"
                    "importlib.import_module('by_name')\n",
    "by_name.py": "",
    "calls.py": "def load():\n    import lazy\n",
    "lazy.py": "",
    "caller.py": "import calls\ncalls.load()\n",
}
ALIKE = [  # what loads the same; a list for each kind of load
    ["import inner.part, outer, caller, inner.late\n",
     "import outer, caller, inner.late\n",
     "'''Words.'''\nimport inner.late as a\nimport caller\nimport outer\n",
     "import json\nfrom inner import late\nfrom outer import *\n"
     "from caller import calls\nx = 1\nimport inner.part\n"],
    ["import outer, caller\n", "from outer import own\nimport caller\n"],
    ["import outer, calls\n", "import calls\nfrom inner import part\n"
     "import outer\n"],
    ["import outer\n"],
    ["import inner\n"],
    ["import inner.part\n", "from inner.part import x\n"],
    ["x = len('a')\nimport inner.part\n",
     "try:\n    from inner import part\nexcept ImportError:\n    pass\n"],
    ["import os\nos.environ['A'] = '1'\nimport outer\n",
     "import os, sys\nos.environ['A'] = '1'\nimport inner\nimport outer\n"],
    ["import os\nos.environ['A'] = '2'\nimport outer\n"],
    ["import outer\nimport os\nos.environ['A'] = '1'\n"],
    ["import os\nos.putenv('A', '1')\nimport outer\n"],
    ["", "import sys, textwrap\n", "import os\nprint(1)\nimport json\n"],
]


@pytest.mark.skipif(sys.version_info < (3, 10), reason="no list of modules")
def test_scripts_are_told_apart_by_what_they_load(make, tmp_path):
    for name, text in LIBRARY.items():
        path = tmp_path / "lib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    w = make(preload=["inner.part", "outer", "caller", "inner.late"],
             env=["PYTHONPATH=%s" % (tmp_path / "lib")])
    assert w.start()["forks"]
    loads = [[w.run(text, loads=True)["loads"] for text in kind]
             for kind in ALIKE]
    assert [len(set(kind)) for kind in loads] == [1] * len(ALIKE), loads
    assert len({kind[0] for kind in loads}) == len(ALIKE), loads
    assert "loads" not in w.run("import outer\n")
    assert "loads" not in w.run("import outer\n", how="fresh", loads=True)


def test_shell_command_gets_the_file(make):
    w = make(command="cat {file}; exit 3")
    ready = w.start()
    assert ready["ok"] and not ready["forks"]
    got = w.run("it's text")
    assert (got["out"], got["exit_code"]) == ("it's text", 3)


def test_test_command_decides_by_exit_code(make):
    w = make(test="grep -q yes")
    w.start()
    assert w.run("yes\n")["exit_code"] == 0
    assert w.run("no\n")["exit_code"] == 1


def test_subproc_backend_does_not_fork(make):
    w = make(backend="subproc")
    ready = w.start()
    assert ready["ok"] and not ready["forks"]
    assert not w.run("print(1)\n")["forked"]


def test_more_runs_than_slots_all_end(worker):
    numbers = [worker.begin("print(%d)\n" % i, HOWS[i % 7 == 0])
               for i in range(40)]
    assert [worker.result(n)["out"] for n in numbers] == [
        "%d\n" % i for i in range(40)]


@pytest.mark.parametrize("line", [
    b"not json\n", b"{}\n", b'{"frame": "pong", "id": 1}\n'])
def test_bad_frame_ends_the_worker_with_a_note(make, line):
    w = make()
    w.process.stdin.write(line)
    w.process.stdin.flush()
    assert w.wait_for("note")["text"]
    assert w.process.wait(PATIENCE) == 3


def test_worker_tells_of_machine_and_packages_when_asked(make, tmp_path):
    """Of what is imported, by the name under which it was installed; nothing
    is imported for that, and what is unknown is left out."""
    lib = tmp_path / "lib"
    for name, top in (("one-1.5", "one"), ("Other_Name-2.0", "two")):
        info = lib / (name + ".dist-info")
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % tuple(name.split("-")))
        (info / "top_level.txt").write_text(top + "\n")
    w = make(about=True, preload=["one.deep", "two", "json", "unknown"],
             env=["PYTHONPATH=%s" % lib])
    ready = w.start()
    assert ready["packages"] == ["one 1.5", "Other_Name 2.0"]
    assert "Linux" in ready["platform"]


def test_gpus_are_named_from_the_files_of_their_driver(tmp_path):
    for number, model in enumerate(("NVIDIA H200", "NVIDIA H200", "NVIDIA L4")):
        folder = tmp_path / "gpus" / ("0000:0%d:00.0" % number)
        folder.mkdir(parents=True)
        (folder / "information").write_text("Model: \t\t %s\nIRQ: 5\n" % model)
    (tmp_path / "version").write_text(
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.03  Tue Nov 4\n")
    about = (Path(__file__).resolve().parents[2] / "worker" / "about.py").read_text()
    for root, said in ((tmp_path, "gpu\t2 x NVIDIA H200, NVIDIA L4, driver 580.159.03\n"),
                       (tmp_path / "none", "")):
        got = subprocess.run(
            [PYTHON, "-c", about + "about_gpus(%r)" % str(root)], capture_output=True,
            text=True, check=True).stdout
        assert got.split("\n", 1)[1] == said


def test_worker_tells_the_version_alone_when_not_asked(make):
    ready = make(preload=["pip"]).start()
    assert ready["python_version"] and not ready["packages"]
    assert "platform" not in ready
