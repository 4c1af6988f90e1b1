"""The fork server of autodd-c: imports once, forks one child for each run.

Started by the worker as `python zygote.py SOCKET CONFIG`. It imports what the
script imports (never what lies beside the script), proves that this left CUDA
untouched, and then forks a child for each request; a child runs one script as
__main__ and is never used twice, unless it is a hot one. Standard library only,
no thread of its own.

A warm child is forked ahead of its run and makes a CUDA context meanwhile. A
hot child runs one script after another; how it gets clean between them, as far
as it can, is in hot.py. Both wait for their run on a socket of their own.

From one run it learns what else scripts of this kind load: lazy.py.

Messages are packets on a SOCK_SEQPACKET socket, one JSON line each; bytes that
need not be text are base64, lists of them NUL-terminated words in one base64.

    worker -> zygote    {"run", "path", "cwd", "env"} + descriptors: out, err
                        "trace" too: a file for the lines that ran
                        "values": one for what expressions came to
                        "loads": true to be told what its imports load
                        "compared": expressions to be told the values of
                        "bounds": to be told what kernels do, and, but for a
                            traced run, which of it ends it: bounds.py
                        "learn": true to load ahead what it loads
                        "warm": N, in a child with a context if one is
                            ready; of N at most, for this GPU
                        "lane", "generation": in the hot child of that name
                        {"rest"}    end the children that wait for runs, of
                            the GPU that its text names
    zygote -> worker    {"ready", "skipped"}, once
                        {"failed"}                     it must not be forked
                        {"syntax", "type", "message"}  does not compile
                        {"lost", "why"}                could not be run
                        {"started", "pid", "loads"}    from the child itself
                        {"ended", "exit" or "signal", "cpu_ms", "maxrss"}
                            "cuda": it had a CUDA context at its end
                            "warm": it was a warm child
                            "hot", "turn": of the hot child, which number of
                            its own and which run in it
                            "kept": the hot child is fit for another run
                            "learned": how many modules were loaded ahead,
                            "shown": the sum of those it has imported
                            "figures": of what it compared: compared.py
                            "reach": what its kernels have done
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
import fcntl  # noqa: E402
import gc  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import resource  # noqa: E402
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
CUDA_INVALID_CONTEXT = 201
PROT_READ_WRITE, MAP_SHARED, MAP_ANONYMOUS = 3, 1, 0x20
FLAGS_MAX = 4096  # children at a time that have a byte to report in
READY, UNFIT, CONTEXT, BEGUN = 1, 2, 4, 8  # what they report there
REACH, SEEN = 4, 1  # and above them bits of what kernels do: bounds.py
IDLE_S = 30  # then a child that waits leaves: it holds memory of the GPU
PREPARING_MAX = 2  # contexts in the making: more at a time are no faster
FREE_MIN = 2 << 30  # bytes of GPU memory that warm children leave free
# What must be in the environment when a context is made.
AHEAD = ("CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING")
PRIVATE_FD = 200  # and above: out of the way of the script's own
ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
NAMES = {}  # see names_of()
LAST = ("last_type", "last_value", "last_traceback", "last_exc")
STANDARD = getattr(sys, "stdlib_module_names", frozenset())
ENVIRONMENT = ("environ", "putenv")
LEARNED = "learned.json"
# What libraries with thread pools read when they are loaded.
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
           "NUMEXPR_NUM_THREADS")
PAGE, HUGE = 1 << 12, 1 << 21  # bytes
MADV_COLLAPSE = 25  # Linux 6.1; an error before that

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


def initialised_cuda():
    """Return the driver if it is mapped and initialised, else None.

    Asks it: the call itself initialises nothing. Flags of libraries miss what
    went straight to the driver.
    """
    try:
        cuda = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        count = ctypes.c_int(0)
        if cuda.cuDeviceGetCount(ctypes.byref(count)) == CUDA_NOT_INITIALIZED:
            return None
        return cuda
    except (OSError, AttributeError):
        return None


def cuda_touched():
    """Tell whether CUDA is initialised in this process: forks would break."""
    return initialised_cuda() is not None


def has_context(cuda):
    """Tell whether this process has made a context on its first GPU."""
    flags, active = ctypes.c_uint(0), ctypes.c_int(0)
    current = ctypes.c_void_p()
    try:
        cuda.cuDevicePrimaryCtxGetState(
            0, ctypes.byref(flags), ctypes.byref(active))
        if not active.value:
            cuda.cuCtxGetCurrent(ctypes.byref(current))
        return bool(active.value or current.value)
    except AttributeError:
        return False


def context_lost():
    """Tell whether this process's context is of no use any more."""
    cuda = initialised_cuda()
    try:
        return cuda is not None and cuda.cuCtxSynchronize() not in (
            0, CUDA_INVALID_CONTEXT)
    except AttributeError:
        return False


