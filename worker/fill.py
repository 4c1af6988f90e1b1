"""Fills memory that nobody has written to: --fill of autodd-c.

Interpreters find it as `sitecustomize`, through PYTHONPATH, before the script
begins. When torch, NumPy or CuPy is imported, those of its functions that give
memory as it happens to be get a function of ours in their place. It puts in NaN
for floating point and complex numbers, the largest value for integers, True for
truth values: as torch.utils.deterministic.fill_uninitialized_memory does, which
acts only where deterministic algorithms are switched on (and so others chosen,
with warn_only too), and therefore will not do.

In a fork server it is off; a child switches it on for a run that wants it.
Then the one whose name we took gets its turn.
"""
import os
import sys

from _autodd_c_arrival import Watch

on = "AUTODD_FILL" in os.environ
NAN = float("nan")


def filling(plain, fill):
    """Return a function that does the same and fills what that gives."""
    def function(*args, **kwargs):
        made = plain(*args, **kwargs)
        if on:
            fill(made)
        return made
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        value = getattr(plain, name, None)
        if value is not None:
            setattr(function, name, value)
    function.__wrapped__ = plain
    return function


def replace(holder, names, fill):
    """Put filling functions in the place of those there are."""
    for name in names:
        plain = getattr(holder, name, None)
        if callable(plain):
            setattr(holder, name, filling(plain, fill))


def integer_max(bits, signed):
    """Return the largest number of an integer type."""
    return (1 << (bits - 1 if signed else bits)) - 1


def fill_torch(torch):
    """See to torch."""
    def fill(tensor):
        try:
            dtype = tensor.dtype
            tensor = tensor.detach()  # one that wants a gradient objects
            if dtype.is_floating_point or dtype.is_complex:
                tensor.fill_(NAN)
            elif dtype is torch.bool:
                tensor.fill_(True)
            else:
                tensor.fill_(torch.iinfo(dtype).max)
        except Exception:  # of four bits, quantized, sparse
            try:
                tensor.view(torch.uint8).fill_(255)
            except Exception:
                pass

    names = "empty", "empty_like", "empty_strided", "empty_permuted"
    replace(torch, names, fill)
    try:  # what torch.jit.script compiles is not filled
        table = torch.jit._builtins
        for name in names:
            ours = getattr(torch, name)
            table._register_builtin(
                ours, table._find_builtin(ours.__wrapped__))
    except AttributeError:
        pass
    replace(torch.Tensor, ("new_empty", "new_empty_strided"), fill)


def fill_numpy(library):
    """See to NumPy, or to CuPy, which has the same names."""
    def fill(array):
        if not isinstance(array, library.ndarray):
            return
        kind, bits = array.dtype.kind, 8 * array.dtype.itemsize
        if kind in "fc":
            library.ndarray.fill(array, NAN)
        elif kind in "iu":
            library.ndarray.fill(array, integer_max(bits, kind == "i"))
        elif kind == "b":
            library.ndarray.fill(array, True)

    replace(library, ("empty", "empty_like"), fill)


LIBRARIES = {"torch": fill_torch, "numpy": fill_numpy, "cupy": fill_numpy}


def step_aside():
    """Leave the path, and let the sitecustomize that would be there act."""
    own = sys.modules[__name__]
    sys.modules["_autodd_c_fill"] = own  # where a fork server finds us
    if __name__ != "sitecustomize":
        return
    folder = os.path.dirname(__file__)
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    del sys.modules[__name__]
    try:
        __import__(__name__)
    except ImportError as exc:
        if exc.name != __name__:
            raise
    finally:
        sys.modules.setdefault(__name__, own)


Watch(LIBRARIES)
step_aside()
