"""The fork server that answers the other reducers: does this text still fail?

Fresh interpreters cost them seconds a run, for importing torch. So that runs
compare, one server for each input imports what the script imports, and forks a
child for each question. A question comes over a Unix socket (see ask.c): the
path of a candidate and a newline; the answer is "1" or "0". A child runs the
candidate as __main__ under the input's own name, in a folder, a session and
with caches of its own; its output goes to a file. A candidate without the
settings that the imports were made under (TRITON_INTERPRET, say) gets a fresh
interpreter instead, or else nothing would ever need them. Two rules decide:

  text    the text was printed; what these tools are usually given
  end     also, the exit code or signal is that of the original, and, where it
          is no signal, the last line is one of those that are given, numbers
          aside

The server runs under the interpreter of the scripts, with the standard library
alone. It ends at SIGTERM and leaves its counts in a JSON file.

usage: PYTHON oracle.py CONFIG.json       with socket, script, text, rule, last,
                                          exit, timeout, scratch, best, counts
"""
import ast
import ctypes
import gc
import json
import os
import re
import resource
import runpy
import selectors
import shutil
import signal
import socket
import sys
import time

OUTPUT_MAX = 8 << 20
PR_SET_PDEATHSIG = 1
CACHES = ("TRITON_CACHE_DIR", "TILELANG_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR",
          "CUDA_CACHE_PATH", "NUMBA_CACHE_DIR", "CUPY_CACHE_DIR")


def last_line(output):
    """The last line that says something, numbers masked."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return re.sub(r"(0x)?\d[\da-fA-F]*(\.\d+)?(e[-+]?\d+)?", "#",
                  lines[-1]) if lines else ""


def interesting(rule, text, last, code, output, ended):
    """Apply a rule to the output of a run and the way it ended."""
    if text not in output:
        return False
    if rule == "text":
        return True
    # What is printed last at a crash depends on what happens to be loaded.
    return ended == code and (code < 0 or last_line(output) in last)


def early_settings(tree):
    """The os.environ["NAME"] = "value" lines of the module itself."""
    for node in tree.body:
        if (isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.targets[0], ast.Subscript)
                and ast.unparse(node.targets[0].value) == "os.environ"):
            yield ast.literal_eval(node.targets[0].slice), node.value.value


def settings_of(text):
    """The settings of a candidate, or None where it does not parse."""
    try:
        return dict(early_settings(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def preload(path):
    """Import what the script imports at its top, below its settings.

    Returns the settings.
    """
    with open(path, encoding="utf-8") as script:
        tree = ast.parse(script.read())
    settings = dict(early_settings(tree))
    os.environ.update(settings)
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                __import__(alias.name)
        elif isinstance(node, ast.ImportFrom):
            __import__(node.module)
    gc.collect()
    gc.freeze()
    return settings


class Child:
    """A run: who asked, where it works and until when it may."""

    def __init__(self, server, client, candidate):
        """Fork; the child never returns from here."""
        self.client = client
        self.folder = os.path.join(server.scratch, str(server.runs))
        os.mkdir(self.folder)
        self.output = os.path.join(self.folder, ".output")
        with open(candidate, "rb") as source:
            self.text = source.read()
        path = os.path.join(self.folder, os.path.basename(server.script))
        with open(path, "wb") as copy:
            copy.write(self.text)
        self.deadline = time.monotonic() + server.timeout
        self.pid = os.fork()
        if self.pid == 0:
            self.become(server, path)

    def become(self, server, path):
        """Run the candidate and leave as the interpreter would."""
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        out = os.open(self.output, os.O_WRONLY | os.O_CREAT, 0o600)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.closerange(3, 256)
        resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_MAX, OUTPUT_MAX))
        os.chdir(self.folder)
        places = {name: os.path.join(self.folder, name.lower())
                  for name in CACHES}
        places["TMPDIR"] = self.folder
        if settings_of(self.text) not in (None, server.settings):
            os.execve(sys.executable, [sys.executable, path],
                      {**server.env, **places})
        os.environ.update(places)
        sys.argv = [path]
        sys.path[0] = self.folder
        code = 0
        try:
            runpy.run_path(path, run_name="__main__")
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else end.code is not None
            if not isinstance(end.code, int) and end.code is not None:
                print(end.code, file=sys.stderr)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            code = 1
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(int(code) & 255)

    def kill(self):
        """End the run and what it started."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            os.kill(self.pid, signal.SIGKILL)

    def keep(self, server):
        """Remember the candidate if it is the smallest that still fails."""
        if len(self.text) < server.smallest:
            server.smallest = len(self.text)
            with open(server.best, "wb") as best:
                best.write(self.text)

    def read(self):
        """What was printed."""
        with open(self.output, encoding="utf-8", errors="replace") as out:
            return out.read()