def make_context():
    """Make the context of the first GPU that is seen. False if that fails.

    It is the primary one, which libraries will find there.
    """
    device, made = ctypes.c_int(0), ctypes.c_void_p()
    free, total = ctypes.c_size_t(0), ctypes.c_size_t(0)
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
        return (cuda.cuInit(0) == 0
                and cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
                and cuda.cuDevicePrimaryCtxRetain(
                    ctypes.byref(made), device) == 0
                and cuda.cuCtxSetCurrent(made) == 0
                and cuda.cuMemGetInfo_v2(
                    ctypes.byref(free), ctypes.byref(total)) == 0
                and free.value >= FREE_MIN)
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


def preload(names, beside, loads):
    """Import names; return those that could not be, with the reason."""
    skipped = []
    loads.watch()
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
    loads.unwatch()
    hidden = sorted(name for name in beside
                    if name in sys.modules and name not in BARE)
    if hidden:
        raise Unfit("%s beside the script hides the module of that name, "
                    "which is loaded already" % hidden[0])
    return skipped


# ---- what imports load ----
#
# A child finds all modules of the preload loaded, a new interpreter those that
# the script's own imports lead to. So while the preload runs we note whose body
# asked for which module, loaded already or not: from the imports that a script
# has left we then know what it would load by itself.


