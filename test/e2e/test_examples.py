"""Each example fails as faults.yaml says, and runs to its end once repaired."""
import sys

import pytest
import yaml

from conftest import ROOT, fresh, python_for

sys.path.insert(0, str(ROOT / "test" / "bench"))
import compare  # noqa: E402: that of the bench

EXAMPLES = ROOT / "examples"
FAULTS = yaml.safe_load((EXAMPLES / "faults.yaml").read_text())
NEEDS = {"tilelang": "tilelang", "triton": "triton-interpret",
         "numba": "numba-sim", "torch": "torch"}


def test_every_example_has_its_fault_written_down():
    assert sorted(row["file"] for row in FAULTS) \
        == sorted(path.name for path in EXAMPLES.glob("*.py"))
    assert {row["category"] for row in FAULTS} == set("ABCD")


@pytest.mark.parametrize("row", FAULTS, ids=[row["file"][:-3] for row in FAULTS])
def test_the_patterns_tell_the_fault(row):
    text = (EXAMPLES / row["file"]).read_text()
    assert 150 <= len(text.splitlines()) <= 600
    wrong, right = row["fix"]
    assert text.count(wrong) == 1
    assert compare.has_fault(row, text)
    assert compare.has_fault(row, text.replace(wrong, right)) == row.get("loose", False)


@pytest.mark.parametrize("text, has", [
    ("A = T.alloc_shared((8, 4), t)\nB = T.alloc_shared((8, 8), t)\nT.gemm(A, B, C)\n", True),
    ("A = T.alloc_shared((8, 4), t)\nB = T.alloc_shared((4, 8), t)\nT.gemm(A, B, C)\n", False),
    ("T.gemm(T.alloc_shared((1,0),''), T.alloc_shared((1,0),''), 0)\n", True),
    # Of the names of another function nothing is known.
    ("def f():\n    B = 1\nA = T.alloc_shared((8, 4), t)\nT.gemm(A, B, C)\n", False),
    ("B = T.alloc_shared((8, 8), t)\nB = 2\nT.gemm(T.alloc_shared((8, 4)), B, C)\n", False),
    ("T.gemm(", False),
])
def test_a_pattern_sees_what_a_name_stands_for(text, has):
    row = next(row for row in FAULTS if row["file"] == "tilelang_gemm.py")
    assert compare.has_fault(row, text) == has


@pytest.mark.parametrize("row", FAULTS, ids=[row["file"][:-3] for row in FAULTS])
def test_example_has_just_the_one_fault(row, tmp_path):
    python = python_for(NEEDS[row["file"].partition("_")[0]])
    script = tmp_path / row["file"]
    text = (EXAMPLES / row["file"]).read_text()

    script.write_text(text)
    code, output = fresh(script, python)
    assert code != 0 and row["message"] in output, output

    wrong, right = row["fix"]
    script.write_text(text.replace(wrong, right))
    code, output = fresh(script, python)
    assert code == 0, output
