"""The fork server of autodd-c: imports once, forks one child for each run.

Started by the worker as `python zygote.py SOCKET CONFIG`. It imports what the
script imports (never what lies beside the script), proves that this left CUDA
untouched, and then forks a child for each request; a child runs one script as
__main__ and is never used twice. Standard library only, no thread of its own.

Messages are packets on a SOCK_SEQPACKET socket, one JSON line each; bytes that
need not be text are base64, lists of them NUL-terminated words in one base64.

    worker -> zygote    {"run", "path", "cwd", "env"} + descriptors: out, err
                        "trace" too: a file for the lines that ran
    zygote -> worker    {"ready", "skipped"} or {"failed"}, once
                        {"syntax", "type", "message"}  does not compile
                        {"lost", "why"}                could not be run
                        {"started", "pid"}             from the child itself
                        {"ended", "exit" or "signal", "cpu_ms", "maxrss"}
                        {"restart"}                    wants a successor

"run", "syntax", "lost", "started" and "ended" hold the number of the run. When
the socket closes, all children are killed.
"""

import sys

BARE = frozenset(sys.modules)  # what any interpreter has loaded by now

import atexit  # noqa: E402
import binascii  # noqa: E402
import builtins  # noqa: E402
import ctypes  # noqa: E402
import gc  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import select  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import threading  # noqa: E402
import warnings  # noqa: E402

FORKS_MAX = 2000  # then a successor: what leaks, leaks slowly
GROWTH_MAX = 1.5  # of resident memory since the imports; then a successor
GROWTH_FREE = 8192  # pages that do not count for it
PACKET_MAX = 1 << 17
TEXT_MAX = 4000  # of a message for people
PR_SET_PDEATHSIG = 1
CUDA_NOT_INITIALIZED = 3
PROT_READ_WRITE, MAP_SHARED = 3, 1
LINES_MAX = 4 << 20  # as in ran.c
TOOLS = (4, 3)  # numbers in sys.monitoring that belong to no kind of tool
LAST = ("last_type", "last_value", "last_traceback", "last_exc")

LIBC = ctypes.CDLL(None)


def plain(text):
    """Return text that JSON can carry, cut to a sane length."""
    text = str(text)[:TEXT_MAX]
    return text.encode("utf-8", "replace").decode("utf-8")


def word(text):
    """Return the path or string that one base64 text holds."""
    return os.fsdecode(binascii.a2b_base64(text))


def words(text):
    """Return the list of strings that one base64 text holds."""
    return [os.fsdecode(w)
            for w in binascii.a2b_base64(text).split(b"\0")[:-1]]


def say(sock, **message):
    """Send one message."""
    sock.send(json.dumps(message).encode() + b"\n")


def cuda_touched():
    """Tell whether CUDA is initialised in this process: forks would break.

    Asks the driver, if something has mapped it: the call itself initialises
    nothing. Flags of libraries miss what went straight to the driver.
    """
    try:
        cuda = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        count = ctypes.c_int(0)
        return cuda.cuDeviceGetCount(ctypes.byref(count)) \
            != CUDA_NOT_INITIALIZED
    except (OSError, AttributeError):
        return False


def siblings(folder):
    """Return the names of the modules that lie beside the script."""
    names = set()
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return names
    for entry in entries:
        name, dot, ending = entry.name.partition(".")
        if dot and (ending in ("py", "pyc", "so") or ending.endswith(".so")):
            names.add(name)
        elif not dot and os.path.exists(
                os.path.join(entry.path, "__init__.py")):
            names.add(name)
    return names


class Unfit(Exception):
    """This interpreter must not be forked; the text says why."""


def preload(names, beside):
    """Import names; return those that could not be, with the reason."""
    skipped = []
    for name in names:
        if name.partition(".")[0] in beside:
            continue
        try:
            __import__(name)
        except BaseException as exc:
            skipped.append([plain(name), plain(
                "%s: %s" % (type(exc).__name__, exc))])
        if cuda_touched():
            raise Unfit("importing %s initialises CUDA, which does not "
                        "survive a fork" % name)
    hidden = sorted(name for name in beside
                    if name in sys.modules and name not in BARE)
    if hidden:
        raise Unfit("%s beside the script hides the module of that name, "
                    "which is loaded already" % hidden[0])
    return skipped


def resident():
    """Return the resident memory of this process in pages."""
    with open("/proc/self/statm", "rb") as statm:
        return int(statm.read().split()[1])