class Loads:
    """Which module's body asks for which others."""

    def __init__(self, kind=None, children=None):
        """Know nothing yet.

        kind() and children() are those of observed.py; needed by of() only.
        """
        self.edges = {}
        self.kind, self.children = kind, children
        self.plain_import = builtins.__import__

        def hook(name, globals=None, locals=None, fromlist=(), level=0):
            module = self.plain_import(name, globals, locals, fromlist, level)
            self.note(sys._getframe(1), name, module, fromlist)
            return module

        # What looks up the stack passes over frames of the import system.
        hook.__code__ = hook.__code__.replace(
            co_filename="<frozen importlib._bootstrap>")
        self.hook = hook

    def watch(self):
        """Note all imports from now on."""
        builtins.__import__ = self.hook
        sys.meta_path.insert(0, self)

    def unwatch(self):
        """Note no more."""
        builtins.__import__ = self.plain_import
        sys.meta_path.remove(self)

    def find_spec(self, name, *_):
        """Note a module that is about to be loaded, in whatever way."""
        self.add(sys._getframe(1), name)

    def note(self, frame, name, module, fromlist):
        """Note an import that has been done, and the modules it names."""
        if not fromlist:
            self.add(frame, name)
            return
        try:
            own = module.__dict__
            name = own["__name__"] + "."
            if "*" in fromlist:
                fromlist = own.get("__all__") or ()
            self.add(frame, name[:-1])
            for item in fromlist:
                if name + item in sys.modules:
                    self.add(frame, name + item)
        except Exception:  # no module at all
            pass

    def add(self, frame, name):
        """Note that the module whose body runs in a frame asks for a name."""
        while frame and frame.f_globals is not globals():
            if frame.f_code.co_name == "<module>":
                asks = frame.f_globals.get("__name__")
                self.edges.setdefault(asks, set()).add(name)
                break
            frame = frame.f_back
            if frame and frame.f_code is self.hook.__code__:
                frame = frame.f_back
        self.edges.setdefault(name, set())

    def reach(self, names):
        """Return the modules that imports of names load.

        Without those that every interpreter has, or that are of the standard
        library: to load such a one has no effect but that it is there, and
        who uses it must have named it. What lies inside of one is another
        matter: it becomes a member of the outer one.
        """
        found, todo = set(), list(names)
        while todo:
            name = todo.pop()
            if name and name not in found:
                found.add(name)
                todo.extend(self.edges.get(name, ()))
                todo.append(name.rpartition(".")[0])
        return {name for name in found
                if name not in BARE and name not in STANDARD}

    def survey(self, statement):
        """Return the imports in a statement, and if it names the environment."""
        imports, sets, todo = [], False, [statement]
        while todo:
            node = todo.pop()
            if self.kind(node) in ("Import", "ImportFrom"):
                imports.append(node)
            sets = sets or getattr(node, "attr", None) in ENVIRONMENT \
                or getattr(node, "id", None) in ENVIRONMENT
            todo += [child for child, _, _, _ in self.children(node, ())]
        return imports, sets

    def named(self, node):
        """Return the modules that an import statement names."""
        if self.kind(node) == "Import":
            return [alias.name for alias in node.names]
        module = "." * (node.level or 0) + (node.module or "")
        return [module] + [
            name for name in (module + "." + a.name for a in node.names)
            if name in self.edges]

    def of(self, path):
        """Return a text that is equal for scripts that load the same.

        That is: the imports at its head lead to the same modules, further
        below or inside it has the same imports of others, and what it does to
        the environment is the same at the same point. None: not known.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with open(path, "rb") as script:
                    text = script.read()
                tree = compile(text, path, "exec", ONLY_AST,
                               dont_inherit=True)
            head, below, settings = [], set(), []
            at_head = True
            for statement in tree.body:
                imports, sets = self.survey(statement)
                if sets:
                    lines = text.splitlines()[
                        statement.lineno - 1:statement.end_lineno]
                    settings += sorted(self.reach(head)) + [repr(lines)]
                at_head = at_head and (
                    self.kind(statement) in ("Import", "ImportFrom")
                    or sets and self.kind(statement) in ("Expr", "Assign")
                    or self.kind(getattr(statement, "value", None))
                    == "Constant")
                for node in imports:
                    if at_head:
                        head += self.named(node)
                    else:
                        below.update(self.named(node))
            found = self.reach(head)
            below = self.reach(below) - found
            told = "\n".join(sorted(found) + ["", ""] + sorted(below)
                             + ["", ""] + settings)
            return "%016x" % (hash(told) & (1 << 64) - 1)
        except Exception:  # too deep or too large for a look
            return None


def resident():
    """Return the resident memory of this process in pages."""
    with open("/proc/self/statm", "rb") as statm:
        return int(statm.read().split()[1])


def huge_pages():
    """Put memory that is in use into huge pages, a piece at each step.

    A fork copies the page tables, and its end takes them down again: with
    torch in it 10 ms each, of which huge pages leave a third. Yields True; it
    is over where the kernel will not do it.
    """
    refused = 0
    if os.sysconf("SC_PAGESIZE") != PAGE:
        return
    try:
        with open("/proc/self/maps") as maps:
            lines = maps.read().splitlines()
        pages = os.open("/proc/self/pagemap", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        for line in lines:
            fields = line.split()
            if fields[1] != "rw-p" or fields[5:] not in ([], ["[heap]"]):
                continue
            start, end = (int(word, 16) for word in fields[0].split("-"))
            for at in range(-(-start // HUGE) * HUGE, end - HUGE + 1, HUGE):
                held = os.pread(pages, HUGE // PAGE * 8, at // PAGE * 8)
                if sum(top >> 7 for top in held[7::8]) * 2 < HUGE // PAGE:
                    continue
                refused = refused + 1 if LIBC.madvise(
                    ctypes.c_void_p(at), ctypes.c_size_t(HUGE),
                    MADV_COLLAPSE) else 0
                if refused == 16:
                    return
                yield True
    finally:
        os.close(pages)


class Run:
    """One request: what to run, and the descriptors for its output."""

    def __init__(self, message, fds):
        """Read a request."""
        self.message = message
        self.number = message["run"]
        self.path = word(message["path"])
        self.cwd = word(message["cwd"])
        self.env = words(message["env"])
        self.trace = word(message["trace"]) if "trace" in message else None
        self.values = word(message["values"]) if "values" in message else None
        self.loads = "loads" in message
        self.compared = message.get("compared")
        self.bounds = message.get("bounds", 0)
        self.warm = message.get("warm", 0)
        self.hot = "lane" in message and (
            message["lane"], message["generation"])
        settings = dict(setting.partition("=")[::2] for setting in self.env)
        self.visible = tuple(
            settings.get(name, os.environ.get(name)) for name in AHEAD)
        self.learn = "learn" in message and not self.hot and not self.warm
        self.notes = self.inode = None  # a file to tell what it has loaded
        self.known = self.environ = None
        self.fds = fds
        self.code = None
        self.tracer = self.lines = None

    def parts(self):
        """Return the files of ours that the run needs."""
        return (["compared.py"] if self.compared else []) + (
            ["arrival.py", "bounds.py"] if self.bounds else [])

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


class Child:
    """A child of the server, as the server sees it."""

    def __init__(self, run, flag):
        """For a run; None: it waits for one."""
        self.pid = None
        self.number = run.number if run else None
        self.flag = flag  # of its byte in the page that all share
        self.sock = None  # to give it runs; None: it got one at its birth
        self.visible = None
        self.warm = False
        self.lane = self.generation = None  # of a hot one
        self.turns = 0
        self.end = None  # what a hot one said of its last run
        self.notes = run.notes if run else None
        self.learned = 0  # modules that were loaded ahead
        self.reach = 0  # what its kernels have done


class Waiting:
    """A child that waits for runs, as it sees itself."""

    def __init__(self, sock, warm, visible):
        """The socket that runs come by; whether to make a context first."""
        self.sock = sock
        self.warm = warm
        self.visible = visible

    def wait(self):
        """Return the next run. Leaves when there will be none.

        Or where the context has been lost meanwhile: what is not begun is
        not judged.
        """
        data = None
        try:
            if select.select([self.sock], [], [], IDLE_S)[0]:
                data, fds, _, _ = socket.recv_fds(self.sock, PACKET_MAX, 2)
        except OSError:
            pass
        if not data or context_lost():
            os._exit(0)
        if ZYGOTE.flag is not None:
            ZYGOTE.flags[ZYGOTE.flag] |= BEGUN
        return Run(json.loads(data), fds)


class Zygote:
    """The server: its socket, its children, and how it looked at first."""

    def __init__(self, sock, config):
        """Import the preload list and get ready to fork."""
        self.sock = sock
        self.argv = words(config["argv"])
        self.home = os.getcwd()
        self.children = {}  # of Child, by process
        self.warm = {}  # warm children, by what `visible` of their runs is
        self.hot = {}  # hot children, by lane
        self.flags = shared_page(FLAGS_MAX)
        self.sums = (ctypes.c_uint32 * FLAGS_MAX).from_buffer(
            shared_page(4 * FLAGS_MAX))
        self.figures = (ctypes.c_uint32 * FLAGS_MAX).from_buffer(
            shared_page(4 * FLAGS_MAX))
        self.flag = None  # in a child: its own
        self.free_flags = list(range(FLAGS_MAX))
        self.warm_unfit = False
        self.waiting = None  # in a child that waits for runs
        self.forks = 0
        self.restarting = False
        self.pid = os.getpid()
        self.early = {}
        for setting in words(config["early_env"]):
            name, _, value = setting.partition("=")
            self.early[name] = os.environ.get(name)
            os.environ[name] = value
        self.threads = share_of_threads()
        if not safe_path():
            del sys.path[0]  # the folder of this file
        self.observed = names_of("observed.py")
        self.loads = Loads(self.observed["kind"],
                           self.observed["children"])
        os.environ.update(self.threads)
        self.skipped = preload(config["preload"],
                               siblings(word(config["script_dir"])),
                               self.loads)
        self.hide_threads()
        self.settle()
        self.lazy = self.hidden = None
        self.wake, wake = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.private = (self.wake, wake)
        self.recall()

    def settle(self):
        """Get the memory into the form that forks will share."""
        flush()
        keep_finalizers()
        gc.collect()
        gc.freeze()
        self.pages = resident()
        self.idle = huge_pages()

    def serve(self):
        """Fork as asked until the socket closes.

        Returns None then, and in a child the run that it is for.
        """
        while True:
            socks = [c.sock for c in self.hot.values()]
            ready = select.select([self.sock, self.wake] + socks, [], [],
                                  0 if self.idle else None)[0]
            if not ready:
                self.idle = next(self.idle, False) and self.idle
            if self.wake in ready:
                try:
                    os.read(self.wake, 4096)
                except BlockingIOError:
                    pass
                self.reap()
            for child in list(self.hot.values()):
                if child.sock in ready:
                    self.hear(child)
            if self.sock not in ready:
                continue
            data, fds, _, _ = socket.recv_fds(self.sock, PACKET_MAX, 2)
            if not data:
                return None
            message = json.loads(data)
            if "rest" in message:
                self.rest(message["rest"], message.get("visible"))
                continue
            run = Run(message, fds) if "path" in message else None
            if run is None:
                say(self.sock, lost=message["run"],
                    why="the paths of the run are too long")
            elif self.start(run):
                return run
            for fd in fds:
                os.close(fd)
            if self.waiting or (run and run.warm and self.prepare(
                    run.visible, run.warm)):
                return None

    def start(self, run):
        """See to a run. Returns True in a child that has it."""
        wrong = run.compile()
        if wrong is not None:
            say(self.sock, syntax=run.number, type=type(wrong).__name__,
                message=plain(getattr(wrong, "msg", wrong)))
            return False
        child = None
        try:
            for name in run.parts():
                names_of(name)  # once for all that are forked from now on
            if run.hot:
                child = self.lane(run)
                if child is None:
                    return False  # in that child
            elif run.warm:
                child = self.ready(run.visible)
            if child:
                self.give(child, run)
                return False
            if run.learn and not self.hidden:
                run.notes = out_of_the_way(os.memfd_create("autodd-c"))
                run.inode = os.fstat(run.notes).st_ino
            return self.fork(Child(run, None))
        except OSError as exc:
            if run.notes is not None:
                os.close(run.notes)
            say(self.sock, lost=run.number, why=plain(exc))
            return False

    def fork(self, child):
        """Fork. Returns True in the child."""
        if cuda_touched():
            # Not by an import: by a thread that one has started, say.
            say(self.sock, failed="CUDA was initialised in the fork "
                "server, which does not survive a fork")
            self.end()
            os._exit(0)
        child.flag = self.free_flags.pop() if self.free_flags else None
        child.learned = len(self.hidden.modules) if self.hidden else 0
        if child.flag is not None:
            self.sums[child.flag] = self.figures[child.flag] = 0
        with warnings.catch_warnings():
            # CPython 3.12 warns of threads, which imports have started.
            warnings.simplefilter("ignore")
            child.pid = os.fork()
        if child.pid == 0:
            self.flag = child.flag
            return True
        self.children[child.pid] = child
        self.forks += 1
        if not self.restarting and (
                self.forks >= FORKS_MAX
                or resident() > GROWTH_MAX * self.pages + GROWTH_FREE):
            self.restarting = True
            say(self.sock, restart="forks %d" % self.forks)
        return False

    # ---- children that wait ----

    def fork_waiting(self, warm, visible):
        """Fork a child that waits for runs; None in that child."""
        ours, theirs = socket.socketpair(
            socket.AF_UNIX, socket.SOCK_SEQPACKET)
        child = Child(None, None)
        child.visible, child.warm, child.sock = visible, warm, ours
        try:
            inside = self.fork(child)
        except OSError:
            ours.close()
            theirs.close()
            raise
        if inside:
            ours.close()
            self.waiting = Waiting(socket.socket(
                fileno=out_of_the_way(theirs.detach())), warm, visible)
            return None
        theirs.close()
        return child

    def prepare(self, visible, most):
        """See that a warm child will be ready. Returns True in that child."""
        waiting = self.warm.setdefault(visible, [])
        preparing = sum(not self.flags[c.flag] for list_ in self.warm.values()
                        for c in list_)
        if (self.warm_unfit or len(waiting) >= most
                or preparing >= PREPARING_MAX or not self.free_flags):
            return False
        try:
            child = self.fork_waiting(True, visible)
        except OSError:
            return False
        if child is None:
            return True
        waiting.append(child)
        return False

    def ready(self, visible):
        """Take a child that has its context; None: there is none."""
        for child in self.warm.get(visible, ()):
            if self.flags[child.flag] & READY:
                self.warm[visible].remove(child)
                return child
        return None

    def lane(self, run):
        """Return the hot child of a run's lane, a new one if need be.

        None in a new child.
        """
        lane, generation = run.hot
        child = self.hot.get(lane)
        if child and (child.generation != generation or child.number is not None
                      or child.visible != run.visible):
            self.discard(child)
            child = None
        if child is None:
            child = self.fork_waiting(False, run.visible)
            if child is None:
                return None
            child.lane, child.generation = lane, generation
            self.hot[lane] = child
        return child

    def rest(self, everything, visible):
        """End the children that wait, or the hot ones; of one GPU, or all."""
        if visible is None:
            places = {*self.warm, *(c.visible for c in self.hot.values())}
        else:
            places = {word(visible)}
        for place in places if everything else ():
            for child in self.warm.pop(place, ()):
                self.discard(child)
        for child in list(self.hot.values()):
            if child.visible in places and child.number is None:
                self.discard(child)

    def discard(self, child):
        """Kill a child that waits, and let it be reaped; its run is lost."""
        self.hot.pop(child.lane, None)
        child.lane = None
        if child.number is not None:
            say(self.sock, lost=child.number, why="the child was ended")
            child.number = None
        kill_group(child.pid)
        try:
            os.kill(child.pid, signal.SIGKILL)
        except OSError:
            pass

    def give(self, child, run):
        """Give a run to a child that waits."""
        data = json.dumps(run.message).encode() + b"\n"
        child.number = run.number
        child.end = None
        child.turns += 1
        if child.flag is not None:
            self.flags[child.flag] &= ~BEGUN
        self.tell_start(run, child.pid)
        try:
            socket.send_fds(child.sock, [data], run.fds)
        except OSError:  # it has ended, and will be reaped
            child.number = None
            say(self.sock, lost=run.number, why="the child has ended")
        if child.lane is None:
            child.sock.close()
            child.sock = None

    def hear(self, child):
        """A hot child has said how its run went, or has ended."""
        try:
            data = child.sock.recv(PACKET_MAX, socket.MSG_DONTWAIT)
        except OSError:
            data = b""
        if not data:
            self.hot.pop(child.lane, None)
            child.lane = None
            return
        child.end = json.loads(data)
        if child.end["kept"] and child.number is not None:
            self.tell_end(child, child.end)

    def tell_end(self, child, end):
        """Tell the worker how a run has ended."""
        end = dict(end, ended=child.number)
        if child.learned:
            end["learned"] = child.learned
            if child.flag is not None:
                end["shown"] = self.sums[child.flag]
        if child.flag is not None and self.figures[child.flag]:
            end["figures"] = self.figures[child.flag]
        if child.reach:
            end["reach"] = child.reach
        if child.warm:
            end["warm"] = True
        if child.generation is not None:
            end.update(hot=child.pid, turn=child.turns)
        child.number = None
        say(self.sock, **end)

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
            self.bury(self.children.pop(pid), status, usage)

    def bury(self, child, status, usage):
        """Forget a child; tell how its run has ended, if it had one."""
        for waiting in self.warm.values():
            if child in waiting:
                waiting.remove(child)
                if not self.flags[child.flag] & READY:
                    self.warm_unfit = True
        if child.lane is not None:
            self.hear(child)  # its last word may be there still
            self.hot.pop(child.lane, None)
        if child.sock:
            child.sock.close()
        flags = 0
        if child.flag is not None:
            flags = self.flags[child.flag]
            self.flags[child.flag] = 0
            self.free_flags.append(child.flag)
        child.reach = flags >> REACH
        if child.number is not None:
            self.tell_death(child, status, usage, flags)
        if child.notes is not None:
            self.learn(child.notes)

    def tell_death(self, child, status, usage, flags):
        """Tell how the run of a child that has ended has ended with it."""
        if child.turns and child.flag is not None and not flags & BEGUN:
            say(self.sock, lost=child.number,
                why="the child ended before its run began")
            return
        end = {"cpu_ms": int((usage.ru_utime + usage.ru_stime) * 1000),
               "maxrss": usage.ru_maxrss * 1024,
               "cuda": bool(flags & CONTEXT)}
        if os.WIFSIGNALED(status):
            end["signal"] = os.WTERMSIG(status)
        else:
            end["exit"] = os.WEXITSTATUS(status)
        self.tell_end(child, child.end or end)

    # ---- what runs load by themselves ----

    def learn(self, notes):
        """Load ahead what a run has noted, and keep it out of sight."""
        if self.lazy is None:
            self.lazy = names_of("lazy.py")
        names = self.lazy["read_wanted"](notes)
        os.close(notes)
        if names and not self.hidden:
            self.load_ahead(names)

    def load_ahead(self, names):
        """Load modules, (name, file) each, out of sight."""
        this = sys.modules["__main__"]
        os.environ.update(self.threads)
        try:
            self.load_fit(this, names)
        finally:
            self.hide_threads()

    def load_fit(self, this, names):
        """Load those that are fit for it."""
        fit = self.lazy["send_scout"](names, this, self)
        if not fit:
            return
        self.hidden = self.lazy["Hidden"](self.note_shown)
        self.hidden.load(fit, this)
        self.settle()
        try:
            with open(os.path.join(self.home, LEARNED), "w") as file:
                json.dump([pair for pair in names if pair[0] in fit], file)
        except OSError:
            pass  # a successor will be slower

    def note_shown(self, part):
        """Add a part to the sum of what a child has imported of it."""
        if self.flag is not None and os.getppid() == self.pid:
            self.sums[self.flag] ^= part

    def note_figures(self, figures):
        """Note what a child has compared."""
        if self.flag is not None and os.getppid() == self.pid:
            self.figures[self.flag] = figures

    def note_reach(self, reach):
        """Note what a kernel does; may end the run of a child with it."""
        if self.flag is not None and os.getppid() == self.pid:
            reach &= RUN.bounds
            self.flags[self.flag] |= reach << REACH
            if reach > SEEN and not RUN.trace:
                os._exit(1)

    def hide_threads(self):
        """Take back from the environment what libraries have read by now."""
        for name in self.threads:
            os.environ.pop(name, None)

    def recall(self):
        """Load what an earlier server has learned.

        The list goes first: if a server dies of it, the next one does not.
        """
        path = os.path.join(self.home, LEARNED)
        try:
            with open(path) as file:
                names = json.load(file)
            os.unlink(path)
        except (OSError, ValueError):
            return
        self.lazy = names_of("lazy.py")
        self.load_ahead(names)

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

    def detach(self):
        """Turn a fresh child into a process of its own."""
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self.pid:
            os._exit(1)
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if self.idle:
            self.idle.close()
        for fd in self.private:
            os.close(fd)
        for child in self.children.values():
            if child.sock:
                child.sock.close()

    def become(self, run):
        """Turn this process into what `python PATH ARGS` would be."""
        if run.notes is not None:
            run.known, run.environ = frozenset(sys.modules), dict(os.environ)
        os.chdir(run.cwd)
        for name, value in self.early.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        for setting in run.env:
            name, _, value = setting.partition("=")
            os.environ[name] = value
        fill = sys.modules.get("_autodd_c_fill")
        if fill:
            fill.on = "AUTODD_FILL" in os.environ
        self.set_path(run)
        sys.argv = [run.path] + self.argv
        if hasattr(sys, "orig_argv"):
            sys.orig_argv = [sys.executable] + sys.argv
        forget()
        for target, fd in zip((1, 2), run.fds):
            os.dup2(fd, target)
            os.close(fd)
        make_main(run.path)

    def tell_start(self, run, pid):
        """Tell the worker that a run has started."""
        told = {"started": run.number, "pid": pid}
        if run.loads:
            told["loads"] = self.loads.of(run.path)
        say(self.sock, **told)

    def report(self):
        """Note that this process has a context, if it has one."""
        cuda = initialised_cuda()
        if self.flag is not None and cuda and has_context(cuda):
            self.flags[self.flag] |= CONTEXT

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


def share_of_threads():
    """Return the variables that give each run its share of the cores.

    None where the user or the script has set one of them.
    """
    threads = os.environ.pop("AUTODD_THREADS", None)
    if threads is None or any(name in os.environ for name in THREADS):
        return {}
    return dict.fromkeys(THREADS, threads)


def shared_page(size):
    """Return bytes, all zero, that this process and its forks share."""
    mmap = ctypes.CDLL(None).mmap
    mmap.restype = ctypes.c_void_p
    mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                     ctypes.c_int, ctypes.c_int, ctypes.c_long)
    at = mmap(None, size, PROT_READ_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
    if at == ctypes.c_void_p(-1).value:
        raise MemoryError
    return (ctypes.c_ubyte * size).from_address(at)


def out_of_the_way(fd):
    """Move a descriptor to a number that scripts don't get; return that."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, PRIVATE_FD)
    os.close(fd)
    return moved


