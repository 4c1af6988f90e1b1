"""
A small decoder layer, compiled as one graph.

Rotary embedding, grouped attention with a cache, and a gated feed-forward
block. fullgraph=True makes sure that nothing falls back to Python between the
kernels.

    python torch_compile_break.py
    python torch_compile_break.py --backend inductor --steps 8

Runs on the CPU. There is one fault in this file: the step asks for the value of
a tensor, which breaks the graph.

    autodd-c examples/torch_compile_break.py --err-msg "Data-dependent branching" -j 8
"""
import argparse
import dataclasses
import math
import statistics
import time

import torch
import torch._dynamo
import torch.nn.functional as F
from torch import nn


@dataclasses.dataclass
class LayerConfig:
    width: int = 64
    heads: int = 4
    kv_heads: int = 2
    hidden: int = 128
    capacity: int = 32
    theta: float = 10000.0
    eps: float = 1e-6

    def __post_init__(self):
        if self.width % self.heads:
            raise ValueError("width must be a multiple of heads")
        if self.heads % self.kv_heads:
            raise ValueError("heads must be a multiple of kv_heads")

    @property
    def head_dim(self):
        return self.width // self.heads

    @property
    def groups(self):
        return self.heads // self.kv_heads


class RmsNorm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


class Rotary(nn.Module):
    def __init__(self, config):
        super().__init__()
        half = config.head_dim // 2
        rates = config.theta ** (-torch.arange(half) / half)
        angles = torch.arange(config.capacity)[:, None] * rates
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, x, start):
        length = x.shape[1]
        cos = self.cos[start : start + length, None]
        sin = self.sin[start : start + length, None]
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


class Cache:
    """Keys and values of what was seen so far."""

    def __init__(self, config, batch):
        shape = (batch, config.capacity, config.kv_heads, config.head_dim)
        self.keys = torch.zeros(shape)
        self.values = torch.zeros(shape)
        self.length = 0

    def grown(self, count):
        self.length += count
        return self


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        kv_width = config.kv_heads * config.head_dim
        self.q = nn.Linear(config.width, config.width, bias=False)
        self.k = nn.Linear(config.width, kv_width, bias=False)
        self.v = nn.Linear(config.width, kv_width, bias=False)
        self.out = nn.Linear(config.width, config.width, bias=False)
        self.rotary = Rotary(config)

    def split(self, x, heads):
        return x.unflatten(-1, (heads, self.config.head_dim))

    def forward(self, x, keys, values, start):
        c = self.config
        length = x.shape[1]
        q = self.rotary(self.split(self.q(x), c.heads), start)
        k = self.rotary(self.split(self.k(x), c.kv_heads), start)
        v = self.split(self.v(x), c.kv_heads)
        keys[:, start : start + length] = k
        values[:, start : start + length] = v
        seen = start + length
        k = keys[:, :seen].repeat_interleave(c.groups, dim=2).transpose(1, 2)
        v = values[:, :seen].repeat_interleave(c.groups, dim=2).transpose(1, 2)
        scores = q.transpose(1, 2) @ k.transpose(-1, -2) / math.sqrt(c.head_dim)
        rows = torch.arange(start, seen)[:, None]
        scores = scores.masked_fill(torch.arange(seen) > rows, float("-inf"))
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).flatten(-2)
        return self.out(mixed)


class FeedForward(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.gate = nn.Linear(config.width, config.hidden, bias=False)
        self.up = nn.Linear(config.width, config.hidden, bias=False)
        self.down = nn.Linear(config.hidden, config.width, bias=False)
        self.limit = 50.0

    def forward(self, x):
        hidden = F.silu(self.gate(x)) * self.up(x)
        if hidden.abs().max() > self.limit:
            hidden = hidden.clamp(-self.limit, self.limit)
        return self.down(hidden)


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.before = RmsNorm(config.width, config.eps)
        self.attention = Attention(config)
        self.between = RmsNorm(config.width, config.eps)
        self.feed_forward = FeedForward(config)

    def forward(self, x, keys, values, start):
        x = x + self.attention(self.before(x), keys, values, start)
        return x + self.feed_forward(self.between(x))


class Runner:
    """Feeds a prompt and then single tokens, and keeps the times."""

    def __init__(self, layer, config, batch):
        self.layer = layer
        self.cache = Cache(config, batch)
        self.times = []

    def step(self, x):
        start = time.perf_counter()
        out = self.layer(x, self.cache.keys, self.cache.values, self.cache.length)
        self.times.append(time.perf_counter() - start)
        self.cache.grown(x.shape[1])
        return out

    def run(self, prompt, steps):
        x = self.step(prompt)[:, -1:]
        for _ in range(steps):
            x = self.step(x / x.norm(dim=-1, keepdim=True))
        return x

    def summary(self):
        later = self.times[1:] or self.times
        return f"first {self.times[0]:.3f} s, later {statistics.median(later) * 1e3:.2f} ms"


def parse_args():
    parser = argparse.ArgumentParser(description="a compiled decoder layer")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--prompt", type=int, default=8)
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--backend", default="eager", choices=("eager", "aot_eager", "inductor"))
    return parser.parse_args()


@torch.no_grad()
def main():
    args = parse_args()
    torch.manual_seed(0)
    config = LayerConfig()
    layer = Layer(config).eval()
    prompt = torch.randn(args.batch, args.prompt, config.width)
    plain = Runner(layer, config, args.batch)
    want = plain.run(prompt, args.steps)
    print("plain:", plain.summary())
    torch._dynamo.reset()
    compiled = torch.compile(layer, backend=args.backend, fullgraph=True, dynamic=False)
    fast = Runner(compiled, config, args.batch)
    got = fast.run(prompt, args.steps)
    print("compiled:", fast.summary())
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)
    print("equal")


if __name__ == "__main__":
    main()
