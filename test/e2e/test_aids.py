"""What is done to make a failure show each time, or in one place."""
import shutil
import subprocess

import pytest

from conftest import ROOT, fresh, last_line, python_for

FAKES = ROOT / "test" / "fakes"

# A library whose fresh memory happens to be zero.
CUPY = """
class dtype:
    kind = "f"
    itemsize = 8

class ndarray:
    def __init__(self, n):
        self.items = [0.0] * n
        self.dtype = dtype

    def fill(self, value):
        self.items = [value] * len(self.items)

def empty(n):
    return ndarray(n)

def check(array):
    if any(item != item for item in array.items):
        raise ValueError("some are not written")
"""

UNWRITTEN = """
import cupy

def kernel(out, rows):
    for i in range(rows):
        out.items[i] = 0.0

def main(rows, spare):
    print("rows", rows)
    out = cupy.empty(rows + spare)
    kernel(out, rows)
    cupy.check(out)

main(4, 1)
"""
MESSAGE = ("--err-msg", "some are not written")


@pytest.fixture
def library(tool):
    folder = tool.root / "library"
    folder.mkdir()
    (folder / "cupy.py").write_text(CUPY)
    return ("--env", "PYTHONPATH=%s" % folder)


@pytest.mark.parametrize("backend", ["runner", "subproc"])
def test_reads_of_what_was_not_written_fail_when_it_is_filled(tool, library, backend):
    """And the report tells that they do not otherwise."""
    script = tool.write("script.py", UNWRITTEN)
    done, out, report = tool.minimize(
        script, *MESSAGE, "--fill", "nan", "--backend", backend, *library)
    assert done.code == 0, done
    assert report["without"] == [{"aid": "--fill nan", "runs": 3, "matched": 0}], report
    assert "without --fill nan the result fails in 0 of 3 fresh runs" in done.err, done
    text = out.read_text()
    assert "cupy.empty" in text and len(text) < len(UNWRITTEN) / 2, text


def test_nothing_is_filled_unasked(tool, library):
    script = tool.write("script.py", UNWRITTEN)
    done, out, report = tool.minimize(script, *MESSAGE, *library)
    assert done.code == 1 and not out.exists() and report["without"] == [], done


def test_a_failure_that_needs_no_fill_is_told_so(tool, library):
    script = tool.write("script.py", UNWRITTEN.replace(
        "cupy.check(out)", "cupy.check(cupy.ndarray(1).items)"))
    done, _, report = tool.minimize(
        script, "--err-msg", "object has no attribute", "--fill", "nan", *library)
    assert done.code == 0, done
    assert report["without"] == [{"aid": "--fill nan", "runs": 3, "matched": 3}], report


@pytest.mark.parametrize("backend", ["runner", "subproc"])
def test_a_sitecustomize_of_the_user_still_acts(tool, library, backend):
    (tool.root / "library" / "sitecustomize.py").write_text(
        "import builtins\nbuiltins.theirs = __name__\n")
    script = tool.write("script.py", UNWRITTEN.replace(
        "cupy.check(out)",
        'if out.items[-1] != 0:\n        raise ValueError(theirs + " some are not written")'))
    done, _, _ = tool.minimize(
        script, "--err-msg", "sitecustomize some are not written", "--fill", "nan",
        "--backend", backend, "--keep", "none", *library)
    assert done.code == 0, done


ALL = """
import numpy as np
import torch

from torch import empty

assert not torch.are_deterministic_algorithms_enabled()
made = [
    empty(3), torch.empty((2, 2), requires_grad=True), torch.empty_like(torch.zeros(2)),
    torch.empty_strided((2, 2), (1, 2)), torch.zeros(1).new_empty(2),
    torch.empty(2, dtype=torch.bfloat16), torch.empty(2, dtype=torch.complex64)]
assert all(t.isnan().all() for t in made), made
assert torch.empty(2, dtype=torch.int8).tolist() == [127, 127]
assert torch.empty(2, dtype=torch.bool).all()
assert np.isnan(np.empty(3)).all() and np.isnan(np.empty_like(np.zeros(2))).all()
assert np.empty(2, np.uint16).tolist() == [65535, 65535]
assert torch.nn.Linear(2, 2).weight.isfinite().all()

def added(n: int):
    return torch.empty(n) + 1

torch.jit.script(added)(2)
spare = [1, 2, 3]
raise ValueError("all are filled")
"""


