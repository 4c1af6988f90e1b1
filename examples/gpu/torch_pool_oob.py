"""
An SGD step with momentum and weight decay, fused into one Triton kernel, as a
torch optimizer.

    v = momentum * v + gradient + decay * w
    w = w - rate * v

Each parameter is one launch. The state is made at the first step.

    python torch_pool_oob.py
    python torch_pool_oob.py --steps 200 --width 96 --bench

Needs a GPU. There is one fault in this file, and a plain run shows nothing of
it: the last block stores its whole velocity, and so a little beyond the tensor,
which still is memory of the allocator's pool.

    autodd-c examples/gpu/torch_pool_oob.py --sanitizer memcheck -j 8
"""
import argparse
import copy
import time

import torch
import triton
import triton.language as tl
from torch import nn

DEVICE = "cuda"


@triton.jit
def sgd_step_kernel(w_ptr, g_ptr, v_ptr, count, rate, momentum, decay, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    w = tl.load(w_ptr + at, mask=inside, other=0.0)
    g = tl.load(g_ptr + at, mask=inside, other=0.0)
    v = tl.load(v_ptr + at, mask=inside, other=0.0)
    v = momentum * v + g + decay * w
    tl.store(v_ptr + at, v)
    tl.store(w_ptr + at, w - rate * v, mask=inside)


@triton.jit
def sum_of_squares_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < count, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(x * x, axis=0))


class FusedSGD(torch.optim.Optimizer):
    def __init__(self, params, rate=0.05, momentum=0.9, decay=1e-3, block=64):
        if not 0 <= momentum < 1:
            raise ValueError(f"momentum is {momentum}")
        super().__init__(params, dict(rate=rate, momentum=momentum, decay=decay, block=block))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for param in group["params"]:
                if param.grad is not None:
                    self.update(param, group)

    def update(self, param, group):
        state = self.state[param]
        if not state:
            state["velocity"] = torch.zeros_like(param)
        grad = param.grad.contiguous()
        count, block = param.numel(), group["block"]
        sgd_step_kernel[(triton.cdiv(count, block),)](
            param, grad, state["velocity"], count, group["rate"], group["momentum"], group["decay"],
            BLOCK=block,
        )

    def velocity_norm(self, block=64):
        total = torch.zeros(1, device=DEVICE)
        for state in self.state.values():
            v = state["velocity"]
            grid = (triton.cdiv(v.numel(), block),)
            sum_of_squares_kernel[grid](v, total, v.numel(), BLOCK=block)
        return float(total.sqrt())


def make_model(width, seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 3))


def batches(steps, rows, width, seed):
    gen = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        x = torch.randn(rows, width, generator=gen)
        y = torch.randint(3, (rows,), generator=gen)
        yield x.to(DEVICE), y.to(DEVICE)


def train(model, optimizer, steps, rows, width, seed):
    losses = []
    for x, y in batches(steps, rows, width, seed):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def check(args):
    model = make_model(args.width, args.seed).to(DEVICE)
    other = copy.deepcopy(model)
    fused = FusedSGD(model.parameters())
    plain = torch.optim.SGD(other.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-3)
    got = train(model, fused, args.steps, args.rows, args.width, args.seed)
    want = train(other, plain, args.steps, args.rows, args.width, args.seed)
    print(f"loss {got[0]:.4f} to {got[-1]:.4f}, velocity {fused.velocity_norm():.4f}")
    torch.testing.assert_close(torch.tensor(got), torch.tensor(want), rtol=1e-3, atol=1e-3)
    for a, b in zip(model.parameters(), other.parameters()):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-3)


def bench(args):
    model = make_model(args.width, args.seed).to(DEVICE)
    start = time.perf_counter()
    train(model, FusedSGD(model.parameters()), args.steps, args.rows, args.width, args.seed)
    torch.cuda.synchronize()
    print(f"{(time.perf_counter() - start) / args.steps * 1e3:.2f} ms a step")


def main():
    parser = argparse.ArgumentParser(description="fused SGD")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--rows", type=int, default=32)
    parser.add_argument("--width", type=int, default=20)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--bench", action="store_true")
    args = parser.parse_args()
    check(args)
    if args.bench:
        bench(args)
    print("equal")


if __name__ == "__main__":
    main()
