"""What other minimizers fall for: output that shows the text without the
failure, and failures that they never see."""
import pytest

from conftest import fresh, last_line

TRACEBACK = "Traceback (most recent call last):"


def assert_minimized(done, out, report):
    assert done.code == 0, done
    assert report["status"] == "verified", report
    return out.read_text()


def test_raise_of_the_text_stays_the_same_exception(tool):
    script = tool.write("shapes.py", '''
def check(rows, cols):
    if rows != cols:
        raise ValueError("K shape check failed: boom")
    return rows

def main():
    table = {n: n * n for n in range(8)}
    print("largest", max(table.values()))
    check(table[2], table[3])

main()
''')
    done, out, report = tool.minimize(
        script, "--err-msg", "K shape check failed", "--keep", "none")
    text = assert_minimized(done, out, report)
    code, output = fresh(out)
    assert code == 1
    assert last_line(output).startswith("ValueError: K shape check failed"), text


def test_wrong_message_ends_with_1_and_says_how_the_script_ended(tool):
    script = tool.write("wrong.py", "values = [1, 2]\nprint(values[7])\n")
    done, out, _ = tool.minimize(script, "--err-msg", "illegal memory access")
    assert done.code == 1, done
    assert not out.exists()
    assert "illegal memory access" in done.err
    assert "IndexError" in done.err


def test_message_only_in_an_echoed_source_line_is_no_reproduction(tool):
    script = tool.write("echo.py", 'open("/nowhere/tile cache is stale")  # device lost\n')
    done, out, _ = tool.minimize(script, "--err-msg", "device lost")
    assert done.code == 1, done
    assert not out.exists()


def test_output_of_a_child_process_on_descriptor_2_counts(tool):
    script = tool.write("child.py", '''
import os
import sys
names = ["nvcc", "ptxas", "cicc"]
for name in names:
    print("looking for", name)
code = os.system("printf 'ptxas: %s overflow\\\\n' register >&2; exit 5")
sys.exit(os.waitstatus_to_exitcode(code))
''')
    done, out, report = tool.minimize(script, "--err-msg", "ptxas: register overflow")
    assert_minimized(done, out, report)
    code, output = fresh(out)
    assert code == 5
    assert "ptxas: register overflow" in output


def test_text_written_to_descriptor_2_by_number_counts(tool):
    script = tool.write("raw.py", '''
import os
lanes = [lane for lane in range(4)]
os.write(2, b"lane %d out of step\\n" % lanes[3])
os._exit(9)
''')
    done, out, report = tool.minimize(script, "--err-msg", "lane 3 out of step", "--keep", "none")
    assert_minimized(done, out, report)
    code, output = fresh(out)
    assert code == 9
    assert "lane 3 out of step" in output


def test_body_under_the_main_guard_runs(tool):
    script = tool.write("guard.py", '''
import struct

def pack(values):
    return struct.pack("<2h", *values)

if __name__ == "__main__":
    print("start")
    pack([1, 2, 3])
''')
    done, out, report = tool.minimize(script, "--err-msg", "pack expected 2 items")
    assert_minimized(done, out, report)
    code, output = fresh(out)
    assert code == 1
    assert last_line(output).startswith("struct.error: pack expected 2 items")


def test_time_limit_leaves_no_process(tool):
    script = tool.write("slow.py", '''
import subprocess
import sys
names = ["a", "b"]
helpers = [subprocess.Popen([sys.executable, "-c", "import time; time.sleep(40)"]) for _ in names]
print("helpers", len(names))
helpers[0].wait()
''')
    done, out, report = tool.minimize(script, "--expect", "timeout", "--timeout", "2", jobs=4)
    assert_minimized(done, out, report)
    assert not tool.left()


def test_script_gets_its_own_arguments_and_not_the_tools(tool):
    script = tool.write("args.py", '''
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=4)
parser.add_argument("--cols", type=int, default=0)
args = parser.parse_args()
print("shape", args.rows, args.cols)
print(args.rows / args.cols)
''')
    done, out, report = tool.minimize(script, "--err-msg", "division by zero")
    text = assert_minimized(done, out, report)
    code, output = fresh(out)
    assert code == 1
    assert last_line(output) == "ZeroDivisionError: division by zero", text
    assert "/" in text or "%" in text or "divmod" in text


def test_what_a_run_leaves_behind_does_not_help_the_next(tool):
    """A file left in TMPDIR, as a device left in an error state would."""
    script = tool.write("sticky.py", '''
import os
import tempfile

flag = os.path.join(tempfile.gettempdir(), "poisoned")
if os.path.exists(flag):
    raise RuntimeError("late launch failure")
open(flag, "w").close()

def launch(grid):
    if grid[0] * grid[1] > 1024:
        raise RuntimeError("late launch failure")

launch((64, 2))
launch((64, 32))
''')
    done, out, report = tool.minimize(script, "--err-msg", "late launch failure", "--keep", "none")
    assert_minimized(done, out, report)
    code, output = fresh(out, env={"TMPDIR": str(tool.root / "home")})
    assert code == 1
    assert last_line(output) == "RuntimeError: late launch failure"


def test_exit_code_that_the_handler_passes_on_is_kept(tool):
    script = tool.write("handler.py", '''
import sys

def compute(rows):
    return {n: n for n in range(rows)}["tile"]

def main():
    try:
        compute(12)
    except KeyError as error:
        print("build failed for key", error)
        sys.exit(4)

main()
''')
    done, out, report = tool.minimize(script, "--err-msg", "build failed for key", "--keep", "none")
    assert_minimized(done, out, report)
    code, output = fresh(out)
    assert code == 4
    assert "build failed for key" in output
    assert TRACEBACK not in output


def test_another_value_of_the_same_type_is_another_failure(tool):
    """Two faults of one exception type: the first message is asked for."""
    script = tool.write("two.py", '''
def first(items):
    return items.index("warp")

def second(items):
    return int(items[0])

rows = ["lane", "block"]
try:
    second(rows)
except ValueError:
    print("no number")
first(rows)
''')
    done, out, report = tool.minimize(script, "--err-msg", "is not in list")
    text = assert_minimized(done, out, report)
    _, output = fresh(out)
    assert last_line(output).endswith("is not in list"), text


def test_frozen_lines_are_kept_byte_for_byte(tool):
    frozen = 'note = "keep\\tthis"  ;  other = [1,\n    2]\n'
    script = tool.write("frozen.py", '''
import math
# autodd: freeze-start
%s# autodd: end-freeze
unused = math.pi  # autodd: freeze
gone = math.e
print({}["absent"])
''' % frozen)
    done, out, report = tool.minimize(script, "--err-msg", "'absent'")
    text = assert_minimized(done, out, report)
    assert frozen in text
    assert "unused = math.pi" in text
    assert "gone" not in text


@pytest.mark.parametrize("backend", ["auto", "runner", "subproc"])
def test_every_backend_gives_a_correct_result(tool, backend):
    script = tool.write("backend.py", '''
values = list(range(5))
total = sum(values)
print("total", total)
values.remove(total)
''')
    done, out, report = tool.minimize(
        script, "--err-msg", "list.remove(x): x not in list", "--backend", backend)
    assert_minimized(done, out, report)
    assert last_line(fresh(out)[1]) == "ValueError: list.remove(x): x not in list"
