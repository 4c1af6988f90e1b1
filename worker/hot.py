"""How a hot child gets clean again after a script, as far as it can.

Read by zygote.py in a child that runs one script after another, never
imported. remember() is called before the first script and restore() after each
one: it puts back what it can, and returns why the child is not fit for another
script, if it is not. What neither sees is what the control runs are for.
"""

import atexit
import builtins
import ctypes
import functools
import gc
import logging
import operator
import os
import random
import resource
import signal
import sys
import threading
import types
import warnings

CUDA_NOT_INITIALIZED, CUDA_INVALID_CONTEXT = 3, 201
FDS_MAX = 64  # that scripts may leave open, all of them together
GROWTH_MAX = 2 << 30  # bytes of memory above that after the first script
GPU_GROWTH_MAX = 1 << 30  # the same of torch's memory on the GPU
DEFAULT_SEED = 67280421310721  # of torch's generators
CODE = (types.FunctionType, types.BuiltinFunctionType, type)
SYS = ("argv", "path", "meta_path", "path_hooks", "stdin", "stdout", "stderr",
       "excepthook", "unraisablehook", "displayhook", "breakpointhook",
       "dont_write_bytecode", "pycache_prefix", "flags", "warnoptions",
       "executable", "prefix", "platform")
FINDERS = ("meta_path", "path_hooks")  # libraries have some of their own
TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
STREAM = ("encoding", "errors", "line_buffering", "write_through", "closed")
LIMITS = ("RLIMIT_AS", "RLIMIT_CORE", "RLIMIT_CPU", "RLIMIT_DATA",
          "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_STACK")

LIBC = ctypes.CDLL(None)
LIBC.setlocale.restype = ctypes.c_char_p


def descriptors():
    """Return what each open descriptor of this process is."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[int(name)] = os.readlink("/proc/self/fd/" + name)
        except OSError:
            pass  # the one that lists them
    return found


def resident():
    """Return the resident memory of this process in bytes."""
    with open("/proc/self/statm", "rb") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


def handlers():
    """Return the handlers of all signals that can have one."""
    return {number: signal.getsignal(number)
            for number in signal.valid_signals()
            if number not in (signal.SIGKILL, signal.SIGSTOP)}


def settings():
    """Return what cannot always be put back."""
    umask = os.umask(0o77)
    os.umask(umask)
    return [umask, os.nice(0), LIBC.setlocale(6, None)] + [
        resource.getrlimit(getattr(resource, name)) for name in LIMITS]


def registrar(end):
    """Return the module of what is to be called before threads are joined."""
    cells = getattr(end, "__closure__", None) or ()
    for inside in [getattr(end, "func", None)] + [
            cell.cell_contents for cell in cells]:
        if callable(inside):
            name = getattr(inside, "__module__", None)
            return name
    return None


def replace(target, content):
    """Make a list or dictionary equal to a copy of it, in place."""
    if isinstance(target, list):
        target[:] = content
        return
    for key in [key for key in target if key not in content]:
        del target[key]
    for key, value in content.items():
        if target.get(key, target) is not value:
            target[key] = value


class Logging:
    """The loggers: handlers, levels, filters."""

    def __init__(self):
        """Remember them."""
        self.disabled = logging.root.manager.disable
        self.states = [(logger, self.state(logger)) for logger in self.all()]

    @staticmethod
    def all():
        """Return all loggers."""
        return [logging.root] + [
            logger for logger in logging.root.manager.loggerDict.values()
            if isinstance(logger, logging.Logger)]

    @staticmethod
    def state(logger):
        """Return what makes a logger do what it does."""
        return (logger.level, logger.propagate, logger.disabled,
                list(logger.handlers), list(logger.filters))

    def restore(self):
        """Put them back."""
        known = {id(logger) for logger, _ in self.states}
        logging.disable(self.disabled)
        for logger in self.all():
            if id(logger) not in known:
                logger.handlers[:], logger.filters[:] = [], []
                logger.propagate, logger.disabled = True, False
                logger.setLevel(logging.NOTSET)
        for logger, state in self.states:
            if self.state(logger) != state:
                logger.setLevel(state[0])
                logger.propagate, logger.disabled = state[1:3]
                logger.handlers[:], logger.filters[:] = state[3:]


class Numpy:
    """NumPy's global settings and generator."""

    def __init__(self, module):
        """Remember them."""
        self.module = module
        self.print = module.get_printoptions()
        self.errors = module.geterr()

    def restore(self):
        """Put them back; the generator as in a new process."""
        self.module.set_printoptions(**self.print)
        self.module.seterr(**self.errors)
        if "numpy.random" in sys.modules:
            sys.modules["numpy.random"].seed()


