"""
Attention backward in TileLang: dQ, dK and dV from dO.

Three kernels: the row sums of O * dO, the gradients of K and V with one block
for each tile of keys, and the gradient of Q with one block for each tile of
queries. Probabilities are computed again from the log-sum-exp of the forward
pass, which the host provides.

    python tilelang_attention_bwd.py
    python tilelang_attention_bwd.py --length 512 --dim 128 --bench

Without a GPU the kernels are traced only. There is one fault in this file, in
the product that makes dK:

    autodd-c examples/tilelang_attention_bwd.py -j 8
"""
import argparse
import functools
import math
import time
from dataclasses import dataclass, field

import torch

import tilelang
import tilelang.language as T

LOG2E = 1.4426950408889634
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
KERNELS = {}


@dataclass(frozen=True)
class Config:
    batch: int = 1
    heads: int = 2
    length: int = 256
    dim: int = 64
    block_m: int = 128
    block_n: int = 32
    threads: int = 128
    dtype: str = "float16"
    accum: str = "float32"
    notes: tuple = field(default=())

    @property
    def sizes(self):
        return self.batch, self.heads, self.length, self.dim

    @property
    def scale(self):
        return 1.0 / math.sqrt(self.dim)

    def validate(self):
        if self.length % self.block_m or self.length % self.block_n:
            raise ValueError(f"length {self.length} does not divide into tiles")
        if self.dim not in (32, 64, 128):
            raise ValueError(f"dim {self.dim} is not supported")
        return self

    def replace_blocks(self, block_m, block_n):
        return Config(*self.sizes, block_m, block_n, self.threads, self.dtype, self.accum)


def register(name):
    """Remember a factory under a name, for --only."""

    def wrap(factory):
        @functools.wraps(factory)
        def counted(config):
            start = time.perf_counter()
            program = factory(config)
            print(f"{name:<6} traced in {time.perf_counter() - start:.2f} s")
            return program

        KERNELS[name] = counted
        return counted

    return wrap


@register("delta")
def make_delta(config):
    batch, heads, length, dim = config.sizes
    block, dtype, accum = config.block_m, config.dtype, config.accum

    @T.prim_func
    def delta(
        O: T.Tensor((batch, heads, length, dim), dtype),
        dO: T.Tensor((batch, heads, length, dim), dtype),
        Delta: T.Tensor((batch, heads, length), accum),
    ):
        with T.Kernel(heads, T.ceildiv(length, block), batch, threads=config.threads) as (bx, by, bz):
            o = T.alloc_fragment((block, dim), accum)
            do = T.alloc_fragment((block, dim), accum)
            total = T.alloc_fragment((block,), accum)
            T.copy(O[bz, bx, by * block, 0], o)
            T.copy(dO[bz, bx, by * block, 0], do)
            for i, j in T.Parallel(block, dim):
                o[i, j] *= do[i, j]
            T.reduce_sum(o, total, dim=1)
            T.copy(total, Delta[bz, bx, by * block])

    return delta


@register("dkdv")
def make_dkdv(config):
    batch, heads, length, dim = config.sizes
    block_m, block_n = config.block_m, config.block_n
    dtype, accum = config.dtype, config.accum
    scale = config.scale

    @T.prim_func
    def dkdv(
        Q: T.Tensor((batch, heads, length, dim), dtype),
        K: T.Tensor((batch, heads, length, dim), dtype),
        V: T.Tensor((batch, heads, length, dim), dtype),
        dO: T.Tensor((batch, heads, length, dim), dtype),
        Lse: T.Tensor((batch, heads, length), accum),
        Delta: T.Tensor((batch, heads, length), accum),
        dK: T.Tensor((batch, heads, length, dim), dtype),
        dV: T.Tensor((batch, heads, length, dim), dtype),
    ):
        with T.Kernel(heads, T.ceildiv(length, block_m), batch, threads=config.threads) as (bx, by, bz):
            K_shared = T.alloc_shared((block_m, dim), dtype)
            V_shared = T.alloc_shared((block_m, dim), dtype)
            q = T.alloc_shared((block_n, dim), dtype)
            do = T.alloc_shared((block_n, dim), dtype)
            lse = T.alloc_shared((block_n,), accum)
            delta = T.alloc_shared((block_n,), accum)
            qkT = T.alloc_fragment((block_m, block_n), accum)
            dsT = T.alloc_fragment((block_m, block_n), accum)
            qkT_cast = T.alloc_fragment((block_m, block_n), dtype)
            dsT_cast = T.alloc_fragment((block_m, block_n), dtype)
            dk = T.alloc_fragment((block_m, dim), accum)
            dv = T.alloc_fragment((block_m, dim), accum)

            T.copy(K[bz, bx, by * block_m, 0], K_shared)
            T.copy(V[bz, bx, by * block_m, 0], V_shared)
            T.clear(dk)
            T.clear(dv)
            for k in T.Pipelined(T.ceildiv(length, block_n), num_stages=2):
                T.copy(Q[bz, bx, k * block_n, 0], q)
                T.copy(dO[bz, bx, k * block_n, 0], do)
                T.copy(Lse[bz, bx, k * block_n], lse)
                T.copy(Delta[bz, bx, k * block_n], delta)
                T.clear(qkT)
                T.clear(dsT)
                T.gemm(K_shared, q, qkT, transpose_B=True)
                for i, j in T.Parallel(block_m, block_n):
                    qkT[i, j] = T.exp2(qkT[i, j] * scale * LOG2E - lse[j])
                T.gemm(V_shared, do, dsT, transpose_B=True)
                T.copy(qkT, qkT_cast)
                T.gemm(qkT_cast, do, dv)
                for i, j in T.Parallel(block_m, block_n):
                    dsT_cast[i, j] = qkT[i, j] * (dsT[i, j] - delta[j]) * scale
                T.gemm(dsT_cast, q, dk, transpose_A=True)
            T.copy(dk, dK[bz, bx, by * block_m, 0])
            T.copy(dv, dV[bz, bx, by * block_m, 0])

    return dkdv


