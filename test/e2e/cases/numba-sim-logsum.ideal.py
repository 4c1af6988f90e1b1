import math
import os
os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
import numpy as np
from numba import cuda
@cuda.jit
def log_sum_kernel(x, out):
    total = 0
    for col in range(2):
        total += math.exp(x[0, col] - x[0, 0])
    out[0] = math.log(total)
x = np.random.default_rng(0).standard_normal((1, 2))
out = np.empty(1)
log_sum_kernel[1, 1](x, out)
np.testing.assert_allclose(out, np.log(np.exp(x).sum()))
