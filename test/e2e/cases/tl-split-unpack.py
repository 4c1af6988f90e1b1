#!/usr/bin/env python3
# Split-K GEMM with a bias and activation epilogue; shapes taken from a sweep file.
import enum
import json
import sys
import typing as t

import torch
import tilelang
import tilelang.language as T

SWEEP = json.loads("""
{
  "defaults": {"block_m": 64, "block_n": 128, "block_k": 32, "split": 4, "threads": 128},
  "cases": [
    {"m": 256, "n": 256, "k": 1024, "act": "relu"},
    {"m": 128, "n": 512, "k": 2048, "act": "none", "split": 8},
    {"m": 64, "n": 128, "k": 4096, "act": "gelu", "block_n": 64}
  ]
}
""")


class Act(enum.Enum):
    NONE = "none"
    RELU = "relu"
    GELU = "gelu"

    def apply(self, x):
        if self is Act.RELU:
            return torch.relu(x)
        if self is Act.GELU:
            return torch.nn.functional.gelu(x)
        return x


class Shape(t.NamedTuple):
    m: int
    n: int
    k: int


class Tile(t.NamedTuple):
    block_m: int
    block_n: int
    block_k: int
    split: int
    threads: int

    def grid(self, s: Shape):
        return -(-s.n // self.block_n), -(-s.m // self.block_m), self.split


def expand(sweep):
    for case in sweep["cases"]:
        merged = {**sweep["defaults"], **case}
        shape = Shape(*(merged.pop(key) for key in Shape._fields))
        act = Act(merged.pop("act"))
        yield shape, Tile(**merged), act


def activation(act):
    if act is Act.RELU:
        return lambda v: T.max(v, 0)
    if act is Act.GELU:
        return lambda v: v * 0.5 * (1.0 + T.erf(v * 0.7071067811865476))
    return lambda v: v


def splitk_gemm(shape: Shape, tile: Tile, dtype="float16", accum="float32"):
    M, N, K = shape
    bm, bn, bk, split, threads = tile
    per_split = K // split

    @tilelang.jit(out_idx=[2])
    def build():
        @T.prim_func
        def kernel(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((split, M, N), accum)):
            with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), split, threads=threads) as (bx, by, bz):
                a = T.alloc_shared((bm, bk), dtype)
                b = T.alloc_shared((bk, bn), dtype)
                c = T.alloc_fragment((bm, bn), accum)
                T.clear(c)
                for ko in T.Pipelined(T.ceildiv(per_split, bk), num_stages=2):
                    T.copy(A[by * bm, bz * per_split + ko * bk], a)
                    T.copy(B[bz * per_split + ko * bk, bx * bn], b)
                    T.gemm(a, b, c)
                T.copy(c, C[bz, by * bm, bx * bn])
        return kernel

    return build()


def epilogue(shape: Shape, tile: Tile, act: Act, accum="float32", dtype="float16"):
    M, N, _ = shape
    bm, bn, _, split, threads = tile
    f = activation(act)

    @tilelang.jit(out_idx=[2])
    def build():
        @T.prim_func
        def kernel(P: T.Tensor((split, M, N), accum), Bias: T.Tensor((N,), dtype), C: T.Tensor((M, N), dtype)):
            with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by, bz):
                acc = T.alloc_fragment((bm, bn), accum)
                part = T.alloc_fragment((bm, bn), accum)
                T.clear(acc)
                for s in T.serial(split):
                    T.copy(P[s, by * bm, bx * bn], part)
                    for i, j in T.Parallel(bm, bn):
                        acc[i, j] += part[i, j]
                for i, j in T.Parallel(bm, bn):
                    acc[i, j] = f(acc[i, j] + Bias[bx * bn + j])
                T.copy(acc, C[by * bm, bx * bn])
        return kernel

    return build()


def check(shape, tile, act):
    g = torch.Generator().manual_seed(hash(shape) & 0xFFFF)
    a = torch.randn(shape.m, shape.k, generator=g).half()
    b = torch.randn(shape.k, shape.n, generator=g).half()
    bias = torch.randn(shape.n, generator=g).half()
    finish = epilogue(shape, tile, act)
    partial = splitk_gemm(shape, tile)(a, b)
    got = finish(partial, bias)
    want = act.apply(a.float() @ b.float() + bias.float())
    err = (got.float() - want).abs().max().item()
    print(f"{shape} {act.name:<5} grid {tile.grid(shape)} err {err:.4f}")
    return err


def main(argv: t.List[str]) -> int:
    limit = float(argv[0]) if argv else 0.5
    worst = max(check(*case) for case in expand(SWEEP))
    return int(worst > limit)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
