"""What only compute-sanitizer sees, with a fake one that finds what it is told."""
import os
import shutil
import subprocess

from conftest import ROOT, plain_python

SCRIPT = """import os
rows = 4
unused = [rows, 8]
def launch(kernel, n):
    if n > 4:
        with open(os.environ["SANITIZER_FINDS"], "a") as f:
            f.write(kernel + "\\n")
launch("fill", rows)
launch("store", rows + 1)
launch("load", rows + 2)
print("done")
"""


# It passes plainly; what it leaves out is not reached, or not needed.
QUIET = """import os
def rows_of(n):
    return n + 1
def never():
    print("never")
def launch(kernel, n):
    if n > 4:
        with open(os.environ.get("SANITIZER_FINDS", os.devnull), "a") as f:
            f.write(kernel + "\\n")
launch("fill", 3)
launch("store", rows_of(4))
if rows_of(1) > 4:
    never()
print("done")
"""


TINY = """import os
with open(os.environ.get("SANITIZER_FINDS", os.devnull), "a") as f:
    f.write("store" + chr(10))
print("done")
"""


def with_tool(tool, **more):
    folder = tool.root / "bin"
    folder.mkdir()
    shutil.copy(ROOT / "test/fakes/compute-sanitizer", folder)
    tool.runs = tool.root / "runs"
    return {"PATH": "%s:%s" % (folder, os.environ["PATH"]),
            "SANITIZER_RUNS": tool.runs, **more}


def runs_under(tool):
    return len(tool.runs.read_text().splitlines())


def test_the_first_finding_is_the_failure(tool):
    script = tool.write("script.py", SCRIPT)
    done, out, report = tool.minimize(script, "--sanitizer", "memcheck", env=with_tool(tool))
    assert done.code == 0, done
    assert "Invalid __global__ write in store" in done.err, done
    text = out.read_text()
    assert "store" in text and "load" not in text and "unused" not in text, text
    assert "compute-sanitizer --tool memcheck" in report["command"]
    assert "PYTORCH_NO_CUDA_MEMORY_CACHING=1" in report["command"]


def test_a_script_without_a_finding_does_not_fail(tool):
    """Not even by an exception of its own."""
    script = tool.write("script.py", "raise ValueError('boom')\n")
    done, out, _ = tool.minimize(script, "--sanitizer", "memcheck", env=with_tool(tool))
    assert done.code == 1 and not out.exists(), done


def test_a_tool_that_does_not_work_is_no_verdict(tool):
    script = tool.write("script.py", SCRIPT)
    done, _, _ = tool.minimize(
        script, "--sanitizer", "racecheck", env=with_tool(tool, SANITIZER_BROKEN=1))
    assert done.code == 3 and "compute-sanitizer wrote no log" in done.err, done


def test_without_the_tool_the_remedy_is_named(tool):
    script = tool.write("script.py", SCRIPT)
    done, _, _ = tool.minimize(
        script, "--sanitizer", "memcheck", env={"PATH": os.path.dirname(plain_python())})
    assert done.code == 3 and "no compute-sanitizer in PATH" in done.err, done
    for name in ("CUDA_HOME", "CUDA_PATH"):
        assert name in done.err, done


def test_a_plain_run_that_dies_spares_the_one_under_the_sanitizer(tool):
    """And the result passes plainly, as the original does."""
    script = tool.write("script.py", QUIET)
    env = with_tool(tool)
    done, out, report = tool.minimize(script, "--sanitizer", "memcheck", jobs=1, env=env)
    assert done.code == 0, done
    assert "candidates are run plainly first" in done.err, done
    assert report["children"]["forked"] > report["children"]["fresh"], report["children"]
    # Two of the original and three of the final check are not of the search.
    assert runs_under(tool) == report["children"]["fresh"] + 5, report["children"]
    text = out.read_text()
    assert "store" in text and "never" not in text and len(text) < len(QUIET) / 2, text
    assert subprocess.run([plain_python(), str(out)], capture_output=True).returncode == 0


def test_the_tool_is_found_in_the_toolkit_and_its_version_told(tool):
    script = tool.write("script.py", TINY)
    with_tool(tool)
    env = {"CUDA_HOME": tool.root, "SANITIZER_RUNS": tool.runs}
    done, _, report = tool.minimize(
        script, "--sanitizer", "memcheck", "--max-runs", 5, env=env)
    assert done.code in (0, 4), done
    assert report["versions"]["sanitizer"] == "2025.3.1.0", report["versions"]


def test_verdicts_of_another_version_do_not_count(tool):
    script = tool.write("script.py", TINY)
    env = with_tool(tool)
    flags = ("--sanitizer", "memcheck")
    assert tool.minimize(script, *flags, env=env)[2]["runs"] > 3
    assert tool.minimize(script, *flags, env=env)[2]["runs"] == 0
    done, _, report = tool.minimize(script, *flags, env={**env, "SANITIZER_VERSION": "9.1"})
    assert report["runs"] > 3 and report["versions"]["sanitizer"] == "9.1", done


def test_children_of_other_kinds_are_left_out_with_a_note(tool):
    script = tool.write("script.py", TINY)
    done, _, report = tool.minimize(
        script, "--sanitizer", "memcheck", "--children", "hot", env=with_tool(tool))
    assert done.code == 0, done
    assert "--children: under --sanitizer each run has a process of its own" in done.err, done
    assert report["children"]["hot"] == report["children"]["warm"] == 0, report
