"""
Layer normalisation with a residual in TileLang, and the statistics of each row.

    h = x + residual
    y = (h - mean(h)) / sqrt(var(h) + eps) * weight + bias

A block of threads works on a few rows. y goes through shared memory, so that the
rows are written in one piece; mean and the inverse deviation are kept for the
backward pass.

    python tilelang_no_writeback.py
    python tilelang_no_writeback.py --rows 4096 --width 1024 --bench

Needs a GPU. There is one fault in this file: y is put into shared memory and
never copied from there to its tensor.

    autodd-c examples/gpu/tilelang_no_writeback.py --err-msg "Tensor-likes are not close" -j 8
"""
import argparse
import dataclasses
import functools
import time

import torch

import tilelang
import tilelang.language as T

DEVICE = "cuda"


@dataclasses.dataclass(frozen=True)
class Config:
    rows: int
    width: int
    block: int = 4
    threads: int = 128
    eps: float = 1e-5

    def validate(self):
        if self.rows % self.block:
            raise ValueError(f"{self.rows} rows are no multiple of {self.block}")
        if self.width % 32:
            raise ValueError(f"width {self.width} is no multiple of 32")
        return self


def make_program(config):
    rows, width, block, eps = config.rows, config.width, config.block, config.eps
    dtype = "float32"

    @T.prim_func
    def layer_norm(
        X: T.Tensor((rows, width), dtype),
        Residual: T.Tensor((rows, width), dtype),
        Weight: T.Tensor((width,), dtype),
        Bias: T.Tensor((width,), dtype),
        Y: T.Tensor((rows, width), dtype),
        Mean: T.Tensor((rows,), dtype),
        Rstd: T.Tensor((rows,), dtype),
    ):
        with T.Kernel(T.ceildiv(rows, block), threads=config.threads) as bx:
            h = T.alloc_fragment((block, width), dtype)
            other = T.alloc_fragment((block, width), dtype)
            square = T.alloc_fragment((block, width), dtype)
            mean = T.alloc_fragment((block,), dtype)
            rstd = T.alloc_fragment((block,), dtype)
            y_shared = T.alloc_shared((block, width), dtype)

            T.copy(X[bx * block, 0], h)
            T.copy(Residual[bx * block, 0], other)
            for i, j in T.Parallel(block, width):
                h[i, j] += other[i, j]
            T.reduce_sum(h, mean, dim=1)
            for i in T.Parallel(block):
                mean[i] = mean[i] / width
            for i, j in T.Parallel(block, width):
                h[i, j] = h[i, j] - mean[i]
                square[i, j] = h[i, j] * h[i, j]
            T.reduce_sum(square, rstd, dim=1)
            for i in T.Parallel(block):
                rstd[i] = T.rsqrt(rstd[i] / width + eps)
            for i, j in T.Parallel(block, width):
                h[i, j] = h[i, j] * rstd[i] * Weight[j] + Bias[j]
            T.copy(h, y_shared)
            T.copy(mean, Mean[bx * block])
            T.copy(rstd, Rstd[bx * block])

    return layer_norm


@functools.lru_cache(maxsize=8)
def build(config):
    return tilelang.compile(make_program(config), target="cuda")


class LayerNorm:
    def __init__(self, config, seed=0):
        gen = torch.Generator().manual_seed(seed)
        self.config = config.validate()
        self.weight = (torch.rand(config.width, generator=gen) + 0.5).to(DEVICE)
        self.bias = torch.randn(config.width, generator=gen).to(DEVICE)

    def __call__(self, x, residual):
        rows, width = self.config.rows, self.config.width
        y = torch.zeros((rows, width), device=DEVICE)
        mean = torch.zeros(rows, device=DEVICE)
        rstd = torch.zeros(rows, device=DEVICE)
        build(self.config)(x, residual, self.weight, self.bias, y, mean, rstd)
        return {"mean": mean, "rstd": rstd, "y": y}

    def reference(self, x, residual):
        h = x + residual
        y = torch.nn.functional.layer_norm(h, h.shape[1:], self.weight, self.bias, self.config.eps)
        variance = h.var(dim=1, unbiased=False)
        return {"mean": h.mean(dim=1), "rstd": torch.rsqrt(variance + self.config.eps), "y": y}


def inputs(config, seed=1):
    gen = torch.Generator().manual_seed(seed)
    x, residual = torch.randn(2, config.rows, config.width, generator=gen).to(DEVICE)
    return x.contiguous(), residual.contiguous()


def check(norm, x, residual):
    got, want = norm(x, residual), norm.reference(x, residual)
    for name, value in got.items():
        difference = (value - want[name]).abs().max()
        print(f"{name:<5} off by at most {float(difference):.2e}")
        torch.testing.assert_close(value, want[name], rtol=1e-4, atol=1e-4)


def bench(norm, x, residual, repeat=50):
    norm(x, residual)
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repeat):
        norm(x, residual)
    torch.cuda.synchronize()
    seconds = (time.perf_counter() - start) / repeat
    print(f"{x.numel() * 12 / seconds / 1e9:.1f} GB/s")


def main():
    parser = argparse.ArgumentParser(description="layer normalisation")
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--block", type=int, default=4)
    parser.add_argument("--bench", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(0)
    config = Config(args.rows, args.width, args.block)
    norm = LayerNorm(config)
    x, residual = inputs(config)
    check(norm, x, residual)
    if args.bench:
        bench(norm, x, residual)
    print("equal")


if __name__ == "__main__":
    main()
