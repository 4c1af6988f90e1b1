"""What a library does with CUDA, on the driver of cuda.c.

Importing it maps the driver, named by FAKE_CUDA, and does no more; FAKE_CUDA_AT
makes it initialise the driver as well: at "import", or before each "fork".
"""
import ctypes
import os

_driver = ctypes.CDLL(os.environ["FAKE_CUDA"])
_texts = {
    3: "CUDA error: initialization error",
    700: "CUDA error: an illegal memory access was encountered",
    710: "CUDA error: device-side assert triggered",
}


def _check(code):
    if code:
        raise RuntimeError(_texts.get(code, "CUDA error: code %d" % code))


def init():
    """Initialise the driver."""
    _check(_driver.cuInit(0))


def context():
    """Make this process's context, if it has none."""
    init()
    made = ctypes.c_void_p()
    _check(_driver.cuDevicePrimaryCtxRetain(ctypes.byref(made), 0))
    _check(_driver.cuCtxSetCurrent(made))


def launch(fault=0):
    """Run a kernel, which may do what it must not; told later, as it is."""
    context()
    if fault:
        _check(_driver.fake_fault(fault))


def synchronize():
    """Wait for the kernels."""
    context()
    _check(_driver.cuCtxSynchronize())


class Tensor:
    """What lies on the GPU, and so needs a context."""

    def __init__(self, rows, cols):
        """Make one of that shape."""
        context()
        self.rows, self.cols = rows, cols

    def __matmul__(self, other):
        """Multiply; the shapes must fit."""
        if self.cols != other.rows:
            raise ValueError("K shape check failed: %d" % self.cols)
        return Tensor(self.rows, other.cols)


if os.environ.get("FAKE_CUDA_AT") == "import":
    init()
if os.environ.get("FAKE_CUDA_AT") == "fork":
    os.register_at_fork(before=init)
