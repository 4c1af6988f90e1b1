"""The comparison with other reducers, on one small input and with peers of ours."""
import json
import os
import subprocess
import sys

import pytest

from conftest import ROOT, binary, plain_python

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

# Starts a process in a session of its own, and waits for it for ever.
ENDLESS = '''\
import subprocess, sys
subprocess.run([sys.argv[-2], sys.argv[-1]])
subprocess.run(["sleep", "1000.%s"], start_new_session=True)
'''


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    path = tmp_path_factory.mktemp("ask") / "ask"
    subprocess.run([os.environ.get("CC", "cc").split()[0], "-std=c11", "-D_GNU_SOURCE",
                    "-o", path, ROOT / "test" / "bench" / "ask.c"], check=True)
    return path


def compare(folder, ask, tools, peer, *options):
    """Run compare.py with a Shrink Ray of ours; its rows by tool."""
    (folder / "small.py").write_text(SCRIPT)
    (folder / "faults.yaml").write_text(FAULTS)
    (folder / "peer.py").write_text(peer)
    done = subprocess.run(
        [sys.executable, ROOT / "test" / "bench" / "compare.py", "--tools", *tools,
         "--faults", folder / "faults.yaml", "--python", plain_python(),
         "--autodd-c", binary(), "--ask", ask, "--out", folder / "out",
         "--tool", "shrinkray=%s %s" % (plain_python(), folder / "peer.py"), *options],
        capture_output=True, text=True, timeout=300, cwd=folder)
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


@pytest.mark.parametrize("rule, fails", [("text", "text"), ("end", "yes")])
def test_the_rule_decides_what_a_peer_may_come_to(tmp_path, ask, rule, fails):
    # Tries one text, which prints the message and ends well.
    peer = PEER.replace("for i in range(len(lines) - 1, -1, -1):", "for i in [0]:").replace(
        "fewer = lines[:i] + lines[i + 1:]", "fewer = ['print(\"size is 5\")\\n']")
    row = compare(tmp_path, ask, ["shrinkray"], peer, "--rule", rule)["shrinkray"]
    assert row["fails"] == fails
    assert row["fault"] == (rule == "end")


def test_a_tool_out_of_time_is_stopped_with_all_it_started(tmp_path, ask):
    mark = "%d" % os.getpid()
    row = compare(tmp_path, ask, ["shrinkray"], ENDLESS % mark, "--budget", "2")["shrinkray"]
    assert row["stopped"] and row["runs"] == 1
    assert row["result"] == SCRIPT
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert "sleep 1000." + mark not in listing
