"""Warm and hot children of the fork server, driven by frames."""
import contextlib
import os
import shutil
import signal
import subprocess

import pytest

from conftest import ROOT, until
from frames import essence

FAKES = ROOT / "test" / "fakes"


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """The driver that fakecuda uses, as a shared object."""
    if not shutil.which("cc"):
        pytest.skip("needs a C compiler")
    path = tmp_path_factory.mktemp("cuda") / "libcuda.so.1"
    subprocess.check_call(
        ["cc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o",
         str(path), str(FAKES / "cuda.c")])
    return path


@pytest.fixture
def hot(make):
    """A worker that is ready and can fork."""
    made = make()
    ready = made.start()
    assert ready["ok"] and ready["forks"], ready
    return made


@pytest.fixture
def cuda(make, driver, tmp_path):
    """The same with fakecuda, whose contexts are logged."""
    def maker(*env, **more):
        log = tmp_path / "contexts"
        made = make(preload=["fakecuda"], env=[
            "PYTHONPATH=%s" % FAKES, "FAKE_CUDA=%s" % driver,
            "FAKE_CUDA_LOG=%s" % log, *env], **more)
        made.contexts = lambda: log.read_text().split() \
            if log.exists() else []
        ready = made.start()
        assert ready["ok"] and ready["forks"], ready
        return made
    return maker


def heat(worker, text, lane=0, generation=0, **more):
    """One run in a hot child."""
    return worker.run(text, "hot", lane=lane, generation=generation, **more)


# ---- which child made a context ----


@pytest.mark.parametrize("text, context", [
    ("import fakecuda\n", False),
    ("import fakecuda\nfakecuda.init()\n", False),
    ("import fakecuda\nfakecuda.context()\n", True),
    ("import fakecuda\nfakecuda.context()\nraise SystemExit(3)\n", True),
    ("import fakecuda\nfakecuda.launch(700)\nfakecuda.synchronize()\n", True),
])
def test_run_tells_whether_it_made_a_context(cuda, text, context):
    worker = cuda()
    assert worker.run(text)["cuda"] is context
    assert worker.run(text, "fresh")["cuda"] is False  # nobody asks there


# ---- warm children ----


def test_warm_child_is_used_once_it_has_its_context(cuda):
    worker = cuda()
    text = "import fakecuda, os\nfakecuda.context()\nprint(os.getpid())\n"
    first = worker.run(text, "warm")
    assert first["cuda"] and not first["warm"]
    while True:  # the one that was forked then gets ready at some time
        got = worker.run(text, "warm")
        assert got["cuda"] and got["exit_code"] == 0, got
        if got["warm"]:
            break
    assert worker.contexts().count(got["out"].strip()) == 1


def test_warm_child_is_not_made_where_memory_is_short(cuda):
    worker = cuda("FAKE_CUDA_FREE=1000000")
    text = "import fakecuda\nfakecuda.context()\n"
    for _ in range(6):
        assert not worker.run(text, "warm")["warm"]


def test_warm_child_is_not_made_where_cuda_does_not_start(cuda):
    worker = cuda("FAKE_CUDA_UNFIT=999")
    for _ in range(4):
        got = worker.run("print(1)\n", "warm")
        assert not got["warm"] and got["out"] == "1\n"
    assert worker.contexts() == []


def test_warm_run_is_as_any_other(cuda, tmp_path):
    worker = cuda()
    text = ("import sys, os, fakecuda\nfakecuda.context()\n"
            "print(sys.argv, __name__, os.environ.get('TMPDIR') is None)\n"
            "print(os.path.dirname(__file__) == sys.path[0])\n"
            "def f():\n    raise ValueError('a')\nf()\n")
    plain = essence(worker.run(text))
    while True:
        got = worker.run(text, "warm")
        assert essence(got) == plain
        if got["warm"]:
            break


WHO = "import fakecuda, os\nfakecuda.context()\nprint(os.getpid())\n"


def stat(pid):
    """The fields of /proc/PID/stat from the state on."""
    with open("/proc/%d/stat" % pid) as file:
        return file.read().rpartition(")")[2].split()


