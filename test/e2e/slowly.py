"""A script whose minimization lasts some seconds, for tests that disturb it.

Each run logs its own text to E2E_LOG, from lines that are frozen, and takes a
little time. The failure needs every second statement: there is no short cut, and
enough candidates that fail otherwise.
"""
import base64
import os

from conftest import fresh, last_line, plain_python, until

FAILURE = "KeyError: 'warp'"

TEXT = '''# autodd: freeze-start
import base64, os, time
with open(__file__, "rb") as f:
    line = b"\\n" + base64.b64encode(f.read()) + b".\\n"
log = os.open(os.environ["E2E_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
os.write(log, line)
time.sleep(%s)
# autodd: end-freeze
table = {}
%s
print("entries", len(table))
# autodd: freeze-start
if all("k%%d" %% n in table for n in range(0, %d, 2)):
    print(table["warp"])
# autodd: end-freeze
'''


def write(tool, pause=0.05, statements=60):
    lines = []
    for n in range(statements):
        if n % 2 == 0:
            lines.append("table['k%d'] = %d" % (n, n))
        else:
            lines.append("assert table['k%d'] == %d" % (n - 1, n - 1))
    return tool.write("slowly.py", TEXT % (pause, "\n".join(lines), statements))


def arguments(tool, script, *more, jobs=2, python=None):
    return [script, "--err-msg", FAILURE.split(": ")[1], "-j", jobs,
            "-o", script.with_name("result.py"),
            "--python", python or plain_python(),
            "--report", tool.root / "report.json", *more]


def environ(tool):
    return {"E2E_LOG": str(tool.root / "runs.log")}


def texts(tool):
    """What has run so far, in order.

    A child that is killed while it writes leaves a part of its line: each starts
    on a line of its own, and only one that has its full stop counts.
    """
    path = tool.root / "runs.log"
    if not path.exists():
        return []
    return [base64.b64decode(line[:-1]) for line in path.read_bytes().split(b"\n")
            if line.endswith(b".")]


def in_the_middle(tool, process, runs=40):
    """Wait until there is a best file and some candidates have run."""
    def there():
        assert process.poll() is None, "it ended too early: %r" % tool.finish(process)
        return (tool.work / "result.py").exists() and len(texts(tool)) >= runs
    until(there, 60, "the middle of the search")


def fails(tool, path, python=None):
    """Does this file fail as the original did?"""
    log = {"E2E_LOG": os.devnull}
    code, output = fresh(path, python, env=log)
    return code == 1 and last_line(output) == FAILURE
