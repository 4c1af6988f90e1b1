"""
Sums of the columns of a tall matrix in Triton, with partial sums under locks.

A program adds up a strip of rows. The strips share a few partial sums, each
guarded by a lock in global memory: whoever has the lock adds its strip to the
partial sum. A second kernel adds the partial sums.

    python triton_spin.py
    python triton_spin.py --rows 65536 --partials 16 --bench

Needs a GPU. There is one fault in this file: a program gives back the lock of
another partial sum and not its own, so that the next one spins for ever.

    autodd-c examples/gpu/triton_spin.py --expect timeout -j 8
"""
import argparse
import time
from dataclasses import dataclass

import torch
import triton
import triton.language as tl

DEVICE = "cuda"


@triton.jit
def partial_sums_kernel(
    x_ptr, partial_ptr, locks_ptr, rows, width, PARTIALS: tl.constexpr,
    STRIP: tl.constexpr, BLOCK: tl.constexpr,
):
    strip = tl.program_id(0)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < width
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    last = tl.minimum(strip * STRIP + STRIP, rows)
    for row in range(strip * STRIP, last):
        total += tl.load(x_ptr + row * width + columns, mask=inside, other=0.0)

    owner = strip % PARTIALS
    lock_ptr = locks_ptr + tl.program_id(1) * PARTIALS
    at = partial_ptr + owner * width + columns
    while tl.atomic_cas(lock_ptr + owner, 0, 1) == 1:
        pass
    tl.store(at, tl.load(at, mask=inside) + total, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def add_partials_kernel(partial_ptr, out_ptr, width, PARTIALS: tl.constexpr, BLOCK: tl.constexpr):
    columns = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < width
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(PARTIALS):
        total += tl.load(partial_ptr + i * width + columns, mask=inside, other=0.0)
    tl.store(out_ptr + columns, total, mask=inside)


@dataclass
class Plan:
    """How the rows are dealt out."""

    rows: int
    width: int
    partials: int = 4
    strip: int = 32
    block: int = 128

    @property
    def strips(self):
        return triton.cdiv(self.rows, self.strip)

    @property
    def column_blocks(self):
        return triton.cdiv(self.width, self.block)

    def describe(self):
        return f"{self.strips} strips of {self.strip} rows, {self.partials} partial sums"


class ColumnSums:
    def __init__(self, plan):
        self.plan = plan
        shape = (plan.column_blocks, plan.partials)
        self.locks = torch.zeros(shape, dtype=torch.int32, device=DEVICE)
        self.partial = torch.empty((plan.partials, plan.width), device=DEVICE)

    def __call__(self, x):
        plan = self.plan
        self.partial.zero_()
        self.locks.zero_()
        partial_sums_kernel[(plan.strips, plan.column_blocks)](
            x, self.partial, self.locks, plan.rows, plan.width,
            PARTIALS=plan.partials, STRIP=plan.strip, BLOCK=plan.block,
        )
        out = torch.empty(plan.width, device=DEVICE)
        add_partials_kernel[(plan.column_blocks,)](
            self.partial, out, plan.width, PARTIALS=plan.partials, BLOCK=plan.block
        )
        torch.cuda.synchronize()
        return out


def check(sums, x):
    got, want = sums(x), x.double().sum(dim=0).float()
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-3)
    spread = float(got.max() - got.min())
    print(f"{sums.plan.describe()}: spread of the sums {spread:.3f}")


def bench(sums, x, repeat=20):
    sums(x)
    start = time.perf_counter()
    for _ in range(repeat):
        sums(x)
    seconds = (time.perf_counter() - start) / repeat
    print(f"{x.numel() * x.element_size() / seconds / 1e9:.1f} GB/s")


def parse_args():
    parser = argparse.ArgumentParser(description="sums of columns")
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--width", type=int, default=300)
    parser.add_argument("--partials", type=int, default=4)
    parser.add_argument("--strip", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bench", action="store_true")
    args = parser.parse_args()
    if min(args.rows, args.width, args.partials, args.strip) < 1:
        parser.error("extents must be positive")
    return args


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    x = torch.randn(args.rows, args.width).to(DEVICE)
    sums = ColumnSums(Plan(args.rows, args.width, args.partials, args.strip))
    check(sums, x)
    if args.bench:
        bench(sums, x)
    print("equal")


if __name__ == "__main__":
    main()