def sockets(pid):
    """The sockets of a process."""
    links = set()
    for fd in os.listdir("/proc/%d/fd" % pid):
        with contextlib.suppress(OSError):
            links.add(os.readlink("/proc/%d/fd/%s" % (pid, fd)))
    return {link for link in links if link.startswith("socket:")}


def warm_child(worker):
    """Return a warm child that has its context and waits."""
    used = set()
    while True:
        used.add(worker.run(WHO, "warm")["out"].strip())
        for pid in set(worker.contexts()) - used:
            while stat(int(pid))[0] != "S":
                pass
            return int(pid)


def test_warm_child_that_dies_before_its_run_begins_is_no_verdict(cuda):
    worker = cuda()
    pid = warm_child(worker)
    server = int(stat(pid)[1])
    os.kill(pid, signal.SIGSTOP)
    before = sockets(server)
    number = worker.begin(WHO, "warm")
    while not before - sockets(server):
        pass  # the server has handed the run over and closed its end
    os.kill(pid, signal.SIGKILL)
    got = worker.result(number)
    assert got["end"] == "lost" and "before its run" in got["why"], got


def test_warm_child_whose_gpu_had_a_fault_runs_nothing(cuda, tmp_path):
    fault = tmp_path / "fault"
    worker = cuda("FAKE_CUDA_LOST=%s" % fault)
    warm_child(worker)
    fault.touch()
    got = worker.run(WHO, "warm")
    assert got["end"] == "lost" and "before its run" in got["why"], got
    fault.unlink()
    got = worker.run(WHO, "warm")
    assert got["exit_code"] == 0, got


def test_hot_child_whose_gpu_had_a_fault_runs_nothing(cuda, tmp_path):
    fault = tmp_path / "fault"
    worker = cuda("FAKE_CUDA_LOST=%s" % fault)
    first = heat(worker, WHO)
    assert first["kept"]
    fault.touch()
    got = heat(worker, WHO)
    assert got["end"] == "lost" and "before its run" in got["why"], got
    fault.unlink()
    got = heat(worker, WHO)
    assert got["exit_code"] == 0 and got["hot"] != first["hot"]


# ---- hot children ----


def test_hot_child_runs_one_after_another(hot):
    text = "import os\nprint(os.getpid())\n"
    first, second = heat(hot, text), heat(hot, text)
    assert first["out"] == second["out"]
    assert first["hot"] == second["hot"] == int(first["out"])
    assert (first["turn"], second["turn"]) == (1, 2)
    assert first["kept"] and second["kept"]
    other = heat(hot, text, lane=1)
    assert other["hot"] != first["hot"] and other["turn"] == 1
    later = heat(hot, text, generation=1)
    assert later["hot"] not in (first["hot"], other["hot"])


def children(worker):
    """The processes that the fork server has, by their numbers."""
    with open("/proc/{0}/task/{0}/children".format(worker.zygote())) as file:
        return [int(pid) for pid in file.read().split()]


def test_children_that_wait_end_when_no_more_runs_are_for_them(cuda):
    worker = cuda()
    text = "import fakecuda\nfakecuda.context()\n"
    hot, other = heat(worker, text)["hot"], heat(worker, text, lane=1)["hot"]
    while not worker.run(text, "warm")["warm"]:
        pass
    warm = set(until(lambda: set(children(worker)) - {hot, other}, 10, "a warm child"))
    assert {hot, other} <= set(children(worker))
    worker.send({"frame": "rest", "id": 0})
    until(lambda: not {hot, other} & set(children(worker)), 15, "the end of the hot ones")
    assert warm & set(children(worker))
    worker.send({"frame": "rest", "id": 1})
    until(lambda: not children(worker), 15, "the end of the warm ones")
    again = heat(worker, text)
    assert again["exit_code"] == 0 and again["hot"] not in (hot, other)


