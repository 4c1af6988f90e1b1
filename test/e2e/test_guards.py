"""Failures of the script's own making: what keeps the fault in the result."""
import re
import textwrap

import pytest

from conftest import fresh, plain_python

# The fault is in fast(): it takes one off. FAST=0 goes around it.
ENVIRONMENT = """\
import os
import sys

def double(x):
    return x * 2

def fast(x):
    if os.environ.get("FAST") == "0":
        return x + 1
    return x - 1

values = [double(i) for i in range(4)]
print("sum", sum(values))
total = 0
for value in values:
    total += fast(value)
if total != sum(values) + len(values):
    print("MISMATCH", total)
    sys.exit(1)
print("fine")
"""

# The same in a module that is found by PYTHONPATH, with a right one elsewhere.
MODULE = """\
import ops

def check(x):
    y = ops.scale(x, 3)
    print("got", y)
    assert y == x * 3, "wrong result"

check(2)
check(5)
"""


def write_program(path, body):
    path.write_text("#!/bin/sh\n" + body)
    path.chmod(0o755)
    return path


def control_of(report):
    (control,) = report["controls"]
    assert control["passed"] == control["runs"] > 0
    assert control["original"]["passed"] == control["original"]["runs"] >= 2
    return control


@pytest.mark.parametrize("backend, most", [("runner", 0), ("subproc", 60)])
def test_result_fails_here_and_passes_with_a_variable(tool, backend, most):
    script = tool.write("env.py", ENVIRONMENT)
    done, out, report = tool.minimize(
        script, "--err-msg", "MISMATCH", "--pass-with", "env:FAST=0",
        "--keep", "none", "--backend", backend, "--max-runs", most)
    assert done.code == 0, done
    assert "env:FAST=0" in control_of(report)["what"]
    assert "passed in 3 of 3 fresh runs with env:FAST=0" in done.out
    code, text = fresh(out)
    assert code == 1 and "MISMATCH" in text
    code, text = fresh(out, env={"FAST": "0"})
    assert code == 0 and "MISMATCH" not in text
    assert out.stat().st_size < len(ENVIRONMENT) * 3 // 4


def test_result_passes_with_another_folder_of_modules(tool):
    for folder, body in (("bad", "return x * n + 1"), ("fixed", "return x * n")):
        (tool.root / folder).mkdir()
        (tool.root / folder / "ops.py").write_text("def scale(x, n):\n    %s\n" % body)
    script = tool.write("module.py", MODULE)
    done, out, report = tool.minimize(
        script, "--err-msg", "wrong result", "--keep", "none",
        "--env", "PYTHONPATH=%s" % (tool.root / "bad"),
        "--pass-with", "path:%s" % (tool.root / "fixed"))
    assert done.code == 0, done
    control_of(report)
    assert "scale" in out.read_text()
    assert fresh(out, env={"PYTHONPATH": str(tool.root / "bad")})[0] == 1
    assert fresh(out, env={"PYTHONPATH": str(tool.root / "fixed")})[0] == 0


def test_result_passes_with_another_interpreter(tool):
    other = write_program(tool.root / "other",
                          'FAST=0 exec %s "$@"\n' % plain_python())
    script = tool.write("env.py", ENVIRONMENT)
    done, out, report = tool.minimize(
        script, "--err-msg", "MISMATCH", "--keep", "none",
        "--pass-with", "python:%s" % other)
    assert done.code == 0, done
    control_of(report)
    assert fresh(out)[0] == 1
    assert fresh(out, python=other)[0] == 0


def test_original_that_fails_there_too_is_refused(tool):
    script = tool.write("env.py", ENVIRONMENT)
    done, out, report = tool.minimize(
        script, "--err-msg", "MISMATCH", "--pass-with", "env:FAST=1")
    assert done.code == 1, done
    assert report["status"] == "not-reproduced"
    assert "does not pass with env:FAST=1" in done.err
    assert "| MISMATCH" in done.err
    assert not out.exists()


