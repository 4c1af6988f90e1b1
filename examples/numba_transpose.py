"""
Transposes of matrices and batches through shared memory, with Numba.

A tile is read along the rows and written along the columns; one column more
than needed keeps the threads of a warp on different banks.

    python numba_transpose.py
    python numba_transpose.py --rows 20 --cols 28 --batch 2

Runs on the CPU, in Numba's CUDA simulator. There is one fault in this file: the
batched kernel looks at the wrong extent before it writes.

    autodd-c examples/numba_transpose.py -j 8
"""
import argparse
import dataclasses
import os
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numpy as np
from numba import cuda, float32

TILE = 4
PADDED = TILE + 1


@cuda.jit
def copy_kernel(source, target):
    x, y = cuda.grid(2)
    if y < source.shape[0] and x < source.shape[1]:
        target[y, x] = source[y, x]


@cuda.jit
def naive_kernel(source, target):
    x, y = cuda.grid(2)
    if y < source.shape[0] and x < source.shape[1]:
        target[x, y] = source[y, x]


@cuda.jit
def tiled_kernel(source, target):
    tile = cuda.shared.array((TILE, PADDED), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x = cuda.blockIdx.x * TILE + tx
    y = cuda.blockIdx.y * TILE + ty
    if y < source.shape[0] and x < source.shape[1]:
        tile[ty, tx] = source[y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * TILE + tx
    y = cuda.blockIdx.x * TILE + ty
    if y < target.shape[0] and x < target.shape[1]:
        target[y, x] = tile[tx, ty]


@cuda.jit
def batched_kernel(source, target):
    tile = cuda.shared.array((TILE, PADDED), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x = cuda.blockIdx.x * TILE + tx
    y = cuda.blockIdx.y * TILE + ty
    batch = cuda.blockIdx.z
    if y < source.shape[1] and x < source.shape[2]:
        tile[ty, tx] = source[batch, y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * TILE + tx
    y = cuda.blockIdx.x * TILE + ty
    if y < source.shape[1] and x < source.shape[2]:
        target[batch, y, x] = tile[tx, ty]


@dataclasses.dataclass
class Launch:
    """A grid over a matrix, or over each of a batch."""

    rows: int
    cols: int
    batch: int = 0

    @property
    def threads(self):
        return (TILE, TILE, 1) if self.batch else (TILE, TILE)

    @property
    def blocks(self):
        plane = -(-self.cols // TILE), -(-self.rows // TILE)
        return plane + (self.batch,) if self.batch else plane

    @property
    def waste(self):
        """Share of the threads that have nothing to do."""
        x, y = self.blocks[:2]
        return 1 - self.rows * self.cols / (x * y * TILE * TILE)

    def __call__(self, kernel, *arrays):
        kernel[self.blocks, self.threads](*arrays)


class Clock:
    def __init__(self):
        self.laps = []

    def lap(self, name, function):
        start = time.perf_counter()
        result = function()
        self.laps.append((name, time.perf_counter() - start))
        return result

    def report(self):
        for name, seconds in self.laps:
            print(f"  {name:<8} {seconds * 1e3:8.1f} ms")


def copy(matrix):
    out = np.zeros_like(matrix)
    Launch(*matrix.shape)(copy_kernel, matrix, out)
    return out


def transpose(matrix, kernel=tiled_kernel):
    out = np.zeros(matrix.shape[::-1], dtype=matrix.dtype)
    Launch(*matrix.shape)(kernel, matrix, out)
    return out


def transpose_batch(batch):
    count, rows, cols = batch.shape
    out = np.zeros((count, cols, rows), dtype=batch.dtype)
    Launch(rows, cols, count)(batched_kernel, batch, out)
    return out


def example(*shape):
    """Numbers that name their place, so that a wrong one is told at once."""
    out = np.zeros(shape, dtype=np.float32)
    for axis, extent in enumerate(shape):
        place = np.arange(extent).reshape([-1 if a == axis else 1 for a in range(len(shape))])
        out += place * 100.0 ** (len(shape) - 1 - axis)
    return out


def check(name, got, want):
    np.testing.assert_array_equal(got, want, err_msg=name)


def checks(rows, cols, batch):
    """Name, function and expected result of each check."""
    matrix = example(rows, cols)
    yield "copy", lambda: copy(matrix), matrix
    yield "naive", lambda: transpose(matrix, naive_kernel), matrix.T
    yield "tiled", lambda: transpose(matrix), matrix.T
    yield "twice", lambda: transpose(transpose(matrix)), matrix
    if batch:
        many = example(batch, rows, cols)
        yield "batched", lambda: transpose_batch(many), many.transpose(0, 2, 1)


def parse_args():
    parser = argparse.ArgumentParser(description="transposes in shared memory")
    parser.add_argument("--rows", type=int, default=6)
    parser.add_argument("--cols", type=int, default=9)
    parser.add_argument("--batch", type=int, default=2, help="0: no batch")
    parser.add_argument("--times", action="store_true")
    return parser.parse_args()


def main():
    args = parse_args()
    launch = Launch(args.rows, args.cols, args.batch)
    print(f"blocks {launch.blocks}, {launch.waste:.0%} of the threads idle")
    clock = Clock()
    for name, function, want in checks(args.rows, args.cols, args.batch):
        got = clock.lap(name, function)
        check(name, got, want)
        print(name, "equal")
    if args.times:
        clock.report()


if __name__ == "__main__":
    main()
