"""Each case of cases/cases.yaml through the real program.

Left out are cases that need a GPU and those about flakiness. cases/check.py
judges the results, by running them.
"""
import hashlib
import importlib.util
import os
import shutil
import subprocess

import pytest
import yaml

from conftest import HERE, python_for

CASES = HERE / "cases"
STEADY = ("hashseed-pinned",)  # of the flaky ones: fixed by its variable

spec = importlib.util.spec_from_file_location("check", CASES / "check.py")
check = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check)

with open(CASES / "cases.yaml", encoding="utf-8") as f:
    ALL = [case for case in yaml.safe_load(f)
           if case["needs"] != "gpu"
           and (case["category"] != "E" or case["name"] in STEADY)]


def interpreter(case):
    version = None
    if "python" in case:
        version = tuple(int(n) for n in case["python"].lstrip(">=").split("."))
    return python_for(case["needs"], version)


def lay(case, work, python):
    """Copy a case to where the tool works on it; the script's path."""
    source = CASES / case["file"]
    if "/" in case["file"]:
        shutil.copytree(
            CASES / case["file"].split("/")[0], work, dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("*.ideal.py", "*.trap*.py", "__pycache__"))
    else:
        shutil.copy(source, work)
    for command in case.get("setup", []):
        subprocess.run(command.replace("{python}", python), shell=True, cwd=work,
                       check=True, timeout=60)
    return work / source.name


def listing(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*")
            if "__pycache__" not in path.parts}


def minimize(tool, case, python):
    script = lay(case, tool.work, python)
    before = listing(tool.work)
    original = script.read_bytes() if script.is_file() and os.access(script, os.R_OK) else None
    more, reader, writer = {}, None, None
    if case.get("stdin") == "open":
        reader, writer = os.pipe()
        more["stdin"] = reader
    try:
        done, out, report = tool.minimize(
            script, *case.get("args", []), python=python,
            jobs=8 if "limit" in case else 2, after=case.get("script_args", []),
            env=case.get("env"), timeout=900, **more)
    finally:
        if writer is not None:
            os.close(reader)
            os.close(writer)
    assert original is None or script.read_bytes() == original, "the script was changed"
    extra = listing(tool.work) - before - {"result.py"}
    assert not extra, "files beside the script: %s" % sorted(extra)
    assert not tool.left()
    return done, out, report


def of(expectation):
    return [pytest.param(case, id=case["name"]) for case in ALL
            if case["expect"] == expectation]


@pytest.mark.parametrize("case", of("minimized"))
def test_case_is_minimized(tool, case):
    python = interpreter(case)
    done, out, report = minimize(tool, case, python)
    assert done.code == 0, done
    result = out.read_bytes()
    bad, notes, _ = check.judge(case, result, python)
    assert not bad, "%s %s\n%s\n%r" % (bad, notes, result.decode("utf-8", "replace"), done)
    most = case["max_bytes"] * 5 // 4 + 20
    assert len(result) <= most, "%d bytes, more than %d:\n%s" % (
        len(result), most, result.decode("utf-8", "replace"))
    assert report["schema"] == 1 and report["status"] == "verified", report
    assert report["verification"]["matched"] == report["verification"]["runs"] > 0
    assert report["result"]["bytes"] == len(result)
    assert report["result"]["sha256"] == hashlib.sha256(result).hexdigest()
    print("%s: %d bytes (ideal %d), %d runs" % (
        case["name"], len(result), case["max_bytes"], report["runs"]))


@pytest.mark.parametrize("case", of("not-reproduced"))
def test_failure_that_never_shows_is_said_so(tool, case):
    done, out, report = minimize(tool, case, interpreter(case))
    assert done.code == 1, done
    assert not out.exists()
    message = case["args"][case["args"].index("--err-msg") + 1]
    assert message in done.err, done
    assert report is None or report["status"] == "not-reproduced"


@pytest.mark.parametrize("case", of("usage-error"))
def test_input_that_cannot_be_worked_on_is_refused(tool, case):
    if case.get("nonroot") and os.geteuid() == 0:
        pytest.skip("means nothing for root, who may read every file")
    done, out, _ = minimize(tool, case, interpreter(case))
    allowed = {2} | ({1} if "not-reproduced" in case.get("or_expect", []) else set())
    assert done.code in allowed, done
    assert not out.exists()
    assert os.path.basename(case["file"]) in done.err, done
