"""
Streaming statistics of activations: mean, variance and quantiles of a long run,
merged from chunks, in the type that the accelerator would use.

Chunks come one at a time. Each is reduced, and its count, mean and sum of
squared deviations are merged into those so far (Chan, Golub and LeVeque).

    python torch_drift.py
    python torch_drift.py --chunks 64 --state float32

Runs on the CPU. There is one fault in this file, and it shows as a small drift:
the running mean is kept in half precision.

    autodd-c examples/torch_drift.py --err-msg "Tensor-likes are not close" -j 8
"""
import argparse
import dataclasses
import enum
import itertools
import math

import torch


class Precision(enum.Enum):
    HALF = torch.float16
    SINGLE = torch.float32
    DOUBLE = torch.float64

    @property
    def dtype(self):
        return self.value

    @property
    def epsilon(self):
        return torch.finfo(self.value).eps


@dataclasses.dataclass
class Policy:
    """Types of the parts of the computation, and what is asked of the result."""

    data: Precision = Precision.HALF
    partial: Precision = Precision.SINGLE
    state: Precision = Precision.HALF
    rtol: float = 1e-4
    atol: float = 1e-5

    def describe(self):
        parts = ((name, getattr(self, name)) for name in ("data", "partial", "state"))
        return ", ".join(f"{name} {precision.name.lower()}" for name, precision in parts)


@dataclasses.dataclass
class Moments:
    """Count, mean and sum of squared deviations, per channel."""

    count: int
    mean: torch.Tensor
    m2: torch.Tensor

    @classmethod
    def empty(cls, channels, precision):
        zeros = torch.zeros(channels, dtype=precision.dtype)
        return cls(0, zeros, torch.zeros(channels, dtype=Precision.SINGLE.dtype))

    @classmethod
    def of(cls, chunk, precision):
        wide = chunk.to(precision.dtype)
        mean = wide.mean(dim=0)
        return cls(chunk.shape[0], mean, (wide - mean).square().sum(dim=0))

    def merge(self, other):
        total = self.count + other.count
        delta = other.mean - self.mean
        mean = self.mean + (delta * (other.count / total)).to(self.mean.dtype)
        m2 = self.m2 + other.m2 + delta.square() * (self.count * other.count / total)
        return Moments(total, mean, m2.to(self.m2.dtype))

    @property
    def variance(self):
        return self.m2 / self.count


class Reservoir:
    """A sample of the rows, for quantiles; every nth row, n growing."""

    def __init__(self, capacity):
        self.capacity = capacity
        self.every = 1
        self.seen = 0
        self.rows = []

    def add(self, chunk):
        for row in chunk:
            if self.seen % self.every == 0:
                self.rows.append(row.float())
            self.seen += 1
            if len(self.rows) > self.capacity:
                self.rows = self.rows[::2]
                self.every *= 2

    def quantile(self, q):
        return torch.stack(self.rows).quantile(q, dim=0)


class Monitor:
    """What a training loop would hold."""

    def __init__(self, channels, policy, capacity=64):
        self.policy = policy
        self.moments = Moments.empty(channels, policy.state)
        self.sample = Reservoir(capacity)
        self.alarms = []

    def update(self, chunk):
        chunk = chunk.to(self.policy.data.dtype)
        self.moments = self.moments.merge(Moments.of(chunk, self.policy.partial))
        self.sample.add(chunk)
        if not torch.isfinite(self.moments.mean).all():
            self.alarms.append(self.moments.count)

    def result(self):
        return {
            "mean": self.moments.mean.float(),
            "std": self.moments.variance.sqrt().float(),
        }


def activations(chunks, rows, channels, seed=21):
    """Chunks of activations with a slow trend, as in a warm-up."""
    gen = torch.Generator().manual_seed(seed)
    centre = torch.linspace(0.5, 2.0, channels)
    for index in range(chunks):
        trend = 1 + 0.3 * math.sin(index / 5)
        yield centre * trend + torch.randn(rows, channels, generator=gen) * 0.5


def reference(chunks, precision):
    rows = torch.cat([chunk.to(precision.dtype).double() for chunk in chunks])
    return {"mean": rows.mean(dim=0).float(), "std": rows.std(dim=0, unbiased=False).float()}


def describe(monitor, channels):
    low, high = monitor.sample.quantile(0.05), monitor.sample.quantile(0.95)
    for channel in itertools.islice(range(channels), 3):
        print(f"  channel {channel}: 5 % below {low[channel]:.3f}, 5 % above {high[channel]:.3f}")


def compare(got, want, policy):
    for name in ("std", "mean"):
        difference = (got[name] - want[name]).abs()
        print(f"{name:<5} off by at most {float(difference.max()):.2e}")
        torch.testing.assert_close(got[name], want[name], rtol=policy.rtol, atol=policy.atol)


def parse_args():
    names = {precision.name.lower(): precision for precision in Precision}
    parser = argparse.ArgumentParser(description="streaming statistics")
    parser.add_argument("--chunks", type=int, default=40)
    parser.add_argument("--rows", type=int, default=32)
    parser.add_argument("--channels", type=int, default=8)
    parser.add_argument("--state", choices=sorted(names), default="half")
    args = parser.parse_args()
    args.state = names[args.state]
    return args


def main():
    args = parse_args()
    policy = Policy(state=args.state)
    print(policy.describe())
    chunks = list(activations(args.chunks, args.rows, args.channels))
    monitor = Monitor(args.channels, policy)
    for chunk in chunks:
        monitor.update(chunk)
    describe(monitor, args.channels)
    print(f"{monitor.moments.count} rows, {len(monitor.alarms)} alarms")
    compare(monitor.result(), reference(chunks, policy.data), policy)
    print("equal")


if __name__ == "__main__":
    main()