def test_children_with_a_run_do_not_end_with_those_that_wait(hot, tmp_path):
    text = ("import os, time\nprint('up', flush=True)\n"
            "while not os.path.exists(%r):\n    time.sleep(0.01)\n" % str(tmp_path / "go"))
    waits = heat(hot, "pass\n", lane=1)["hot"]
    number = hot.begin(text, "hot", lane=0, generation=0)
    until(lambda: len(children(hot)) > 1, 10, "both children")
    hot.send({"frame": "rest", "id": 1})
    until(lambda: waits not in children(hot), 15, "the end of the one that waits")
    (tmp_path / "go").touch()
    got = hot.result(number)
    assert got["exit_code"] == 0 and got["kept"], got


SAME = {
    "nothing": "",
    "exception": "def f():\n    raise ValueError('a')\nf()\n",
    "chained": "try:\n    1/0\nexcept Exception as e:\n"
               "    raise KeyError('x') from e\n",
    "exit_3": "import sys\nsys.exit(3)\n",
    "exit_text": "import sys\nsys.exit('words')\n",
    "syntax_error": "def f(:\n",
    "own_hook": "import sys\n"
                "sys.excepthook = lambda *a: print('hook', a[0].__name__)\n"
                "1/0\n",
    "atexit": "import atexit\natexit.register(print, 'end')\nprint('begin')\n",
    "thread": "import threading\n"
              "threading.Thread(target=print, args=('t',)).start()\n",
    "stderr": "import os\nos.write(2, b'raw\\n')\nprint('py')\n",
    "c_buffer": "import ctypes\nctypes.CDLL(None).printf(b'from C')\n",
    "warning": "import warnings\nwarnings.warn('careful')\n"
               "warnings.warn('careful', DeprecationWarning, 1)\n",
    "recursion": "def f(n):\n    return f(n + 1)\n"
                 "try:\n    f(0)\nexcept RecursionError:\n    print('deep')\n",
    "interrupt": "raise KeyboardInterrupt\n",
    "main": "import sys\nclass A: pass\nprint(A.__module__, __name__, "
            "sys.modules['__main__'].A is A)\n",
    "pickle": "import pickle\nclass A: pass\n"
              "print(type(pickle.loads(pickle.dumps(A()))) is A)\n",
    "no_stdin": "import sys\nprint(repr(sys.stdin.read()))\n",
    "del": "class A:\n    def __del__(self):\n        print('gone')\na = A()\n",
}


@pytest.mark.parametrize("name", sorted(SAME))
def test_hot_run_is_as_any_other(hot, name):
    """First in its child, and then after itself."""
    plain = essence(hot.run(SAME[name]))
    for _ in range(2):
        got = heat(hot, SAME[name])
        assert essence(got) == plain


