"""--deterministic: the steps do not depend on how long the runs take."""
import json

# Not in the script, where a traced run would see the number and write it in.
PAUSES = '''import os
import time
def sleep():
    time.sleep(sum(os.urandom(4)) / 8000)
'''

SCRIPT = '''import pauses
def table(width, height):
    rows = []
    for i in range(height):
        row = [i * width + k for k in range(width)]
        rows.append(row)
    return rows
def total(rows):
    result = 0
    for row in rows:
        result += sum(row)
    return result
rows = table(4, 3)
columns = list(zip(*rows))
print("total", total(rows), total(columns))
pauses.sleep()
rows[7]
'''


def minimize(tool, folder):
    folder.mkdir()
    (folder / "pauses.py").write_text(PAUSES)
    script = folder / "script.py"
    script.write_text(SCRIPT)
    done = tool.run(script, "--err-msg", "list index out of range", "-j", "2",
                    "--deterministic", "--keep", "sleep", "--report",
                    folder / "report.json")
    assert done.code == 0, done
    report = json.loads((folder / "report.json").read_text())
    steps = [(step["kind"], step["bytes"]) for step in report["steps"]]
    return (folder / "script.min.py").read_text(), steps, report["runs"]


def test_two_runs_of_random_length_take_the_same_steps(tool, tmp_path):
    first = minimize(tool, tmp_path / "first")
    second = minimize(tool, tmp_path / "second")
    assert first == second
    assert len(first[1]) > 4 and "sleep" in first[0]
