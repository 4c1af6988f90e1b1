"""Candidates that misbehave, through the whole program: each keeps its failure,
and none of it is left. The cases of category X are others of this kind.

The scripts signal themselves by raise_signal: os.kill(os.getpid(), ...) is one
edit away from os.kill(0, ...) and os.kill(1, ...)."""
import signal

import pytest

from conftest import fresh, last_line

FAILS = 'rows = {"tile": 4}\nprint("rows", len(rows))\nrows["warp"]\n'
FAILURE = "KeyError: 'warp'"

WAYS = {
    "ignores every signal it can": '''
import signal
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
''',
    "leaves its session and its children behind": '''
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(40)
    os._exit(0)
''',
    "leaves a child with a closed environment": '''
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(40)"],
                 env={}, start_new_session=True, close_fds=True)
''',
    "floods both outputs": '''
import os
line = b"x" * 65535 + b"\\n"
for n in range(1600):
    os.write(1 + n % 2, line)
''',
    "writes one line without an end": '''
import os
for n in range(800):
    os.write(2, b"y" * 65536)
os.write(2, b"\\n")
''',
    "leaves files and folders that may not be entered": '''
import os, tempfile
for n in range(20):
    folder = tempfile.mkdtemp()
    open(os.path.join(folder, "f"), "w").close()
    os.chmod(folder, 0)
os.makedirs("a/" * 60)
os.symlink("/", "root")
''',
    "deletes its own file and folder": '''
import os, shutil
shutil.rmtree(os.path.dirname(os.path.abspath(__file__)), ignore_errors=True)
''',
    "writes over what lies beside it": '''
import os
for name in os.listdir(os.path.dirname(os.path.abspath(__file__))):
    if name.endswith(".txt"):
        with open(name, "w") as f:
            f.write("spoilt")
''',
    "stops itself half-way in a child": '''
import os, signal
if os.fork() == 0:
    signal.raise_signal(signal.SIGSTOP)
    os._exit(0)
''',
    "forks as it goes": '''
import os, time
for n in range(12):
    if os.fork() == 0:
        time.sleep(30)
        os._exit(0)
''',
    "prints what is no text": '''
import os
os.write(1, bytes(range(256)) * 40)
os.write(2, b"\\xff\\xfe\\0\\0{}[]\\n")
''',
    "prints what looks like a frame": '''
print('{"type":"result","id":1,"end":"exit","exit_code":0}')
''',
}


@pytest.mark.parametrize("way", WAYS)
def test_failure_is_kept_of_a_script_that(tool, way):
    beside = tool.write("notes.txt", "precious")
    script = tool.write("bad.py", WAYS[way] + FAILS)
    text = script.read_bytes()
    done, out, report = tool.minimize(script, "--err-msg", "'warp'")
    assert done.code == 0, done
    assert report["status"] == "verified"
    code, output = fresh(out)
    assert (code, last_line(output)) == (1, FAILURE)
    assert script.read_bytes() == text
    assert beside.read_text() == "precious"


@pytest.mark.parametrize("way", [
    "ignores every signal it can",
    "leaves its session and its children behind",
    "leaves a child with a closed environment",
])
def test_hang_is_kept_of_a_script_that(tool, way):
    script = tool.write("hang.py", WAYS[way] + '''
import threading
print("waiting")
threading.Event().wait(45)
''')
    done, out, report = tool.minimize(
        script, "--expect", "timeout", "--timeout", "1", jobs=8)
    assert done.code == 0, done
    assert report["status"] == "verified"
    assert not tool.left()


def test_outputs_closed_before_the_end_are_no_end(tool):
    script = tool.write("closes.py", '''
import os, sys
print("start")
sys.stdout.flush()
os.close(1)
os.close(2)
values = [n for n in range(9)]
os._exit(values[7])
''')
    done, out, report = tool.minimize(script, "--expect", "exit:7", "--keep", "none")
    assert done.code == 0, done
    assert fresh(out)[0] == 7


def test_loop_that_became_endless_is_no_reproduction(tool):
    script = tool.write("loop.py", '''
n = 0
while n < 1000:
    n += 1
print([][n])
''')
    done, out, report = tool.minimize(script, "--err-msg", "list index out of range", jobs=4)
    assert done.code == 0, done
    assert last_line(fresh(out)[1]) == "IndexError: list index out of range"


def test_signal_is_kept_and_not_another(tool):
    script = tool.write("dies.py", '''
import signal
names = {"a": signal.SIGFPE, "b": signal.SIGILL}
for name in names:
    print(name)
signal.raise_signal(names["b"])
''')
    done, out, report = tool.minimize(script, "--expect", "signal:ILL")
    assert done.code == 0, done
    assert fresh(out)[0] == -signal.SIGILL


def test_memory_past_the_limit_ends_the_run_and_not_the_job(tool):
    """The watchdog looks now and then: the original stays for a while."""
    script = tool.write("greedy.py", '''
import threading
size = 64
block = bytearray(b"x") * (size << 20)
print(len(block))
threading.Event().wait(4)
print(block[len(block)])
''')
    message = "bytearray index out of range"
    done, out, report = tool.minimize(script, "--err-msg", message, "--memory-max", "400")
    assert done.code == 0, done
    assert last_line(fresh(out)[1]) == "IndexError: " + message
    done, out, report = tool.minimize(
        script, "--err-msg", message, "--memory-max", "30", "--no-cache")
    assert done.code == 1, done
    assert "memory" in done.err, done


def test_file_past_the_limit_fails_and_fills_no_disk(tool):
    script = tool.write("writes.py", '''
import os
fd = os.open("big", os.O_WRONLY | os.O_CREAT)
print("open", fd)
block = b"z" * (1 << 20)
for n in range(64):
    os.write(fd, block)
''')
    done, out, report = tool.minimize(
        script, "--err-msg", "File too large", "--file-max", "8")
    assert done.code == 0, done
    assert "File too large" not in out.read_text()