def names_of(name):
    """Return the names of another file of ours, which is run but once."""
    space = NAMES.get(name)
    if space is None:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
        space = {"__name__": "autodd_c_" + name.partition(".")[0]}
        with open(path, "rb") as file:
            exec(compile(file.read(), path, "exec", dont_inherit=True), space)
        NAMES[name] = space
    return space


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
    ZYGOTE.report()
    if RUN.notes is not None:
        try:
            names_of("lazy.py")["tell_wanted"](RUN)
        except BaseException:
            pass
    if interrupted:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(status)


def execute(*_):
    """Run the script to its end, or one after another; does not return.

    Called as sys.excepthook of an uncaught exception, with no other frame
    on the stack: what looks down the stack (warnings with a stack level,
    the recursion limit) finds hardly more than in a fresh interpreter.
    """
    global RUN
    sys.excepthook = HOOK
    for name in LAST:
        if hasattr(sys, name):
            delattr(sys, name)
    if RUN is None:
        RUN = next_run(ZYGOTE.waiting)
    status, interrupted, leaving, wrong = 0, False, None, None
    watched = None
    if RUN.values:
        watched = ZYGOTE.observed["observe"](RUN.path, RUN.values)
    if RUN.compared:
        watched = names_of("compared.py")["compare"](
            RUN.path, RUN.compared, ZYGOTE.note_figures, ZYGOTE.observed)
    if RUN.bounds:
        names_of("bounds.py")["watch"](
            names_of("arrival.py"), ZYGOTE.note_reach, RUN.bounds)
    if RUN.trace:
        ZYGOTE.observed["trace"](RUN, RUN.path, RUN.trace)
    try:
        code = RUN.code or source(RUN.path)  # which may print warnings
        exec(watched or code, sys.modules["__main__"].__dict__)
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