class Server:
    """The socket, the children and the counts."""

    def __init__(self, config):
        """Import, then listen."""
        self.__dict__.update(config)
        self.runs = self.hits = 0
        self.smallest = sys.maxsize
        self.children = {}
        self.paths = {}
        self.env = dict(os.environ)
        self.settings = preload(self.script)
        self.select = selectors.DefaultSelector()
        self.wake, wake = os.pipe()
        for end in (self.wake, wake):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake)
        self.ending = False
        signal.signal(signal.SIGTERM, self.stop)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.door = socket.socket(socket.AF_UNIX)
        self.door.bind(self.socket)
        self.door.listen(64)
        self.select.register(self.door, selectors.EVENT_READ, self.accept)
        self.select.register(self.wake, selectors.EVENT_READ, self.woken)

    def stop(self, *_):
        """Leave the loop at the next turn."""
        self.ending = True

    def accept(self):
        """A question is on its way."""
        client = self.door.accept()[0]
        self.paths[client] = b""
        self.select.register(client, selectors.EVENT_READ,
                             lambda: self.hear(client))

    def hear(self, client):
        """Read a path; start its run when it is complete."""
        data = client.recv(4096)
        self.paths[client] += data
        if data and not self.paths[client].endswith(b"\n"):
            return
        self.select.unregister(client)
        path = os.fsdecode(self.paths.pop(client).rstrip(b"\n"))
        self.runs += 1
        try:
            child = Child(self, client, path)
        except OSError:  # the one who asked has taken its file away
            self.answer(client, False)
            return
        self.children[child.pid] = child

    def answer(self, client, yes):
        """Say it, if someone still listens."""
        self.hits += yes
        try:
            client.sendall(b"1" if yes else b"0")
        except OSError:
            pass
        client.close()

    def woken(self):
        """Signals came: children may have ended."""
        os.read(self.wake, 4096)
        for pid in list(self.children):
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            if os.waitid(os.P_PID, pid, flags) is None:
                continue
            child = self.children.pop(pid)
            child.kill()
            ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            yes = interesting(self.rule, self.text, self.last, self.exit,
                              child.read(), ended)
            if yes:
                child.keep(self)
            self.answer(child.client, yes)
            shutil.rmtree(child.folder, ignore_errors=True)

    def serve(self):
        """Answer until told to end."""
        while not self.ending:
            now = time.monotonic()
            late = [c for c in self.children.values() if c.deadline <= now]
            for child in late:
                child.deadline = now + self.timeout
                child.kill()
            first = min((c.deadline for c in self.children.values()),
                        default=None)
            for key, _ in self.select.select(first and first - now):
                key.data()
        for child in self.children.values():
            child.kill()
            os.waitpid(child.pid, 0)


def main():
    """Serve, then write down what it took."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    with open(sys.argv[1], encoding="utf-8") as text:
        server = Server(json.load(text))
    print("ready", flush=True)
    server.serve()
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    usage = [resource.getrusage(who) for who in both]
    with open(server.counts, "w", encoding="utf-8") as counts:
        json.dump({"runs": server.runs, "hits": server.hits,
                   "cpu": sum(u.ru_utime + u.ru_stime for u in usage)}, counts)


if __name__ == "__main__":
    main()
