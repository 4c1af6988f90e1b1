"""
A batch of matrix products with one weight in TileLang.

    C[b] = A[b] @ W * scale

A block of threads owns a tile of columns and rows and walks over the batch, so
that the tiles of W stay in the cache. Sums are kept in registers.

    python tilelang_no_clear.py
    python tilelang_no_clear.py --batch 16 --m 512 --bench

Needs a GPU. There is one fault in this file: the sums of a tile
are never cleared.

    autodd-c examples/gpu/tilelang_no_clear.py --err-msg "Tensor-likes are not close" -j 8
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
    block_m: int = 64
    block_n: int = 64
    block_k: int = 32
    num_stages: int = 2
    threads: int = 128
    dtype: str = "float16"
    accum_dtype: str = "float32"

    def validate(self, problem):
        pairs = (("m", self.block_m), ("n", self.block_n), ("k", self.block_k))
        for name, block in pairs:
            extent = getattr(problem, name)
            if extent % block:
                raise ValueError(f"{name} is {extent}, no multiple of {block}")
        return self


@dataclasses.dataclass(frozen=True)
class Problem:
    batch: int
    m: int
    n: int
    k: int
    scale: float = 0.5

    @property
    def flops(self):
        return 2 * self.batch * self.m * self.n * self.k

    def inputs(self, seed=0):
        gen = torch.Generator().manual_seed(seed)
        a = torch.randn(self.batch, self.m, self.k, generator=gen) / self.k**0.5
        w = torch.randn(self.k, self.n, generator=gen)
        return a.half().to(DEVICE), w.half().to(DEVICE)

    def reference(self, a, w):
        return ((a.float() @ w.float()) * self.scale).half()


def make_program(problem, config):
    batch, M, N, K, scale = problem.batch, problem.m, problem.n, problem.k, problem.scale
    block_M, block_N, block_K = config.block_m, config.block_n, config.block_k
    dtype, accum_dtype = config.dtype, config.accum_dtype

    @T.prim_func
    def batched_gemm(
        A: T.Tensor((batch, M, K), dtype),
        W: T.Tensor((K, N), dtype),
        C: T.Tensor((batch, M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=config.threads) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            W_shared = T.alloc_shared((block_K, block_N), dtype)
            C_local = T.alloc_fragment((block_M, block_N), accum_dtype)
            C_cast = T.alloc_fragment((block_M, block_N), dtype)

            for b in T.serial(batch):
                for ko in T.Pipelined(T.ceildiv(K, block_K), num_stages=config.num_stages):
                    T.copy(A[b, by * block_M, ko * block_K], A_shared)
                    T.copy(W[ko * block_K, bx * block_N], W_shared)
                    T.gemm(A_shared, W_shared, C_local)
                for i, j in T.Parallel(block_M, block_N):
                    C_cast[i, j] = C_local[i, j] * scale
                T.copy(C_cast, C[b, by * block_M, bx * block_N])

    return batched_gemm


@functools.lru_cache(maxsize=16)
def build(problem, config):
    start = time.perf_counter()
    kernel = tilelang.compile(make_program(problem, config), out_idx=[2], target="cuda")
    print(f"built in {time.perf_counter() - start:.2f} s")
    return kernel


class BatchedGemm:
    def __init__(self, problem, config=Config()):
        self.problem = problem
        self.config = config.validate(problem)

    def __call__(self, a, w):
        p = self.problem
        if a.shape != (p.batch, p.m, p.k) or w.shape != (p.k, p.n):
            raise ValueError(f"A has shape {tuple(a.shape)}, W has shape {tuple(w.shape)}")
        return build(p, self.config)(a, w)


def worst(got, want):
    """The entry of the batch that is off most, and by how much."""
    difference = (got.float() - want.float()).abs().amax(dim=(1, 2))
    entry = int(difference.argmax())
    return entry, float(difference[entry])


def check(gemm):
    a, w = gemm.problem.inputs()
    got, want = gemm(a, w), gemm.problem.reference(a, w)
    print("entry %d is off by %.4f" % worst(got, want))
    torch.testing.assert_close(got, want, rtol=1e-2, atol=1e-2)


def bench(gemm, repeat=20):
    a, w = gemm.problem.inputs()
    gemm(a, w)
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repeat):
        gemm(a, w)
    torch.cuda.synchronize()
    seconds = (time.perf_counter() - start) / repeat
    print(f"{seconds * 1e3:.3f} ms, {gemm.problem.flops / seconds / 1e12:.1f} TFLOP/s")


def parse_args():
    parser = argparse.ArgumentParser(description="matrix products of a batch")
    parser.add_argument("--batch", type=int, default=3)
    parser.add_argument("--m", type=int, default=128)
    parser.add_argument("--n", type=int, default=128)
    parser.add_argument("--k", type=int, default=256)
    parser.add_argument("--bench", action="store_true")
    return parser.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(0)
    gemm = BatchedGemm(Problem(args.batch, args.m, args.n, args.k))
    check(gemm)
    if args.bench:
        bench(gemm)
    print("equal")


if __name__ == "__main__":
    main()
