"""
Two scans that look alike, in TileLang: running sums of the rows of a matrix,
forward for prefix sums and backward for returns with a bonus at the end.

Both kernels scan tiles of columns and carry the total of the tiles before (or
behind) in a fragment. They are written out twice since they differ in the walk
over the tiles.

    python tilelang_twins.py
    python tilelang_twins.py --rows 128 --cols 1024 --only backward

Without a GPU the kernels are traced only. There is one fault in this file, in
the second kernel, the shape of the buffer that takes the sums:

    autodd-c examples/tilelang_twins.py -j 8
"""
import argparse
import dataclasses
import math
import operator
import time
from typing import Callable, Dict, List, Optional

import torch

import tilelang
import tilelang.language as T

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@dataclasses.dataclass
class ScanConfig:
    rows: int = 64
    cols: int = 512
    block_rows: int = 16
    block_cols: int = 128
    threads: int = 128
    dtype: str = "float32"

    def __post_init__(self):
        if self.rows % self.block_rows:
            raise ValueError(f"{self.rows} rows are no multiple of {self.block_rows}")
        if self.cols % self.block_cols:
            raise ValueError(f"{self.cols} columns are no multiple of {self.block_cols}")

    @property
    def steps(self) -> int:
        return self.cols // self.block_cols

    @property
    def blocks(self) -> int:
        return self.rows // self.block_rows

    def bytes_moved(self) -> int:
        return 2 * 4 * self.rows * self.cols


class Table:
    """Lines of a report, printed together at the end."""

    def __init__(self, *heads: str):
        self.heads = heads
        self.rows: List[tuple] = []

    def add(self, *cells):
        self.rows.append(tuple(str(cell) for cell in cells))

    def __str__(self):
        every = [self.heads, *self.rows]
        widths = [max(map(len, column)) for column in zip(*every)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in every]
        return "\n".join(line.rstrip() for line in lines)


def forward_scan(config: ScanConfig):
    rows, cols = config.rows, config.cols
    block_rows, block_cols, steps = config.block_rows, config.block_cols, config.steps
    dtype = config.dtype

    @T.prim_func
    def prefix_sums(
        X: T.Tensor((rows, cols), dtype),
        Y: T.Tensor((rows, cols), dtype),
    ):
        with T.Kernel(T.ceildiv(rows, block_rows), threads=config.threads) as bx:
            tile = T.alloc_fragment((block_rows, block_cols), dtype)
            sums = T.alloc_fragment((block_rows, block_cols), dtype)
            total = T.alloc_fragment((block_rows,), dtype)
            carry = T.alloc_fragment((block_rows,), dtype)
            T.clear(carry)
            for step in T.serial(steps):
                T.copy(X[bx * block_rows, step * block_cols], tile)
                T.cumsum(tile, sums, dim=1)
                T.reduce_sum(tile, total, dim=1)
                for i, j in T.Parallel(block_rows, block_cols):
                    sums[i, j] += carry[i]
                for i in T.Parallel(block_rows):
                    carry[i] += total[i]
                T.copy(sums, Y[bx * block_rows, step * block_cols])

    return prefix_sums


def backward_scan(config: ScanConfig):
    rows, cols = config.rows, config.cols
    block_rows, block_cols, steps = config.block_rows, config.block_cols, config.steps
    dtype = config.dtype

    @T.prim_func
    def suffix_sums(
        X: T.Tensor((rows, cols), dtype),
        Bonus: T.Tensor((rows,), dtype),
        Y: T.Tensor((rows, cols), dtype),
    ):
        with T.Kernel(T.ceildiv(rows, block_rows), threads=config.threads) as bx:
            tile = T.alloc_fragment((block_rows, block_cols), dtype)
            sums = T.alloc_fragment((block_cols, block_rows), dtype)
            total = T.alloc_fragment((block_rows,), dtype)
            carry = T.alloc_fragment((block_rows,), dtype)
            T.copy(Bonus[bx * block_rows], carry)
            for back in T.serial(steps):
                T.copy(X[bx * block_rows, (steps - 1 - back) * block_cols], tile)
                T.cumsum(tile, sums, dim=1, reverse=True)
                T.reduce_sum(tile, total, dim=1)
                for i, j in T.Parallel(block_rows, block_cols):
                    sums[i, j] += carry[i]
                for i in T.Parallel(block_rows):
                    carry[i] += total[i]
                T.copy(sums, Y[bx * block_rows, (steps - 1 - back) * block_cols])

    return suffix_sums


def forward_reference(x, bonus):
    return x.cumsum(dim=1)


def backward_reference(x, bonus):
    return x.flip(1).cumsum(dim=1).flip(1) + bonus[:, None]


@dataclasses.dataclass
class Scan:
    name: str
    make: Callable
    reference: Callable
    takes_bonus: bool
    kernel: Optional[Callable] = None

    def prepare(self, config: ScanConfig):
        program = self.make(config)
        if DEVICE == "cuda":
            self.kernel = tilelang.compile(program, out_idx=[-1])
        return self

    def __call__(self, x, bonus):
        if self.kernel is None:
            return self.reference(x, bonus)
        return self.kernel(x, bonus) if self.takes_bonus else self.kernel(x)


SCANS: Dict[str, Scan] = {
    scan.name: scan
    for scan in (
        Scan("forward", forward_scan, forward_reference, False),
        Scan("backward", backward_scan, backward_reference, True),
    )
}


def make_inputs(config: ScanConfig, seed: int = 9):
    gen = torch.Generator().manual_seed(seed)
    x = torch.rand(config.rows, config.cols, generator=gen) - 0.5
    bonus = torch.rand(config.rows, generator=gen)
    return x.to(DEVICE), bonus.to(DEVICE)


def measure(scan: Scan, x, bonus, repeat: int = 3) -> float:
    best = math.inf
    for _ in range(repeat):
        start = time.perf_counter()
        scan(x, bonus)
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return best


def run(names, config: ScanConfig):
    table = Table("scan", "ms", "GB/s", "largest")
    x, bonus = make_inputs(config)
    for scan in map(SCANS.__getitem__, names):
        scan.prepare(config)
        got, want = scan(x, bonus), scan.reference(x, bonus)
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
        seconds = measure(scan, x, bonus)
        rate = config.bytes_moved() / seconds / 1e9
        table.add(scan.name, "%.3f" % (seconds * 1e3), "%.2f" % rate, "%.3f" % float(got.abs().max()))
    print(table)


def main():
    parser = argparse.ArgumentParser(description="running sums of rows")
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--cols", type=int, default=512)
    parser.add_argument("--only", choices=sorted(SCANS))
    args = parser.parse_args()
    config = ScanConfig(args.rows, args.cols)
    names = [args.only] if args.only else sorted(SCANS, key=operator.methodcaller("__len__"))
    print(f"{config.blocks} blocks, {config.steps} steps each, on {DEVICE}")
    run(names, config)


if __name__ == "__main__":
    main()
