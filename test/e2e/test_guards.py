"""Failures of the script's own making: what keeps the fault in the result."""
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
    assert "MISMATCH -4" in done.err or "MISMATCH 8" in done.err
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
