"""
Attention with a learned bias for relative positions, in plain PyTorch.

Distances are put into buckets as T5 does: near ones have a bucket each, far ones
share buckets on a logarithmic scale, and the two directions have a half of the
buckets each. The bias is looked up by bucket and head.

    python torch_device_assert.py
    python torch_device_assert.py --length 512 --heads 8 --bench

Needs a GPU. There is one fault in this file: the far distances are clamped to
the number of buckets and not to the last bucket, which the lookup asserts.

    autodd-c examples/gpu/torch_device_assert.py --err-msg "device-side assert triggered" -j 8
"""
import argparse
import dataclasses
import math
import time

import torch
from torch import nn

DEVICE = "cuda"


@dataclasses.dataclass(frozen=True)
class Config:
    width: int = 64
    heads: int = 4
    buckets: int = 16
    furthest: int = 64
    causal: bool = False

    @property
    def head_width(self):
        return self.width // self.heads

    def validate(self):
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads do not divide a width of {self.width}")
        if self.buckets % 2:
            raise ValueError("both directions need the same number of buckets")
        return self


def bucket_of(distance, config):
    """The bucket of key position minus query position."""
    count = config.buckets
    base = torch.zeros_like(distance)
    if config.causal:
        distance = (-distance).clamp(min=0)
    else:
        count //= 2
        base = (distance > 0).long() * count
        distance = distance.abs()
    exact = count // 2
    scale = (count - exact) / math.log(config.furthest / exact)
    ratio = distance.clamp(min=1).float() / exact
    far = exact + (ratio.log() * scale).long()
    far = far.clamp(max=count)
    return base + torch.where(distance < exact, distance, far)


class RelativeBias(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.table = nn.Embedding(config.buckets, config.heads)

    def forward(self, queries, keys):
        q = torch.arange(queries, device=DEVICE)
        k = torch.arange(keys, device=DEVICE)
        bucket = bucket_of(k[None, :] - q[:, None], self.config)
        return self.table(bucket).permute(2, 0, 1)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.norm = nn.LayerNorm(config.width)
        self.qkv = nn.Linear(config.width, 3 * config.width, bias=False)
        self.out = nn.Linear(config.width, config.width, bias=False)
        self.bias = RelativeBias(config)

    def split(self, x):
        batch, length, _ = x.shape
        return x.view(batch, length, self.config.heads, -1).transpose(1, 2)

    def forward(self, x):
        q, k, v = (self.split(part) for part in self.qkv(self.norm(x)).chunk(3, dim=-1))
        scores = q @ k.transpose(-1, -2) / self.config.head_width**0.5
        scores = scores + self.bias(x.shape[1], x.shape[1])
        if self.config.causal:
            hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=DEVICE).triu(1)
            scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(dim=-1) @ v
        return x + self.out(mixed.transpose(1, 2).flatten(2))

    def fused(self, x):
        """The same by PyTorch's own attention."""
        q, k, v = (self.split(part) for part in self.qkv(self.norm(x)).chunk(3, dim=-1))
        bias = self.bias(x.shape[1], x.shape[1])[None].expand(x.shape[0], -1, -1, -1)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return x + self.out(mixed.transpose(1, 2).flatten(2))


def check(model, lengths):
    for length in lengths:
        x = torch.randn(2, length, model.config.width, device=DEVICE)
        with torch.no_grad():
            got = model(x)
            torch.cuda.synchronize()
            if not model.config.causal:
                torch.testing.assert_close(got, model.fused(x), rtol=1e-2, atol=1e-2)
        print(f"length {length}: mean {float(got.mean()):+.4f}")


def bench(model, length, repeat=20):
    x = torch.randn(2, length, model.config.width, device=DEVICE)
    with torch.no_grad():
        model(x)
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(repeat):
            model(x)
        torch.cuda.synchronize()
    print(f"{(time.perf_counter() - start) / repeat * 1e3:.3f} ms")


def parse_args():
    parser = argparse.ArgumentParser(description="attention with relative positions")
    parser.add_argument("--length", type=int, default=160)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--bench", action="store_true")
    return parser.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(1)
    config = Config(heads=args.heads, causal=args.causal).validate()
    model = Attention(config).to(DEVICE).eval()
    check(model, (8, 24, args.length))
    if args.bench:
        bench(model, args.length)
    print("equal")


if __name__ == "__main__":
    main()
