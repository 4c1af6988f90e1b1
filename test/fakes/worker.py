#!/usr/bin/env python3
"""A worker that misbehaves on demand: worker.py MODE STATE_FILE.

It says hello, answers the setup by ready, and each run by "exit 1", except

  ok          never
  die-once    exits at the first run of its first life (STATE_FILE is the memory)
  die-always  exits at every run
  garbage     answers the first run by a line that is no frame
  version     says hello with another protocol version
  refuse      answers the setup by ready with an error
  mute        exits before hello
  deaf        does not end when its standard input does
"""
import json
import os
import sys
import time


RESULT = {"frame": "result", "end": "exit", "exit_code": 1, "signal": 0,
          "forked": False, "exc_line": 0, "wall_ms": 1, "cpu_ms": 1,
          "peak_rss": 0, "out_cut": False, "err_cut": False, "matches": []}


def send(frame):
    """Write one frame as one line."""
    sys.stdout.write(json.dumps(frame) + "\n")
    sys.stdout.flush()


def first_time(path):
    """Whether nobody has asked this before; remembered in a file."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def main():
    mode, memory = sys.argv[1:3]
    if mode == "mute":
        sys.exit(5)
    send({"frame": "hello", "version": 99 if mode == "version" else 2,
          "pid": os.getpid(), "host": "fake"})
    for line in sys.stdin:
        frame = json.loads(line)
        if frame["frame"] == "setup":
            ok = mode != "refuse"
            send({"frame": "ready", "ok": ok, "error": "no such interpreter",
                  "usage": False,
                  "python": "/usr/bin/python3", "python_version": "3.11.2",
                  "forks": False, "no_fork_reason": "a fake does not fork"})
        elif frame["frame"] == "ping":
            send({"frame": "pong", "id": frame["id"]})
        elif frame["frame"] == "run":
            if mode == "die-always" or mode == "die-once" and first_time(memory):
                os._exit(9)
            if mode == "garbage":
                print("Segmentation fault (core dumped)", flush=True)
                continue
            send(dict(RESULT, id=frame["id"]))
    while mode == "deaf":
        time.sleep(60)


main()
