"""Steps that only forked runs bear out: the search goes back and on."""
import sqlite3

import pytest

from conftest import fresh

# A forked run does not see the name of its script among its own words, and then
# either half of the condition will do; in a new interpreter the first must stay.
FORKED = """\
# autodd: freeze-start
import os
with open("/proc/self/cmdline") as words:
    forked = os.path.basename(__file__) not in words.read()
# autodd: end-freeze

def sizes(n):
    return [3 * i for i in range(n)]

first = sizes(8)
second = list(reversed(first))
print(sum(first), sum(second))
limit = len(first) // 2
if forked or limit == 4:
    raise KeyError("sizes differ")
print(limit)
"""


def words_of(path):
    """The log of the one job of a state file: verdicts and steps."""
    with sqlite3.connect(path) as store:
        seqs = [row[0] for row in store.execute("SELECT seq FROM report ORDER BY seq")]
        steps = [row[0] for row in store.execute("SELECT text FROM step ORDER BY seq")]
    return seqs, steps


@pytest.mark.parametrize("jobs", [1, 4])
def test_search_goes_on_from_the_last_step_that_holds(tool, jobs):
    script = tool.write("sizes.py", FORKED)
    state = tool.root / "state.db"
    done, out, report = tool.minimize(
        script, "--err-msg", "sizes differ", "--state", state, jobs=jobs)
    assert done.code == 0, done
    assert "the final check failed (" in done.err
    assert "the search goes on from step" in done.err
    assert report["status"] == "verified"
    assert report["minimal"], report
    assert fresh(out)[0] == 1
    text = out.read_text()
    assert "reversed" not in text and "print" not in text, text
    seqs, steps = words_of(state)
    assert seqs == list(range(1, len(seqs) + 1))
    assert steps[-1] == out.read_bytes()
    assert len(steps) == report["accepted"] + 1

    # The log says it all: nothing is denied twice, and nothing but the check runs.
    again, out, second = tool.minimize(
        script, "--err-msg", "sizes differ", "--state", state, jobs=jobs)
    assert again.code == 0, again
    assert "the final check failed" not in again.err
    assert second["runs"] == 0, second
    assert out.read_text() == text


def test_number_of_runs_is_kept_to_all_the_same(tool):
    script = tool.write("sizes.py", FORKED)
    done, _, whole = tool.minimize(script, "--err-msg", "sizes differ", "--no-cache", jobs=1)
    assert done.code == 0, done
    before = whole["runs"] - 1
    done, out, report = tool.minimize(script, "--err-msg", "sizes differ", "--no-cache",
                                      "--max-runs", before, jobs=1)
    assert report["runs"] <= before, report
    assert done.code in (0, 4), done
    assert fresh(out)[0] == 1