# Of PyTorch: attributes to set, and functions to get and to set a value. What
# a version does not have is passed over.
TORCH_FLAGS = (
    "backends.fp32_precision", "backends.cudnn.fp32_precision",
    "backends.cudnn.conv.fp32_precision", "backends.cudnn.rnn.fp32_precision",
    "backends.cuda.matmul.fp32_precision", "backends.mkldnn.fp32_precision",
    "backends.mkldnn.matmul.fp32_precision",
    "backends.mkldnn.conv.fp32_precision",
    "backends.mkldnn.rnn.fp32_precision",
    "backends.cuda.matmul.allow_tf32",
    "backends.cuda.matmul.allow_fp16_reduced_precision_reduction",
    "backends.cuda.matmul.allow_fp16_reduced_precision_reduction_split_k",
    "backends.cuda.matmul.allow_bf16_reduced_precision_reduction",
    "backends.cuda.matmul.allow_bf16_reduced_precision_reduction_split_k",
    "backends.cuda.matmul.allow_fp16_accumulation",
    "backends.cudnn.allow_tf32", "backends.cudnn.enabled",
    "backends.cudnn.benchmark", "backends.cudnn.benchmark_limit",
    "backends.cudnn.deterministic", "backends.mkldnn.enabled",
    "backends.mkldnn.deterministic", "backends.opt_einsum.enabled",
    "backends.opt_einsum.strategy", "backends.quantized.engine",
    "utils.deterministic.fill_uninitialized_memory")
TORCH_PAIRS = (
    ("get_default_dtype", "set_default_dtype"),
    ("is_grad_enabled", "set_grad_enabled"),
    ("get_num_threads", "set_num_threads"),
    ("is_warn_always_enabled", "set_warn_always"),
    ("is_anomaly_enabled", "autograd.set_detect_anomaly"),
    ("get_float32_matmul_precision", "set_float32_matmul_precision"),
    ("get_deterministic_debug_mode", "set_deterministic_debug_mode"),
    ("is_autocast_enabled", "set_autocast_enabled"),
    ("get_autocast_gpu_dtype", "set_autocast_gpu_dtype"),
    ("is_autocast_cpu_enabled", "set_autocast_cpu_enabled"),
    ("get_autocast_cpu_dtype", "set_autocast_cpu_dtype"),
    ("is_autocast_cache_enabled", "set_autocast_cache_enabled"),
    ("backends.cuda.flash_sdp_enabled", "backends.cuda.enable_flash_sdp"),
    ("backends.cuda.math_sdp_enabled", "backends.cuda.enable_math_sdp"),
    ("backends.cuda.cudnn_sdp_enabled", "backends.cuda.enable_cudnn_sdp"),
    ("backends.cuda.mem_efficient_sdp_enabled",
     "backends.cuda.enable_mem_efficient_sdp"),
    ("backends.cuda.preferred_linalg_library",
     "backends.cuda.preferred_linalg_library"),
    ("backends.cuda.preferred_blas_library",
     "backends.cuda.preferred_blas_library"))
# Modes that a script has entered and not left.
TORCH_MODES = ("is_inference_mode_enabled", "_C._len_torch_dispatch_stack",
               "_C._len_torch_function_stack")
# The settings of its compilers, some hundred, which have a hash.
TORCH_CONFIGS = ("torch._dynamo.config", "torch._inductor.config",
                 "torch._functorch.config")


