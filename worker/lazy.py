"""What scripts load as they run, loaded ahead and kept out of sight.

Read by zygote.py, never imported. A run of the original says which modules it
loaded that its imports had not (wanted()). The fork server loads those too
(learn()), and hides them: they are in nobody's sys.modules and no member of
their packages, until someone imports them. Then a finder hands them out,
with all that their bodies would have loaded, and that import takes no time.
So a script that uses `a.b` and has lost the call that imports it fails in a
fork as it does in a new interpreter.

What a module does to the rest of the process when it is loaded cannot be
hidden. So each is first tried in a child (scout()): one that leaves a trace
there (output, threads, processes, environment, settings, a CUDA context), takes
too long or dies is left out, with all that need it. What it leaves in
modules that were there before (a codec, a dtype, a patch) no child can see. So
a run tells which of them it has imported: where that is what the original
imports, nothing was there that should not be; where it is less, the search asks
a new interpreter.
"""

import gc
import importlib
import importlib.machinery
import json
import os
import random
import select
import signal
import sys
import threading
import time
import warnings

SCOUT_S = 10  # most time for trying them all
WANTED_MAX = 5000  # modules
BYTES_MAX = 1 << 20  # of their list

# Each run has its own of these, so it is no trace if one is set by default.
FOLDERS = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")


def origin_of(module):
    """Return the file of a module, None for one without."""
    return getattr(getattr(module, "__spec__", None), "origin", None)


# ---- in the run that shows which ----


def wanted(run, known, environ):
    """Return (name, file) of what the run has loaded beyond `known`.

    Nothing where it has changed the environment, which modules may have
    read; nothing of what lies beside the script.
    """
    private = {setting.partition("=")[0] for setting in run.env}
    for name in (set(os.environ) | set(environ)) - private:
        if os.environ.get(name) != environ.get(name):
            return []
    folders = {os.path.dirname(run.path), run.cwd}
    folders = tuple({os.path.join(f, "") for folder in folders
                     for f in (folder, os.path.realpath(folder))})
    found = []
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        if (name in known or getattr(spec, "name", None) != name
                or getattr(spec, "loader", None) is None):
            continue
        places = [spec.origin or ""] + list(
            getattr(spec, "submodule_search_locations", None) or ())
        if not any(str(place).startswith(folders) for place in places):
            found.append((name, spec.origin))
    return found[:WANTED_MAX]


def tell_wanted(run):
    """Write what wanted() returns to the run's file, if that is still it."""
    text = json.dumps(wanted(run, run.known, run.environ)).encode()
    if len(text) <= BYTES_MAX and os.fstat(run.notes).st_ino == run.inode:
        os.write(run.notes, text)


def read_wanted(fd):
    """Return what a run has written there."""
    try:
        text = os.pread(fd, BYTES_MAX, 0)
        return [(str(name), origin) for name, origin in json.loads(text)]
    except (OSError, ValueError):
        return []


# ---- in a child that tries them ----


def filters_for(known):
    """Return the filters of warnings that may concern these modules."""
    return [f for f in warnings.filters
            if getattr(f[2], "__module__", None) in known]


def world(known):
    """Return what importing a module should leave as it is.

    As a dictionary: what it has of a module is there once that is loaded.
    known: the modules that were there before, which filters for warnings of
    others cannot concern.
    """
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        processes = True
    except ChildProcessError:
        processes = False
    loaded = sys.modules.get
    numpy, torch = loaded("numpy.random"), loaded("torch")
    logging = loaded("logging")
    state = {"all": [
        processes, len(os.listdir("/proc/self/task")),
        len(os.listdir("/proc/self/fd")),
        {name: value for name, value in os.environ.items()
         if name not in FOLDERS}, os.getcwd(),
        list(sys.path), list(sys.meta_path), list(sys.path_hooks),
        filters_for(known), sys.excepthook, sys.displayhook,
        sys.unraisablehook, threading.excepthook, sys.stdin, sys.stdout,
        sys.stderr, sys.getrecursionlimit(), gc.get_threshold(),
        random.getstate(), sorted(vars(sys.modules["builtins"])),
        [signal.getsignal(n) for n in signal.valid_signals()
         if n not in (signal.SIGKILL, signal.SIGSTOP)]]}
    if numpy:
        state["numpy"] = repr(numpy.get_state(legacy=False))
    if logging:
        root = logging.getLogger()
        state["logging"] = (root.level, list(root.handlers),
                            root.manager.disable)
    if torch:
        state["torch"] = (torch.get_default_dtype(), torch.is_grad_enabled(),
                          torch.initial_seed())
    return state


def leaves_trace(was, known):
    """Return whether something of world() is no more as it was."""
    now = world(known)
    return any(now.get(part) != was[part] for part in was)