@pytest.mark.parametrize("body, said", [
    (None, "no interpreter"),
    ("kill -SEGV $$\n", "is no Python interpreter that works"),
    ("exit 3\n", "is no Python interpreter that works"),
])
def test_other_interpreter_that_does_not_work_is_named(tool, body, said):
    other = tool.root / "other"
    if body:
        write_program(other, body)
    script = tool.write("env.py", ENVIRONMENT)
    done, out, _ = tool.minimize(script, "--pass-with", "python:%s" % other)
    assert done.code == 3, done
    assert "--pass-with: " in done.err and said in done.err and str(other) in done.err
    assert not out.exists()


def test_original_that_hangs_there_is_refused(tool):
    script = tool.write("hang.py", textwrap.dedent("""\
        import os
        import time
        if os.environ.get("SLOW"):
            time.sleep(600)
        raise ValueError("boom")
        """))
    done, _, _ = tool.minimize(script, "--pass-with", "env:SLOW=1", "--timeout", "2")
    assert done.code == 1, done
    assert "does not pass with env:SLOW=1" in done.err and "timeout" in done.err


def test_candidates_that_hang_there_are_refused(tool):
    script = tool.write("wait.py", textwrap.dedent("""\
        import os
        import time
        there = "THERE" in os.environ
        limit = 0 if there else 3
        count = 5 if there else 3
        while there and limit < 5:
            limit += 1
        assert count > limit - 1 or there, "text"
        assert count > limit or limit == 5, "boom"
        """))
    done, out, report = tool.minimize(
        script, "--pass-with", "env:THERE=1", "--timeout", "2", "--keep", "none")
    assert done.code == 0, done
    control_of(report)
    assert fresh(out)[0] == 1
    assert fresh(out, env={"THERE": "1"})[0] == 0


def test_same_command_again_runs_nothing_but_the_checks(tool):
    script = tool.write("env.py", ENVIRONMENT)
    words = [script, "--err-msg", "MISMATCH", "--pass-with", "env:FAST=0", "--keep", "none"]
    done, out, first = tool.minimize(*words)
    assert done.code == 0, done
    text = out.read_text()
    done, out, second = tool.minimize(*words)
    assert done.code == 0, done
    assert out.read_text() == text
    assert second["runs"] == 0 and second["cached"] >= first["runs"] // 2
    # Another question is not answered by what this one has learned.
    done, out, third = tool.minimize(*words, "--pass-with", "env:OTHER=1")
    assert done.code == 0, done
    assert third["runs"] > 0


# A sum that leaves out the last product; the comparison is the script's own.
SUM = """\
import random

def dot(a, b):
    \"\"\"Products, added up.\"\"\"
    total = 0
    for k in range(len(a) - 1):
        total += a[k] * b[k]
    return total

def reference(a, b):
    return sum(x * y for x, y in zip(a, b))

class Case:
    def __init__(self, n):
        self.n = n

    def run(self):
        random.seed(self.n)
        a = [random.random() for _ in range(self.n)]
        b = [random.random() for _ in range(self.n)]
        return dot(a, b), reference(a, b)

for n in (3, 5):
    got, want = Case(n).run()
    print(n, got, want)
    if abs(got - want) > 1e-9:
        raise ValueError("results differ")
"""
SUM_FIXED = SUM.replace("len(a) - 1", "len(a)")

# Lines that only the fixed script has, in the middle of a block.
CLEAR = """\
def accumulate(values, out):
    with open("/dev/null", "w") as log:
        log.write("accumulating")
        for value in values:
            out[0] += value
    return out

class Buffer(list):
    pass

out = Buffer([7, 8, 9])
accumulate([1, 2, 3], out)
if out[0] != 6:
    print("mismatch:", out)
    raise SystemExit(1)
"""
CLEAR_FIXED = CLEAR.replace("        for value", "        out[0] = 0\n        for value")