class Torch:
    """PyTorch's global settings and generators."""

    def __init__(self, module):
        """Remember them."""
        self.module = module
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of those that are deprecated
            self.state = self.settings()
            self.on_cpu = self.default_device() == "cpu"
            self.configs = [found for found in map(
                self.compiler, TORCH_CONFIGS) if found]
        self.print = dict(vars(module._tensor_str.PRINT_OPTS))
        self.random = module.get_rng_state()
        self.allocated = None

    def settings(self):
        """Return each setting: how to get it, how to set it, what it is."""
        found = []
        for path in TORCH_FLAGS:
            holder, _, name = path.rpartition(".")
            try:
                holder = operator.attrgetter(holder)(self.module)
                found.append((path, functools.partial(getattr, holder, name),
                              functools.partial(setattr, holder, name),
                              getattr(holder, name)))
            except Exception:
                pass
        for getter, setter in TORCH_PAIRS:
            try:
                get = operator.attrgetter(getter)(self.module)
                found.append((getter, get, operator.attrgetter(setter)(
                    self.module), get()))
            except Exception:
                pass
        return found

    def changed(self):
        """Return the settings that are not what they were."""
        found = []
        for setting in self.state:
            try:
                if setting[1]() == setting[3]:
                    continue
            except Exception:  # two that contradict each other
                pass
            found.append(setting)
        return found

    def default_device(self):
        """Return where new tensors are made; None if that is not known."""
        try:
            return self.module._C._get_default_device()
        except Exception:
            return None

    @staticmethod
    def compiler(name):
        """Return a compiler's settings, their hash and a copy; None."""
        try:
            config = sys.modules[name]
            copy = getattr(config, "get_config_copy", dict)  # new in 2.7
            return config, config.get_hash(), copy()
        except Exception:  # not loaded
            return None

    def restore_settings(self):
        """Put the settings back; None, or why that will not do."""
        torch = self.module
        torch.set_default_device(None)
        for mode in TORCH_MODES:
            try:
                if operator.attrgetter(mode)(torch)():
                    return "a mode of torch is left on"
            except AttributeError:
                pass
        if self.on_cpu and self.default_device() != "cpu":
            torch.set_default_tensor_type(torch.FloatTensor)
        for _ in range(2):  # one may be refused while another one is wrong
            for _, _, put, value in self.changed():
                try:
                    put(value)
                except Exception:
                    pass
        for name, *_ in self.changed():
            return "torch." + name + " is changed"
        for config, value, settings in self.configs:
            if config.get_hash() == value:
                continue
            now = config.get_config_copy() if settings else {}
            for name in settings:
                if settings[name] != now.get(name):
                    setattr(config, name, settings[name])
            if config.get_hash() != value:
                return config.__name__ + " is changed"
        if "torch._dynamo" in sys.modules:
            sys.modules["torch._dynamo"].reset()
        return None

    def restore(self):
        """Put them back; None, or why that will not do."""
        torch = self.module
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            why = self.restore_settings()
        if why:
            return why
        vars(torch._tensor_str.PRINT_OPTS).update(self.print)
        torch.set_rng_state(self.random)
        if not torch.cuda.is_initialized():
            return None
        torch.cuda.set_device(0)
        if hasattr(torch.cuda, "get_per_process_memory_fraction") \
                and torch.cuda.get_per_process_memory_fraction(0) != 1:
            return "a part of the GPU's memory is set apart"
        torch.cuda.set_stream(torch.cuda.default_stream())
        for generator in torch.cuda.default_generators:
            generator.manual_seed(DEFAULT_SEED)
        torch.cuda.empty_cache()
        allocated = torch.cuda.memory_allocated()
        if self.allocated is None:
            self.allocated = allocated
        if allocated > self.allocated + GPU_GROWTH_MAX:
            return "memory of the GPU is kept"
        return None


