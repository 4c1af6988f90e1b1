"""
Tuning a matrix-vector product over a list of configurations, in TileLang.

    y = A @ x

A block makes block_n entries of y; its threads share the work along K and add
up at the end. All configurations are traced first, so that a bad one is found
before an hour of timing.

    python tilelang_autotune.py
    python tilelang_autotune.py --n 4096 --k 4096 --top 3

Without a GPU the kernels are traced only. There is one fault in this file: for
the smallest of the tiles no threads are left.

    autodd-c examples/tilelang_autotune.py -j 8
"""
import argparse
import dataclasses
import heapq
import itertools
import json
import pathlib
import sys
import time

import torch

import tilelang
import tilelang.language as T

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
WARP = 32


@dataclasses.dataclass(frozen=True, order=True)
class Config:
    block_n: int
    block_k: int
    per_thread: int
    unroll: bool = False

    @property
    def threads(self):
        """Threads of a block, in whole warps."""
        wanted = self.block_n * self.block_k // (self.per_thread * 4)
        return min(wanted // WARP * WARP, 1024)

    @property
    def reduce_threads(self):
        return self.block_k // self.per_thread

    def label(self):
        return "n%d-k%d-p%d%s" % (self.block_n, self.block_k, self.per_thread, "-u" if self.unroll else "")


def candidates(n, k, dtype):
    """All configurations that divide the problem."""
    vector = 16 // torch.finfo(getattr(torch, dtype)).bits * 8
    for block_n, block_k, unroll in itertools.product((4, 8, 16, 32), (32, 64, 128), (False, True)):
        for per_thread in (vector, 2 * vector) if vector else (4, 8):
            if n % block_n or k % block_k or block_k % per_thread:
                continue
            yield Config(block_n, block_k, per_thread, unroll)


def make_matvec(n, k, config, dtype):
    block_n, block_k = config.block_n, config.block_k
    accum = "float32"

    @T.prim_func
    def matvec(
        A: T.Tensor((n, k), dtype),
        X: T.Tensor((k,), dtype),
        Y: T.Tensor((n,), dtype),
    ):
        with T.Kernel(T.ceildiv(n, block_n), threads=config.threads) as bn:
            a = T.alloc_fragment((block_n, block_k), dtype)
            x = T.alloc_fragment((block_k,), dtype)
            products = T.alloc_fragment((block_n, block_k), accum)
            partial = T.alloc_fragment((block_n,), accum)
            total = T.alloc_fragment((block_n,), accum)
            T.clear(total)
            for ko in T.serial(T.ceildiv(k, block_k)):
                T.copy(A[bn * block_n, ko * block_k], a)
                T.copy(X[ko * block_k], x)
                for i, j in T.Parallel(block_n, block_k):
                    products[i, j] = T.cast(a[i, j], accum) * T.cast(x[j], accum)
                T.reduce_sum(products, partial, dim=1)
                for i in T.Parallel(block_n):
                    total[i] += partial[i]
            T.copy(total, Y[bn * block_n])

    return matvec


class History:
    """What was measured before, in a file beside the cache."""

    def __init__(self, path):
        self.path = path and pathlib.Path(path)
        self.entries = {}
        if self.path and self.path.exists():
            self.entries = json.loads(self.path.read_text())

    def key(self, n, k, config):
        return f"{n}x{k}:{config.label()}"

    def known(self, n, k, config):
        return self.entries.get(self.key(n, k, config))

    def add(self, n, k, config, seconds):
        self.entries[self.key(n, k, config)] = seconds
        if self.path:
            self.path.write_text(json.dumps(self.entries, indent=1))


class Tuner:
    def __init__(self, n, k, dtype, history):
        self.n = n
        self.k = k
        self.dtype = dtype
        self.history = history
        self.programs = {}
        self.times = []

    def trace_all(self):
        """Trace each configuration, without compiling any."""
        start = time.perf_counter()
        for config in sorted(candidates(self.n, self.k, self.dtype), reverse=True):
            self.programs[config] = make_matvec(self.n, self.k, config, self.dtype)
        print(f"traced {len(self.programs)} in {time.perf_counter() - start:.1f} s")

    def time(self, config, a, x):
        known = self.history.known(self.n, self.k, config)
        if known is not None:
            return known
        kernel = tilelang.compile(self.programs[config], out_idx=[2])
        torch.testing.assert_close(kernel(a, x), reference(a, x), rtol=1e-2, atol=1e-2)
        seconds = best_of(lambda: kernel(a, x))
        self.history.add(self.n, self.k, config, seconds)
        return seconds

    def run(self, a, x):
        for config in self.programs:
            if DEVICE == "cuda":
                self.times.append((self.time(config, a, x), config))
        return self

    def best(self, count):
        return heapq.nsmallest(count, self.times)


def best_of(function, repeat=10):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        function()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return min(times)


def reference(a, x):
    return (a.float() @ x.float()).to(a.dtype)


def parse_args():
    parser = argparse.ArgumentParser(description="tune a matrix-vector product")
    parser.add_argument("--n", type=int, default=1024)
    parser.add_argument("--k", type=int, default=1024)
    parser.add_argument("--dtype", choices=("float16", "bfloat16"), default="float16")
    parser.add_argument("--top", type=int, default=5)
    parser.add_argument("--history", metavar="FILE")
    return parser.parse_args()


def main():
    args = parse_args()
    gen = torch.Generator().manual_seed(0)
    kind = getattr(torch, args.dtype)
    a = torch.randn(args.n, args.k, generator=gen).to(kind).to(DEVICE)
    x = torch.randn(args.k, generator=gen).to(kind).to(DEVICE)
    tuner = Tuner(args.n, args.k, args.dtype, History(args.history))
    tuner.trace_all()
    for seconds, config in tuner.run(a, x).best(args.top):
        print(f"{config.label():<16} {seconds * 1e6:8.1f} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