def next_run(waiting):
    """Wait for a run that is this process's last one, and return it.

    Hot runs are carried out meanwhile.
    """
    if waiting.warm:
        for name, value in zip(AHEAD, waiting.visible):
            if value is not None:
                os.environ[name] = value
        fit = make_context()
        ZYGOTE.flags[ZYGOTE.flag] |= READY if fit else UNFIT
        if not fit:
            os._exit(0)
    else:
        memory, mute = remember()
    while True:
        run = waiting.wait()
        if not run.hot:
            break
        usage = resource.getrusage(resource.RUSAGE_SELF)
        end = run_hot(run, memory, mute)
        then = resource.getrusage(resource.RUSAGE_SELF)
        end["cpu_ms"] = int(1000 * (then.ru_utime + then.ru_stime
                                    - usage.ru_utime - usage.ru_stime))
        end["maxrss"] = then.ru_maxrss * 1024
        say(waiting.sock, **end)
        if not end["kept"]:
            os._exit(0)
    waiting.sock.close()
    run.compile()
    ZYGOTE.become(run)
    return run


def remember():
    """Return what this process is like before its first run.

    And the function that closes the outputs of a run.
    """
    space = names_of("hot.py")
    return space["Memory"](ZYGOTE.home), space["mute"]


def run_hot(run, memory, mute):
    """Run a script, get clean, and return how it ended."""
    run.compile()
    ZYGOTE.become(run)
    outputs = [os.readlink("/proc/self/fd/%d" % fd) for fd in (1, 2)]
    status, leaving, wrong = 0, None, None
    try:
        code = run.code or source(run.path)
        exec(code, sys.modules["__main__"].__dict__)
    except SystemExit as exc:
        leaving = exc
    except BaseException as exc:
        wrong = exc
    interrupted = type(wrong) is KeyboardInterrupt
    if leaving is not None:
        status = exit_status(leaving)
    elif wrong is not None:
        status = show(wrong)
    leaving = wrong = None
    join_threads()
    try:
        atexit._run_exitfuncs()
    except BaseException:
        pass
    fine = flush()
    for name in LAST:
        if hasattr(sys, name):
            delattr(sys, name)
    sys.modules.pop("__main__", None)
    gc.collect()
    if not flush() or not fine:
        status = 120
    cuda = initialised_cuda()
    end = {"signal": int(signal.SIGINT)} if interrupted else {"exit": status}
    end["cuda"] = bool(cuda and has_context(cuda))
    try:
        why = memory.restore(outputs)
    except BaseException as exc:
        why = "%s: %s" % (type(exc).__name__, exc)
    mute()
    end["kept"] = why is None
    end["why"] = plain(why)
    return end