class Memory:
    """What the process looked like before the first script."""

    def __init__(self, folder):
        """Remember it. What lies below a folder is the scripts' own."""
        # They would undo what the child still needs; a script's own are run
        # at its end.
        atexit._clear()
        self.folders = tuple(os.path.join(path, "") for path in
                             {folder, os.path.realpath(folder)})
        self.resident = None
        self.settings = settings()
        self.fds = {fd: what for fd, what in descriptors().items() if fd > 2}
        self.env = dict(os.environ)
        self.modules = dict(sys.modules)
        self.sys = {name: getattr(sys, name) for name in SYS
                    if hasattr(sys, name)}
        self.lists = {name: list(value) for name, value in self.sys.items()
                      if isinstance(value, list)}
        self.streams = [(stream, self.stream(stream))
                        for stream in (sys.__stdout__, sys.__stderr__)]
        self.builtins = dict(builtins.__dict__)
        self.handlers = handlers()
        self.mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self.warnings = (list(warnings.filters), warnings.showwarning,
                         warnings.formatwarning)
        self.numbers = (sys.getrecursionlimit(), sys.getswitchinterval(),
                        gc.get_threshold(), gc.isenabled())
        self.digits = getattr(sys, "get_int_max_str_digits", int)()
        self.callbacks = list(gc.callbacks)
        self.ends = list(getattr(threading, "_threading_atexits", ()))
        self.hook = threading.excepthook
        self.code = {}
        self.take_code()
        self.libraries = [Logging()]
        for name, kind in (("numpy", Numpy), ("torch", Torch)):
            if name in sys.modules:
                self.libraries.append(kind(sys.modules[name]))

    @staticmethod
    def stream(stream):
        """Return how a stream writes."""
        return [getattr(stream, name, None) for name in STREAM]

    def take_code(self):
        """Remember the functions and classes of modules not seen yet."""
        for name, module in list(sys.modules.items()):
            if name in self.code or name == "__main__":
                continue
            space = getattr(module, "__dict__", None)
            if type(space) is dict:
                keys = [key for key, value in space.items()
                        if isinstance(value, CODE)]
                self.code[name] = (module, space, operator.itemgetter(*keys)
                                   if len(keys) > 1 else None, keys,
                                   tuple(space[key] for key in keys))

    def restore_code(self):
        """Put back functions and classes that were replaced in modules."""
        for _, space, get, keys, values in self.code.values():
            try:
                if get and not any(map(operator.is_not, get(space), values)):
                    continue
            except KeyError:
                pass
            for key, value in zip(keys, values):
                if space.get(key) is not value:
                    space[key] = value

    def owns(self, module):
        """Tell whether a module is the script's own."""
        path = getattr(module, "__file__", None)
        if path is None:
            path = next(iter(getattr(module, "__path__", None) or ()), None)
        return isinstance(path, str) and path.startswith(self.folders)

    def is_library(self, finder):
        """Tell whether a module that stays has put a finder of its own in."""
        return self.stays(getattr(
            finder if isinstance(finder, CODE) else type(finder),
            "__module__", None))

    def stays(self, name):
        """Tell whether a module that a script has loaded is not its own."""
        return name in sys.modules and name not in self.modules \
            and name != "__main__" and not self.owns(sys.modules[name])

    def restore_modules(self):
        """Forget what the script made or changed of the modules."""
        for name, module in list(sys.modules.items()):
            if name in self.modules:
                continue
            if (name in ("__main__", "__mp_main__") or self.owns(module)
                    or getattr(module, "__name__", None) != name):
                del sys.modules[name]
        sys.modules.update(self.modules)
        sys.modules.pop("__main__", None)
        for path in [p for p in sys.path_importer_cache
                     if p.startswith(self.folders)]:
            del sys.path_importer_cache[path]

    def restore_sys(self):
        """Put back what belongs to the interpreter."""
        for name, value in self.sys.items():
            if getattr(sys, name, None) is not value:
                setattr(sys, name, value)
        for name, content in self.lists.items():
            current = getattr(sys, name)
            current[:] = content if name not in FINDERS else [
                finder for finder in current
                if finder in content or self.is_library(finder)] + [
                finder for finder in content if finder not in current]
        replace(builtins.__dict__, self.builtins)
        sys.settrace(None)
        sys.setprofile(None)
        threading.settrace(None)
        threading.setprofile(None)
        threading.excepthook = self.hook
        sys.setrecursionlimit(self.numbers[0])
        sys.setswitchinterval(self.numbers[1])
        if self.digits:
            sys.set_int_max_str_digits(self.digits)
        gc.set_threshold(*self.numbers[2])
        (gc.enable if self.numbers[3] else gc.disable)()
        gc.callbacks[:] = self.callbacks
        warnings.filters[:] = self.warnings[0]
        warnings.showwarning, warnings.formatwarning = self.warnings[1:]
        if hasattr(warnings, "_filters_mutated"):
            warnings._filters_mutated()  # and what was shown once, is again
        elif hasattr(warnings, "_filters_mutated_lock_held"):
            with warnings._lock:
                warnings._filters_mutated_lock_held()
        getattr(warnings, "onceregistry", {}).clear()
        random.seed()
        ends = getattr(threading, "_threading_atexits", [])
        ends[:] = [end for end in ends if end in self.ends
                   or self.stays(registrar(end))]
        if "faulthandler" in sys.modules:
            sys.modules["faulthandler"].disable()

    def restore_process(self):
        """Put back what belongs to the process."""
        for timer in TIMERS:
            signal.setitimer(timer, 0)
        for number, handler in self.handlers.items():
            if signal.getsignal(number) is not handler and handler is not None:
                signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, self.mask)
        signal.set_wakeup_fd(-1)
        for name in [name for name in os.environ if name not in self.env]:
            del os.environ[name]
        for name, value in self.env.items():
            if os.environ.get(name) != value:
                os.environ[name] = value

    def leaks(self, outputs):
        """Return what is left that nobody can take away, or None.

        `outputs`: what descriptors 1 and 2 were during the script.
        """
        if len(sys._current_frames()) > 1:
            return "a thread is left"
        try:
            os.waitpid(-1, os.WNOHANG)
            return "a process is left"
        except ChildProcessError:
            pass
        now = descriptors()
        for fd, what in now.items():
            if fd > 2 and what in outputs and self.fds.get(fd) != what:
                # Not closed: a library may hold it, and its number would be
                # somebody else's.
                silence(fd)
        if any(now.get(fd) != what for fd, what in self.fds.items()):
            return "a descriptor was closed or replaced"
        if len(now) > len(self.fds) + FDS_MAX:
            return "descriptors are left open"
        if any(self.stream(stream) != state for stream, state in self.streams):
            return "a standard stream is not what it was"
        if settings() != self.settings:
            return "limits, umask or locale are changed"
        if self.resident is None:
            self.resident = resident()
        if resident() > self.resident + GROWTH_MAX:
            return "memory is kept"
        return None

    def restore(self, outputs):
        """Get clean; None, or why the child is not fit for another script."""
        self.restore_process()
        self.restore_sys()
        self.restore_modules()
        self.restore_code()
        why = cuda_error() or self.leaks(outputs)
        for library in self.libraries:
            why = why or library.restore()
        self.take_code()
        return why


def silence(*fds):
    """Make descriptors lead nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for fd in fds:
        if fd != null:
            os.dup2(null, fd, inheritable=fd < 3)
    if null not in fds:
        os.close(null)


def mute():
    """Let the output of the last script go."""
    silence(0, 1, 2)


def cuda_error():
    """Return the error that CUDA keeps, or None. Waits for its kernels."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        flags, active = ctypes.c_uint(0), ctypes.c_int(0)
        made = ctypes.c_void_p()
        code = cuda.cuCtxSynchronize()
        if code == CUDA_NOT_INITIALIZED:
            return None
        if code == CUDA_INVALID_CONTEXT:  # none is current here
            cuda.cuDevicePrimaryCtxGetState(
                0, ctypes.byref(flags), ctypes.byref(active))
            if not active.value:
                return None
            code = cuda.cuDevicePrimaryCtxRetain(ctypes.byref(made), 0) \
                or cuda.cuCtxSetCurrent(made) or cuda.cuCtxSynchronize()
        return "CUDA error %d" % code if code else None
    except (OSError, AttributeError):
        return None
