"""Ctrl-C and SIGTERM: the best so far is kept, and nothing else."""
import json
import os
import signal
import subprocess

import slowly
from conftest import plain_python, until


def start(tool, **how):
    script = slowly.write(tool, **how)
    process = tool.start(*slowly.arguments(tool, script), env=slowly.environ(tool))
    slowly.in_the_middle(tool, process, runs=20)
    return script, process


def report_of(tool):
    return json.loads((tool.root / "report.json").read_text())


def test_first_ctrl_c_ends_with_the_best_so_far_verified(tool):
    script, process = start(tool)
    process.send_signal(signal.SIGINT)
    done = tool.finish(process)
    assert done.code == 130, done
    best = tool.work / "result.py"
    assert best.stat().st_size < script.stat().st_size
    assert slowly.fails(tool, best)
    report = report_of(tool)
    assert report["status"] == "interrupted"
    assert report["minimal"] is not True
    assert report["verification"]["matched"] == report["verification"]["runs"] > 0
    assert "result.py" in done.text, done


def test_second_ctrl_c_stops_at_once(tool):
    script, process = start(tool, pause=1)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    # Two signals of one kind may arrive as one: repeat until it has ended.
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(0.5)
        except subprocess.TimeoutExpired:
            pass
    done = tool.finish(process)
    assert done.code == 130, done
    assert slowly.fails(tool, tool.work / "result.py")
    assert not tool.left()


def test_sigterm_ends_with_143_and_leaves_the_best_file(tool):
    script, process = start(tool)
    process.send_signal(signal.SIGTERM)
    done = tool.finish(process)
    assert done.code == 143, done
    assert slowly.fails(tool, tool.work / "result.py")


def test_interrupt_before_the_first_step_leaves_no_half_file(tool):
    script = slowly.write(tool, pause=3)
    process = tool.start(*slowly.arguments(tool, script), env=slowly.environ(tool))
    until(lambda: slowly.texts(tool), 60, "the first run")
    process.send_signal(signal.SIGINT)
    done = tool.finish(process)
    assert done.code == 130, done
    best = tool.work / "result.py"
    assert not best.exists() or slowly.fails(tool, best)


def test_closed_terminal_leaves_the_best_file_and_no_process(tool):
    script, process = start(tool)
    process.send_signal(signal.SIGHUP)
    tool.finish(process)
    assert slowly.fails(tool, tool.work / "result.py")
    assert not tool.left()


def test_candidates_outlive_no_interrupt_though_they_ignore_it(tool):
    """Ctrl-C on a terminal goes to the whole foreground group."""
    script = tool.write("deaf.py", '''
import signal, time
# autodd: freeze-start
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGINT, signal.SIG_IGN)
time.sleep(0.3)
# autodd: end-freeze
''' + "".join("v%d = %d\n" % (n, n) for n in range(40)) + 'int("x" + str(v7))\n')
    process = tool.start(script, "--err-msg", "invalid literal", "-j", 2, "-o",
                         tool.work / "result.py", "--python", plain_python(),
                         start_new_session=True)
    until((tool.work / "result.py").exists, 60, "the first step")
    os.killpg(process.pid, signal.SIGINT)
    done = tool.finish(process)
    assert done.code == 130, done
    assert not tool.left()

