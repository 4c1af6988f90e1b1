"""Each example fails as faults.yaml says, and runs to its end once repaired."""
import re

import pytest
import yaml

from conftest import ROOT, fresh, python_for

EXAMPLES = ROOT / "examples"
FAULTS = yaml.safe_load((EXAMPLES / "faults.yaml").read_text())
NEEDS = {"tilelang": "tilelang", "triton": "triton-interpret",
         "numba": "numba-sim", "torch": "torch"}


def test_every_example_has_its_fault_written_down():
    assert sorted(row["file"] for row in FAULTS) \
        == sorted(path.name for path in EXAMPLES.glob("*.py"))
    assert {row["category"] for row in FAULTS} == set("ABCD")


@pytest.mark.parametrize("row", FAULTS, ids=[row["file"][:-3] for row in FAULTS])
def test_example_has_just_the_one_fault(row, tmp_path):
    python = python_for(NEEDS[row["file"].partition("_")[0]])
    script = tmp_path / row["file"]
    text = (EXAMPLES / row["file"]).read_text()
    assert all(re.search(want, text, re.M) for want in row["fault"])

    script.write_text(text)
    code, output = fresh(script, python)
    assert code != 0 and row["message"] in output, output

    wrong, right = row["fix"]
    assert text.count(wrong) == 1
    script.write_text(text.replace(wrong, right))
    code, output = fresh(script, python)
    assert code == 0, output
