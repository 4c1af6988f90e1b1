"""How far the computation may change, and names: --mutate and --rename."""
import json

import pytest

# No value in there is always the same, whatever goes before the last loop, which
# is too long to be written out.
SCRIPT = '''import math
def measure(width, height):
    total = math.floor(width * 64 + height * 0)
    return [0] * (total - 448)
measure(8, 1)
for width in (10, 9, 11, 12, 7):
    values = measure(width, 12)
    values[96]
'''
MUTATING = set("argument keyword element expression integer string".split())
FAILURE = "IndexError: list index out of range"


def minimize(tool, folder, *flags):
    script = folder / "script.py"
    script.write_text(SCRIPT)
    done = tool.run(script, "--err-msg", FAILURE, "-j", "1", "--report",
                    folder / "report.json", *flags)
    assert done.code == 0, done
    report = json.loads((folder / "report.json").read_text())
    assert report["minimal"] is True
    return (folder / "script.min.py").read_text(), report


@pytest.mark.parametrize("how", ["none", "ints", "all"])
def test_mutation_goes_as_far_as_it_may(tool, tmp_path, how):
    text, report = minimize(tool, tmp_path, "--mutate", how)
    kinds = [step["kind"] for step in report["steps"]]
    began = report["mutation_began"]
    if how == "none":
        assert began is None
        assert "96" in text and "* 64" in text, text
    else:
        assert not set(kinds[:began]) & MUTATING
        assert kinds[began] in MUTATING | {"merge"}
        assert "96" not in text, text
    assert ("expression" in kinds) == (how == "all")
    assert ("*" in text) == (how == "none"), text


def test_names_are_short_at_the_end(tool, tmp_path):
    text, _ = minimize(tool, tmp_path, "--mutate", "none", "--rename")
    assert "values" not in text and "total" not in text, text
    assert "math" not in text or "import math" in text, text