def test_good_form_is_reduced_along_and_goes_on_passing(tool):
    script = tool.write("sum.py", SUM)
    good = tool.write("fixed.py", SUM_FIXED)
    done, out, report = tool.minimize(script, "--good", good, "--keep", "none")
    assert done.code == 0, done
    assert "in the fixed form" in control_of(report)["what"]
    beside = out.with_name("result.good.py")
    text = out.read_text()
    assert " - 1" in text
    assert beside.read_text() == text.replace(" - 1", "", 1)
    assert report["good"]["path"] == str(beside)
    assert fresh(out)[0] == 1 and fresh(beside)[0] == 0
    assert len(text) < len(SUM) // 2


def test_lines_of_the_good_form_follow_the_code_around_them(tool):
    script = tool.write("clear.py", CLEAR)
    good = tool.write("fixed.py", CLEAR_FIXED)
    done, out, report = tool.minimize(
        script, "--good", good, "--err-msg", "mismatch", "--keep", "none")
    assert done.code == 0, done
    control_of(report)
    beside = out.with_name("result.good.py").read_text()
    assert "out[0] = 0" in beside and "out[0] = 0" not in out.read_text()
    assert "with open" not in beside
    assert fresh(out)[0] == 1 and fresh(out.with_name("result.good.py"))[0] == 0


def test_good_form_and_another_environment_go_together(tool):
    script = tool.write("both.py", ENVIRONMENT)
    good = tool.write("fixed.py", ENVIRONMENT.replace("x - 1", "x + 1"))
    done, out, report = tool.minimize(
        script, "--err-msg", "MISMATCH", "--good", good, "--pass-with", "env:FAST=0",
        "--keep", "none")
    assert done.code == 0, done
    assert len(report["controls"]) == 2
    assert all(c["passed"] == c["runs"] > 0 for c in report["controls"])
    assert fresh(out)[0] == 1 and fresh(out, env={"FAST": "0"})[0] == 0
    assert fresh(out.with_name("result.good.py"))[0] == 0


@pytest.mark.parametrize("text, code, said", [
    (SUM, 2, "is the same as the script"),
    ("nothing = 1\n", 2, "no line in common"),
    ("", 2, "is empty"),
    (SUM.replace("len(a) - 1", "len(a) - 2"), 1,
     "does not pass in the fixed form"),
    (SUM.replace("len(a) - 1", "len(a) -"), 1, "does not pass in the fixed form"),
])
def test_good_script_that_is_none_is_refused(tool, text, code, said):
    script = tool.write("sum.py", SUM)
    good = tool.write("fixed.py", text)
    done, out, _ = tool.minimize(script, "--good", good)
    assert done.code == code, done
    assert said in done.err
    assert not out.exists() and not out.with_name("result.good.py").exists()


def test_good_script_is_not_replaced_by_its_own_good_form(tool):
    script = tool.write("sum.py", SUM)
    good = tool.write("result.good.py", SUM_FIXED)
    done, out, _ = tool.minimize(script, "--good", good)
    assert done.code == 2, done
    assert "would be written over" in done.err and "give another -o" in done.err
    assert good.read_text() == SUM_FIXED and not out.exists()


def test_someone_elses_file_is_not_replaced_by_the_good_form(tool):
    script = tool.write("sum.py", SUM)
    good = tool.write("fixed.py", SUM_FIXED)
    mine = tool.write("result.good.py", "mine = 1\n")
    done, _, _ = tool.minimize(script, "--good", good)
    assert done.code == 2, done
    assert "result.good.py" in done.err
    assert mine.read_text() == "mine = 1\n"


def test_good_form_that_was_edited_since_is_not_replaced(tool):
    script = tool.write("sum.py", SUM)
    good = tool.write("fixed.py", SUM_FIXED)
    done, out, _ = tool.minimize(script, "--good", good, "--keep", "none")
    beside = out.with_name("result.good.py")
    assert done.code == 0, done
    made = beside.read_text()
    done, _, _ = tool.minimize(script, "--good", good, "--keep", "none")
    assert done.code == 0 and beside.read_text() == made, done
    beside.write_text(made + "# what I found\n")
    done, _, _ = tool.minimize(script, "--good", good, "--keep", "none")
    assert done.code == 2 and "result.good.py" in done.err, done
    assert beside.read_text() == made + "# what I found\n"
    done, _, _ = tool.minimize(script, "--good", good, "--keep", "none", "--force")
    assert done.code == 0 and beside.read_text() == made, done


