"""
Layer normalisation over the channels of each group, in TileLang.

    Y[r, g, :] = (X[r, g, :] - mean) / sqrt(var + eps) * Weight[g, :] + Bias[g, :]

X is (rows, groups, channels). A block keeps block_rows rows of all groups in
registers, and makes the mean and the variance by two reductions.

    python tilelang_layernorm.py
    python tilelang_layernorm.py --rows 512 --groups 8 --channels 128
    python tilelang_layernorm.py --list             what would be tuned

Without a GPU the kernel is traced only. There is one fault in this file: the
sum of squares is reduced over the wrong dimension.

    autodd-c examples/tilelang_layernorm.py -j 8
"""
import argparse
import collections
import enum
import itertools
import sys
import time

import torch

import tilelang
import tilelang.language as T

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

Extents = collections.namedtuple("Extents", "rows groups channels")


class Kind(enum.Enum):
    """Types that the kernel takes, with the error that is allowed."""

    HALF = ("float16", torch.float16, 1e-2)
    BFLOAT = ("bfloat16", torch.bfloat16, 5e-2)
    SINGLE = ("float32", torch.float32, 1e-4)

    def __init__(self, tile, torch_dtype, tolerance):
        self.tile = tile
        self.torch = torch_dtype
        self.tolerance = tolerance

    @classmethod
    def named(cls, name):
        for kind in cls:
            if kind.tile == name:
                return kind
        raise KeyError(name)


class Plan:
    """Rows a block, and threads."""

    REGISTERS = 48 * 1024

    def __init__(self, extents, kind, block_rows=4, threads=128, eps=1e-5):
        self.extents = extents
        self.kind = kind
        self.block_rows = block_rows
        self.threads = threads
        self.eps = eps

    @property
    def per_block(self):
        return self.block_rows * self.extents.groups * self.extents.channels

    def valid(self):
        return self.extents.rows % self.block_rows == 0 and self.per_block * 4 <= self.REGISTERS * 4

    def __repr__(self):
        return f"Plan(block_rows={self.block_rows}, threads={self.threads})"

    @classmethod
    def all(cls, extents, kind):
        for block_rows, threads in itertools.product((1, 2, 4, 8), (64, 128, 256)):
            plan = cls(extents, kind, block_rows, threads)
            if plan.valid():
                yield plan


def make_layernorm(plan):
    rows, groups, channels = plan.extents
    block, eps = plan.block_rows, plan.eps
    dtype, accum = plan.kind.tile, "float32"
    inverse = 1.0 / channels

    @T.prim_func
    def layernorm(
        X: T.Tensor((rows, groups, channels), dtype),
        Weight: T.Tensor((groups, channels), dtype),
        Bias: T.Tensor((groups, channels), dtype),
        Y: T.Tensor((rows, groups, channels), dtype),
    ):
        with T.Kernel(T.ceildiv(rows, block), threads=plan.threads) as bx:
            x = T.alloc_fragment((block, groups, channels), accum)
            square = T.alloc_fragment((block, groups, channels), accum)
            mean = T.alloc_fragment((block, groups), accum)
            variance = T.alloc_fragment((block, groups), accum)
            T.copy(X[bx * block, 0, 0], x)
            T.reduce_sum(x, mean, dim=2)
            for i, g in T.Parallel(block, groups):
                mean[i, g] *= inverse
            for i, g, c in T.Parallel(block, groups, channels):
                x[i, g, c] -= mean[i, g]
                square[i, g, c] = x[i, g, c] * x[i, g, c]
            T.reduce_sum(square, variance, dim=1)
            for i, g in T.Parallel(block, groups):
                variance[i, g] = T.rsqrt(variance[i, g] * inverse + eps)
            for i, g, c in T.Parallel(block, groups, channels):
                x[i, g, c] = x[i, g, c] * variance[i, g] * Weight[g, c] + Bias[g, c]
            T.copy(x, Y[bx * block, 0, 0])

    return layernorm


def reference(x, weight, bias, eps):
    wide = x.float()
    mean = wide.mean(dim=2, keepdim=True)
    variance = wide.var(dim=2, keepdim=True, unbiased=False)
    out = (wide - mean) * torch.rsqrt(variance + eps) * weight.float() + bias.float()
    return out.to(x.dtype)


class LayerNorm(torch.nn.Module):
    def __init__(self, extents, kind, plan=None):
        super().__init__()
        shape = (extents.groups, extents.channels)
        self.weight = torch.nn.Parameter(torch.ones(shape, dtype=kind.torch, device=DEVICE))
        self.bias = torch.nn.Parameter(torch.zeros(shape, dtype=kind.torch, device=DEVICE))
        self.plan = plan or Plan(extents, kind)
        self.kernel = None

    def reset(self, seed):
        gen = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for tensor in (self.weight, self.bias):
                tensor.copy_(torch.randn(tensor.shape, generator=gen))

    def prepare(self):
        start = time.perf_counter()
        program = make_layernorm(self.plan)
        if DEVICE == "cuda":
            self.kernel = tilelang.compile(program, out_idx=[3])
        print(f"prepared {self.plan!r} in {time.perf_counter() - start:.2f} s")

    def forward(self, x):
        if self.kernel is None:
            self.prepare()
        if DEVICE == "cpu":
            return reference(x, self.weight, self.bias, self.plan.eps)
        return self.kernel(x, self.weight, self.bias)


def statistics(name, tensor):
    wide = tensor.detach().float()
    print(f"{name:<8} mean {wide.mean():+.4f} std {wide.std():.4f} max {wide.abs().max():.3f}")


def run(extents, kind):
    torch.manual_seed(1)
    x = (torch.randn(extents) * 3 + 1).to(kind.torch).to(DEVICE)
    layer = LayerNorm(extents, kind)
    layer.reset(seed=2)
    statistics("input", x)
    got = layer(x)
    statistics("output", got)
    want = reference(x, layer.weight, layer.bias, layer.plan.eps)
    torch.testing.assert_close(got, want, rtol=kind.tolerance, atol=kind.tolerance)
    print("equal")


def main():
    parser = argparse.ArgumentParser(description="grouped layer normalisation")
    parser.add_argument("--rows", type=int, default=256)
    parser.add_argument("--groups", type=int, default=4)
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--dtype", default="float16", choices=[kind.tile for kind in Kind])
    parser.add_argument("--list", action="store_true", help="print the plans and stop")
    args = parser.parse_args()
    extents = Extents(args.rows, args.groups, args.channels)
    kind = Kind.named(args.dtype)
    if args.list:
        for plan in Plan.all(extents, kind):
            print(plan)
        return 0
    run(extents, kind)
    return 0


if __name__ == "__main__":
    sys.exit(main())
