"""kill -9 in the middle, of each of the three programs: nothing is left, the
best file is there, and the same command again goes on where it stopped."""
import collections
import json
import os
import signal

import pytest

import slowly
from conftest import until


def start(tool, *more, jobs=2):
    script = slowly.write(tool)
    arguments = slowly.arguments(tool, script, *more, jobs=jobs)
    process = tool.start(*arguments, env=slowly.environ(tool))
    slowly.in_the_middle(tool, process)
    return script, arguments, process


def kill(pid):
    os.kill(pid, signal.SIGKILL)


def report_of(tool):
    return json.loads((tool.root / "report.json").read_text())


def test_killed_minimizer_leaves_the_best_file_and_nothing_else(tool):
    script, _, process = start(tool)
    kill(process.pid)
    process.wait()
    assert not tool.left()
    best = tool.work / "result.py"
    assert best.stat().st_size < script.stat().st_size
    assert slowly.fails(tool, best)
    beside = {path.name for path in tool.work.iterdir()}
    assert beside == {"slowly.py", "result.py"}


@pytest.mark.parametrize("jobs, then", [(1, 1), (4, 4), (1, 3), (4, 1)])
def test_same_command_again_runs_no_rejected_candidate_twice(tool, jobs, then):
    script, arguments, process = start(tool, jobs=jobs)
    kill(process.pid)
    process.wait()
    first = slowly.texts(tool)
    best = (tool.work / "result.py").stat().st_size
    assert not tool.left()

    done = tool.run(*slowly.arguments(tool, script, jobs=then), env=slowly.environ(tool))
    assert done.code == 0, done
    steps = report_of(tool)["steps"]
    assert best in [step["bytes"] for step in steps], (best, steps)
    assert report_of(tool)["status"] == "verified"
    assert slowly.fails(tool, tool.work / "result.py")

    # Accepted steps and the original may run again, to be sure of them. What
    # was rejected may do so only if its verdict was still under way.
    twice = set(first) & set(slowly.texts(tool)[len(first):])
    rejected = []
    for text in twice:
        path = tool.write("again.py", text)
        if not slowly.fails(tool, path):
            rejected.append(text)
    assert len(rejected) <= jobs, "%d of %d ran again" % (len(rejected), len(set(first)))


def test_uninterrupted_run_tries_no_rejected_candidate_twice(tool):
    script = slowly.write(tool, pause=0)
    done = tool.run(*slowly.arguments(tool, script), env=slowly.environ(tool))
    assert done.code == 0, done
    counts = collections.Counter(slowly.texts(tool))
    assert len(counts) > 20
    twice = [text for text, n in counts.items() if n > 1]
    rejected = [text for text in twice
                if not slowly.fails(tool, tool.write("again.py", text))]
    assert not rejected, rejected[0].decode()


def test_no_cache_begins_anew(tool):
    script = slowly.write(tool, pause=0, statements=16)
    for _ in range(2):
        done = tool.run(*slowly.arguments(tool, script, "--no-cache"),
                        env=slowly.environ(tool))
        assert done.code == 0, done
    counts = collections.Counter(slowly.texts(tool))
    rejected_twice = [text for text, n in counts.items() if n > 1]
    assert len(rejected_twice) > len(counts) / 2


def test_killed_worker_costs_its_runs_and_not_the_job(tool):
    script, _, process = start(tool)
    worker = until(lambda: tool.worker(process), 10, "the worker")
    kill(worker)
    until(lambda: tool.worker(process) not in (None, worker) or process.poll() is not None,
          30, "another worker")
    done = tool.finish(process)
    assert done.code == 0, done
    assert report_of(tool)["status"] == "verified"
    assert slowly.fails(tool, tool.work / "result.py")


def test_killed_fork_server_costs_its_runs_and_not_the_job(tool):
    script, _, process = start(tool, "--backend", "runner")
    kill(until(lambda: tool.zygote(process), 10, "the fork server"))
    done = tool.finish(process)
    assert done.code == 0, done
    assert report_of(tool)["status"] == "verified"
    assert slowly.fails(tool, tool.work / "result.py")


