"""CUDA and forks, on a driver that the tests play (test/fakes/cuda.c)."""
import shutil
import subprocess

import pytest

from conftest import ROOT, fresh, last_line

FAKES = ROOT / "test" / "fakes"

pytestmark = pytest.mark.skipif(
    not shutil.which("cc"), reason="needs a C compiler")


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """The driver, as a shared object."""
    path = tmp_path_factory.mktemp("cuda") / "libcuda.so.1"
    subprocess.check_call(
        ["cc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o",
         str(path), str(FAKES / "cuda.c")])
    return path


@pytest.fixture
def cuda(tool, driver):
    """What --env must say for a script to import fakecuda; the log of it."""
    tool.log = tool.root / "contexts"
    return ["--env", "PYTHONPATH=%s" % FAKES, "--env", "FAKE_CUDA=%s" % driver,
            "--env", "FAKE_CUDA_LOG=%s" % tool.log]


SCRIPT = '''
import fakecuda

def tile(rows, cols):
    sizes = [n * rows for n in range(cols)]
    return {"rows": rows, "cols": cols, "sizes": sizes}

def check(rows, cols):
    if rows != cols:
        raise ValueError("K shape check failed: %d" % rows)

def main():
    fakecuda.context()
    shape = tile(4, 9)
    print("sizes", shape["sizes"])
    check(shape["rows"], shape["cols"])

main()
'''


TENSORS = '''
import fakecuda

def tile(rows, cols):
    sizes = [n * rows for n in range(cols)]
    return {"rows": rows, "cols": cols, "sizes": sizes}

def load(shape):
    print("sizes", shape["sizes"])
    return fakecuda.Tensor(shape["rows"], shape["cols"])

def main():
    a = load(tile(4, 9))
    b = load(tile(9, 3))
    c = a @ b
    print(c.rows)
    a @ c

main()
'''


def minimize(tool, *more, text=SCRIPT, message="K shape check failed"):
    """Minimize a script; the result fails as it did, or the test does."""
    script = tool.write("kernel.py", text)
    done, out, report = tool.minimize(
        script, "--err-msg", message, "--keep", "none", *more)
    assert done.code == 0, done
    assert report["status"] == "verified", report
    return done, out, report


def fails(tool, out, cuda):
    """The last line of a new run of the result."""
    env = dict(word.split("=", 1) for word in cuda[1::2])
    code, output = fresh(out, env=env)
    assert code == 1, output
    return last_line(output)


def test_mapped_driver_that_is_not_initialised_forks(tool, cuda):
    done, out, _ = minimize(tool, *cuda)
    assert "new interpreters" not in done.text
    assert "fresh runs are used" not in done.text
    assert fails(tool, out, cuda).startswith("ValueError: K shape check failed")


def test_import_that_initialises_is_named_and_nothing_is_forked(tool, cuda):
    done, out, report = minimize(
        tool, *cuda, "--env", "FAKE_CUDA_AT=import", "--max-runs", "30")
    assert "importing fakecuda initialises CUDA" in done.text
    assert report["original"]["bytes"] > report["result"]["bytes"]
    assert fails(tool, out, cuda).startswith("ValueError: K shape check failed")


def test_server_that_is_initialised_later_is_given_up(tool, cuda):
    """The first child is spoilt already, and its run must not count."""
    done, out, _ = minimize(
        tool, *cuda, "--env", "FAKE_CUDA_AT=fork", "--max-runs", "30")
    assert "CUDA was initialised in the fork server" in done.text, done
    assert fails(tool, out, cuda).startswith("ValueError: K shape check failed")


# ---- warm and hot children ----


def kinds(report):
    """The runs by kind of child, and what hot ones said."""
    return report["children"]


def test_script_without_a_context_has_plain_children(tool, cuda):
    text = SCRIPT.replace("    fakecuda.context()\n", "")
    _, _, report = minimize(tool, *cuda, text=text)
    assert kinds(report)["warm"] == kinds(report)["hot"] == 0
    assert not tool.log.exists()


def test_script_with_a_context_has_warm_ones(tool, cuda):
    _, out, report = minimize(
        tool, *cuda, "--env", "FAKE_CUDA_CONTEXT_MS=100", "--children", "warm")
    found = kinds(report)
    assert found["warm"] > 0 and found["hot"] == 0, found
    assert fails(tool, out, cuda).startswith("ValueError: K shape check failed")


def test_slow_context_has_hot_children_without_being_asked(tool, cuda):
    """Each run needs it, and a clean run a second: few are made."""
    _, out, report = minimize(
        tool, *cuda, "--env", "FAKE_CUDA_CONTEXT_MS=1000", text=TENSORS)
    found = kinds(report)
    assert found["hot"] > 0 and found["checked"] < found["yes"], found
    assert fails(tool, out, cuda).startswith("ValueError: K shape check failed")