@register("dq")
def make_dq(config):
    batch, heads, length, dim = config.sizes
    block_m, block_n = config.block_m, config.block_n
    dtype, accum = config.dtype, config.accum
    scale = config.scale

    @T.prim_func
    def dq(
        Q: T.Tensor((batch, heads, length, dim), dtype),
        K: T.Tensor((batch, heads, length, dim), dtype),
        V: T.Tensor((batch, heads, length, dim), dtype),
        dO: T.Tensor((batch, heads, length, dim), dtype),
        Lse: T.Tensor((batch, heads, length), accum),
        Delta: T.Tensor((batch, heads, length), accum),
        dQ: T.Tensor((batch, heads, length, dim), dtype),
    ):
        with T.Kernel(heads, T.ceildiv(length, block_m), batch, threads=config.threads) as (bx, by, bz):
            q = T.alloc_shared((block_m, dim), dtype)
            do = T.alloc_shared((block_m, dim), dtype)
            K_shared = T.alloc_shared((block_n, dim), dtype)
            V_shared = T.alloc_shared((block_n, dim), dtype)
            p = T.alloc_fragment((block_m, block_n), accum)
            dp = T.alloc_fragment((block_m, block_n), accum)
            ds = T.alloc_fragment((block_m, block_n), dtype)
            acc = T.alloc_fragment((block_m, dim), accum)
            T.copy(Q[bz, bx, by * block_m, 0], q)
            T.copy(dO[bz, bx, by * block_m, 0], do)
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(length, block_n), num_stages=2):
                T.copy(K[bz, bx, k * block_n, 0], K_shared)
                T.copy(V[bz, bx, k * block_n, 0], V_shared)
                T.clear(p)
                T.clear(dp)
                T.gemm(q, K_shared, p, transpose_B=True)
                T.gemm(do, V_shared, dp, transpose_B=True)
                for i, j in T.Parallel(block_m, block_n):
                    p[i, j] = T.exp2(p[i, j] * scale * LOG2E - Lse[bz, bx, by * block_m + i])
                for i, j in T.Parallel(block_m, block_n):
                    ds[i, j] = p[i, j] * (dp[i, j] - Delta[bz, bx, by * block_m + i]) * scale
                T.gemm(ds, K_shared, acc)
            T.copy(acc, dQ[bz, bx, by * block_m, 0])

    return dq


class Attention(torch.autograd.Function):
    """Forward in PyTorch, backward by the three kernels."""

    @staticmethod
    def forward(ctx, q, k, v, config):
        scores = q.float() @ k.float().transpose(-1, -2) * config.scale
        lse = torch.logsumexp(scores, dim=-1)
        out = (torch.exp(scores - lse[..., None]) @ v.float()).to(q.dtype)
        ctx.save_for_backward(q, k, v, out, lse * LOG2E)
        ctx.config = config
        return out

    @staticmethod
    def backward(ctx, grad):
        q, k, v, out, lse = ctx.saved_tensors
        programs = {name: make(ctx.config) for name, make in KERNELS.items()}
        if DEVICE == "cpu":
            with torch.enable_grad():
                return (*gradients(plain_attention(ctx.config), (q, k, v), grad), None)
        delta = tilelang.compile(programs["delta"], out_idx=[2])(out, grad)
        dk, dv = tilelang.compile(programs["dkdv"], out_idx=[6, 7])(q, k, v, grad, lse, delta)
        dq = tilelang.compile(programs["dq"], out_idx=[6])(q, k, v, grad, lse, delta)
        return dq, dk, dv, None


def gradients(function, tensors, grad):
    leaves = [t.detach().clone().requires_grad_() for t in tensors]
    function(*leaves).backward(grad)
    return [leaf.grad for leaf in leaves]


def plain_attention(config):
    def run(q, k, v):
        scores = q.float() @ k.float().transpose(-1, -2) * config.scale
        return (scores.softmax(-1) @ v.float()).to(q.dtype)

    return run


def inputs(config, seed=3):
    gen = torch.Generator().manual_seed(seed)
    return [torch.randn(config.sizes, generator=gen).half().to(DEVICE) for _ in range(4)]


def check(config):
    *tensors, grad = inputs(config)
    got = gradients(lambda q, k, v: Attention.apply(q, k, v, config), tensors, grad)
    want = gradients(plain_attention(config), tensors, grad)
    for name, a, b in zip(("dq", "dk", "dv"), got, want):
        torch.testing.assert_close(a, b, rtol=1e-2, atol=1e-2, msg=lambda m: f"{name}: {m}")
        print(name, "equal")


def bench(config, repeat=5):
    *tensors, grad = inputs(config)
    start = time.perf_counter()
    for _ in range(repeat):
        gradients(lambda q, k, v: Attention.apply(q, k, v, config), tensors, grad)
    print(f"{(time.perf_counter() - start) / repeat * 1e3:.2f} ms")


def main():
    parser = argparse.ArgumentParser(description="attention backward")
    for name in ("batch", "heads", "length", "dim"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Config, name))
    parser.add_argument("--bench", action="store_true")
    args = parser.parse_args()
    config = Config(args.batch, args.heads, args.length, args.dim).validate()
    print("device", DEVICE, "sizes", config.sizes)
    check(config)
    if args.bench:
        bench(config)


if __name__ == "__main__":
    main()
