"""The scripts that need a GPU: what can be checked of them without one."""
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from types import SimpleNamespace

import pytest
import yaml

from conftest import ROOT, binary, plain_python

EXAMPLES = ROOT / "examples" / "gpu"
ROWS = yaml.safe_load((EXAMPLES / "faults.yaml").read_text())
KEYS = {"file", "category", "needs", "message", "about", "fix", "fault", "expect",
        "rate", "sanitizer"}


@pytest.fixture(scope="module")
def harness():
    spec = importlib.util.spec_from_file_location(
        "gpu_examples", ROOT / "test" / "gpu" / "examples.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_gpu_example_has_its_fault_written_down():
    assert sorted(row["file"] for row in ROWS) \
        == sorted(path.name for path in EXAMPLES.glob("*.py"))
    assert {row["category"] for row in ROWS} == set("BCDE")
    for row in ROWS:
        assert set(row) <= KEYS
        assert ("message" in row) != (row.get("expect") == "timeout")
        assert row.get("expect", "timeout") == "timeout"
        assert row.get("rate", "sometimes") == "sometimes"
        assert row.get("sanitizer", "memcheck") == "memcheck"


@pytest.mark.parametrize("row", ROWS, ids=[row["file"][:-3] for row in ROWS])
def test_gpu_example_compiles_and_its_fault_is_in_it_once(row):
    text = (EXAMPLES / row["file"]).read_text()
    assert 100 <= text.count("\n") <= 300
    wrong, right = row["fix"]
    assert text.count(wrong) == 1 and wrong != right
    for version in (text, text.replace(wrong, right)):
        compile(version, row["file"], "exec")
    for want in row["fault"]:
        assert re.search(want, text, re.M), want
    imported = set(re.findall(r"^(?:import|from) (\w+)", text, re.M))
    assert imported - set(sys.stdlib_module_names) == set(row["needs"])


def test_the_small_reader_reads_what_yaml_reads(harness):
    assert harness.read_faults(EXAMPLES / "faults.yaml") == ROWS


@pytest.mark.parametrize("line", ["file: a.py", "  about: no row yet", "- file:", "- file: [a"])
def test_the_small_reader_refuses_other_yaml(harness, tmp_path, line):
    (tmp_path / "faults.yaml").write_text(line + "\n")
    with pytest.raises(ValueError):
        harness.read_faults(tmp_path / "faults.yaml")


def judged(harness, tmp_path, monkeypatch, text, times=1, **row):
    """What the harness says of a script that stands for an example."""
    (tmp_path / "a.py").write_text(text)
    monkeypatch.setattr(harness, "EXAMPLES", tmp_path)
    row = dict({"file": "a.py", "category": "B", "needs": [], "fix": ["1", "0"]}, **row)
    args = SimpleNamespace(limit=60, times=times)
    return harness.Example(row, args).check()


def test_the_harness_tells_a_failure_as_written_from_another(harness, tmp_path, monkeypatch):
    text = "import sys\nif 1:\n    sys.exit('misaligned address')\n"
    as_written = judged(harness, tmp_path, monkeypatch, text, message="misaligned address")
    assert as_written.good and as_written.result["fails"] and as_written.result["fix"]
    other = judged(harness, tmp_path, monkeypatch, text, message="illegal memory access")
    assert not other.good and "misaligned address" in other.tails[0][2]
    unrepaired = judged(harness, tmp_path, monkeypatch, text,
                        message="misaligned address", fix=["1", "2"])
    assert unrepaired.result["fails"] and not unrepaired.good


def test_the_harness_wants_a_race_to_fail_and_to_pass(harness, tmp_path, monkeypatch):
    mark = tmp_path / "ran"
    text = ("import os, sys\nif 1:\n    if os.path.exists(%r):\n        sys.exit('lost')\n"
            "    open(%r, 'w').close()\n" % (str(mark), str(mark)))
    racing = judged(harness, tmp_path, monkeypatch, text, times=3,
                    message="lost", rate="sometimes")
    assert racing.good and racing.result["rate"] == "2 of 3"
    steady = judged(harness, tmp_path, monkeypatch, text, times=3,
                    message="lost", rate="sometimes")
    assert not steady.good and steady.result["rate"] == "3 of 3"


def test_the_harness_ends_what_hangs(harness, tmp_path, monkeypatch):
    text = "import signal\nif 1:\n    signal.pause()\n"
    with monkeypatch.context() as shorter:
        shorter.setattr(harness, "HANG", 2)
        assert judged(harness, tmp_path, monkeypatch, text, expect="timeout").good
    assert not judged(harness, tmp_path, monkeypatch, "1\n", expect="timeout").good


def test_the_harness_says_which_package_is_missing(harness, tmp_path, monkeypatch):
    done = judged(harness, tmp_path, monkeypatch, "1\n", needs=["no_such_package"],
                  message="x")
    assert done.good and done.result["missing"] == ["no_such_package"]


# ---- all.py, which makes the runs that the examples are for ----

SMALL = """unused = [1, 2]
if len(unused) == 2:
    raise ValueError("K shape check failed: %d" % len(unused))
"""
MANIFEST = """- file: small.py
  category: B
  needs: []
  message: K shape check failed
  about: it raises
  fix: ['raise', 'print']
  fault: ['raise']
- file: lacking.py
  category: B
  needs: [no_such_package]
  message: never
  about: it cannot be run
  fix: ['1', '2']
  fault: ['1']
"""


@pytest.fixture
def runs(tmp_path):
    """Calls all.py without a GPU, with two scripts for the examples."""
    (tmp_path / "small.py").write_text(SMALL)
    (tmp_path / "lacking.py").write_text("1\n")
    (tmp_path / "faults.yaml").write_text(MANIFEST)
    short = tempfile.mkdtemp()  # no other call uses its fixed folder

    def call(out, *more):
        done = subprocess.run(
            [plain_python(), ROOT / "test/gpu/all.py", "--autodd-c", binary(),
             "--out", tmp_path / out, "--cpu", "-j", "2", "--manifest",
             tmp_path / "faults.yaml", *more],
            capture_output=True, text=True, stdin=subprocess.DEVNULL,
            env=dict(os.environ, TMPDIR=short))
        return done, json.loads((tmp_path / out / "all.json").read_text())

    yield call
    shutil.rmtree(short)


def test_accepted_steps_are_run_again_and_a_later_call_goes_on(runs, tmp_path):
    done, found = runs("first", "--parts", "steps", "--seconds", "90", "--minimize", "30")
    assert done.returncode == 0, done.stdout + done.stderr
    row = found["steps"]["data"]["rows"]["small"]
    assert row["steps"] == len(row["again"]) > 1 and not row["wrong"]
    assert found["steps"]["data"]["rows"]["lacking"]["missing"] == ["no_such_package"]
    assert "**0** do not fail" in (tmp_path / "first" / "all.md").read_text()

    # As if a step had been accepted that does not fail.
    texts = found["minimized"]["data"]["small.ours"]["steps"]
    texts.append("print('no failure')\n")
    found.pop("steps")
    (tmp_path / "first" / "all.json").write_text(json.dumps(found))
    done, found = runs("second", "--done", tmp_path / "first", "--parts", "steps",
                       "--seconds", "60")
    assert done.returncode == 1 and "SEE THE TABLE" in done.stdout, done.stdout + done.stderr
    assert "minimizations" not in done.stdout
    wrong = found["steps"]["data"]["rows"]["small"]["wrong"]
    assert [step["text"] for step in wrong] == ["print('no failure')\n"]


def test_a_search_that_was_cut_off_is_gone_on_with(runs, tmp_path):
    """With the state file that the earlier call has kept."""
    _, found = runs("first", "--parts", "steps", "--seconds", "90", "--minimize", "30")
    small = found["minimized"]["data"]["small.ours"]
    assert small["minimal"] is True and (tmp_path / "first/states/small.db").exists()

    _, found = runs("ended", "--done", tmp_path / "first", "--parts", "steps", "--to-end",
                    "--seconds", "60")
    assert found["minimized"]["data"]["small.ours"] == small

    found["minimized"]["data"]["small.ours"]["minimal"] = "max-time"
    (tmp_path / "first" / "all.json").write_text(json.dumps(found))
    done, found = runs("second", "--done", tmp_path / "first", "--parts", "steps", "--to-end",
                       "--seconds", "90", "--budgets", "small=30,triton_race=1")
    again = found["minimized"]["data"]["small.ours"]
    assert again["minimal"] is True and again["budget"] == 30, done.stdout + done.stderr
    assert again["took"][:-1] == small["took"] and again["result"] == small["result"]
    assert again["runs"] < small["runs"] / 2, (small, again)


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_what_helps_runs_is_tried_with_and_without(runs, tmp_path):
    """With a fake driver. The table tells how often a failure shows."""
    done, found = runs("out", "--parts", "aids=1", "--names", "later_error", "--seconds",
                       "120", "--minimize", "30")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {(row["script"], row["how"]): row for row in found["aids"]["data"]["rows"]}
    for how in ("auto", "on"):
        row = rows["later_error", "--launch-blocking " + how]
        assert row["status"] == "verified" and row["fault"], row
        assert [again["fails"] for again in row["again"]] == [3, 0], row
    assert rows["later_error", "--launch-blocking off"]["without"] == []
    page = (tmp_path / "out" / "all.md").read_text()
    assert "fails with the aid in 6 of 6 runs, without in 6 of 6" in page, page


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_a_gpu_that_falls_out_gets_no_more_runs(runs):
    done, found = runs("out", "--parts", "two", "--seconds", "300")
    assert done.returncode == 0, done.stdout + done.stderr
    fallen = found["two"]["data"]["fallen"]
    assert fallen["fell"] and list(fallen["after"].values())[1] == 0