def test_hot_children_and_warm_ones_share_the_work(tool, cuda):
    done, out, report = minimize(
        tool, *cuda, "--env", "FAKE_CUDA_CONTEXT_MS=100", "--children", "hot")
    found = kinds(report)
    assert found["hot"] > found["warm"] + found["forked"], found
    assert found["noes"] > 10 and found["voided"] == 0, found
    assert found["overturned"] == 0 and found["denied"] == 0, found
    assert "refusals by hot children" in done.text
    assert fails(tool, out, cuda).startswith("ValueError: K shape check failed")


@pytest.mark.parametrize("children", ["plain", "warm", "hot"])
def test_each_kind_gives_the_same_result(tool, cuda, children):
    _, out, report = minimize(tool, *cuda, "--children", children)
    found = kinds(report)
    assert (found["hot"] > 0) == (children == "hot")
    assert children != "plain" or found["warm"] == 0
    assert report["minimal"] is True
    assert out.read_text().count("\n") <= 3, out.read_text()
    assert fails(tool, out, cuda).startswith("ValueError: K shape check failed")


def test_sticky_error_is_not_what_is_minimized(tool, cuda):
    """Every call after the fault fails; only the one that faults may stay."""
    text = '''
import fakecuda

def setup(seed):
    values = [seed * n for n in range(4)]
    fakecuda.launch()
    return values

def store(values, limit):
    for value in values:
        if value > limit:
            fakecuda.launch(700)
        else:
            fakecuda.launch()
    fakecuda.synchronize()

store(setup(3), 5)
'''
    done, out, report = minimize(
        tool, *cuda, text=text, message="illegal memory access")
    assert kinds(report)["hot"] == 0, done
    assert "launch(700)" in out.read_text()
    assert "illegal memory access" in fails(tool, out, cuda)


def test_candidates_that_fault_do_not_change_other_verdicts(tool, cuda):
    """Without the limit a candidate faults, and what follows it would too."""
    text = '''
import fakecuda

def grid(n):
    return [n * k for k in range(1, 5)]

def launch(sizes, limit):
    for size in sizes:
        if size > limit:
            fakecuda.launch(700)
        fakecuda.synchronize()

def check(rows, cols):
    if rows != cols:
        raise ValueError("K shape check failed: %d" % rows)

sizes = grid(3)
limit = max(sizes)
launch(sizes, limit)
fakecuda.context()
check(len(sizes), limit)
'''
    done, out, report = minimize(
        tool, *cuda, "--children", "hot", text=text)
    assert kinds(report)["hot"] > 0, done
    assert fails(tool, out, cuda).startswith("ValueError: K shape check failed")


LEAKY = '''
import fakecuda
import state

def warm_up(n):
    rows = [k for k in range(n)]
    state.COUNT += len(rows)
    return rows

def check(count, want):
    if count != want:
        raise ValueError("K shape check failed: %d" % count)

fakecuda.context()
LEAVE
rows = warm_up(5)
extra = warm_up(2)
check(state.COUNT, WANT)
'''

LEAVING = {
    "counter": "state.COUNT += 0",
    "builtins": "import builtins\nbuiltins.len = lambda rows: 5",
    "environment": "import os\nos.environ['LEFT'] = 'x' + os.environ.get("
                   "'LEFT', '')\nstate.COUNT += len(os.environ['LEFT']) - 1",
    "folder": "import os\nstate.COUNT += os.path.exists('here.txt') - 1\n"
              "os.chdir('/')",
    "thread": "import threading, time\nstate.COUNT += "
              "threading.active_count() - 1\nthreading.Thread("
              "target=time.sleep, args=(9,), daemon=True).start()",
    "output": "import os\nos.close(1)",
    "library": "import json\njson.LEFT = getattr(json, 'LEFT', -1) + 1\n"
               "state.COUNT += json.LEFT",
}


@pytest.mark.parametrize("name", sorted(LEAVING))
def test_what_candidates_leave_never_changes_the_result(tool, cuda, name):
    tool.write("state.py", "COUNT = 0\n")
    tool.write("here.txt", "")
    want = 10 if name == "builtins" else 7
    text = LEAKY.replace("LEAVE", LEAVING[name]).replace(
        "WANT", str(want + 1))
    done, out, report = minimize(
        tool, *cuda, "--children", "hot", text=text)
    found = kinds(report)
    assert fails(tool, out, cuda).startswith("ValueError: K shape check failed")
    other = out.read_text()
    out.unlink()
    _, out, plain = minimize(
        tool, *cuda, "--children", "plain", "--no-cache", text=text)
    assert len(other) <= plain["result"]["bytes"] + 40, (other, found, done)
