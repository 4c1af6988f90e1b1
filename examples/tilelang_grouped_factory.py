"""
Grouped matrix products for a mixture of experts, in TileLang.

Tokens are sorted by expert and padded, so that a tile of rows belongs to one
expert. Two products: hidden = silu(X W1[e]) with the gate fused, and then
Y = hidden W2[e]. A decorated factory makes the program for each.

    python tilelang_grouped_factory.py
    python tilelang_grouped_factory.py --tokens 256 --experts 8 --top-k 2

Without a GPU the kernels are traced only. There is one fault in this file: the
tile of W2 is laid out for the transposed weights of an earlier version.

    autodd-c examples/tilelang_grouped_factory.py -j 8
"""
import argparse
import functools
import random
import time
from dataclasses import dataclass
from typing import List, Tuple

import torch
import torch.nn.functional as F

import tilelang
import tilelang.language as T

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@dataclass(frozen=True)
class MoeConfig:
    tokens: int = 128
    model: int = 128
    hidden: int = 256
    experts: int = 4
    top_k: int = 2
    block_m: int = 32
    block_n: int = 64
    block_k: int = 32
    threads: int = 128
    stages: int = 2

    def validate(self):
        for name in ("model", "hidden"):
            if getattr(self, name) % self.block_n:
                raise ValueError(f"{name} is no multiple of {self.block_n}")
        if not 1 <= self.top_k <= self.experts:
            raise ValueError("top_k must be from 1 to the number of experts")
        return self

    @property
    def slots(self):
        """Rows after sorting, if each expert needs its last tile padded."""
        rows = self.tokens * self.top_k + self.experts * (self.block_m - 1)
        return -(-rows // self.block_m) * self.block_m

    @property
    def tiles(self):
        return self.slots // self.block_m


def log_calls(function):
    """Print how long a call took."""

    @functools.wraps(function)
    def inner(*args, **kwargs):
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            print(f"{function.__name__}: {time.perf_counter() - start:.2f} s")

    return inner


def grouped_up(slots, model, hidden, experts, block_m, block_n, block_k, stages, threads):
    dtype, accum = "float16", "float32"
    tiles = slots // block_m

    @T.prim_func
    def up(
        X: T.Tensor((slots, model), dtype),
        Gate: T.Tensor((experts, model, hidden), dtype),
        W1: T.Tensor((experts, model, hidden), dtype),
        Expert: T.Tensor((tiles,), "int32"),
        H: T.Tensor((slots, hidden), dtype),
    ):
        with T.Kernel(T.ceildiv(hidden, block_n), tiles, threads=threads) as (bx, by):
            x = T.alloc_shared((block_m, block_k), dtype)
            gate = T.alloc_shared((block_k, block_n), dtype)
            w1 = T.alloc_shared((block_k, block_n), dtype)
            gate_acc = T.alloc_fragment((block_m, block_n), accum)
            up_acc = T.alloc_fragment((block_m, block_n), accum)
            T.clear(gate_acc)
            T.clear(up_acc)
            for ko in T.Pipelined(T.ceildiv(model, block_k), num_stages=stages):
                T.copy(X[by * block_m, ko * block_k], x)
                T.copy(Gate[Expert[by], ko * block_k : (ko + 1) * block_k, bx * block_n : (bx + 1) * block_n], gate)
                T.copy(W1[Expert[by], ko * block_k : (ko + 1) * block_k, bx * block_n : (bx + 1) * block_n], w1)
                T.gemm(x, gate, gate_acc)
                T.gemm(x, w1, up_acc)
            for i, j in T.Parallel(block_m, block_n):
                up_acc[i, j] *= gate_acc[i, j] / (1.0 + T.exp(-gate_acc[i, j]))
            T.copy(up_acc, H[by * block_m, bx * block_n])

    return up


def grouped_down(slots, hidden, model, experts, block_m, block_n, block_k, stages, threads):
    dtype, accum = "float16", "float32"
    tiles = slots // block_m

    @T.prim_func
    def down(
        H: T.Tensor((slots, hidden), dtype),
        W2: T.Tensor((experts, hidden, model), dtype),
        Expert: T.Tensor((tiles,), "int32"),
        Weights: T.Tensor((slots,), accum),
        Y: T.Tensor((slots, model), dtype),
    ):
        with T.Kernel(T.ceildiv(model, block_n), tiles, threads=threads) as (bx, by):
            h = T.alloc_shared((block_m, block_k), dtype)
            w2 = T.alloc_shared((block_n, block_k), dtype)
            scale = T.alloc_fragment((block_m,), accum)
            acc = T.alloc_fragment((block_m, block_n), accum)
            T.clear(acc)
            T.copy(Weights[by * block_m], scale)
            for ko in T.Pipelined(T.ceildiv(hidden, block_k), num_stages=stages):
                T.copy(H[by * block_m, ko * block_k], h)
                for i, j in T.Parallel(block_k, block_n):
                    w2[j, i] = W2[Expert[by], ko * block_k + i, bx * block_n + j]
                T.gemm(h, w2, acc)
            for i, j in T.Parallel(block_m, block_n):
                acc[i, j] *= scale[i]
            T.copy(acc, Y[by * block_m, bx * block_n])

    return down


FACTORIES = {"up": grouped_up, "down": grouped_down}


class Routing:
    """Which token goes to which expert, and where in the sorted rows."""

    def __init__(self, config: MoeConfig, seed: int = 4):
        rng = random.Random(seed)
        self.config = config
        self.choices: List[List[int]] = [
            rng.sample(range(config.experts), config.top_k) for _ in range(config.tokens)
        ]
        self.rows: List[Tuple[int, int]] = []
        self.tile_expert: List[int] = []
        self.sort()

    def sort(self):
        block = self.config.block_m
        for expert in range(self.config.experts):
            mine = [(token, expert) for token, chosen in enumerate(self.choices) if expert in chosen]
            mine += [(-1, expert)] * (-len(mine) % block)
            self.rows += mine
            self.tile_expert += [expert] * (len(mine) // block)
        missing = self.config.tiles - len(self.tile_expert)
        self.rows += [(-1, 0)] * (missing * block)
        self.tile_expert += [0] * missing

    def gather(self, x):
        index = torch.tensor([max(token, 0) for token, _ in self.rows])
        keep = torch.tensor([token >= 0 for token, _ in self.rows])
        return x[index] * keep[:, None]

    def weights(self):
        share = 1.0 / self.config.top_k
        return torch.tensor([share if token >= 0 else 0.0 for token, _ in self.rows])

    def scatter(self, y):
        out = torch.zeros(self.config.tokens, y.shape[1])
        for row, (token, _) in enumerate(self.rows):
            if token >= 0:
                out[token] += y[row].float()
        return out


class Experts:
    def __init__(self, config: MoeConfig):
        self.config = config.validate()
        gen = torch.Generator().manual_seed(8)
        c = config
        self.gate = torch.randn(c.experts, c.model, c.hidden, generator=gen).half() / c.model**0.5
        self.w1 = torch.randn(c.experts, c.model, c.hidden, generator=gen).half() / c.model**0.5
        self.w2 = torch.randn(c.experts, c.hidden, c.model, generator=gen).half() / c.hidden**0.5
        self.programs = {}

    @log_calls
    def build(self, which):
        c = self.config
        extents = (c.slots, c.model, c.hidden) if which == "up" else (c.slots, c.hidden, c.model)
        blocks = dict(block_m=c.block_m, block_n=c.block_n, block_k=c.block_k)
        program = FACTORIES[which](*extents, c.experts, **blocks, stages=c.stages, threads=c.threads)
        self.programs[which] = tilelang.compile(program, out_idx=[4]) if DEVICE == "cuda" else None
        return self.programs[which]

    def reference(self, rows, tile_expert):
        blocks = rows.split(self.config.block_m)
        out = []
        for block, e in zip(blocks, tile_expert):
            x = block.float()
            hidden = F.silu(x @ self.gate[e].float()) * (x @ self.w1[e].float())
            out.append(hidden @ self.w2[e].float())
        return torch.cat(out)

    def __call__(self, x, routing):
        up, down = self.build("up"), self.build("down")
        rows = routing.gather(x)
        weights = routing.weights()
        if up is None or down is None:
            return routing.scatter(self.reference(rows, routing.tile_expert) * weights[:, None])
        expert = torch.tensor(routing.tile_expert, dtype=torch.int32).cuda()
        hidden = up(rows.cuda(), self.gate.cuda(), self.w1.cuda(), expert)
        return routing.scatter(down(hidden, self.w2.cuda(), expert, weights.cuda()).cpu())


def main():
    parser = argparse.ArgumentParser(description="mixture of experts")
    for name in ("tokens", "model", "hidden", "experts"):
        parser.add_argument(f"--{name}", type=int, default=getattr(MoeConfig, name))
    parser.add_argument("--top-k", type=int, default=MoeConfig.top_k)
    args = parser.parse_args()
    config = MoeConfig(args.tokens, args.model, args.hidden, args.experts, args.top_k)
    routing = Routing(config)
    layer = Experts(config)
    print(f"{config.tiles} tiles for {config.tokens} tokens on {config.experts} experts")
    x = torch.randn(config.tokens, config.model, generator=torch.Generator().manual_seed(1)).half()
    got = layer(x, routing)
    rows = layer.reference(routing.gather(x), routing.tile_expert) * routing.weights()[:, None]
    torch.testing.assert_close(got, routing.scatter(rows), rtol=1e-2, atol=1e-2)
    print("equal")


if __name__ == "__main__":
    main()