def join_threads():
    """Wait for the threads that an interpreter waits for at its end.

    Idle threads of a pool end when they are told that it comes; then the pools
    are told that it did not.
    """
    try:
        for call in reversed(getattr(threading, "_threading_atexits", ())):
            call()
    except BaseException as exc:
        complain(exc, threading)
    for name, told in (("thread", "_shutdown"),
                       ("process", "_global_shutdown")):
        pools = sys.modules.get("concurrent.futures." + name)
        if hasattr(pools, told):
            setattr(pools, told, False)
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join()


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
    if run is None and zygote.waiting is None:
        zygote.end()
        return None
    try:
        zygote.detach()
        if run:
            zygote.become(run)
            zygote.tell_start(run, os.getpid())
        sock.close()
    except BaseException as exc:
        if run:
            say(sock, lost=run.number, why=plain(exc))
        os._exit(1)
    return zygote, run


if __name__ == "__main__":
    ZYGOTE, RUN = begin() or (None, None)
    if ZYGOTE is None:
        os._exit(0)
    HOOK = sys.excepthook
    # The warnings module passes over frames of this name.
    for ours in (execute, next_run, run_hot):
        ours.__code__ = ours.__code__.replace(
            co_filename="<frozen importlib._bootstrap>")
    sys.excepthook = execute
    raise RuntimeError  # to execute(), see there
