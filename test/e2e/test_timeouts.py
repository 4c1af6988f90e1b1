"""Runs that take long: because they hang, because they compile, because the machine is busy."""
import pytest

from conftest import plain_python

HANG = """
import time

def noise(n):
    return [i * i for i in range(n)]

def wait_for(flag):
    while not flag:
        time.sleep(0.05)

def main():
    squares = noise(5)
    print("started", squares)
    wait_for([])
    print("done")

main()
"""


@pytest.mark.parametrize("backend", ["runner", "subproc"])
def test_a_hang_is_minimized_and_hangs_longer_than_its_limit(tool, backend):
    script = tool.write("script.py", HANG)
    done, out, report = tool.minimize(
        script, "--expect", "timeout", "--timeout", 1, "--backend", backend, jobs=4)
    assert done.code == 0, done
    assert "keeping: timeout" in done.err and "slow rather" not in done.err, done
    assert report["verification"] == {"runs": 3, "matched": 3}, report
    text = out.read_text()
    assert "while" in text and "noise" not in text and len(text) < len(HANG) / 2, text


def test_a_wait_that_ends_is_not_taken_for_a_hang(tool):
    """It could be cut to one that lasts as long as the limit, and no longer."""
    script = tool.write("script.py", "import time\nspare = [1, 2, 3]\nprint(spare)\n"
                        "time.sleep(800)\n")
    done, out, report = tool.minimize(
        script, "--expect", "timeout", "--timeout", 1, jobs=4)
    assert done.code == 0, done
    assert report["verification"] == {"runs": 3, "matched": 3}, report
    assert "spare" not in out.read_text()


def test_what_is_only_slow_is_told_and_reduced_all_the_same(tool):
    script = tool.write("script.py", "import time\nspare = [1, 2, 3]\nprint(spare)\n"
                        "time.sleep(1.6)\n")
    done, out, report = tool.minimize(
        script, "--expect", "timeout", "--timeout", 1, "--mutate", "none", jobs=4)
    assert "slow rather than hanging: a run of the original ended after " in done.err, done
    assert done.code == 0 and "spare" not in out.read_text(), done


# A library that is slow from its so-many-th use on, as on a machine that others
# have begun to use.
BUSY = """
import os
import time

def check(values):
    folder, quick = os.environ["TURNS"], int(os.environ["QUICK"])
    for turn in range(1000):
        try:
            os.close(os.open("%s/%d" % (folder, turn), os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError:
            pass
    if turn >= quick:
        time.sleep(3)
    raise ValueError("boom")
"""


def test_a_machine_that_gets_slow_does_not_end_the_search(tool):
    """All runs take longer than what the first ones would allow."""
    turns, library = tool.root / "turns", tool.root / "library"
    turns.mkdir()
    library.mkdir()
    (library / "busy.py").write_text(BUSY)
    script = tool.write("script.py", "import busy\nspare = [1, 2, 3]\nprint(spare)\n"
                        "more = spare[0]\nbusy.check(4)\n")
    # The calibration has two fresh runs and up to six forked ones, of which the
    # last ones may be slow already.
    done, out, report = tool.minimize(
        script, "--err-msg", "boom", "--mutate", "none", "-v",
        "--env", "PYTHONPATH=%s" % library, "--env", "TURNS=%s" % turns,
        "--env", "QUICK=8", jobs=8)
    assert done.code == 0, done
    assert "runs take longer than at first" in done.err, done
    assert out.read_text() == "import busy\nbusy.check(4)\n", out.read_text()
    assert report["verification"] == {"runs": 3, "matched": 3}, report


def test_a_loop_without_end_is_refused(tool):
    script = tool.write("script.py", "i = 3\nwhile i:\n    i -= 1\n    print(i)\n"
                        "raise ValueError('boom')\n")
    done, out, report = tool.minimize(
        script, "--err-msg", "boom", "--keep", "none", "--signature", "text", jobs=2)
    assert done.code == 0, done
    assert "boom" in out.read_text(), out.read_text()


# A compiler that keeps what it made where the caches of the run are.
COMPILES = """
import os
import time

path = os.environ["TRITON_CACHE_DIR"]
source = "kernel 1"
kept = os.path.join(path, str(abs(hash(source))))
if not os.path.exists(kept):
    time.sleep(1.2)
    os.makedirs(path, exist_ok=True)
    open(kept, "w").close()
spare = 1
raise ValueError("boom")
"""


def test_time_to_compile_is_not_taken_for_a_first_slow_run(tool):
    script = tool.write("script.py", COMPILES)
    done, _, report = tool.minimize(
        script, "--err-msg", "boom", "--keep", "none", "--max-runs", 3, "-v", jobs=1,
        python=plain_python())
    assert done.code == 0 and report["status"] == "verified", done
