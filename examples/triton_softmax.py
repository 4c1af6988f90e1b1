"""
Softmax of rows in Triton, with a table of row offsets for ragged inputs.

The rows of a batch have different lengths and lie one after another in a flat
buffer; Offsets[i] is where row i begins. One program works on one row.

    python triton_softmax.py
    python triton_softmax.py --rows 32 --longest 200

Runs on the CPU, in Triton's interpreter. There is one fault in this file: the
kernel takes the offsets for 64-bit numbers, and so runs out of bounds.

    autodd-c examples/triton_softmax.py -j 8
"""
import argparse
import faulthandler
import os
import sys
import time

os.environ["TRITON_INTERPRET"] = "1"

from dataclasses import dataclass
from typing import List

import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def row_lengths_kernel(offsets_ptr, lengths_ptr, rows, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < rows
    begin = tl.load(offsets_ptr + index, mask=inside, other=0)
    end = tl.load(offsets_ptr + index + 1, mask=inside, other=0)
    tl.store(lengths_ptr + index, end - begin, mask=inside)


@triton.jit
def ragged_softmax_kernel(x_ptr, offsets_ptr, lengths_ptr, out_ptr, temperature, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    begin = tl.load(offsets_ptr.to(tl.pointer_type(tl.int64)) + row)
    length = tl.load(lengths_ptr + row)
    column = tl.arange(0, BLOCK)
    inside = column < length
    x = tl.load(x_ptr + begin + column, mask=inside, other=float("-inf"))
    x = (x - tl.max(x, axis=0)) / temperature
    weights = tl.exp2(x * LOG2E)
    total = tl.sum(weights, axis=0)
    tl.store(out_ptr + begin + column, weights / total, mask=inside)


@triton.jit
def row_entropy_kernel(p_ptr, offsets_ptr, lengths_ptr, entropy_ptr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    begin = tl.load(offsets_ptr + row)
    length = tl.load(lengths_ptr + row)
    column = tl.arange(0, BLOCK)
    p = tl.load(p_ptr + begin + column, mask=column < length, other=1.0)
    tl.store(entropy_ptr + row, -tl.sum(p * tl.log(p), axis=0))


@dataclass
class Ragged:
    """Rows of different lengths in one flat buffer."""

    values: torch.Tensor
    offsets: torch.Tensor

    @classmethod
    def from_rows(cls, rows: List[torch.Tensor]):
        ends = torch.tensor([0] + [len(row) for row in rows]).cumsum(0)
        return cls(torch.cat(rows), ends.to(torch.int32))

    @property
    def count(self):
        return len(self.offsets) - 1

    @property
    def longest(self):
        return int((self.offsets[1:] - self.offsets[:-1]).max())

    def rows(self):
        ends = self.offsets.tolist()
        return [self.values[a:b] for a, b in zip(ends, ends[1:])]

    def like(self, values):
        return Ragged(values, self.offsets)


class RaggedSoftmax:
    def __init__(self, temperature=1.0, block=64):
        self.temperature = temperature
        self.block = block
        self.launches = 0

    def lengths(self, x):
        out = torch.zeros(x.count, dtype=torch.int32)
        grid = (triton.cdiv(x.count, self.block),)
        row_lengths_kernel[grid](x.offsets, out, x.count, BLOCK=self.block)
        self.launches += 1
        return out

    def __call__(self, x):
        lengths = self.lengths(x)
        out = torch.zeros_like(x.values)
        width = triton.next_power_of_2(x.longest)
        ragged_softmax_kernel[(x.count,)](x.values, x.offsets, lengths, out, self.temperature, BLOCK=width)
        self.launches += 1
        return x.like(out)

    def entropy(self, p):
        lengths = self.lengths(p)
        out = torch.zeros(p.count)
        width = triton.next_power_of_2(p.longest)
        row_entropy_kernel[(p.count,)](p.values, p.offsets, lengths, out, BLOCK=width)
        self.launches += 1
        return out

    def reference(self, x):
        return [torch.softmax(row / self.temperature, dim=0) for row in x.rows()]


def random_rows(count, longest, seed):
    gen = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, longest + 1, (count,), generator=gen).tolist()
    return [torch.randn(length, generator=gen) * 2 for length in lengths]


def check(op, x):
    got, want = op(x), op.reference(x)
    for index, (a, b) in enumerate(zip(got.rows(), want)):
        torch.testing.assert_close(a, b, msg=lambda text: f"row {index}: {text}")
    return got


def histogram(values, bins=5, width=30):
    counts = torch.histc(values, bins).int().tolist()
    top = max(counts)
    edges = torch.linspace(float(values.min()), float(values.max()), bins + 1).tolist()
    for count, low in zip(counts, edges):
        print(f"  {low:7.3f} {'#' * (count * width // top)}")


def parse_args():
    parser = argparse.ArgumentParser(description="softmax of ragged rows")
    parser.add_argument("--rows", type=int, default=12)
    parser.add_argument("--longest", type=int, default=48)
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--seed", type=int, default=2)
    return parser.parse_args()


def main():
    faulthandler.enable()
    args = parse_args()
    x = Ragged.from_rows(random_rows(args.rows, args.longest, args.seed))
    print(f"{x.count} rows, {len(x.values)} values, longest {x.longest}")
    op = RaggedSoftmax(args.temperature)
    start = time.perf_counter()
    p = check(op, x)
    print(f"{op.launches} launches, {time.perf_counter() - start:.2f} s")
    print("entropy of the rows")
    histogram(op.entropy(p))
    return 0


if __name__ == "__main__":
    sys.exit(main())
