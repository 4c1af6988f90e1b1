"""
Tiled matrix product with a fused bias and activation, in TileLang.

    C = activation(A @ B + bias)

A is (M, K), B is (K, N), bias has N elements. The tiles of A and B go through
shared memory in a software pipeline, the sum stays in registers, and the
epilogue is applied before the tile is written back.

    python tilelang_gemm.py                      check one shape
    python tilelang_gemm.py --m 512 --activation relu
    python tilelang_gemm.py --tune               try the whole list of tiles
    python tilelang_gemm.py --bench              time the kernel

Without a GPU the kernel is traced with tensors on the CPU. There is one fault
in this file, the first extent of B_shared:

    autodd-c examples/tilelang_gemm.py -j 8
"""
import argparse
import dataclasses
import functools
import itertools
import sys
import time

import torch

import tilelang
import tilelang.language as T

DTYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16}
ACTIVATIONS = ("none", "relu", "gelu")
SHARED_LIMIT = 160 * 1024
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@dataclasses.dataclass(frozen=True)
class GemmConfig:
    """Extents of a tile, and how it is computed."""

    block_m: int = 128
    block_n: int = 128
    block_k: int = 32
    num_stages: int = 3
    threads: int = 128
    dtype: str = "float16"
    accum_dtype: str = "float32"
    activation: str = "none"

    @property
    def itemsize(self):
        return torch.finfo(DTYPES[self.dtype]).bits // 8

    @property
    def shared_bytes(self):
        a = self.block_m * self.block_k
        b = self.block_k * self.block_n
        return (a + b) * self.itemsize * self.num_stages

    def validate(self):
        if self.dtype not in DTYPES:
            raise ValueError(f"dtype {self.dtype} is not one of {sorted(DTYPES)}")
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"activation {self.activation} is not known")
        for name in ("block_m", "block_n", "block_k"):
            extent = getattr(self, name)
            if extent < 16 or extent & (extent - 1):
                raise ValueError(f"{name} is {extent}, which is no power of two from 16 on")
        if self.threads % 32:
            raise ValueError("threads must be whole warps")
        if self.shared_bytes > SHARED_LIMIT:
            raise ValueError(f"tiles need {self.shared_bytes} bytes of shared memory")
        return self

    def __str__(self):
        return (
            f"{self.block_m}x{self.block_n}x{self.block_k}"
            f" stages={self.num_stages} threads={self.threads}"
            f" {self.dtype}/{self.accum_dtype} {self.activation}"
        )


@dataclasses.dataclass
class Problem:
    m: int
    n: int
    k: int

    @property
    def flops(self):
        return 2 * self.m * self.n * self.k

    def inputs(self, dtype, seed=0):
        gen = torch.Generator(device="cpu").manual_seed(seed)
        a = torch.randn(self.m, self.k, generator=gen) / self.k**0.5
        b = torch.randn(self.k, self.n, generator=gen)
        bias = torch.randn(self.n, generator=gen)
        kind = DTYPES[dtype]
        return a.to(kind).to(DEVICE), b.to(kind).to(DEVICE), bias.to(kind).to(DEVICE)

    def validate(self):
        for name, extent in dataclasses.asdict(self).items():
            if extent <= 0:
                raise ValueError(f"extent {name} must be positive, not {extent}")
            if extent % 16:
                raise ValueError(f"extent {name} is {extent}, no multiple of 16")
        return self


def log(message, *args, file=None):
    stamp = time.strftime("%H:%M:%S")
    print(f"[{stamp}]", message % args if args else message, file=file or sys.stdout)


def human(number, unit=""):
    for prefix in ("", "k", "M", "G", "T"):
        if abs(number) < 1000:
            return f"{number:.1f} {prefix}{unit}"
        number /= 1000
    return f"{number:.1f} P{unit}"


def epilogue(value, activation):
    """The activation on one element, as TileLang sees it."""
    if activation == "relu":
        return T.max(value, 0.0)
    if activation == "gelu":
        return 0.5 * value * (1.0 + T.tanh(0.7978845608 * (value + 0.044715 * value * value * value)))
    return value


def reference(a, b, bias, activation="none"):
    out = a.float() @ b.float() + bias.float()
    if activation == "relu":
        out = torch.relu(out)
    elif activation == "gelu":
        out = torch.nn.functional.gelu(out, approximate="tanh")
    return out.to(a.dtype)


