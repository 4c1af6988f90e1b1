"""The comparison with other reducers, on one small input and with peers of ours."""
import json
import os
import subprocess
import sys
import tempfile

import pytest

from conftest import PATIENCE, ROOT, binary, plain_python, until

SCRIPT = '''\
import sys


def check(size):
    if size != 4:
        raise ValueError("size is %d" % size)


print("start")
sys.stdout.flush()
check(5)
print("end")
'''

FAULTS = '''\
- file: small.py
  category: A
  message: "size is 5"
  fix: ["check(5)", "check(4)"]
  fault: ["raise ValueError"]
'''

# Drops one line after the other; called as Shrink Ray is: ... TEST FILE.
PEER = '''\
import subprocess, sys
test, file = sys.argv[-2:]
lines = open(file).read().splitlines(True)
for i in range(len(lines) - 1, -1, -1):
    fewer = lines[:i] + lines[i + 1:]
    open(file + ".try.py", "w").writelines(fewer)
    if subprocess.run([test, file + ".try.py"]).returncode == 0:
        lines = fewer
        open(file, "w").writelines(lines)
'''

# Asks as AutoDD's other backend does, for two texts; the first fails.
AUTODD = '''\
import subprocess, sys
def fails(text):
    open("try.py", "w").write(text)
    run = subprocess.run(["python3", "try.py"], capture_output=True, text=True)
    return "size is 5" in run.stdout + run.stderr
assert sys.argv[sys.argv.index("--backend") + 1] == "subproc"
text = "raise ValueError('size is 5')\\n"
if fails(text) and not fails("print(5)"):
    open(sys.argv[sys.argv.index("-o") + 1], "w").write(text)
'''

# Starts a process in a session of its own, and waits for it for ever.
ENDLESS = '''\
import subprocess, sys
subprocess.run([sys.argv[-2], sys.argv[-1]])
child = subprocess.Popen(["sleep", "1000.%s"], start_new_session=True)
open(%r, "w").write("started\\n")
child.wait()
'''


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    path = tmp_path_factory.mktemp("ask") / "ask"
    subprocess.run([os.environ.get("CC", "cc").split()[0], "-std=c11", "-D_GNU_SOURCE",
                    "-o", path, ROOT / "test" / "bench" / "ask.c"], check=True)
    return path


def command(folder, ask, tools, peer, *options):
    """The command that runs compare.py with a Shrink Ray of ours."""
    (folder / "small.py").write_text(SCRIPT)
    (folder / "faults.yaml").write_text(FAULTS)
    (folder / "peer.py").write_text(peer)
    return [sys.executable, ROOT / "test" / "bench" / "compare.py", "--tools", *tools,
            "--faults", folder / "faults.yaml", "--python", plain_python(),
            "--autodd-c", binary(), "--ask", ask, "--out", folder / "out",
            "--tool", "shrinkray=%s %s" % (plain_python(), folder / "peer.py"), *options]


def compare(folder, *args):
    """Run compare.py to its end; its rows by tool."""
    done = subprocess.run(command(folder, *args), capture_output=True, text=True,
                          timeout=300, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "out.md").read_text() in done.stdout
    rows = json.loads((folder / "out.json").read_text())["rows"]
    return {row["tool"]: row for row in rows}


def test_both_rows_say_what_was_run_and_what_is_left(tmp_path, ask):
    rows = compare(tmp_path, ask, ["ours", "ours-asking", "shrinkray"], PEER)
    for row in rows.values():
        assert row["fails"] == "yes" and row["fault"] and not row["stopped"], row
        assert row["bytes"] == len(row["result"]) < len(SCRIPT)
        assert row["runs"] > 0
    # Each line of the script was tried once.
    assert rows["shrinkray"]["runs"] == len(SCRIPT.splitlines())
    assert rows["shrinkray"]["lines"] == 3
    assert rows["shrinkray"]["tokens"] == 17


def test_autodd_asks_the_oracle_where_it_would_start_python(tmp_path, ask, monkeypatch):
    (tmp_path / "tilelang").mkdir()
    (tmp_path / "tilelang" / "autodd.py").write_text(AUTODD)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    row = compare(tmp_path, ask, ["autodd-asking"], PEER)["autodd-asking"]
    assert row["fails"] == "yes" and row["fault"] and not row["stopped"], row
    assert row["runs"] == 2
    assert row["result"] == "raise ValueError('size is 5')\n"


def test_with_the_script_without_the_fault_ours_keeps_both_forms(tmp_path, ask):
    row = compare(tmp_path, ask, ["ours-good"], PEER)["ours-good"]
    assert row["fault"] and "check(5)" in row["result"], row


