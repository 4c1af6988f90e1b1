"""
Matrix product with weights of four bits, in TileLang.

    C = A @ dequantize(B, Scales)^T

A is (M, K) in half precision. B holds two unsigned 4-bit weights a byte, as
(N, K / 2); each group of group_size weights of a row shares a scale, Scales is
(N, K / group_size). Tiles of B are unpacked into shared memory on the way.

    python tilelang_dequant_gemm.py
    python tilelang_dequant_gemm.py --m 64 --n 512 --k 1024 --group-size 64

Without a GPU the kernel is traced only. There is one fault in this file, in the
way the scale of a weight is looked up:

    autodd-c examples/tilelang_dequant_gemm.py -j 8
"""
import argparse
import dataclasses
import json
import logging
import os
import sys

import torch

import tilelang
import tilelang.language as T

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
ZERO_POINT = 8
log = logging.getLogger("dequant")


@dataclasses.dataclass
class Layout:
    """How weights are packed."""

    bits: int = 4
    group_size: int = 128

    @property
    def per_byte(self):
        return 8 // self.bits

    @property
    def levels(self):
        return 1 << self.bits

    def packed(self, k):
        return k // self.per_byte

    def groups(self, k):
        return k // self.group_size


@dataclasses.dataclass
class Problem:
    m: int
    n: int
    k: int
    layout: Layout

    def validate(self):
        if self.k % self.layout.group_size:
            raise ValueError(f"K = {self.k} is no multiple of the group size {self.layout.group_size}")
        if self.n % 16 or self.m % 16:
            raise ValueError("M and N must be multiples of 16")
        return self

    def ratio(self):
        """Bytes of the packed weights by those in half precision."""
        packed = self.n * self.layout.packed(self.k) + 2 * self.n * self.layout.groups(self.k)
        return packed / (2 * self.n * self.k)


TILES = {
    "small": dict(block_m=16, block_n=64, block_k=64, stages=2, threads=128),
    "wide": dict(block_m=64, block_n=128, block_k=64, stages=3, threads=128),
    "tall": dict(block_m=128, block_n=64, block_k=32, stages=3, threads=256),
}


def choose_tile(problem):
    name = os.environ.get("DEQUANT_TILE")
    if name:
        return TILES[name]
    if problem.m <= 16:
        return TILES["small"]
    return TILES["wide" if problem.n >= problem.m else "tall"]


def quantize(weights, layout):
    """Return packed weights and scales for a matrix (N, K)."""
    n, k = weights.shape
    groups = weights.float().reshape(n, layout.groups(k), layout.group_size)
    scales = groups.abs().amax(dim=2, keepdim=True) / (ZERO_POINT - 1)
    levels = torch.round(groups / scales.clamp(min=1e-8)) + ZERO_POINT
    levels = levels.clamp(0, layout.levels - 1).to(torch.uint8).reshape(n, k)
    packed = torch.zeros(n, layout.packed(k), dtype=torch.uint8)
    for position in range(layout.per_byte):
        packed |= levels[:, position :: layout.per_byte] << (layout.bits * position)
    return packed, scales.reshape(n, layout.groups(k)).half()


def dequantize(packed, scales, layout):
    n, width = packed.shape
    parts = [(packed >> (layout.bits * p)) & (layout.levels - 1) for p in range(layout.per_byte)]
    levels = torch.stack(parts, dim=2).reshape(n, width * layout.per_byte)
    return (levels.float() - ZERO_POINT) * scales.float().repeat_interleave(layout.group_size, dim=1)


def reference(a, packed, scales, layout):
    return (a.float() @ dequantize(packed, scales, layout).T).to(a.dtype)


def make_dequant_gemm(problem, block_m, block_n, block_k, stages, threads):
    M, N, K = problem.m, problem.n, problem.k
    bits, group_size = problem.layout.bits, problem.layout.group_size
    per_byte, levels = problem.layout.per_byte, problem.layout.levels
    dtype, accum, storage = "float16", "float32", "uint8"

    @T.macro
    def unpack(byte: T.uint8, position: T.int32):
        level = (byte >> T.cast(position * bits, storage)) & T.cast(levels - 1, storage)
        return T.cast(level, dtype) - T.cast(ZERO_POINT, dtype)

    @T.prim_func
    def dequant_gemm(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((N, K // per_byte), storage),
        Scales: T.Tensor((N, K // group_size), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((block_m, block_k), dtype)
            B_packed = T.alloc_shared((block_n, block_k // per_byte), storage)
            B_local = T.alloc_fragment((block_n, block_k // per_byte), storage)
            B_half = T.alloc_fragment((block_n, block_k), dtype)
            B_shared = T.alloc_shared((block_n, block_k), dtype)
            C_local = T.alloc_fragment((block_m, block_n), accum)

            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(K, block_k), num_stages=stages):
                T.copy(A[by * block_m, ko * block_k], A_shared)
                T.copy(B[bx * block_n, ko * block_k // per_byte], B_packed)
                T.copy(B_packed, B_local)
                for i, j in T.Parallel(block_n, block_k):
                    B_half[i, j] = unpack(B_local[i, j // per_byte], j % per_byte)
                for i, j in T.Parallel(block_n, block_k):
                    B_half[i, j] *= Scales[(bx * block_n + i) * (K // group_size) + (ko * block_k + j) // group_size]
                T.copy(B_half, B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C[by * block_m, bx * block_n])

    return dequant_gemm


class Linear:
    """A layer with packed weights."""

    def __init__(self, weights, layout, m):
        n, k = weights.shape
        self.problem = Problem(m, n, k, layout).validate()
        self.packed, self.scales = quantize(weights, layout)
        self.tile = choose_tile(self.problem)
        log.info("tile %s", json.dumps(self.tile))
        self.program = make_dequant_gemm(self.problem, **self.tile)
        self.kernel = tilelang.compile(self.program, out_idx=[3]) if DEVICE == "cuda" else None

    def __call__(self, a):
        if self.kernel is None:
            return reference(a, self.packed, self.scales, self.problem.layout)
        return self.kernel(a, self.packed.to(DEVICE), self.scales.to(DEVICE))


def main(argv=None):
    parser = argparse.ArgumentParser(description="product with 4-bit weights")
    parser.add_argument("--m", type=int, default=64)
    parser.add_argument("--n", type=int, default=256)
    parser.add_argument("--k", type=int, default=512)
    parser.add_argument("--group-size", type=int, default=128)
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args(argv)
    logging.basicConfig(level=logging.DEBUG if args.verbose else logging.INFO, stream=sys.stdout,
                        format="%(name)s: %(message)s")

    layout = Layout(group_size=args.group_size)
    gen = torch.Generator().manual_seed(5)
    weights = torch.randn(args.n, args.k, generator=gen) / args.k**0.5
    a = torch.randn(args.m, args.k, generator=gen).half()
    layer = Linear(weights, layout, args.m)
    log.info("weights take %.0f %% of half precision", 100 * layer.problem.ratio())
    got = layer(a.to(DEVICE))
    want = reference(a, layer.packed, layer.scales, layout)
    torch.testing.assert_close(got.cpu(), want, rtol=1e-2, atol=1e-2)
    error = (want.float() - a.float() @ weights.T).abs().mean()
    log.info("equal; mean error of the quantization %.4f", error)


if __name__ == "__main__":
    main()