def test_fork_server_and_then_the_minimizer_killed_leave_nothing(tool):
    script, _, process = start(tool, "--backend", "runner")
    kill(until(lambda: tool.zygote(process), 10, "the fork server"))
    kill(process.pid)
    process.wait()
    assert not tool.left()
    assert slowly.fails(tool, tool.work / "result.py")


def test_what_a_killed_worker_leaves_is_removed_by_the_next_start(tool):
    script, arguments, process = start(tool)
    worker = until(lambda: tool.worker(process), 10, "the worker")
    kill(process.pid)  # first, or it would start another worker
    kill(worker)
    process.wait()
    left = tool.left()
    assert left and all(line.startswith("file ") for line in left), left
    done = tool.run(*arguments, env=slowly.environ(tool))
    assert done.code == 0, done
    assert not tool.left()


def test_finished_job_is_answered_from_the_store(tool):
    script = slowly.write(tool, pause=0)
    arguments = slowly.arguments(tool, script)
    done = tool.run(*arguments, env=slowly.environ(tool))
    assert done.code == 0, done
    text = (tool.work / "result.py").read_bytes()
    first = len(slowly.texts(tool))
    done = tool.run(*arguments, env=slowly.environ(tool))
    assert done.code == 0, done
    assert (tool.work / "result.py").read_bytes() == text
    assert len(slowly.texts(tool)) - first < first / 2


def test_two_at_once_on_one_job_do_not_mix(tool):
    script, arguments, process = start(tool)
    second = tool.run(*arguments, env=slowly.environ(tool))
    assert second.code in (2, 3), second
    assert "another" in second.err or "already" in second.err, second
    done = tool.finish(process)
    assert done.code == 0, done
    assert slowly.fails(tool, tool.work / "result.py")


def test_noes_of_a_steady_failure_are_no_noes_of_one_that_comes_and_goes(tool):
    """One run made each of them, which is too few where it is a matter of chance."""
    runs = tool.root / "runs"
    script = tool.write("chance.py", "a = 1\nb = 2\nc = a + b\n"
                                     "with open(%r, 'a') as file:\n"
                                     "    file.write('.')\n"
                                     "    file.flush()\n"
                                     "    if file.tell() < 1000 or file.tell() %% 3:\n"
                                     "        raise ValueError('boom')\n" % str(runs))
    cached = []
    for begin in 0, 0, 1000:
        runs.write_text("." * begin)
        tool.run(script, "--err-msg", "boom", "-j", "2", "--max-runs", "12",
                 "--mutate", "none", "--report", tool.root / "report.json")
        report = report_of(tool)
        rate = report["rate"]
        assert (rate["matched"] < rate["runs"]) == (begin > 0), rate
        cached.append(report["cached"])
    assert cached[1] > cached[0] and cached[2] <= cached[0], cached


# All elements are wrong, by how much depends on a file that nobody minimizes.
COMPARED = '''\
# autodd: freeze-start
from pathlib import Path
noise = float((Path(__file__).parent / "noise").read_text())
# autodd: end-freeze

def kernel(xs):
    return [x * 3.0 + noise for x in xs]

def reference(xs):
    return [x * 7.0 + 1.0 for x in xs]

def compare(a, b):
    apart = [abs(x - y) for x, y in zip(a, b)]
    if max(apart) > 1e-3:
        raise AssertionError(
            "Not equal to tolerance\\nMismatched elements: %d / %d\\n"
            "Max absolute difference: %g\\nMax relative difference: %g"
            % (len(a), len(a), max(apart), max(d / abs(y) for d, y in zip(apart, b))))

xs = [1.0, 2.0, 3.0, 4.0]
print(len(sorted(xs)))
got, want = kernel(xs), reference(xs)
print(got[0], want[0])
compare(got, want)
'''


def test_other_figures_than_in_the_first_runs_cost_nothing(tool):
    script = tool.write("compared.py", COMPARED)
    noise = tool.write("noise", "0.0")
    words = ["--err-msg", "Not equal to tolerance", "--state", tool.root / "state.db"]
    done, out, _ = tool.minimize(script, *words)
    assert done.code == 0, done
    text = out.read_text()
    noise.write_text("0.5")
    done, out, report = tool.minimize(script, *words, "--max-runs", 5)
    assert done.code == 0, done
    assert report["runs"] == 0, report
    assert out.read_text() == text