def scout(names, fd, output, zygote):
    """Import what names has, and write to fd which did so without a trace.

    `output`: a file that standard output and error go to.
    """
    loads, bad = zygote.Loads(), set()
    loads.watch()
    for name, origin in names:
        before = set(sys.modules)
        if name not in before:
            was = world(before)
            try:
                importlib.import_module(name)
                wrong = origin_of(sys.modules[name]) != origin
            except BaseException:
                wrong = True
            zygote.flush()
            if (wrong or leaves_trace(was, before) or os.fstat(output).st_size
                    or zygote.cuda_touched()):
                bad.add(name)
                bad.update(set(sys.modules) - before)
                os.ftruncate(output, 0)
                os.lseek(output, 0, os.SEEK_SET)
        if not bad or bad.isdisjoint(closure(loads.edges, name)):
            os.write(fd, name.encode() + b"\n")


def closure(edges, name, within=None):
    """Return name and all that loading it loads; `within`: of these alone."""
    found, todo = set(), [name]
    while todo:
        name = todo.pop()
        if name in found or within is not None and name not in within:
            continue
        found.add(name)
        todo.extend(edges.get(name, ()))
        if "." in name:
            todo.append(name.rpartition(".")[0])
    return found


def send_scout(names, zygote, server):
    """Have a child try the modules. Returns those that are fit."""
    out, into = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # CPython 3.12 warns of threads
        pid = os.fork()
    if pid == 0:
        try:
            server.detach()
            server.sock.close()
            os.close(out)
            output = os.memfd_create("autodd-c")
            os.dup2(output, 1)
            os.dup2(output, 2)
            scout(names, into, output, zygote)
        finally:
            os._exit(0)
    os.close(into)
    data, end = b"", time.monotonic() + SCOUT_S
    while True:
        left = end - time.monotonic()
        if left <= 0 or not select.select([out], [], [], left)[0]:
            break
        more = os.read(out, 1 << 16)
        if not more:
            break
        data += more
    os.close(out)
    zygote.kill_group(pid)
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass
    os.waitpid(pid, 0)
    fit = set(data.decode().split("\n")[:-1])
    return [name for name, _ in names if name in fit]


# ---- in the fork server, and in its children ----


def number_of(name):
    """Return a number of 32 bits for a name (FNV-1a), the same anywhere."""
    number = 0x811c9dc5
    for byte in name.encode():
        number = (number ^ byte) * 0x01000193 & 0xffffffff
    return number


class Hidden:
    """The finder of what is loaded and out of sight."""

    def __init__(self, note):
        """Hide nothing yet; `note` takes number_of() what is shown."""
        self.note = note
        self.modules = {}
        self.members = set()  # names that are members of their packages
        self.edges = {}

    def load(self, names, zygote):
        """Load modules that have been tried, and hide them."""
        before, loads = set(sys.modules), zygote.Loads()
        folders = {name: os.environ.get(name) for name in FOLDERS}
        loads.watch()
        try:
            for name in names:
                importlib.import_module(name)
        except BaseException:  # what is there is there
            pass
        loads.unwatch()
        for name, value in folders.items():
            if value is None:
                os.environ.pop(name, None)
        for asks, names in loads.edges.items():
            self.edges.setdefault(asks, set()).update(names)
        for name in [n for n in sys.modules if n not in before]:
            self.modules[name] = sys.modules.pop(name)
        for name, module in self.modules.items():
            outer, _, member = name.rpartition(".")
            package = self.modules.get(outer) or sys.modules.get(outer)
            if getattr(package, "__dict__", {}).get(member) is module:
                del package.__dict__[member]
                self.members.add(name)
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def find_spec(self, name, *_):
        """Find a hidden module, as the import system asks for it."""
        module = self.modules.get(name)
        if module is None:
            return None
        theirs = getattr(module, "__spec__", None)
        spec = importlib.machinery.ModuleSpec(
            name, Hand(self, getattr(theirs, "loader", None)),
            origin=getattr(theirs, "origin", None))
        spec.submodule_search_locations = getattr(
            theirs, "submodule_search_locations", None)
        spec.cached = getattr(theirs, "cached", None)
        spec.has_location = getattr(theirs, "has_location", False)
        return spec

    def show(self, name):
        """Put a module where importing it puts it, with all that it loads."""
        names = closure(self.edges, name, self.modules)
        shown = {n: self.modules.pop(n) for n in names}
        sys.modules.update(shown)
        if "numpy.random" in shown:
            shown["numpy.random"].seed()  # as if it were loaded now
        for n in shown:
            self.note(number_of(n))
        for n in self.members.intersection(names):
            outer, _, member = n.rpartition(".")
            if outer in sys.modules:
                setattr(sys.modules[outer], member, shown[n])


class Hand:
    """The loader of a hidden module."""

    def __init__(self, hidden, theirs):
        """For the one that has another loader by rights."""
        self.hidden, self.theirs = hidden, theirs

    def __getattr__(self, name):
        """Be that one to whoever wants the source, say."""
        return getattr(self.theirs, name)

    def create_module(self, spec):
        """Let the import system make one, which nobody will see."""
        return None

    def exec_module(self, module):
        """Show the real one in its place."""
        name = module.__spec__.name
        if sys.modules.get(name) is module and name in self.hidden.modules:
            self.hidden.show(name)
        else:  # not asked by an import: another copy is wanted
            module.__loader__ = module.__spec__.loader = self.theirs
            self.theirs.exec_module(module)