def make_kernel(problem, config):
    M, N, K = problem.m, problem.n, problem.k
    block_M, block_N, block_K = config.block_m, config.block_n, config.block_k
    dtype, accum_dtype = config.dtype, config.accum_dtype

    @T.prim_func
    def gemm_bias(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        Bias: T.Tensor((N,), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=config.threads) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_N), dtype)
            bias_local = T.alloc_fragment((block_N,), dtype)
            C_local = T.alloc_fragment((block_M, block_N), accum_dtype)

            T.use_swizzle(panel_size=10)
            T.copy(Bias[bx * block_N], bias_local)
            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(K, block_K), num_stages=config.num_stages):
                T.copy(A[by * block_M, ko * block_K], A_shared)
                T.copy(B[ko * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            for i, j in T.Parallel(block_M, block_N):
                C_local[i, j] = epilogue(C_local[i, j] + bias_local[j], config.activation)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return gemm_bias


@functools.lru_cache(maxsize=32)
def build(m, n, k, config):
    program = make_kernel(Problem(m, n, k), config)
    started = time.perf_counter()
    kernel = tilelang.compile(program, out_idx=[3]) if DEVICE == "cuda" else program
    log("built %s in %.2f s", config, time.perf_counter() - started)
    return kernel


class Gemm:
    """A matrix product of one shape; the kernel is built at the first call."""

    def __init__(self, problem, config):
        self.problem = problem.validate()
        self.config = config.validate()
        self._kernel = None

    @property
    def kernel(self):
        if self._kernel is None:
            p = self.problem
            self._kernel = build(p.m, p.n, p.k, self.config)
        return self._kernel

    def __call__(self, a, b, bias):
        if a.shape != (self.problem.m, self.problem.k):
            raise ValueError(f"A has shape {tuple(a.shape)}")
        if b.shape != (self.problem.k, self.problem.n):
            raise ValueError(f"B has shape {tuple(b.shape)}")
        kernel = self.kernel
        if DEVICE == "cpu":
            return reference(a, b, bias, self.config.activation)
        return kernel(a, b, bias)


def check(gemm):
    a, b, bias = gemm.problem.inputs(gemm.config.dtype)
    got = gemm(a, b, bias)
    want = reference(a, b, bias, gemm.config.activation)
    torch.testing.assert_close(got, want, rtol=1e-2, atol=1e-2)
    log("%s agrees with the reference", gemm.config)


def bench(gemm, repeat=10):
    a, b, bias = gemm.problem.inputs(gemm.config.dtype)
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        gemm(a, b, bias)
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    best = min(times)
    log("%s: %.3f ms, %s", gemm.config, best * 1e3, human(gemm.problem.flops / best, "FLOP/s"))
    return best


def tile_candidates(base):
    """Tiles worth a try: those that fit into shared memory."""
    for m, n, k, stages in itertools.product((64, 128), (64, 128, 256), (32, 64), (2, 3, 4)):
        config = dataclasses.replace(base, block_m=m, block_n=n, block_k=k, num_stages=stages)
        if config.shared_bytes <= SHARED_LIMIT:
            yield config


def tune(problem, base):
    results = {}
    for config in tile_candidates(base):
        results[config] = bench(Gemm(problem, config), repeat=3)
    best = min(results, key=results.get)
    log("best of %d: %s", len(results), best)
    return best


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description="tiled matrix product with bias")
    parser.add_argument("--m", type=int, default=256)
    parser.add_argument("--n", type=int, default=256)
    parser.add_argument("--k", type=int, default=512)
    parser.add_argument("--dtype", choices=sorted(DTYPES), default="float16")
    parser.add_argument("--activation", choices=ACTIVATIONS, default="gelu")
    parser.add_argument("--tune", action="store_true", help="try the list of tiles")
    parser.add_argument("--bench", action="store_true", help="time the kernel")
    return parser.parse_args(argv)


def main(argv=None):
    args = parse_args(argv)
    torch.manual_seed(0)
    problem = Problem(args.m, args.n, args.k)
    config = GemmConfig(dtype=args.dtype, activation=args.activation)
    log("device %s, %s per product", DEVICE, human(problem.flops, "FLOP"))
    try:
        if args.tune:
            config = tune(problem, config)
        gemm = Gemm(problem, config)
        check(gemm)
        if args.bench:
            bench(gemm)
    except Exception as error:
        log("failed: %s", error, file=sys.stderr)
        raise
    log("done")


if __name__ == "__main__":
    main()