@pytest.mark.parametrize("rule, fails", [("text", "text"), ("end", "yes")])
def test_the_rule_decides_what_a_peer_may_come_to(tmp_path, ask, rule, fails):
    # Tries one text, which prints the message and ends well.
    peer = PEER.replace("for i in range(len(lines) - 1, -1, -1):", "for i in [0]:").replace(
        "fewer = lines[:i] + lines[i + 1:]", "fewer = ['print(\"size is 5\")\\n']")
    row = compare(tmp_path, ask, ["shrinkray"], peer, "--rule", rule)["shrinkray"]
    assert row["fails"] == fails
    assert row["fault"] == (rule == "end")


def test_what_an_earlier_call_has_made_is_not_made_again(tmp_path, ask):
    compare(tmp_path, ask, ["shrinkray"], PEER)
    first = tmp_path / "first.json"
    (tmp_path / "out.json").rename(first)
    data = json.loads(first.read_text())
    data["rows"][0].update(runs=987654, fault=False)
    first.write_text(json.dumps(data))
    rows = compare(tmp_path, ask, ["ours", "shrinkray"], PEER, "--done", first)
    assert rows["shrinkray"]["runs"] == 987654
    assert rows["ours"]["fault"]
    sums = (tmp_path / "out.md").read_text().split("\n\n")[2]
    # no result, cut off, fail again, fault kept, only words kept
    assert "| shrinkray | 1 | 0 | 0 (0 %) | 1 | 0 | 1 | 987654 |" in sums, sums
    assert "| ours | 1 | 0 | 0 (0 %) | 1 | 1 | 0 |" in sums, sums


def test_nothing_begins_that_could_end_after_the_deadline(tmp_path, ask):
    done = subprocess.run(
        command(tmp_path, ask, ["shrinkray"], PEER, "--budget", "50", "--deadline", "60"),
        capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no time was left for 1: small shrinkray" in done.stderr
    assert json.loads((tmp_path / "out.json").read_text())["rows"] == []


def held_against(folder, ask, rows):
    """The line of the last table that compare.py prints of these rows."""
    first = folder / "first.json"
    first.write_text(json.dumps({"rows": rows}))
    compare(folder, ask, ["ours"], PEER, "--done", first)
    last = (folder / "out.md").read_text().strip().split("\n")[-1]
    return [word.strip() for word in last.strip("|").split("|")]


def test_ours_is_held_against_autodd_and_the_smallest_that_kept_the_fault(tmp_path, ask):
    compare(tmp_path, ask, ["ours", "shrinkray"], PEER)
    rows = json.loads((tmp_path / "out.json").read_text())["rows"]
    ours, peer = rows
    runs, size = ours["steps"][0]
    autodd = dict(ours, tool="autodd", runs=5 * ours["runs"], bytes=3 * ours["bytes"] - 1,
                  fault=False)
    assert held_against(tmp_path, ask, [ours, peer, autodd])[:4] == ["small", "yes", "5.0", "yes"]
    assert held_against(tmp_path, ask, [ours, peer, autodd])[6:] == [
        "no", "shrinkray %d" % peer["bytes"], "yes"]
    # One that asks counts where there is one; a cut run says little.
    asking = dict(autodd, tool="autodd-asking", runs=2 * ours["runs"], bytes=size,
                  stopped=True)
    words = held_against(tmp_path, ask, [ours, peer, autodd, asking])
    assert words[2:4] == ["at least 2.0", "cut off"]
    assert words[4].startswith("%d of %d (" % (runs, asking["runs"]))


def running(mark):
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    return "sleep 1000." + mark in listing


def test_a_tool_out_of_time_is_stopped_with_all_it_started(tmp_path, ask):
    mark = "1%d" % os.getpid()
    peer = ENDLESS % (mark, str(tmp_path / "started"))
    row = compare(tmp_path, ask, ["shrinkray"], peer, "--budget", "2")["shrinkray"]
    assert row["stopped"] and row["runs"] == 1
    assert row["result"] == SCRIPT
    assert not running(mark)


def test_an_interrupted_comparison_leaves_nothing(tmp_path, ask):
    mark = "2%d" % os.getpid()
    started = tmp_path / "started"
    with tempfile.TemporaryDirectory(prefix="compare.") as scratch:  # short
        comparison = subprocess.Popen(
            command(tmp_path, ask, ["shrinkray"], ENDLESS % (mark, str(started)),
                    "--scratch", scratch), cwd=tmp_path)
        until(lambda: started.exists() or comparison.poll() is not None, 60,
              "the peer")
        assert running(mark)
        comparison.terminate()
        assert comparison.wait(60) == 128 + 15
        until(lambda: not running(mark), PATIENCE, "the end of what the peer started")
        assert os.listdir(scratch) == []
