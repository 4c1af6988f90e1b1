"""Bad input: each with its exit code and a message that names the place and
what to do."""
import os
import sqlite3
import subprocess
import sys

import pytest

from conftest import binary, names_place, plain_python, until

FAILS = 'rows = [1]\nprint("rows", rows)\nrows[4]\n'
MESSAGE = "list index out of range"


def refuse(tool, code, script, *args, python=None, **more):
    done, out, _ = tool.minimize(script, "--err-msg", MESSAGE, *args, python=python, **more)
    assert done.code == code, done
    assert done.err.strip(), "no message"
    assert "Traceback" not in done.err.split("\n")[0]
    return done


def test_empty_file(tool):
    assert "empty.py" in refuse(tool, 2, tool.write("empty.py", "")).err


def test_folder(tool):
    (tool.work / "folder.py").mkdir()
    done = refuse(tool, 2, tool.work / "folder.py")
    assert "folder.py" in done.err


def test_file_that_does_not_exist(tool):
    assert "absent.py" in refuse(tool, 2, tool.work / "absent.py").err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_file_that_may_not_be_read(tool):
    script = tool.write("secret.py", FAILS)
    script.chmod(0)
    assert "secret.py" in refuse(tool, 2, script).err


def test_binary_file(tool):
    noise = b"\x7fELF\x02\x01\x01\0" + bytes(range(256)) * 3
    assert "noise.py" in refuse(tool, 2, tool.write("noise.py", noise)).err


def test_syntax_error_names_file_and_line(tool):
    script = tool.write("broken.py", "x = 1\ny = (2,\nprint(x)\nz = = 3\n")
    done = refuse(tool, 2, script)
    assert "broken.py" in done.err and "line" in done.err or "broken.py:" in done.err, done


def test_message_that_is_never_printed(tool):
    script = tool.write("other.py", 'int("seven")\n')
    done = refuse(tool, 1, script)
    assert MESSAGE in done.err, done
    assert "invalid literal" in done.err, "how it did end is not shown"


def test_message_only_in_a_traceback_echo(tool):
    script = tool.write("echo.py", 'int("seven")  # list index out of range\n')
    done = refuse(tool, 1, script)
    assert MESSAGE in done.err, done


def test_script_that_does_not_fail_without_a_message(tool):
    script = tool.write("fine.py", 'print("all well")\n')
    done, out, _ = tool.minimize(script)
    assert done.code == 1, done
    assert not out.exists()
    assert "fine.py" in done.err or "exit 0" in done.err, done


def test_interpreter_that_does_not_exist(tool):
    script = tool.write("fails.py", FAILS)
    done = refuse(tool, 3, script, python="/nowhere/python9")
    assert "/nowhere/python9" in done.err


def test_interpreter_that_is_no_python(tool):
    script = tool.write("fails.py", FAILS)
    done = refuse(tool, 3, script, python="/bin/true")
    assert "/bin/true" in done.err


def test_module_that_the_interpreter_lacks(tool):
    script = tool.write("needs.py", "import quantum_tiles_9\n" + FAILS)
    done = refuse(tool, 3, script)
    assert "quantum_tiles_9" in done.err, done
    assert os.path.basename(plain_python())[:6] in done.err, "which interpreter lacks it?"


def test_output_in_a_folder_that_does_not_exist(tool):
    script = tool.write("fails.py", FAILS)
    done = tool.run(script, "--err-msg", MESSAGE, "--python", plain_python(),
                    "-o", tool.work / "no" / "such" / "result.py")
    assert done.code == 2, done
    assert "no/such" in done.err