class Run:
    """One request: what to run, and the descriptors for its output."""

    def __init__(self, message, fds):
        """Read a request."""
        self.number = message["run"]
        self.path = word(message["path"])
        self.cwd = word(message["cwd"])
        self.env = words(message["env"])
        self.trace = word(message["trace"]) if "trace" in message else None
        self.fds = fds
        self.code = None
        self.hook = sys.excepthook
        self.tracer = self.lines = None

    def compile(self):
        """Compile the script.

        Returns None or its syntax error. The code stays None where
        compiling has something to print: the child compiles again, so that
        warnings and odd errors end on its own stderr.
        """
        with open(self.path, "rb") as script:
            text = script.read()
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                code = compile(text, self.path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as exc:
            return exc
        except (RecursionError, MemoryError, OverflowError):
            return None
        if not caught:
            self.code = code
        return None


class Zygote:
    """The server: its socket, its children, and how it looked at first."""

    def __init__(self, sock, config):
        """Import the preload list and get ready to fork."""
        self.sock = sock
        self.argv = words(config["argv"])
        self.home = os.getcwd()
        self.children = {}
        self.forks = 0
        self.restarting = False
        self.pid = os.getpid()
        self.early = {}
        for setting in words(config["early_env"]):
            name, _, value = setting.partition("=")
            self.early[name] = os.environ.get(name)
            os.environ[name] = value
        if not safe_path():
            del sys.path[0]  # the folder of this file
        self.skipped = preload(config["preload"],
                               siblings(word(config["script_dir"])))
        flush()
        keep_finalizers()
        gc.collect()
        gc.freeze()
        self.pages = resident()
        self.wake, wake = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.private = (self.wake, wake)

    def serve(self):
        """Fork as asked until the socket closes.

        Returns None then, and in a child the run that it is for.
        """
        while True:
            ready = select.select([self.sock, self.wake], [], [])[0]
            if self.wake in ready:
                try:
                    os.read(self.wake, 4096)
                except BlockingIOError:
                    pass
                self.reap()
            if self.sock not in ready:
                continue
            data, fds, _, _ = socket.recv_fds(self.sock, PACKET_MAX, 2)
            if not data:
                return None
            message = json.loads(data)
            if "path" in message:
                run = Run(message, fds)
                if self.start(run):
                    return run
            else:
                say(self.sock, lost=message["run"],
                    why="the paths of the run are too long")
            for fd in fds:
                os.close(fd)

    def start(self, run):
        """Fork for a run. Returns True in the child."""
        try:
            wrong = run.compile()
            if wrong is not None:
                say(self.sock, syntax=run.number, type=type(wrong).__name__,
                    message=plain(getattr(wrong, "msg", wrong)))
                return False
            if cuda_touched():
                raise Unfit("CUDA is initialised in the fork server")
            with warnings.catch_warnings():
                # CPython 3.12 warns of threads, which imports have started.
                warnings.simplefilter("ignore")
                pid = os.fork()
        except (OSError, Unfit) as exc:
            say(self.sock, lost=run.number, why=plain(exc))
            return False
        if pid == 0:
            return True
        self.children[pid] = run.number
        self.forks += 1
        if not self.restarting and (
                self.forks >= FORKS_MAX
                or resident() > GROWTH_MAX * self.pages + GROWTH_FREE):
            self.restarting = True
            say(self.sock, restart="forks %d" % self.forks)
        return False

    def reap(self):
        """Report the children that have ended.

        The group is killed before its leader is reaped: until then no
        other process can get its number.
        """
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        for pid in list(self.children):
            if os.waitid(os.P_PID, pid, flags) is None:
                continue
            kill_group(pid)
            _, status, usage = os.wait4(pid, 0)
            end = {"ended": self.children.pop(pid),
                   "cpu_ms": int((usage.ru_utime + usage.ru_stime) * 1000),
                   "maxrss": usage.ru_maxrss * 1024}
            if os.WIFSIGNALED(status):
                end["signal"] = os.WTERMSIG(status)
            else:
                end["exit"] = os.WEXITSTATUS(status)
            say(self.sock, **end)

    def end(self):
        """Kill all children."""
        for pid in self.children:
            kill_group(pid)
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        for pid in self.children:
            os.waitpid(pid, 0)

    def become(self, run):
        """Turn a fresh child into what `python PATH ARGS` would be."""
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self.pid:
            os._exit(1)
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for fd in self.private:
            os.close(fd)
        os.chdir(run.cwd)
        for name, value in self.early.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        for setting in run.env:
            name, _, value = setting.partition("=")
            os.environ[name] = value
        self.set_path(run)
        sys.argv = [run.path] + self.argv
        if hasattr(sys, "orig_argv"):
            sys.orig_argv = [sys.executable] + sys.argv
        forget()
        for target, fd in zip((1, 2), run.fds):
            os.dup2(fd, target)
            os.close(fd)
        make_main(run.path)
        say(self.sock, started=run.number, pid=os.getpid())
        self.sock.close()

    def set_path(self, run):
        """Make sys.path what it is for the script."""
        home = self.home + os.sep
        for i, entry in enumerate(sys.path):  # of a relative PYTHONPATH
            if entry == self.home:
                sys.path[i] = run.cwd
            elif entry.startswith(home):
                sys.path[i] = os.path.join(run.cwd, entry[len(home):])
        if not safe_path():
            folder = os.path.dirname(os.path.realpath(run.path))
            sys.path.insert(0, folder)


def safe_path():
    """Tell whether the script's folder stays out of sys.path (-P)."""
    return getattr(sys.flags, "safe_path", False)


def kill_group(pid):
    """Kill the process group that pid leads, if there is one."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass


def forget():
    """Drop what loaded modules remember and a fresh process would not."""
    loaded = sys.modules.get
    if loaded("linecache"):
        loaded("linecache").clearcache()
    if loaded("inspect"):
        getattr(loaded("inspect"), "_filesbymodname", {}).pop("__main__", None)
    if loaded("tempfile"):
        loaded("tempfile").tempdir = None
    if loaded("multiprocessing.process"):
        loaded("multiprocessing.process").ORIGINAL_DIR = os.getcwd()
    if loaded("numpy.random"):
        loaded("numpy.random").seed()  # `random` does this by itself


def keep_finalizers():
    """Leave what the imports wanted done at exit to this process.

    It never does: it leaves by os._exit(). In a child that would delete
    temporary folders of all, and take torch's 149 operator libraries apart
    (30 ms) just before the process ends anyway.
    """
    weakref = sys.modules.get("weakref")
    if weakref:
        for final in list(getattr(weakref.finalize, "_registry", ())):
            final.atexit = False


def make_main(path):
    """Put a __main__ in place as the interpreter makes it for a script."""
    main = type(sys)("__main__")
    loader = sys.modules["_frozen_importlib_external"].SourceFileLoader
    main.__loader__ = loader("__main__", path)
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    main.__builtins__ = builtins
    main.__file__ = path
    main.__cached__ = None
    sys.modules["__main__"] = main


def flush():
    """Flush as the interpreter does at its end. False when that failed."""
    fine = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except BaseException as exc:
            if stream is sys.stdout:
                complain(exc, stream)
                fine = False
    LIBC.fflush(None)
    return fine


class Noisy:
    """Its end raises, which gives us the arguments of an unraisablehook."""

    def __del__(self):
        """Raise where nobody can catch it."""
        raise ValueError


def complain(exc, thing):
    """Report an exception that nobody can catch, as the interpreter does."""
    hook, seen = sys.unraisablehook, []
    sys.unraisablehook = lambda args: seen.append(type(args))
    Noisy()
    sys.unraisablehook = hook
    try:
        hook(seen[0]((type(exc), exc, exc.__traceback__.tb_next, None, thing)))
    except BaseException:
        pass


def exit_status(leaving):
    """Return the status a SystemExit asks for; print its text if it has."""
    code = leaving.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xff if -1 << 63 <= code < 1 << 63 else 0xff
    try:
        print(code, file=sys.stderr)
    except BaseException:
        pass
    return 1


def show(exc):
    """Print an uncaught exception without our frames; return the status."""
    trace = exc.__traceback__
    while trace and trace.tb_frame.f_globals is globals():
        trace = trace.tb_next
    exc.__traceback__ = trace
    sys.last_type, sys.last_value = type(exc), exc
    sys.last_traceback = trace
    if sys.version_info >= (3, 12):
        sys.last_exc = exc
    try:
        sys.excepthook(type(exc), exc, trace)
    except SystemExit as leaving:
        return exit_status(leaving)
    except BaseException as second:
        second.__traceback__ = second.__traceback__.tb_next
        print("Error in sys.excepthook:", file=sys.stderr)
        sys.__excepthook__(type(second), second, second.__traceback__)
        print("\nOriginal exception was:", file=sys.stderr)
        sys.__excepthook__(type(exc), exc, trace)
    return 1


def finish(status, interrupted):
    """Leave as the interpreter does, but for the destructors of libraries.

    Those run in C at exit, and some join threads that the fork has not
    copied; hence os._exit().
    """
    for last_call in (threading._shutdown, atexit._run_exitfuncs):
        try:
            last_call()
        except BaseException as exc:
            if last_call is threading._shutdown:
                complain(exc, threading)
    fine = flush()
    for name in LAST:
        if hasattr(sys, name):
            setattr(sys, name, None)
    sys.modules.pop("__main__", None)
    gc.collect()  # what the script's own objects say when they go
    if not flush() or not fine:
        status = 120
    if interrupted:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(status)


def execute(*_):
    """Run the script to its end; does not return.

    Called as sys.excepthook of an uncaught exception, with no other frame
    on the stack: what looks down the stack (warnings with a stack level,
    the recursion limit) finds hardly more than in a fresh interpreter.
    """
    sys.excepthook = RUN.hook
    for name in LAST:
        if hasattr(sys, name):
            delattr(sys, name)
    status, interrupted, leaving, wrong = 0, False, None, None
    if RUN.trace:
        trace(RUN.path, RUN.trace)
    try:
        exec(RUN.code or source(RUN.path), sys.modules["__main__"].__dict__)
    except SystemExit as exc:
        leaving = exc
    except BaseException as exc:
        wrong = exc
    if RUN.tracer not in (None, sys.gettrace()):
        RUN.lines[0] = 1
    if leaving is not None:
        status = exit_status(leaving)
    elif wrong is not None:
        interrupted = type(wrong) is KeyboardInterrupt
        status = show(wrong)
    leaving = wrong = None
    finish(status, interrupted)


def open_lines(path, name):
    """Make a file with a byte for each line of a script, and map it.

    What is set there survives any death of this process. The zeros are
    written, not left as a hole: a full disk would else kill the script when
    it first touches the page. No descriptor stays open.
    """
    with open(path, "rb") as script:
        text = script.read()
    size = text.count(b"\n") + text.count(b"\r") + 2
    if size > LINES_MAX:
        raise OverflowError
    file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        if os.write(file, bytes(size)) != size:
            raise OSError
        mmap = ctypes.CDLL(None).mmap
        mmap.restype = ctypes.c_void_p
        mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                         ctypes.c_int, ctypes.c_int, ctypes.c_long)
        at = mmap(None, size, PROT_READ_WRITE, MAP_SHARED, file, 0)
        if at == ctypes.c_void_p(-1).value:
            raise OSError
    except OSError:
        os.unlink(name)
        raise
    finally:
        os.close(file)
    return (ctypes.c_ubyte * size).from_address(at)


def trace(path, name):
    """From now on note each line of the script that runs, to the very end.

    Exit handlers, other threads and forks are in it. Without the file there
    is no trace, and the worker sees that.
    """
    monitoring = getattr(sys, "monitoring", None)
    tools = [tool for tool in TOOLS
             if monitoring and monitoring.get_tool(tool) is None]
    if monitoring and not tools:
        return
    try:
        lines = open_lines(path, name)
    except (OSError, OverflowError):
        return
    if monitoring:
        trace_locations(monitoring, tools[0], path, lines)
    else:
        trace_frames(path, lines)


def trace_locations(monitoring, tool, path, lines):
    """Trace with Python 3.12 or later: each place in the code speaks once."""
    last, disable = len(lines) - 1, monitoring.DISABLE

    def hit(code, line):
        if 0 < line <= last and code.co_filename == path:
            lines[line] = 1
        return disable

    monitoring.use_tool_id(tool, "autodd-c")
    monitoring.register_callback(tool, monitoring.events.LINE, hit)
    monitoring.set_events(tool, monitoring.events.LINE)


def trace_frames(path, lines):
    """Trace with an earlier Python: frames of the script, line by line.

    That ends early when the script sets a tracer of its own, or when the stack
    is too deep for ours; execute() then sets byte 0.
    """
    last = len(lines) - 1

    def local(frame, event, _):
        line = frame.f_lineno
        if event == "line" and line and line <= last:
            lines[line] = 1
        return local

    def enter(frame, *_):
        return local if frame.f_code.co_filename == path else None

    RUN.tracer, RUN.lines = enter, lines
    threading.settrace(enter)
    sys.settrace(enter)


def source(path):
    """Compile the script where it may print warnings."""
    with open(path, "rb") as script:
        return compile(script.read(), path, "exec", dont_inherit=True)


def begin():
    """Set the server up and serve. Returns a run in a child, else None."""
    sock = socket.socket(fileno=int(sys.argv[1]))
    sock.set_inheritable(False)
    with open(sys.argv[2], "rb") as file:
        config = json.load(file)
    try:
        zygote = Zygote(sock, config)
    except Unfit as exc:
        say(sock, failed=plain(exc))
        return None
    say(sock, ready=True, skipped=zygote.skipped[:32])
    run = zygote.serve()
    if run is None:
        zygote.end()
        return None
    try:
        zygote.become(run)
    except BaseException as exc:
        say(sock, lost=run.number, why=plain(exc))
        os._exit(1)
    return run


if __name__ == "__main__":
    RUN = begin()
    if RUN is None:
        os._exit(0)
    # The warnings module passes over frames of this name.
    execute.__code__ = execute.__code__.replace(
        co_filename="<frozen importlib._bootstrap>")
    sys.excepthook = execute
    raise RuntimeError  # to execute(), see there