# What a script leaves, and a script that would see it. The second prints what
# it prints in a process of its own.
LEAKS = {
    "builtins": ("import builtins\nbuiltins.len = lambda _: 7\n"
                 "builtins.extra = 1\n",
                 "print(len('a'), 'extra' in dir(__builtins__))\n"),
    "environment": ("import os\nos.environ['LEFT'] = '1'\n"
                    "os.environ.pop('HOME', None)\n",
                    "import os\nprint('LEFT' in os.environ, "
                    "'HOME' in os.environ)\n"),
    "folder": ("import os\nos.chdir('/')\n",
               "import os\nprint(os.getcwd() == "
               "os.path.dirname(__file__))\n"),
    "path": ("import sys\nsys.path.insert(0, '/left')\nsys.argv.append('x')\n",
             "import sys\nprint('/left' in sys.path, len(sys.argv))\n"),
    "closed_output": ("import os\nos.close(1)\n", "print('heard')\n"),
    "moved_output": ("import os\nos.dup(1)\nos.dup2(2, 1)\n",
                     "print('heard')\n"),
    "replaced_output": ("import io, sys\nsys.stdout = io.StringIO()\n",
                        "print('heard')\n"),
    "closed_stream": ("import sys\nsys.stdout.close()\n", "print('heard')\n"),
    "buffered": ("import sys\nsys.stdout.write('tail')\n",
                 "print('heard')\n"),
    "signal": ("import signal\nsignal.signal(signal.SIGUSR1, "
               "signal.SIG_IGN)\nsignal.alarm(1)\n"
               "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])\n",
               "import signal\nprint(signal.getsignal(signal.SIGUSR1), "
               "signal.alarm(0), "
               "signal.pthread_sigmask(signal.SIG_BLOCK, ()))\n"),
    "atexit": ("import atexit\natexit.register(print, 'mine')\n",
               "print('heard')\n"),
    "warnings": ("import warnings\nwarnings.simplefilter('error')\n",
                 "import warnings\nwarnings.warn('x')\nprint('on')\n"),
    "warned": ("import warnings\nimport helper\nhelper.warn()\n",
               "import warnings\nimport helper\nhelper.warn()\n"),
    "hook": ("import sys\nsys.excepthook = lambda *_: print('hook')\n",
             "1/0\n"),
    "recursion": ("import sys\nsys.setrecursionlimit(60)\n",
                  "import sys\nprint(sys.getrecursionlimit())\n"),
    "logging": ("import logging\nlogging.basicConfig(level=10)\n"
                "logging.getLogger('a').setLevel(50)\n",
                "import logging\nlogging.warning('w')\nlogging.info('i')\n"
                "print(logging.getLogger('a').level)\n"),
    "sibling": ("import helper\nhelper.COUNT += 1\n",
                "import helper\nprint(helper.COUNT)\n"),
    "library": ("import json\njson.dumps = lambda _: 'no'\n",
                "import json\nprint(json.dumps(1))\n"),
    "unloaded": ("import sys\ndel sys.modules['json']\n",
                 "import json\nprint(json.dumps(1))\n"),
    "fake_module": ("import sys\nsys.modules['numbers'] = 'x'\n"
                    "sys.modules['made_up'] = sys\n",
                    "import numbers\nprint(numbers.Number.__name__)\n"
                    "try:\n    import made_up\n    print('there')\n"
                    "except ImportError:\n    print('not there')\n"),
    "main_name": ("LEFT = 1\nimport __main__\n",
                  "print('LEFT' in globals())\n"),
    "random": ("import random\nrandom.seed(1)\n",
               "import random\nrandom.seed(1)\nprint(random.random())\n"),
    "gc": ("import gc\ngc.disable()\n", "import gc\nprint(gc.isenabled())\n"),
    "trace": ("import sys\nsys.settrace(lambda *_: print('traced'))\n",
              "def f():\n    return 1\nprint(f())\n"),
    "umask": ("import os\nos.umask(0o77)\n",
              "import os\nprint(oct(os.umask(0)))\n"),
    "locale": ("import ctypes\n"
               "ctypes.CDLL(None).setlocale(6, b'C.UTF-8')\n",
               "import ctypes\nf = ctypes.CDLL(None).setlocale\n"
               "f.restype = ctypes.c_char_p\nprint(f(6, None))\n"),
    "thread": ("import threading, time\nthreading.Thread("
               "target=time.sleep, args=(60,), daemon=True).start()\n",
               "import sys\nprint(len(sys._current_frames()))\n"),
    "process": ("import subprocess\nsubprocess.Popen(['sleep', '60'])\n",
                "import os\ntry:\n    print(os.waitpid(-1, os.WNOHANG))\n"
                "except ChildProcessError:\n    print('none')\n"),
    "orphan": ("import os\nif os.fork() == 0:\n"
               "    if os.fork() == 0:\n        os.setsid()\n"
               "        os.execlp('sleep', 'sleep', '60')\n"
               "    os._exit(0)\nos.wait()\n", "print('heard')\n"),
    "descriptors": ("import os\nos.closerange(3, 4000)\n", "print('heard')\n"),
    "descriptor": ("import os\nos.open('/dev/null', 0)\n", "print('heard')\n"),
    "group": ("import os\nos.setpgid(0, 0) if os.getpgrp() != os.getpid() "
              "else None\n", "import os\nprint(os.getpgrp() == os.getpid())\n"),
    "leaving": ("import os\nos._exit(3)\n", "print('heard')\n"),
    "killed": ("import os\nos.kill(os.getpid(), 9)\n", "print('heard')\n"),
    "hash": ("import sys\nsys.set_int_max_str_digits(0)\n",
             "import sys\nprint(sys.get_int_max_str_digits())\n"),
}


