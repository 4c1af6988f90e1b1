"""
Combining the outputs of experts in Triton: rows are scattered back to tokens.

Every slot of an expert holds a row and the token that it belongs to. The rows
are scaled by their gates and added to the row of their token; a token that went
to two experts gets two rows.

    python triton_race.py
    python triton_race.py --slots 256 --seed 7
    python triton_race.py --bench

Needs a GPU. There is one fault in this file, and it shows in some runs only: two
programs may add to the same row at the same time, and one sum is lost.

    autodd-c examples/gpu/triton_race.py --err-msg "Tensor-likes are not close" -j 8
"""
import argparse
import time
from dataclasses import dataclass

import torch
import triton
import triton.language as tl

DEVICE = "cuda"


@triton.jit
def combine_kernel(rows_ptr, token_ptr, gate_ptr, out_ptr, width, BLOCK: tl.constexpr):
    slot = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < width
    token = tl.load(token_ptr + slot)
    gate = tl.load(gate_ptr + slot)
    row = tl.load(rows_ptr + slot * width + column, mask=inside, other=0.0)
    at = out_ptr + token * width + column
    so_far = tl.load(at, mask=inside, other=0.0)
    tl.store(at, so_far + gate * row, mask=inside)


@triton.jit
def load_kernel(expert_ptr, load_ptr, slots, experts, BLOCK: tl.constexpr):
    expert = tl.program_id(0)
    count = tl.zeros((BLOCK,), dtype=tl.int32)
    for start in range(0, slots, BLOCK):
        at = start + tl.arange(0, BLOCK)
        owner = tl.load(expert_ptr + at, mask=at < slots, other=-1)
        count += (owner == expert).to(tl.int32)
    tl.store(load_ptr + expert, tl.sum(count, axis=0))


@dataclass
class Routing:
    """For each slot the token, the gate and the expert."""

    token: torch.Tensor
    gate: torch.Tensor
    expert: torch.Tensor
    tokens: int
    experts: int

    @classmethod
    def random(cls, slots, tokens, experts, gen):
        token = torch.randint(tokens, (slots,), generator=gen)
        gate = torch.rand(slots, generator=gen)
        expert = torch.randint(experts, (slots,), generator=gen)
        return cls(token.int().to(DEVICE), gate.to(DEVICE), expert.int().to(DEVICE), tokens, experts)

    @property
    def slots(self):
        return self.token.numel()

    @property
    def shared(self):
        return self.slots - self.token.unique().numel()


class Combine:
    def __init__(self, width):
        self.width = width
        self.block = triton.next_power_of_2(width)

    def __call__(self, rows, routing):
        out = torch.zeros((routing.tokens, self.width), device=DEVICE)
        combine_kernel[(routing.slots,)](
            rows, routing.token, routing.gate, out, self.width, BLOCK=self.block, num_warps=1
        )
        return out

    def reference(self, rows, routing):
        out = torch.zeros((routing.tokens, self.width), device=DEVICE)
        return out.index_add(0, routing.token.long(), rows * routing.gate[:, None])


def expert_load(routing, block=64):
    load = torch.zeros(routing.experts, dtype=torch.int32, device=DEVICE)
    load_kernel[(routing.experts,)](routing.expert, load, routing.slots, routing.experts, BLOCK=block)
    return load


def check(combine, rows, routing):
    load = expert_load(routing)
    want = torch.bincount(routing.expert, minlength=routing.experts)
    torch.testing.assert_close(load.long(), want)
    print(f"load of the experts {load.tolist()}, {routing.shared} slots share a token")
    torch.testing.assert_close(combine(rows, routing), combine.reference(rows, routing))


def bench(combine, rows, routing, repeat=50):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repeat):
        combine(rows, routing)
    torch.cuda.synchronize()
    print(f"{(time.perf_counter() - start) / repeat * 1e6:.1f} us")


def parse_args():
    parser = argparse.ArgumentParser(description="scatter the rows of experts")
    parser.add_argument("--slots", type=int, default=112)
    parser.add_argument("--tokens", type=int, default=8192)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--experts", type=int, default=4)
    parser.add_argument("--seed", type=int, help="another one in every run without it")
    parser.add_argument("--bench", action="store_true")
    return parser.parse_args()


def main():
    args = parse_args()
    gen = torch.Generator()
    seed = gen.seed() if args.seed is None else args.seed
    gen.manual_seed(seed)
    print(f"seed {seed}")
    routing = Routing.random(args.slots, args.tokens, args.experts, gen)
    rows = torch.randn(args.slots, args.width, generator=gen).to(DEVICE)
    combine = Combine(args.width)
    check(combine, rows, routing)
    if args.bench:
        bench(combine, rows, routing)
    print("equal")


if __name__ == "__main__":
    main()
