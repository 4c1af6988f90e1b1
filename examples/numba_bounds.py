# An access out of bounds: the last thread of a tile reads its right neighbour.
# Runs on the CPU, in Numba's CUDA simulator. From the folder above:
#
#   autodd-c examples/numba_bounds.py --err-msg "is out of bounds for axis 0 with size 18" -j 4
"""A three-point stencil over tiles in shared memory."""
import os

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numpy as np
from numba import cuda, float32

TILE = 16
HALO = 1


@cuda.jit
def copy_edges(values, out):
    i = cuda.grid(1)
    if i == 0 or i == values.size - 1:
        out[i] = values[i]


@cuda.jit
def stencil(values, out, left, middle, right):
    tile = cuda.shared.array(TILE + 2 * HALO, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < values.size:
        tile[t + HALO] = values[i]
        if t == 0 and i > 0:
            tile[0] = values[i - 1]
        if t == TILE - 1 and i + 1 < values.size:
            tile[TILE + HALO] = values[i + 1]
    cuda.syncthreads()
    if 0 < i < values.size - 1:
        out[i] = left * tile[t] + middle * tile[t + HALO] + right * tile[t + 3 * HALO]


class Smoother:
    """Weights of the stencil, and how often it is applied."""

    def __init__(self, left=0.25, middle=0.5, right=0.25, passes=2):
        self.weights = (left, middle, right)
        self.passes = passes

    def reference(self, values):
        left, middle, right = self.weights
        for _ in range(self.passes):
            inner = left * values[:-2] + middle * values[1:-1] + right * values[2:]
            values = np.concatenate([values[:1], inner, values[-1:]])
        return values

    def __call__(self, values):
        blocks = (values.size + TILE - 1) // TILE
        for _ in range(self.passes):
            out = np.zeros_like(values)
            copy_edges[blocks, TILE](values, out)
            stencil[blocks, TILE](values, out, *map(np.float32, self.weights))
            values = out
        return values


def main():
    values = np.sin(np.arange(40, dtype=np.float32))
    smooth = Smoother()
    got, want = smooth(values), smooth.reference(values)
    print("largest difference", float(np.abs(got - want).max()))
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    print("equal")


if __name__ == "__main__":
    main()
