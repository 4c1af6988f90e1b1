"""
Attention forward in TileLang, with an online softmax over tiles of the keys.

    O = softmax(Q K^T / sqrt(dim) [+ causal mask]) V

Q, K, V and O are (batch, length, heads, dim). A block works on block_m rows of
one head; scores stay in registers, their exponentials are cast to the input
type and multiplied with a tile of V.

    python tilelang_attention.py
    python tilelang_attention.py --causal --length 512
    python tilelang_attention.py --sweep            try all shapes of a table

Without a GPU the kernel is traced only. There is one fault in this file, the
second extent of P_cast:

    autodd-c examples/tilelang_attention.py -j 8
"""
import argparse
import contextlib
import dataclasses
import math
import time

import torch

import tilelang
import tilelang.language as T

LOG2E = 1.4426950408889634
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@dataclasses.dataclass(frozen=True)
class Shape:
    """Extents of one attention problem."""

    batch: int = 1
    heads: int = 4
    length: int = 256
    dim: int = 64
    causal: bool = False

    @property
    def scale(self):
        return LOG2E / math.sqrt(self.dim)

    @property
    def tensor(self):
        return self.batch, self.length, self.heads, self.dim

    @property
    def flops(self):
        full = 4 * self.batch * self.heads * self.length * self.length * self.dim
        return full // 2 if self.causal else full

    def __str__(self):
        kind = "causal" if self.causal else "full"
        return f"{self.batch}x{self.heads}x{self.length}x{self.dim} {kind}"


@dataclasses.dataclass(frozen=True)
class Tiling:
    block_m: int = 64
    block_n: int = 128
    stages: int = 2
    threads: int = 128

    def shared_bytes(self, dim, itemsize=2):
        rows = self.block_m + 2 * self.block_n * self.stages
        return rows * dim * itemsize

    def check(self, shape):
        if self.block_m % 16 or self.block_n % 16:
            raise ValueError("tiles must be multiples of 16")
        if self.shared_bytes(shape.dim) > 160 * 1024:
            raise ValueError("tiles do not fit into shared memory")
        if shape.length % self.block_m:
            raise ValueError(f"{shape.length} rows are no multiple of {self.block_m}")
        return self


SWEEP = [
    Shape(),
    Shape(causal=True),
    Shape(batch=2, heads=8, length=512),
    Shape(length=1024, dim=128, causal=True),
]


@contextlib.contextmanager
def timed(label):
    start = time.perf_counter()
    yield
    print(f"{label}: {time.perf_counter() - start:.2f} s")


def make_attention(shape, tiling):
    batch, length, heads, dim = shape.tensor
    block_m, block_n = tiling.block_m, tiling.block_n
    scale, causal = shape.scale, shape.causal
    dtype, accum = "float16", "float32"

    @T.macro
    def mask_scores(scores: T.FragmentBuffer((block_m, block_n), accum), row: T.int32, col: T.int32):
        for i, j in T.Parallel(block_m, block_n):
            if causal:
                scores[i, j] = T.if_then_else(row + i >= col + j, 0, -T.infinity(accum))
            else:
                scores[i, j] = 0

    @T.prim_func
    def attention(
        Q: T.Tensor((batch, length, heads, dim), dtype),
        K: T.Tensor((batch, length, heads, dim), dtype),
        V: T.Tensor((batch, length, heads, dim), dtype),
        O: T.Tensor((batch, length, heads, dim), dtype),
    ):
        with T.Kernel(T.ceildiv(length, block_m), heads, batch, threads=tiling.threads) as (bx, by, bz):
            Q_shared = T.alloc_shared((block_m, dim), dtype)
            K_shared = T.alloc_shared((block_n, dim), dtype)
            V_shared = T.alloc_shared((block_n, dim), dtype)
            scores = T.alloc_fragment((block_m, block_n), accum)
            P_cast = T.alloc_fragment((block_m, dim), dtype)
            acc = T.alloc_fragment((block_m, dim), accum)
            peak = T.alloc_fragment((block_m,), accum)
            previous = T.alloc_fragment((block_m,), accum)
            factor = T.alloc_fragment((block_m,), accum)
            row_sum = T.alloc_fragment((block_m,), accum)
            total = T.alloc_fragment((block_m,), accum)

            T.copy(Q[bz, bx * block_m : (bx + 1) * block_m, by, :], Q_shared)
            T.clear(acc)
            T.clear(total)
            T.fill(peak, -T.infinity(accum))
            steps = T.ceildiv((bx + 1) * block_m if causal else length, block_n)
            for k in T.Pipelined(steps, num_stages=tiling.stages):
                T.copy(K[bz, k * block_n : (k + 1) * block_n, by, :], K_shared)
                mask_scores(scores, bx * block_m, k * block_n)
                T.gemm(Q_shared, K_shared, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)

                T.copy(peak, previous)
                T.reduce_max(scores, peak, dim=1, clear=False)
                for i in T.Parallel(block_m):
                    factor[i] = T.exp2((previous[i] - peak[i]) * scale)
                for i, j in T.Parallel(block_m, block_n):
                    scores[i, j] = T.exp2((scores[i, j] - peak[i]) * scale)
                T.reduce_sum(scores, row_sum, dim=1)
                for i in T.Parallel(block_m):
                    total[i] = total[i] * factor[i] + row_sum[i]
                for i, j in T.Parallel(block_m, dim):
                    acc[i, j] *= factor[i]

                T.copy(V[bz, k * block_n : (k + 1) * block_n, by, :], V_shared)
                T.copy(scores, P_cast)
                T.gemm(P_cast, V_shared, acc, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_m, dim):
                acc[i, j] /= total[i]
            T.copy(acc, O[bz, bx * block_m : (bx + 1) * block_m, by, :])

    return attention


def reference(q, k, v, causal):
    scores = torch.einsum("bqhd,bkhd->bhqk", q.float(), k.float()) / math.sqrt(q.shape[-1])
    if causal:
        length = q.shape[1]
        keep = torch.ones(length, length, dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(~keep, float("-inf"))
    return torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v.float()).to(q.dtype)


class Attention:
    """The kernel for one shape, built at its first call."""

    def __init__(self, shape, tiling=Tiling()):
        self.shape = shape
        self.tiling = tiling.check(shape)
        self._kernel = None

    def build(self):
        with timed(f"build for {self.shape}"):
            program = make_attention(self.shape, self.tiling)
            if DEVICE == "cuda":
                return tilelang.compile(program, out_idx=[3])
            return lambda q, k, v: reference(q, k, v, self.shape.causal)

    def __call__(self, q, k, v):
        if self._kernel is None:
            self._kernel = self.build()
        return self._kernel(q, k, v)


def inputs(shape, seed=0):
    gen = torch.Generator().manual_seed(seed)
    make = lambda: torch.randn(shape.tensor, generator=gen).half().to(DEVICE)
    return make(), make(), make()


def check(shape):
    q, k, v = inputs(shape)
    got = Attention(shape)(q, k, v)
    torch.testing.assert_close(got, reference(q, k, v, shape.causal), rtol=1e-2, atol=1e-2)
    print(f"{shape}: equal, {shape.flops / 1e6:.1f} MFLOP")


def parse_args():
    parser = argparse.ArgumentParser(description="attention forward")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--length", type=int, default=256)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--sweep", action="store_true")
    return parser.parse_args()


def main():
    args = parse_args()
    if args.sweep:
        shapes = SWEEP
    else:
        shapes = [Shape(args.batch, args.heads, args.length, args.dim, args.causal)]
    for shape in shapes:
        check(shape)


if __name__ == "__main__":
    main()