def on_full_disk(tool, folder, *args):
    """Run the program where `folder` has no room for one more file."""
    shell = 'mount -t tmpfs -o nr_inodes=1 none "$1" && shift && exec "$@"'
    trial = subprocess.run(["unshare", "-m", "sh", "-c", shell, "-", str(folder), "true"],
                           capture_output=True, timeout=30)
    if trial.returncode != 0:
        pytest.skip("needs unshare and mount: " + trial.stderr.decode().strip())
    process = subprocess.Popen(
        ["unshare", "-m", "sh", "-c", shell, "-", str(folder), binary(), *map(str, args)],
        env=tool.environ(), cwd=tool.work, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    tool.started.append(process)
    return tool.finish(process)


def test_output_on_a_full_disk(tool):
    script = tool.write("fails.py", FAILS)
    full = tool.root / "full"
    full.mkdir()
    done = on_full_disk(tool, full, script, "--err-msg", MESSAGE, "-o", full / "result.py",
                        "--python", plain_python())
    assert done.code in (2, 3), done
    assert "result.py" in done.err or str(full) in done.err
    assert "space" in done.err.lower(), done


def test_temporary_folder_without_space(tool):
    script = tool.write("fails.py", FAILS)
    done = on_full_disk(tool, tool.tmp, script, "--err-msg", MESSAGE, "--python", plain_python())
    assert done.code == 3, done
    assert "TMPDIR" in done.err or str(tool.tmp) in done.err, done
    assert "space" in done.err.lower(), done


def test_temporary_folder_that_does_not_exist(tool):
    script = tool.write("fails.py", FAILS)
    done = refuse(tool, 3, script, env={"TMPDIR": "/nowhere/tmp"})
    assert "/nowhere/tmp" in done.err


@pytest.mark.parametrize("text, line, column", [
    ("jobs: 2\nspeed: high\n", 2, 1),
    ("timeout: soon\n", 1, 10),
    ("jobs: [1, 2]\n", 1, 7),
    ("jobs: 0\n", 1, 7),
])
def test_wrong_setting_is_named_with_line_and_column(tool, text, line, column):
    script = tool.write("fails.py", FAILS)
    tool.write("autodd.yaml", text)
    done = tool.run(script, "--err-msg", MESSAGE)
    assert done.code == 2, done
    assert names_place(done.err, "autodd.yaml") == (line, column), done


def test_setting_file_that_is_no_yaml(tool):
    script = tool.write("fails.py", FAILS)
    config = tool.write("own.yaml", "jobs: [1, 2\n")
    done = tool.run(script, "--err-msg", MESSAGE, "--config", config)
    assert done.code == 2, done
    assert names_place(done.err, "own.yaml"), done


def test_state_file_that_is_none(tool):
    script = tool.write("fails.py", FAILS)
    state = tool.root / "state.db"
    state.write_bytes(b"this is no state file\n" * 400)
    done = refuse(tool, 2, script, "--state", state)
    assert "state.db" in done.err and "--force" in done.err
    assert state.read_bytes() == b"this is no state file\n" * 400, "it was overwritten"

    done, out, _ = tool.minimize(script, "--err-msg", MESSAGE, "--state", state, "--force")
    assert done.code == 0, done
    aside = [path for path in tool.root.iterdir() if path.name.startswith("state.db.old")]
    assert len(aside) == 1 and aside[0].read_bytes().startswith(b"this is no"), aside


def test_state_file_from_a_newer_version(tool):
    script = tool.write("fails.py", FAILS)
    state = tool.root / "state.db"
    done, _, _ = tool.minimize(script, "--err-msg", MESSAGE, "--state", state)
    assert done.code == 0, done
    with sqlite3.connect(state) as db:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        db.execute("PRAGMA user_version = %d" % (version + 1000))
    db.close()
    done = refuse(tool, 2, script, "--state", state, "--no-cache")
    assert "state.db" in done.err and "newer" in done.err, done
    with sqlite3.connect(state) as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] == version + 1000
    db.close()


def test_worker_that_never_gets_going(tool):
    """Ended each time as soon as it is there: a result can't come of it."""
    script = tool.write("fails.py", FAILS.replace("rows = ", "import time\ntime.sleep(3)\nrows = "))
    process = tool.start(script, "--err-msg", MESSAGE, "--python", plain_python())

    def ended():
        pid = tool.worker(process)
        if pid:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
        return process.poll() is not None

    until(ended, 120, "the program to give up")
    done = tool.finish(process)
    assert done.code == 3, done
    assert "worker" in done.err, done


def test_program_whose_file_is_gone_cannot_start_its_worker(tool):
    """As after an upgrade in mid-run: here it runs from memory alone."""
    script = tool.write("fails.py", FAILS)
    memory = os.memfd_create("autodd-c")
    with open(binary(), "rb") as f:
        os.write(memory, f.read())
    process = subprocess.Popen(
        ["autodd-c", str(script), "--err-msg", MESSAGE, "--python", plain_python()],
        executable="/proc/self/fd/%d" % memory, pass_fds=[memory], env=tool.environ(),
        cwd=tool.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    tool.started.append(process)
    os.close(memory)
    done = tool.finish(process)
    assert done.code == 3, done
    assert "worker" in done.err, done


def test_result_of_somebody_else_is_not_overwritten(tool):
    script = tool.write("fails.py", FAILS)
    mine = tool.write("result.py", "# my own notes\n")
    done = refuse(tool, 2, script)
    assert "result.py" in done.err and "--force" in done.err
    assert mine.read_text() == "# my own notes\n"
    done, out, _ = tool.minimize(script, "--err-msg", MESSAGE, "--force")
    assert done.code == 0, done
    assert "my own notes" not in out.read_text()
    done, out, _ = tool.minimize(script, "--err-msg", MESSAGE)
    assert done.code == 0, "its own earlier result may be replaced: %r" % done


def test_output_that_is_the_script(tool):
    script = tool.write("fails.py", FAILS)
    done = tool.run(script, "--err-msg", MESSAGE, "-o", script, "--python", sys.executable)
    assert done.code == 2, done
    assert script.read_text() == FAILS