def test_torch_and_numpy_are_filled(tool):
    python = python_for("torch")
    script = tool.write("script.py", ALL)
    done, _, report = tool.minimize(
        script, "--err-msg", "all are filled", "--fill", "nan", "--max-runs", 1, "--repeat", 1,
        python=python)
    assert done.code == 0, done
    assert "shown in 2 of 2 fresh and" in done.err, done
    assert report["rate"]["matched"] == report["rate"]["runs"] > 3, report


# ---- launches that are waited for ----

TAKES_TURNS = """
import os

import fakecuda

def turn():
    for i in range(1000):
        try:
            os.close(os.open("%s/%%d" %% i, os.O_CREAT | os.O_EXCL))
            return i
        except FileExistsError:
            pass

fakecuda.launch()
fakecuda.launch(700)
if turn() & 1:
    fakecuda.synchronize()
print("something else")
fakecuda.synchronize()
"""
FAULT = ("--err-msg", "an illegal memory access")


@pytest.fixture
def cuda(tool):
    if not shutil.which("cc"):
        pytest.skip("needs a C compiler")
    driver = tool.root / "libcuda.so.1"
    subprocess.check_call(
        ["cc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", str(driver),
         str(FAKES / "cuda.c")])
    (tool.root / "turns").mkdir()
    return ("--env", "PYTHONPATH=%s" % FAKES, "--env", "FAKE_CUDA=%s" % driver)


def takes_turns(tool):
    return tool.write("script.py", TAKES_TURNS % (tool.root / "turns"))


@pytest.mark.parametrize("children", ["plain", "warm", "hot"])
def test_an_error_in_changing_places_is_brought_to_one(tool, cuda, children):
    done, out, report = tool.minimize(
        takes_turns(tool), *FAULT, "--children", children, *cuda)
    assert done.code == 0, done
    assert "CUDA_LAUNCH_BLOCKING=1, which all runs have from now on" in done.err, done
    assert out.read_text() == "import fakecuda\nfakecuda.launch(700)\n"
    assert report["command"].count("CUDA_LAUNCH_BLOCKING=1 ") == 1, report["command"]
    assert report["without"] == [
        {"aid": "CUDA_LAUNCH_BLOCKING=1", "runs": 3, "matched": 0}], report
    env = dict(word.split("=", 1) for word in cuda[1::2])
    assert fresh(out, env=env)[0] == 0
    code, output = fresh(out, env={**env, "CUDA_LAUNCH_BLOCKING": "1"})
    assert code == 1 and "an illegal memory access" in last_line(output), output


def test_a_steady_error_is_left_as_it_is(tool, cuda):
    script = tool.write("script.py", "import fakecuda\nfakecuda.launch(700)\n"
                        "print('more')\nfakecuda.synchronize()\n")
    done, out, report = tool.minimize(script, *FAULT, *cuda)
    assert done.code == 0 and "CUDA_LAUNCH_BLOCKING" not in done.err, done
    assert report["without"] == [] and "synchronize" in out.read_text(), report


@pytest.mark.parametrize("how", ["off", "set"])
def test_nothing_is_tried_where_the_user_has_said_how_it_shall_be(tool, cuda, how):
    more = ("--launch-blocking", "off") if how == "off" else (
        "--env", "CUDA_LAUNCH_BLOCKING=0")
    done, _, report = tool.minimize(
        takes_turns(tool), *FAULT, "--max-runs", 10, *more, *cuda)
    assert "which all runs have" not in done.err and report["without"] == [], done


def test_launches_are_waited_for_when_asked(tool, cuda):
    script = tool.write("script.py", "import fakecuda\nfakecuda.launch(700)\n"
                        "print('more')\n")
    done, out, report = tool.minimize(script, *FAULT, "--launch-blocking", "on", *cuda)
    assert done.code == 0, done
    assert out.read_text() == "import fakecuda\nfakecuda.launch(700)\n"
    assert report["without"][0]["matched"] == 0, report
