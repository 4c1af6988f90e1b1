"""
Gathering the tokens of each expert, and their mean, in TileLang.

Every expert has room for some rows. A table says which token goes into which
row; where an expert has fewer tokens than room, the table holds NO_TOKEN, and
the row is zero.

    python tilelang_illegal_access.py
    python tilelang_illegal_access.py --tokens 4096 --experts 16 --bench

Needs a GPU. There is one fault in this file: the kernel takes any index from 0
on for a token, NO_TOKEN included, and reads far beyond the tokens.

    autodd-c examples/gpu/tilelang_illegal_access.py --err-msg "CUDA_ERROR_ILLEGAL_ADDRESS" -j 8
"""
import argparse
import dataclasses
import functools
import time

import torch

import tilelang
import tilelang.language as T

DEVICE = "cuda"
NO_TOKEN = 1 << 28
FAST = {tilelang.PassConfigKey.TL_DISABLE_SAFE_MEMORY_ACCESS: True}


@dataclasses.dataclass(frozen=True)
class Shape:
    tokens: int
    width: int
    experts: int
    room: int
    block: int = 32
    threads: int = 128

    @property
    def rows(self):
        return self.experts * self.room

    def validate(self):
        if self.room % self.block:
            raise ValueError(f"room for {self.room} rows is no multiple of {self.block}")
        if self.width % 16:
            raise ValueError(f"width {self.width} is no multiple of 16")
        return self


def gather_program(shape):
    rows, width, tokens, block = shape.rows, shape.width, shape.tokens, shape.block

    @T.prim_func
    def gather(
        X: T.Tensor((tokens, width), "float32"),
        Table: T.Tensor((rows,), "int32"),
        Out: T.Tensor((rows, width), "float32"),
    ):
        with T.Kernel(T.ceildiv(rows, block), threads=shape.threads) as bx:
            tile = T.alloc_fragment((block, width), "float32")
            for i, j in T.Parallel(block, width):
                if Table[bx * block + i] >= 0:
                    tile[i, j] = X[Table[bx * block + i], j]
                else:
                    tile[i, j] = 0.0
            T.copy(tile, Out[bx * block, 0])

    return gather


def mean_program(shape):
    experts, room, width, block = shape.experts, shape.room, shape.width, shape.block

    @T.prim_func
    def means(
        Rows: T.Tensor((experts * room, width), "float32"),
        Count: T.Tensor((experts,), "int32"),
        Out: T.Tensor((experts, width), "float32"),
    ):
        with T.Kernel(experts, threads=shape.threads) as bx:
            tile = T.alloc_fragment((block, width), "float32")
            part = T.alloc_fragment((width,), "float32")
            total = T.alloc_fragment((width,), "float32")
            T.clear(total)
            for step in T.serial(room // block):
                T.copy(Rows[bx * room + step * block, 0], tile)
                T.reduce_sum(tile, part, dim=0)
                for j in T.Parallel(width):
                    total[j] += part[j]
            for j in T.Parallel(width):
                total[j] = total[j] / T.max(Count[bx], 1)
            T.copy(total, Out[bx, 0])

    return means


@functools.lru_cache(maxsize=8)
def build(shape):
    gather = tilelang.compile(gather_program(shape), out_idx=[2], target="cuda", pass_configs=FAST)
    means = tilelang.compile(mean_program(shape), out_idx=[2], target="cuda")
    return gather, means


@dataclasses.dataclass
class Dispatch:
    """Which token is in which row, and how many rows an expert fills."""

    table: torch.Tensor
    count: torch.Tensor
    dropped: int

    @classmethod
    def of(cls, choice, shape):
        table = torch.full((shape.experts, shape.room), NO_TOKEN, dtype=torch.int32)
        count = torch.zeros(shape.experts, dtype=torch.int32)
        dropped = 0
        for token, expert in enumerate(choice.tolist()):
            row = int(count[expert])
            if row == shape.room:
                dropped += 1
                continue
            table[expert, row] = token
            count[expert] += 1
        return cls(table.flatten().to(DEVICE), count.to(DEVICE), dropped)


def reference(x, dispatch, shape):
    known = dispatch.table < shape.tokens
    rows = torch.zeros(shape.rows, shape.width, device=DEVICE)
    rows[known] = x[dispatch.table[known].long()]
    sums = rows.reshape(shape.experts, shape.room, shape.width).sum(dim=1)
    return rows, sums / dispatch.count.clamp(min=1)[:, None]


def check(shape, seed):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(shape.tokens, shape.width, generator=gen).to(DEVICE)
    dispatch = Dispatch.of(torch.randint(shape.experts, (shape.tokens,), generator=gen), shape)
    print(f"rows used {dispatch.count.tolist()} of {shape.room}, {dispatch.dropped} tokens dropped")
    gather, means = build(shape)
    rows = gather(x, dispatch.table)
    got = means(rows, dispatch.count)
    torch.cuda.synchronize()
    want_rows, want = reference(x, dispatch, shape)
    torch.testing.assert_close(rows, want_rows)
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
    return x, dispatch


def bench(shape, x, dispatch, repeat=50):
    gather, _ = build(shape)
    start = time.perf_counter()
    for _ in range(repeat):
        gather(x, dispatch.table)
    torch.cuda.synchronize()
    print(f"{(time.perf_counter() - start) / repeat * 1e6:.1f} us")


def main():
    parser = argparse.ArgumentParser(description="gather the tokens of experts")
    parser.add_argument("--tokens", type=int, default=300)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--experts", type=int, default=4)
    parser.add_argument("--room", type=int, default=96)
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--bench", action="store_true")
    args = parser.parse_args()
    shape = Shape(args.tokens, args.width, args.experts, args.room).validate()
    x, dispatch = check(shape, args.seed)
    if args.bench:
        bench(shape, x, dispatch)
    print("equal")


if __name__ == "__main__":
    main()
