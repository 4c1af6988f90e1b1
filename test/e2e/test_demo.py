"""The demo: a real TileLang file of 280 lines, and the two other examples."""
import shutil

import pytest

from conftest import ROOT, fresh, last_line, python_for

EXAMPLES = ROOT / "examples"


def minimize_example(tool, name, needs, *args):
    python = python_for(needs)
    script = tool.work / name
    shutil.copy(EXAMPLES / name, script)
    done, out, report = tool.minimize(script, *args, python=python, timeout=900)
    assert done.code == 0, done
    assert report["status"] == "verified"
    return python, out, report


def test_demo_is_small_fails_again_and_needs_few_runs(tool):
    message = "T.gemm K shape check failed"
    python, out, report = minimize_example(
        tool, "tilelang_gemm.py", "tilelang", "--err-msg", message)
    result = out.read_bytes()
    text = result.decode()
    print("demo: %d lines, %d bytes, %d runs, %.0f s" % (
        len(text.splitlines()), len(result), report["runs"], report["wall_s"]))
    assert len(text.splitlines()) <= 12, text
    assert len(result) <= 500, text
    for _ in range(3):
        code, output = fresh(out, python)
        assert code == 1, output
        assert last_line(output).startswith("AssertionError: " + message), output
    assert report["runs"] <= 600, report["runs"]


@pytest.mark.parametrize("name, needs, message, ending", [
    ("triton_mask.py", "triton-interpret", "Mismatched elements: 104 / 1000",
     "Mismatched elements: 104 / 1000"),
    ("numba_bounds.py", "numba-sim", "is out of bounds for axis 0 with size 18",
     "IndexError: tid=["),
])
def test_example_keeps_its_failure(tool, name, needs, message, ending):
    python, out, _ = minimize_example(tool, name, needs, "--err-msg", message)
    code, output = fresh(out, python)
    assert code == 1
    assert any(line.startswith(ending) for line in output.splitlines()), output
    assert out.stat().st_size < (EXAMPLES / name).stat().st_size / 2
