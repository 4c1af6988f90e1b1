"""Tells which memory kernels read and write, and whether they change any.

Part of zygote.py, which hands over the names of arrival.py: run in the child of
one run. Triton's interpreter reads and writes wherever a kernel says. A mask
that is gone is therefore no error there: what lies behind an array comes into
the result, another thing in each process, and what a kernel writes there may
end the run much later, or never. And one whose mask is false everywhere writes
nothing, so that its output is what it was before, which a test finds wrong as
well.

The functions that access memory get others in their place that look at the
addresses first. Good are those of the storages of the tensors that the kernel
was launched with, all of each one, as what is given may be a view of it. What
is in them is compared before and after the launch.
"""
import ctypes
import threading

INTERPRETER = "triton.runtime.interpreter"
# What is told, bits: as in protocol.h.
SEEN, OUTSIDE, IDLE = 1, 2, 4
BYTES_MAX = 1 << 26  # of a launch; one with more counts as changing nothing
ALL_MAX = 1 << 30  # of all launches, likewise: to look at them takes a second


class Unknown(Exception):
    """An argument has an address, and nobody knows of how many bytes."""


def storages(args):
    """Yield the first and past-the-last addresses of tensors in arguments."""
    for arg in args:
        if isinstance(arg, tuple):
            yield from storages(arg)
        elif hasattr(arg, "untyped_storage"):
            storage = arg.untyped_storage()
            first = storage.data_ptr()
            yield first, first + storage.nbytes()
        elif hasattr(arg, "base"):  # a wrapped tensor, or a descriptor of one
            yield from storages((arg.base,))
        elif hasattr(arg, "data_ptr"):
            raise Unknown


def content(span):
    """Return the bytes of a span of addresses."""
    first, last = span
    return ctypes.string_at(first, last - first)


class Launches:
    """What the launch of each thread may access, and what was there."""

    def __init__(self, numpy, tell, wanted):
        """Call tell() with what is seen."""
        self.numpy, self.tell = numpy, tell
        self.left = ALL_MAX if wanted & IDLE else None
        self.launch = threading.local()

    def begin(self, args):
        """A kernel is about to run with these arguments."""
        self.launch.spans = self.launch.before = None
        spans = sorted(set(storages(args)))
        self.launch.spans = spans
        if self.left is None:
            return
        size = sum(last - first for first, last in spans)
        self.left -= size
        if size <= BYTES_MAX and self.left >= 0:
            self.launch.before = [content(span) for span in spans]
        else:
            # Nobody asks of the original's, so nobody may of a candidate's,
            # whose arrays are smaller.
            self.left = None
            self.tell(SEEN | IDLE)

    def end(self):
        """It has run to its end."""
        spans, before = self.launch.spans, self.launch.before
        if before is not None and before == [content(s) for s in spans]:
            self.tell(SEEN | IDLE)
        self.launch.spans = self.launch.before = None

    def look(self, addresses, mask, size):
        """Look at addresses of `size` bytes each, where the mask is true."""
        spans = getattr(self.launch, "spans", None)
        if spans is None:
            return
        if mask is not None:
            addresses = addresses[mask.astype(bool)]
        if addresses.size == 0:
            return
        low, high = int(addresses.min()), int(addresses.max()) + size
        if any(first <= low and high <= last for first, last in spans):
            self.tell(SEEN)
            return
        good = self.numpy.zeros(addresses.shape, bool)
        for first, last in spans:
            if last - first >= size:
                good |= (addresses >= first) & (addresses <= last - size)
        self.tell(SEEN if good.all() else SEEN | OUTSIDE)


def after(first, plain):
    """Return a function that does `first` with its arguments, then `plain`."""
    def function(*args, **kwargs):
        try:
            first(*args, **kwargs)
        except Exception:  # a release of Triton that calls it otherwise
            pass
        return plain(*args, **kwargs)
    return function


def see_to(module, tell, wanted):
    """Have Triton's interpreter looked at."""
    library, executor = module._interpreter, module.GridExecutor
    launches = Launches(module.np, tell, wanted)
    plain_init, plain_restore = (
        executor._init_args_hst, executor._restore_args_dev)

    def init_args_hst(*args, **kwargs):
        made = plain_init(*args, **kwargs)
        try:
            first, more = made if isinstance(made, tuple) else (made, {})
            launches.begin([*first, *more.values()])
        except Exception:  # what is not known is not told
            pass
        return made

    def load(addresses, mask, _, dtype):
        launches.look(addresses, mask, module.np.dtype(dtype).itemsize)

    def store(addresses, value, mask):
        launches.look(addresses, mask, value.dtype.itemsize)

    def atomic_cas(addresses, _, value, *rest):
        launches.look(addresses, None, value.dtype.itemsize)

    def atomic_rmw(_, addresses, value, mask, *rest):
        launches.look(addresses, mask, value.dtype.itemsize)

    executor._init_args_hst = init_args_hst
    executor._restore_args_dev = after(
        lambda *args, **kwargs: launches.end(), plain_restore)
    for look in load, store, atomic_cas, atomic_rmw:
        name = look.__name__
        setattr(library, name, after(look, getattr(library, name)))


def watch(arrival, tell, wanted=SEEN | OUTSIDE | IDLE):
    """From now on, tell what kernels do, and of that what is wanted."""
    def arrived(module):
        try:
            see_to(module, tell, wanted)
        except Exception:  # a release of Triton that has other parts
            pass

    arrival["Watch"]({INTERPRETER: arrived})