@pytest.mark.parametrize("name", sorted(LEAKS))
def test_what_a_script_leaves_is_gone_for_the_next(make, name):
    """Put back; or the child is given up, and the next one is new."""
    leaves, sees = LEAKS[name]
    worker = make(preload=["json"])
    (worker.script_dir / "helper.py").write_text(
        "import warnings\nCOUNT = 0\n"
        "def warn():\n    warnings.warn('helper')\n")
    worker.start()
    plain = essence(worker.run(sees))
    left = heat(worker, leaves)
    assert left["end"] in ("exit", "signal"), left
    seen = heat(worker, sees)
    assert essence(seen) == plain
    if left["kept"]:
        assert seen["hot"] == left["hot"] and seen["turn"] == 2
    else:
        assert seen["hot"] != left["hot"] and seen["turn"] == 1


@pytest.mark.parametrize("name", ["builtins", "environment", "folder", "path",
                                  "closed_output", "signal", "library"])
def test_what_can_be_put_back_does_not_cost_the_child(hot, name):
    assert heat(hot, LEAKS[name][0])["kept"]


@pytest.mark.parametrize("name", ["thread", "process", "descriptors", "umask",
                                  "closed_stream"])
def test_what_cannot_be_put_back_does(hot, name):
    assert not heat(hot, LEAKS[name][0])["kept"]


POOLS = {
    "threads": "import concurrent.futures as f\np = f.ThreadPoolExecutor(2)\n"
               "p.submit(print, 'done')\n",
    "reused": "import concurrent.futures as f\n"
              "with f.ThreadPoolExecutor(2) as p:\n"
              "    print(list(p.map(abs, [-1, -2])))\n",
    "hook": "import threading\nthreading._register_atexit(print, 'end')\n",
}


@pytest.mark.parametrize("name", sorted(POOLS))
def test_pool_that_is_left_open_ends_with_the_run(hot, name):
    plain = essence(hot.run(POOLS[name]))
    for _ in range(3):
        got = heat(hot, POOLS[name])
        assert essence(got) == plain
        assert got["kept"]


def test_descriptor_that_a_library_may_hold_keeps_its_number(make):
    worker = make(preload=["json"])
    worker.start()
    first = heat(worker, "import json, os\njson.held = os.dup(1)\nprint(1)\n")
    assert first["kept"] and first["out"] == "1\n"
    second = heat(worker, "import json, os\nprint(json.held in [os.open("
                          "'/dev/null', 0) for _ in range(9)])\n")
    assert second["out"] == "False\n" and second["hot"] == first["hot"]


