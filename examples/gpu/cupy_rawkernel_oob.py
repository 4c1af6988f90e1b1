"""
Sparse matrix times vector with a CuPy RawKernel, the matrix in ELLPACK form.

Every row has the same number of entries; where a row has fewer, its columns are
filled up with -1. A thread works on a row, and entries of neighbouring rows lie
side by side.

    python cupy_rawkernel_oob.py
    python cupy_rawkernel_oob.py --rows 100000 --entries 32 --iterations 50

Needs a GPU. There is one fault in this file: the columns are read as unsigned
numbers, so that -1 is a column far beyond the vector.

    autodd-c examples/gpu/cupy_rawkernel_oob.py --err-msg "illegal memory access" -j 8
"""
import argparse
import dataclasses
import time

import cupy as cp
import numpy as np

SOURCE = r"""
extern "C" __global__
void ell_spmv(const int *columns, const float *values, const float *x,
              float *y, int rows, int entries)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float total = 0.0f;
    for (int i = 0; i < entries; i++) {
        unsigned int column = columns[i * rows + row];
        if (column >= 0)
            total += values[i * rows + row] * x[column];
    }
    y[row] = total;
}

extern "C" __global__
void scale_and_shift(float *x, float factor, float shift, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] = x[i] * factor + shift;
}
"""


@dataclasses.dataclass
class Ell:
    """columns and values have the shape (entries, rows)."""

    columns: np.ndarray
    values: np.ndarray

    @property
    def entries(self):
        return self.columns.shape[0]

    @property
    def rows(self):
        return self.columns.shape[1]

    @property
    def stored(self):
        return int((self.columns >= 0).sum())

    def dense(self):
        out = np.zeros((self.rows, self.rows))
        for i in range(self.entries):
            known = np.flatnonzero(self.columns[i] >= 0)
            np.add.at(out, (known, self.columns[i, known]), self.values[i, known])
        return out


def random_ell(rows, entries, seed):
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, rows, (entries, rows), dtype=np.int32)
    lengths = rng.integers(1, entries + 1, rows)
    columns[np.arange(entries)[:, None] >= lengths] = -1
    values = rng.standard_normal((entries, rows)).astype(np.float32)
    return Ell(columns, values / entries)


class Operator:
    def __init__(self, matrix, threads=128):
        module = cp.RawModule(code=SOURCE)
        self.multiply = module.get_function("ell_spmv")
        self.shift = module.get_function("scale_and_shift")
        self.matrix = matrix
        self.threads = threads
        self.columns = cp.asarray(matrix.columns)
        self.values = cp.asarray(matrix.values)

    @property
    def grid(self):
        return ((self.matrix.rows + self.threads - 1) // self.threads,)

    def __call__(self, x):
        y = cp.empty_like(x)
        rows, entries = np.int32(self.matrix.rows), np.int32(self.matrix.entries)
        self.multiply(self.grid, (self.threads,), (self.columns, self.values, x, y, rows, entries))
        return y

    def damp(self, x, factor, shift):
        arguments = (x, np.float32(factor), np.float32(shift), np.int32(x.size))
        self.shift(self.grid, (self.threads,), arguments)
        return x


def iterate(operator, x, iterations):
    for _ in range(iterations):
        x = operator.damp(operator(x), 0.5, 0.1)
    return x


def iterate_on_host(matrix, x, iterations):
    dense = matrix.dense()
    for _ in range(iterations):
        x = (dense @ x) * 0.5 + 0.1
    return x


def parse_args():
    parser = argparse.ArgumentParser(description="ELLPACK times vector")
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--entries", type=int, default=9)
    parser.add_argument("--iterations", type=int, default=4)
    parser.add_argument("--seed", type=int, default=2)
    return parser.parse_args()


def main():
    args = parse_args()
    matrix = random_ell(args.rows, args.entries, args.seed)
    print(f"{matrix.rows} rows, {matrix.stored} entries of {matrix.columns.size} places")
    x = np.random.default_rng(args.seed).standard_normal(args.rows).astype(np.float32)
    operator = Operator(matrix)
    start = time.perf_counter()
    got = cp.asnumpy(iterate(operator, cp.asarray(x), args.iterations))
    print(f"{args.iterations} iterations in {(time.perf_counter() - start) * 1e3:.2f} ms")
    want = iterate_on_host(matrix, x.astype(np.float64), args.iterations)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
    print("equal")


if __name__ == "__main__":
    main()