# The same sum; how its failure is shown differs.
SHOWN = {
    "raise": "if abs(got - want) > 1e-9:\n    raise ValueError('results differ')\n",
    "assert": "assert abs(got - want) < 1e-9, 'results differ'\n",
    "print": "if abs(got - want) > 1e-9:\n    print('results differ', got)\n    sys.exit(1)\n",
    "exit": "if abs(got - want) > 1e-9:\n    sys.exit(1)\n",
}
SUM_HEAD = "import sys\n" + SUM[:SUM.index("for n in")] + "got, want = Case(5).run()\n"


@pytest.mark.parametrize("how", sorted(SHOWN))
def test_deciding_test_and_its_two_sides_stay(tool, how):
    script = tool.write("sum.py", SUM_HEAD + SHOWN[how])
    words = [] if how == "exit" else ["--err-msg", "results differ"]
    done, out, _ = tool.minimize(script, *words)
    assert done.code == 0, done
    line = SUM_HEAD.count("\n") + 1
    assert "the test in line %d and what it compares: got, want" % line in done.err
    text = out.read_text()
    assert fresh(out)[0] == 1
    assert "random" in text
    assert "if " in text or "assert " in text
    done, out, _ = tool.minimize(script, *words, "--keep", "none")
    assert done.code == 0, done
    assert "also keeping" not in done.err
    assert "random" not in out.read_text()


def test_named_calls_stay(tool):
    script = tool.write("sum.py", SUM_HEAD + SHOWN["raise"])
    done, out, _ = tool.minimize(script, "--keep", "sum", "--keep", "nowhere")
    assert done.code == 0, done
    assert "--keep nowhere: the script has no such call" in done.err
    assert "sum(" in out.read_text()


# Where the result stands, and nowhere else, it fails before the test that is kept.
ELSEWHERE = """\
# autodd: freeze-start
import os
if os.path.exists(os.path.join(os.path.dirname(os.path.abspath(__file__)), "result.py")):
    raise ValueError("sums differ by 4")
# autodd: end-freeze

def fast(x):
    return x - 1

values = [2 * i for i in range(4)]
total = 0
for value in values:
    total += fast(value)
if total != sum(values):
    raise ValueError("sums differ by %d" % (sum(values) - total))
"""


def test_final_check_asks_for_the_kept_test_too(tool):
    script = tool.write("odd.py", ELSEWHERE)
    done, _, report = tool.minimize(script, "--err-msg", "sums differ", "--mutate", "none")
    assert done.code == 4, done
    assert report["status"] == "unverified", report["status"]


# The first windows are divided by the whole width; the others are right.
PARTLY = """\
import random

WIDTH = 4

def means(xs):
    out = []
    for i in range(len(xs)):
        window = xs[max(0, i + 1 - WIDTH):i + 1]
        out.append(sum(window) / WIDTH)
    return out

def reference(xs):
    out = []
    for i in range(len(xs)):
        window = xs[max(0, i + 1 - WIDTH):i + 1]
        out.append(sum(window) / len(window))
    return out

def main():
    rng = random.Random(5)
    xs = [rng.random() + 1 for _ in range(20)]
    print("elements", len(xs))
    got, want = means(xs), reference(xs)
    if got != want:
        raise RuntimeError("the means are wrong")

main()
"""


def test_a_side_keeps_its_values_where_some_are_right(tool):
    script = tool.write("partly.py", PARTLY)
    done, out, report = tool.minimize(script, "--err-msg", "the means are wrong")
    assert done.code == 0, done
    text = out.read_text()
    assert re.search(r"/ (WIDTH|[2-4])\b", text), text
    assert out.stat().st_size < len(PARTLY) * 3 // 4, text
