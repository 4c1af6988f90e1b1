"""
Quantising the rows of a matrix to 8 bits in Triton, with a scale for each row.

A program works on a few rows. It walks over them twice: once for the largest
absolute value of each row, and once to divide and round. The inverse kernel
multiplies by the scales again.

    python triton_wrong_axis.py
    python triton_wrong_axis.py --rows 4096 --width 4096 --bench

Needs a GPU. There is one fault in this file: the largest values are taken along
the wrong axis of a tile, which is a square.

    autodd-c examples/gpu/triton_wrong_axis.py --err-msg "Tensor-likes are not close" -j 8
"""
import argparse
import time
from dataclasses import dataclass

import torch
import triton
import triton.language as tl

DEVICE = "cuda"


@triton.jit
def quantize_kernel(
    x_ptr, q_ptr, scale_ptr, rows, width, limit, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr
):
    row = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    here = row[:, None] < rows
    largest = tl.full((BLOCK_R,), 1e-6, dtype=tl.float32)
    for start in range(0, width, BLOCK_C):
        column = start + tl.arange(0, BLOCK_C)
        inside = here & (column[None, :] < width)
        x = tl.load(x_ptr + row[:, None] * width + column[None, :], mask=inside, other=0.0)
        largest = tl.maximum(largest, tl.max(tl.abs(x), axis=0))
    scale = largest / limit
    tl.store(scale_ptr + row, scale, mask=row < rows)
    for start in range(0, width, BLOCK_C):
        column = start + tl.arange(0, BLOCK_C)
        inside = here & (column[None, :] < width)
        at = row[:, None] * width + column[None, :]
        x = tl.load(x_ptr + at, mask=inside, other=0.0)
        scaled = tl.minimum(tl.maximum(x / scale[:, None], -limit), limit)
        rounded = tl.where(scaled >= 0, scaled + 0.5, scaled - 0.5)
        tl.store(q_ptr + at, rounded.to(tl.int8), mask=inside)


@triton.jit
def dequantize_kernel(q_ptr, scale_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < width
    q = tl.load(q_ptr + row * width + column, mask=inside, other=0)
    scale = tl.load(scale_ptr + row)
    tl.store(out_ptr + row * width + column, q.to(tl.float32) * scale, mask=inside)


@dataclass(frozen=True)
class Format:
    bits: int = 8
    block_r: int = 32
    block_c: int = 32

    @property
    def limit(self):
        return float((1 << (self.bits - 1)) - 1)


class Quantized:
    def __init__(self, x, fmt):
        rows, width = x.shape
        self.fmt = fmt
        self.values = torch.zeros((rows, width), dtype=torch.int8, device=DEVICE)
        self.scales = torch.zeros(rows, device=DEVICE)
        quantize_kernel[(triton.cdiv(rows, fmt.block_r),)](
            x, self.values, self.scales, rows, width, fmt.limit,
            BLOCK_R=fmt.block_r, BLOCK_C=fmt.block_c,
        )

    @property
    def nbytes(self):
        return self.values.numel() + 4 * self.scales.numel()

    def dequantize(self, block=256):
        rows, width = self.values.shape
        out = torch.empty((rows, width), device=DEVICE)
        grid = (rows, triton.cdiv(width, block))
        dequantize_kernel[grid](self.values, self.scales, out, width, BLOCK=block)
        return out


def activations(rows, width, seed):
    """Rows of very different size, as behind a layer without a norm."""
    gen = torch.Generator().manual_seed(seed)
    size = torch.logspace(-1, 1, rows)[:, None]
    return (torch.randn(rows, width, generator=gen) * size).to(DEVICE)


def check(x, fmt):
    packed = Quantized(x, fmt)
    want = x.abs().amax(dim=1)
    error = (packed.dequantize() - x).abs().amax(dim=1)
    print(f"{tuple(x.shape)}: {packed.nbytes} bytes, largest error {float(error.max()):.4f}")
    torch.testing.assert_close(packed.scales * fmt.limit, want)
    if bool((error > packed.scales * 0.51).any()):
        raise AssertionError("a value is off by more than half a step")


def bench(x, fmt, repeat=50):
    Quantized(x, fmt)
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repeat):
        Quantized(x, fmt)
    torch.cuda.synchronize()
    seconds = (time.perf_counter() - start) / repeat
    print(f"{x.numel() * 9 / seconds / 1e9:.1f} GB/s")


def main():
    parser = argparse.ArgumentParser(description="quantise rows to few bits")
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--width", type=int, default=320)
    parser.add_argument("--bits", type=int, default=8, choices=range(2, 9))
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--bench", action="store_true")
    args = parser.parse_args()
    fmt = Format(bits=args.bits)
    x = activations(args.rows, args.width, args.seed)
    check(x, fmt)
    if args.bench:
        bench(x, fmt)
    print("equal")


if __name__ == "__main__":
    main()
