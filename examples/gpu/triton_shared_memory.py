"""
Matrix product with tiles chosen from a table, in Triton.

The table has an entry for small, wide and large products; what is not written
there is derived. Tiles of A and B go through shared memory in a software
pipeline of num_stages steps, and sums are kept in single precision.

    python triton_shared_memory.py
    python triton_shared_memory.py --m 4096 --n 4096 --k 1024 --bench

Needs a GPU. There is one fault in this file: the entry for large products asks
for more stages than shared memory has room for.

    autodd-c examples/gpu/triton_shared_memory.py --err-msg "out of resource: shared memory" -j 8
"""
import argparse
import time
from typing import NamedTuple

import torch
import triton
import triton.language as tl

DEVICE = "cuda"


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    in_group = GROUP_M * tiles_n
    first = pid // in_group * GROUP_M
    size = min(tiles_m - first, GROUP_M)
    tile_m = first + pid % in_group % size
    tile_n = pid % in_group // size
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    a_at = a_ptr + rows[:, None] * stride_am + inner[None, :]
    b_at = b_ptr + inner[:, None] * stride_bk + columns[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        left = K - start
        a = tl.load(a_at, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        b = tl.load(b_at, mask=(inner[:, None] < left) & (columns[None, :] < N), other=0.0)
        total += tl.dot(a, b)
        a_at += BLOCK_K
        b_at += BLOCK_K * stride_bk
    c_at = c_ptr + rows[:, None] * stride_cm + columns[None, :]
    tl.store(c_at, total.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


class Tile(NamedTuple):
    m: int
    n: int
    k: int
    stages: int
    warps: int

    def __str__(self):
        return f"{self.m}x{self.n}x{self.k}, {self.stages} stages, {self.warps} warps"


TABLE = {
    "small": Tile(64, 64, 32, stages=4, warps=4),
    "wide": Tile(64, 128, 64, stages=4, warps=4),
    "large": Tile(128, 256, 64, stages=8, warps=8),
}


class Matmul:
    def __init__(self, tile=None, group=8):
        self.tile = tile
        self.group = group

    @staticmethod
    def kind(m, n):
        if m * n < 128 * 128 * 4:
            return "small"
        return "wide" if n >= 8 * m else "large"

    def choose(self, m, n):
        return self.tile or TABLE[self.kind(m, n)]

    def __call__(self, a, b):
        (m, k), (_, n) = a.shape, b.shape
        if b.shape[0] != k:
            raise ValueError(f"{tuple(a.shape)} times {tuple(b.shape)}")
        tile = self.choose(m, n)
        c = torch.empty((m, n), dtype=a.dtype, device=a.device)
        grid = (triton.cdiv(m, tile.m) * triton.cdiv(n, tile.n),)
        matmul_kernel[grid](
            a, b, c, m, n, k, a.stride(0), b.stride(0), c.stride(0),
            BLOCK_M=tile.m, BLOCK_N=tile.n, BLOCK_K=tile.k, GROUP_M=self.group,
            num_stages=tile.stages, num_warps=tile.warps,
        )
        return c


def inputs(m, n, k, seed):
    gen = torch.Generator().manual_seed(seed)
    a = torch.randn(m, k, generator=gen) / k**0.5
    b = torch.randn(k, n, generator=gen)
    return a.half().to(DEVICE), b.half().to(DEVICE)


def check(matmul, a, b):
    got = matmul(a, b)
    want = (a.float() @ b.float()).half()
    torch.testing.assert_close(got, want, rtol=1e-2, atol=1e-2)
    print(f"{tuple(a.shape)} x {tuple(b.shape)}: {matmul.choose(a.shape[0], b.shape[1])}")


def bench(matmul, a, b, repeat=20):
    matmul(a, b)
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repeat):
        matmul(a, b)
    torch.cuda.synchronize()
    seconds = (time.perf_counter() - start) / repeat
    flops = 2 * a.shape[0] * a.shape[1] * b.shape[1]
    print(f"{flops / seconds / 1e12:.1f} TFLOP/s")


def main():
    parser = argparse.ArgumentParser(description="matrix product from a table of tiles")
    parser.add_argument("--m", type=int, default=512)
    parser.add_argument("--n", type=int, default=512)
    parser.add_argument("--k", type=int, default=512)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bench", action="store_true")
    args = parser.parse_args()
    matmul = Matmul()
    for m, n, k in ((96, 80, 64), (64, 1024, 128), (args.m, args.n, args.k)):
        a, b = inputs(m, n, k, args.seed)
        check(matmul, a, b)
    if args.bench:
        bench(matmul, a, b)
    print("equal")


if __name__ == "__main__":
    main()
