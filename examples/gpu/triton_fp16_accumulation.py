"""
A linear layer with a fused bias and ReLU in Triton, for long inner dimensions.

    y = relu(x @ w^T + bias)

The inputs are in half precision. The inner dimension is cut into steps, and the
products of the steps are added up in the type that the policy names.

    python triton_fp16_accumulation.py
    python triton_fp16_accumulation.py --tokens 2048 --inner 8192 --bench

Needs a GPU. There is one fault in this file, and it shows as a drift: the
products are added up in half precision.

    autodd-c examples/gpu/triton_fp16_accumulation.py --err-msg "Tensor-likes are not close" -j 8
"""
import argparse
import dataclasses
import time

import torch
import triton
import triton.language as tl

DEVICE = "cuda"
TYPES = {"float16": tl.float16, "float32": tl.float32}


@triton.jit
def linear_relu_kernel(
    x_ptr, w_ptr, bias_ptr, y_ptr, tokens, outer, inner, ACCUMULATE: tl.constexpr,
    BLOCK_T: tl.constexpr, BLOCK_O: tl.constexpr, BLOCK_I: tl.constexpr,
):
    token = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    out = tl.program_id(1) * BLOCK_O + tl.arange(0, BLOCK_O)
    step = tl.arange(0, BLOCK_I)
    total = tl.zeros((BLOCK_T, BLOCK_O), dtype=ACCUMULATE)
    for start in range(0, inner, BLOCK_I):
        at = start + step
        x_inside = (token[:, None] < tokens) & (at[None, :] < inner)
        w_inside = (at[:, None] < inner) & (out[None, :] < outer)
        x = tl.load(x_ptr + token[:, None] * inner + at[None, :], mask=x_inside, other=0.0)
        w = tl.load(w_ptr + out[None, :] * inner + at[:, None], mask=w_inside, other=0.0)
        total += tl.dot(x, w).to(ACCUMULATE)
    bias = tl.load(bias_ptr + out, mask=out < outer, other=0.0)
    y = total.to(tl.float32) + bias[None, :]
    y = tl.maximum(y, 0.0)
    y_inside = (token[:, None] < tokens) & (out[None, :] < outer)
    tl.store(y_ptr + token[:, None] * outer + out[None, :], y, mask=y_inside)


@dataclasses.dataclass(frozen=True)
class Policy:
    accumulate: str = "float16"
    block_t: int = 32
    block_o: int = 64
    block_i: int = 64
    rtol: float = 2e-4
    atol: float = 2e-3


class Linear:
    def __init__(self, outer, inner, policy, seed):
        gen = torch.Generator().manual_seed(seed)
        self.policy = policy
        self.weight = (torch.rand(outer, inner, generator=gen) * 0.5).half().to(DEVICE)
        self.bias = torch.randn(outer, generator=gen).to(DEVICE)

    def __call__(self, x):
        p = self.policy
        (tokens, inner), outer = x.shape, self.weight.shape[0]
        y = torch.empty((tokens, outer), device=DEVICE)
        grid = (triton.cdiv(tokens, p.block_t), triton.cdiv(outer, p.block_o))
        linear_relu_kernel[grid](
            x, self.weight, self.bias, y, tokens, outer, inner, ACCUMULATE=TYPES[p.accumulate],
            BLOCK_T=p.block_t, BLOCK_O=p.block_o, BLOCK_I=p.block_i,
        )
        return y

    def reference(self, x):
        y = x.double() @ self.weight.double().T + self.bias.double()
        return torch.relu(y).float()


@dataclasses.dataclass
class Report:
    largest: float
    mean: float
    wrong: int

    @classmethod
    def of(cls, got, want, policy):
        difference = (got - want).abs()
        limit = policy.atol + policy.rtol * want.abs()
        return cls(float(difference.max()), float(difference.mean()), int((difference > limit).sum()))

    def __str__(self):
        return f"off by {self.mean:.2e} in the mean, {self.largest:.2e} at most, {self.wrong} elements too far"


def check(layer, x):
    got, want = layer(x), layer.reference(x)
    print(Report.of(got, want, layer.policy))
    torch.testing.assert_close(got, want, rtol=layer.policy.rtol, atol=layer.policy.atol)


def bench(layer, x, repeat=20):
    layer(x)
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repeat):
        layer(x)
    torch.cuda.synchronize()
    seconds = (time.perf_counter() - start) / repeat
    flops = 2 * x.numel() * layer.weight.shape[0]
    print(f"{flops / seconds / 1e12:.2f} TFLOP/s")


def parse_args():
    parser = argparse.ArgumentParser(description="linear layer with ReLU")
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--outer", type=int, default=192)
    parser.add_argument("--inner", type=int, default=2048)
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--bench", action="store_true")
    return parser.parse_args()


def main():
    args = parse_args()
    layer = Linear(args.outer, args.inner, Policy(), args.seed)
    gen = torch.Generator().manual_seed(args.seed + 1)
    x = torch.randn(args.tokens, args.inner, generator=gen).half().to(DEVICE)
    print(f"{args.tokens} x {args.inner} times {args.inner} x {args.outer}, in {layer.policy.accumulate}")
    check(layer, x)
    if args.bench:
        bench(layer, x)
    print("equal")


if __name__ == "__main__":
    main()
