"""What only compute-sanitizer sees, with a fake one that finds what it is told."""
import os
import shutil

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


def with_tool(tool, **more):
    folder = tool.root / "bin"
    folder.mkdir()
    shutil.copy(ROOT / "test/fakes/compute-sanitizer", folder)
    return {"PATH": "%s:%s" % (folder, os.environ["PATH"]), **more}


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
