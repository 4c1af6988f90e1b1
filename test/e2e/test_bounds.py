"""Kernels in Triton's interpreter that reach beyond their arrays, or do nothing."""
import re
import subprocess
import textwrap
from pathlib import Path

import conftest

HERE = Path(__file__).resolve().parent
WORKER = HERE.parents[1] / "worker"

# The last three elements are not written: a mask that is one too small.
SHORT = """\
import os

os.environ["TRITON_INTERPRET"] = "1"

import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.store(out_ptr + at, x * 2, mask=at < n - 3)


x = torch.arange(100, dtype=torch.float32) + 1
out = torch.zeros_like(x)
scale_kernel[(2,)](x, out, 100, BLOCK=64)
torch.testing.assert_close(out, x * 2)
"""
WORDS = "Tensor-likes are not close"


def done_by(python, script):
    """Return what bounds.py tells of a script: the sum of its bits."""
    program = textwrap.dedent("""\
        import os, sys
        def names_of(name):
            space = {}
            with open(os.path.join(sys.argv[1], name)) as file:
                exec(file.read(), space)
            return space
        seen = []
        names_of("bounds.py")["watch"](names_of("arrival.py"), seen.append)
        try:
            with open(sys.argv[2]) as file:
                exec(compile(file.read(), sys.argv[2], "exec"), {"__name__": "__main__"})
        except AssertionError:
            pass
        told = 0
        for one in seen:
            told |= one
        print(told)
        """)
    done = subprocess.run([python, "-c", program, str(WORKER), str(script)],
                          stdout=subprocess.PIPE, check=True, timeout=120)
    return int(done.stdout.split()[-1])


def test_result_stays_within_its_arrays_and_changes_them(tool):
    """A mask that is false everywhere leaves as many elements wrong."""
    python = conftest.python_for("triton-interpret")
    slip = HERE / "cases" / "triton-slip.py"
    script = tool.write("slip.py", slip.read_text())
    assert done_by(python, script) == 1
    done, out, _ = tool.minimize(script, "--err-msg", WORDS, python=python, jobs=2)
    assert done.code == 0, done
    assert done_by(python, out) == 1, out.read_text()


def test_script_that_reaches_beyond_is_told_so(tool):
    python = conftest.python_for("triton-interpret")
    script = tool.write("beyond.py", SHORT.replace("at < n,", "at < n + 1,"))
    assert done_by(python, script) == 3
    done, _, _ = tool.minimize(script, "--err-msg", WORDS, python=python, jobs=2)
    assert done.code == 0, done
    assert re.search(r"note: a kernel reads or writes beyond the arrays", done.err), done


def test_launch_that_does_nothing_is_told_from_others(tool):
    python = conftest.python_for("triton-interpret")
    idle = SHORT.replace("mask=at < n - 3", "mask=at < 0")
    assert done_by(python, tool.write("idle.py", idle)) == 5
    large = SHORT.replace("arange(100,", "arange(10000000,")  # nobody asks
    assert done_by(python, tool.write("large.py", large)) == 5
    many = SHORT.replace("arange(100,", "arange(8000000,").replace(
        "scale_kernel[(2,)]", "for i in range(18):\n    out.zero_()\n    scale_kernel[(2,)]")
    assert done_by(python, tool.write("many.py", many)) == 5
    atomic = SHORT.replace("tl.store(", "tl.atomic_add(")
    assert done_by(python, tool.write("atomic.py", atomic)) == 1
    view = SHORT.replace("(x, out, 100", "(x[1:], out[1:], 99")
    assert done_by(python, tool.write("view.py", view)) == 1
