"""CUDA and forks, on a driver that the tests play (test/fakes/cuda.c)."""
import os
import shutil
import subprocess

import pytest

from conftest import ROOT, fresh, last_line

FAKES = ROOT / "test" / "fakes"

pytestmark = pytest.mark.skipif(
    not shutil.which("cc"), reason="needs a C compiler")


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """The driver, as a shared object."""
    path = tmp_path_factory.mktemp("cuda") / "libcuda.so.1"
    subprocess.check_call(
        ["cc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o",
         str(path), str(FAKES / "cuda.c")])
    return path


@pytest.fixture
def cuda(tool, driver):
    """What --env must say for a script to import fakecuda; the log of it."""
    tool.log = tool.root / "contexts"
    return ["--env", "PYTHONPATH=%s" % FAKES, "--env", "FAKE_CUDA=%s" % driver,
            "--env", "FAKE_CUDA_LOG=%s" % tool.log]


SCRIPT = '''
import fakecuda

def tile(rows, cols):
    sizes = [n * rows for n in range(cols)]
    return {"rows": rows, "cols": cols, "sizes": sizes}

def check(rows, cols):
    if rows != cols:
        raise ValueError("K shape check failed: %d" % rows)

def main():
    fakecuda.context()
    shape = tile(4, 9)
    print("sizes", shape["sizes"])
    check(shape["rows"], shape["cols"])

main()
'''


def minimize(tool, *more, text=SCRIPT, message="K shape check failed"):
    """Minimize a script; the result fails as it did, or the test does."""
    script = tool.write("kernel.py", text)
    done, out, report = tool.minimize(
        script, "--err-msg", message, "--keep", "none", *more)
    assert done.code == 0, done
    assert report["status"] == "verified", report
    return done, out, report


def fails(tool, out, cuda):
    """The last line of a new run of the result."""
    env = dict(word.split("=", 1) for word in cuda[1::2])
    code, output = fresh(out, env=env)
    assert code == 1, output
    return last_line(output)


def test_mapped_driver_that_is_not_initialised_forks(tool, cuda):
    done, out, _ = minimize(tool, *cuda)
    assert "new interpreters" not in done.text
    assert "fresh runs are used" not in done.text
    assert fails(tool, out, cuda).startswith("ValueError: K shape check failed")


def test_import_that_initialises_is_named_and_nothing_is_forked(tool, cuda):
    done, out, report = minimize(
        tool, *cuda, "--env", "FAKE_CUDA_AT=import", "--max-runs", "30")
    assert "importing fakecuda initialises CUDA" in done.text
    assert report["original"]["bytes"] > report["result"]["bytes"]
    assert fails(tool, out, cuda).startswith("ValueError: K shape check failed")


def test_server_that_is_initialised_later_is_given_up(tool, cuda):
    """The first child is spoilt already, and its run must not count."""
    done, out, _ = minimize(
        tool, *cuda, "--env", "FAKE_CUDA_AT=fork", "--max-runs", "30")
    assert "CUDA was initialised in the fork server" in done.text, done
    assert fails(tool, out, cuda).startswith("ValueError: K shape check failed")
