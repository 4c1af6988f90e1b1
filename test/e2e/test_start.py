"""The start: what goes on at the same time, and what comes late."""
import json

# Forks have Python for a parent. Of new interpreters the second does not fail.
SECOND_PASSES = '''
import os
def is_forked():
    with open("/proc/%d/comm" % os.getppid()) as comm:
        return comm.read().startswith("python")
def count():
    number = len(os.listdir(FOLDER))
    os.mkdir(os.path.join(FOLDER, str(number)))
    return number
FOLDER = {folder!r}
unused = [1, 2, 3]
more = len(unused) + 1
if is_forked() or count() != 1:
    raise ValueError("boom")
'''


def test_failure_that_a_late_fresh_run_lacks_comes_and_goes(tool, tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    script = tool.write("script.py", SECOND_PASSES.format(folder=str(folder)))
    done = tool.run(script, "--err-msg", "boom", "-j", "2", "--report",
                    tmp_path / "report.json")
    assert done.code == 0, done
    assert "shown in 3 of 4 fresh and 18 of 18 forked runs" in done.err, done
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["rate"]["matched"] == report["rate"]["runs"] - 1
    assert "unused" not in script.with_name("script.min.py").read_text()


def test_search_in_order_waits_for_all_runs_of_the_original(tool, tmp_path):
    """With --deterministic nothing is left out that could come at any time."""
    script = tool.write("script.py", "a = 1\nraise ValueError('boom')\n")
    done = tool.run(script, "--err-msg", "boom", "-j", "2", "--deterministic",
                    "-v", "-v")
    assert done.code == 0, done
    shown = done.err.index("shown in 2 of 2 fresh and 6 of 6 forked runs")
    assert shown < done.err.index("phase 1 to 2"), done