def test_finder_of_a_library_stays_and_one_of_the_script_goes(
        make, tmp_path):
    """What the library makes must be found in the next run too."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "installs.py").write_text(
        "import sys, types, importlib.machinery as m\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name.startswith('installs_'):\n"
        "            return m.ModuleSpec(name, self)\n"
        "    def create_module(self, spec):\n"
        "        return types.ModuleType(spec.name)\n"
        "    def exec_module(self, module):\n"
        "        pass\n"
        "sys.meta_path.append(Finder())\n")
    worker = make(env=["PYTHONPATH=%s" % folder])
    worker.start()
    own = ("import sys\nclass Mine:\n    find_spec = print\n"
           "sys.meta_path.append(Mine)\n")
    text = ("import installs, sys\nimport installs_%d as made\n"
            "print(made.__name__, len(sys.meta_path))\n" + own)
    for number in range(3):
        got = heat(worker, text % number)
        assert got["out"] == worker.run(text % number)["out"] != "", got
        assert got["kept"]


TORCH = [
    "torch.backends.cuda.matmul.allow_tf32 = True",
    "torch.backends.cudnn.allow_tf32 = False",
    "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False",
    "torch.set_float32_matmul_precision('high')",
    "torch.set_default_dtype(torch.float64)",
    "torch.set_default_tensor_type(torch.DoubleTensor)",
    "torch.use_deterministic_algorithms(True, warn_only=True)",
    "torch.set_grad_enabled(False)",
    "torch.autograd.set_detect_anomaly(True)",
    "torch.set_autocast_enabled(True)",
    "torch.backends.cuda.enable_flash_sdp(False)",
    "torch.set_default_device('meta')",
]
SEEN = """
import torch
b = torch.backends
print(b.cuda.matmul.allow_tf32, b.cudnn.allow_tf32, torch.get_default_dtype())
print(b.cuda.matmul.allow_fp16_reduced_precision_reduction)
print(torch.get_float32_matmul_precision(), torch.empty(0).device)
print(torch.get_deterministic_debug_mode(), torch.is_grad_enabled())
print(torch.is_anomaly_enabled(), torch.is_autocast_enabled())
print(b.cuda.flash_sdp_enabled(), torch.is_inference_mode_enabled())
print(torch.empty(0).dtype, torch.empty(0).type())
"""


def test_settings_of_torch_are_put_back(make):
    pytest.importorskip("torch")
    worker = make(preload=["torch"])
    worker.start()
    plain = heat(worker, SEEN)
    assert plain["exit_code"] == 0, plain
    left = heat(worker, "import torch\n" + "\n".join(TORCH))
    assert left["exit_code"] == 0 and left["kept"], left
    assert heat(worker, SEEN)["out"] == plain["out"]
    left = heat(worker, "import torch\ntorch.device('meta').__enter__()\n")
    assert left["exit_code"] == 0 and not left["kept"]
    assert heat(worker, SEEN)["out"] == plain["out"]


def test_output_of_hot_runs_is_kept_apart(hot):
    for i in range(5):
        got = heat(hot, "import os, ctypes\nprint('py %d')\n"
                        "ctypes.CDLL(None).printf(b'c %d')\n"
                        "os.write(2, b'err %d')\n" % (i, i, i))
        assert (got["out"], got["err"]) in (
            ("py %d\nc %d" % (i, i), "err %d" % i),
            ("c %dpy %d\n" % (i, i), "err %d" % i))


def test_hot_child_that_hangs_is_killed_and_replaced(hot):
    first = heat(hot, "print(1)\n")
    hung = heat(hot, "while True:\n    pass\n", timeout_ms=300)
    assert hung["end"] == "timeout" and not hung["kept"]
    after = heat(hot, "print(2)\n")
    assert after["out"] == "2\n" and after["hot"] != first["hot"]


def test_fault_on_the_gpu_ends_the_hot_child(cuda):
    """The error is sticky: each later run in that process would show it."""
    worker = cuda()
    good = "import fakecuda\nfakecuda.launch()\nfakecuda.synchronize()\n"
    bad = good.replace("launch()", "launch(700)")
    first = heat(worker, good)
    assert first["kept"] and first["exit_code"] == 0 and first["cuda"]
    assert heat(worker, good)["kept"]
    assert len(worker.contexts()) == 1
    fault = heat(worker, bad)
    assert "illegal memory access" in fault["exc_message"]
    assert not fault["kept"]
    after = heat(worker, good)
    assert after["exit_code"] == 0 and after["kept"]
    assert after["hot"] != first["hot"]


def test_fault_that_nobody_saw_ends_the_hot_child(cuda):
    worker = cuda()
    assert heat(worker, "import fakecuda\nfakecuda.launch()\n")["kept"]
    quiet = heat(worker, "import fakecuda\nfakecuda.launch(719)\n")
    assert quiet["exit_code"] == 0 and not quiet["kept"]


def test_hot_children_go_with_their_worker(hot):
    pid = heat(hot, "print(1)\n")["hot"]
    assert hot.finish() == 0
    assert hot.leftovers() == ([], [])
    assert not os.path.exists("/proc/%d" % pid)
