"""Rotary embedding fused with an RMS norm over the head dimension."""
import contextlib
import functools
import os
import time

import torch
import tilelang
import tilelang.language as T
from tilelang import language as TL

CONFIG = {
    "model": {"heads": 8, "head_dim": 64, "rope_base": 10000.0, "eps": 1e-6},
    "tile": {"rows": 16, "threads": 128},
    "run": {"batch": 2, "seq": 128, "dtype": "bfloat16", "seeds": [1, 2, 3]},
}

PASS_CONFIGS = {"tl.disable_tma_lower": True, "tl.disable_warp_specialized": True}


def lookup(cfg, path, default=None):
    node = cfg
    for part in path.split("."):
        if not isinstance(node, dict) or part not in node:
            return default
        node = node[part]
    return node


@contextlib.contextmanager
def section(title, enabled=True):
    begin = time.perf_counter()
    if enabled:
        print(f"[{title}]")
    try:
        yield begin
    finally:
        if enabled:
            print(f"[/{title}] {time.perf_counter() - begin:.2f}s")


def angles(seq, dim, base):
    inv = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
    pos = torch.arange(seq).float()
    table = torch.outer(pos, inv)
    return table.cos(), table.sin()


@functools.lru_cache(maxsize=None)
def make_kernel(tokens, heads, dim, rows, threads, eps, dtype):
    half = dim // 2
    accum = "float32"

    @T.prim_func
    def rope_norm(
        X: T.Tensor((tokens, heads, dim), dtype),
        W: T.Tensor((dim,), dtype),
        Cos: T.Tensor((tokens, half), accum),
        Sin: T.Tensor((tokens, half), accum),
        Y: T.Tensor((tokens, heads, dim), dtype),
    ):
        with T.Kernel(T.ceildiv(tokens, rows), heads, threads=threads) as (bt, bh):
            x_s = T.alloc_shared((rows, dim), dtype)
            x = T.alloc_fragment((rows, dim), accum)
            sq = T.alloc_fragment((rows, dim), accum)
            ms = T.alloc_fragment((rows,), accum)
            y_s = T.alloc_shared((rows, dim), dtype)

            T.copy(X[bt * rows, bh, 0], x_s)
            for i, j in T.Parallel(rows, dim):
                x[i, j] = T.cast(x_s[i, j], accum)
                sq[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(sq, ms, dim=1)
            for i in T.Parallel(rows):
                ms[i] = T.rsqrt(ms[i] / dim + eps)
            for i, j in T.Parallel(rows, dim):
                x[i, j] = x[i, j] * ms[i] * W[j]
            for i, j in T.Parallel(rows, half):
                c = Cos[bt * rows + i, j]
                s = Sin[bt * rows + i, j]
                y_s[i, j] = x[i, j] * c - x[i, j + half] * s
                y_s[i, j + half] = x[i, j + half] * c + x[i, j] * sin
            T.copy(y_s, Y[bt * rows, bh, 0])

    return rope_norm


class RopeNorm(torch.nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.heads = lookup(cfg, "model.heads")
        self.dim = lookup(cfg, "model.head_dim")
        self.eps = lookup(cfg, "model.eps", 1e-5)
        self.base = lookup(cfg, "model.rope_base", 10000.0)
        self.rows = lookup(cfg, "tile.rows")
        self.threads = lookup(cfg, "tile.threads")
        self.dtype = lookup(cfg, "run.dtype")
        self.weight = torch.nn.Parameter(torch.ones(self.dim, dtype=getattr(torch, self.dtype)))

    def forward(self, x):
        b, s, h, d = x.shape
        cos, sin = angles(s, d, self.base)
        func = make_kernel(b * s, h, d, self.rows, self.threads, self.eps, self.dtype)
        kernel = tilelang.compile(func, out_idx=-1, pass_configs=PASS_CONFIGS)
        y = kernel(x.reshape(b * s, h, d), self.weight, cos.repeat(b, 1), sin.repeat(b, 1))
        return y.view(b, s, h, d)


def reference(x, weight, base, eps):
    x = x.float()
    x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight.float()
    cos, sin = angles(x.shape[1], x.shape[-1], base)
    cos, sin = cos[None, :, None], sin[None, :, None]
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def run(cfg, seed):
    torch.manual_seed(seed)
    shape = (lookup(cfg, "run.batch"), lookup(cfg, "run.seq"), lookup(cfg, "model.heads"), lookup(cfg, "model.head_dim"))
    x = torch.randn(shape).to(getattr(torch, lookup(cfg, "run.dtype")))
    module = RopeNorm(cfg)
    with torch.no_grad():
        y = module(x)
    want = reference(x, module.weight, module.base, module.eps)
    return (y.float() - want).abs().max().item()


if __name__ == "__main__":
    verbose = os.environ.get("ROPE_VERBOSE", "1") != "0"
    worst = 0.0
    for seed in lookup(CONFIG, "run.seeds"):
        with section(f"seed {seed}", verbose):
            worst = max(worst, run(CONFIG, seed))
    print("worst", worst)
    assert worst < 5e-2
