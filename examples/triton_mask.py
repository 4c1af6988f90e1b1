"""
Per-channel calibration of sensor readings in Triton: scale, shift, and clip.

    y = clip(x * scale[channel] + shift[channel], low, high)

Readings lie flat, the channels of one moment side by side, and their number is
no multiple of a block. The scales and shifts come from two fixed points of each
channel, measured by another kernel.

    python triton_mask.py
    python triton_mask.py --moments 64 --channels 12 --block 64

Runs on the CPU, in Triton's interpreter. There is one fault in this file: the
calibrating kernel does not store the tail of the last block.

    autodd-c examples/triton_mask.py --err-msg "Mismatched elements: 104 / 1000" -j 4
"""
import argparse
import os
import sys
import time

os.environ["TRITON_INTERPRET"] = "1"

from dataclasses import dataclass, field
from typing import Dict

import torch
import triton
import triton.language as tl


@triton.jit
def fixed_points_kernel(cold_ptr, warm_ptr, scale_ptr, shift_ptr, channels, span, BLOCK: tl.constexpr):
    """The line through (cold, 0) and (warm, span), for each channel."""
    channel = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    inside = channel < channels
    cold = tl.load(cold_ptr + channel, mask=inside, other=0.0)
    warm = tl.load(warm_ptr + channel, mask=inside, other=1.0)
    scale = span / (warm - cold)
    tl.store(scale_ptr + channel, scale, mask=inside)
    tl.store(shift_ptr + channel, -cold * scale, mask=inside)


@triton.jit
def calibrate_kernel(
    x_ptr, scale_ptr, shift_ptr, out_ptr, n, channels, low, high, BLOCK: tl.constexpr, CLIP: tl.constexpr
):
    offsets = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    channel = offsets % channels
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0)
    scale = tl.load(scale_ptr + channel, mask=inside, other=1.0)
    shift = tl.load(shift_ptr + channel, mask=inside, other=0.0)
    y = x * scale + shift
    if CLIP:
        y = tl.minimum(tl.maximum(y, low), high)
    whole = (n // BLOCK) * BLOCK
    tl.store(out_ptr + offsets, y, mask=offsets < whole)


@triton.jit
def clipped_kernel(y_ptr, count_ptr, n, low, high, BLOCK: tl.constexpr):
    """How many values of each block stand at one of the limits."""
    offsets = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    y = tl.load(y_ptr + offsets, mask=inside, other=(low + high) / 2)
    at_limit = ((y <= low) | (y >= high)).to(tl.int32)
    tl.store(count_ptr + tl.program_id(axis=0), tl.sum(at_limit, axis=0))


@dataclass(frozen=True)
class Limits:
    """What a calibrated reading may be."""

    low: float = -10.0
    high: float = 110.0
    span: float = 100.0

    def __post_init__(self):
        if self.low >= self.high:
            raise ValueError(f"no reading lies between {self.low} and {self.high}")


@dataclass
class Launches:
    """Blocks, and how often each kernel was started."""

    block: int
    count: Dict[str, int] = field(default_factory=dict)

    def over(self, name, n):
        self.count[name] = self.count.get(name, 0) + 1
        return (triton.cdiv(n, self.block),)

    def __str__(self):
        return ", ".join(f"{name} {count}" for name, count in sorted(self.count.items()))


class Calibration:
    """Holds a scale and a shift for each channel."""

    def __init__(self, cold, warm, limits, launches):
        self.limits = limits
        self.launches = launches
        self.channels = len(cold)
        self.scale = torch.empty_like(cold)
        self.shift = torch.empty_like(cold)
        grid = launches.over("points", self.channels)
        fixed_points_kernel[grid](
            cold, warm, self.scale, self.shift, self.channels, limits.span, BLOCK=launches.block
        )

    def __call__(self, x, clip=True):
        out = torch.zeros_like(x)
        n = x.numel()
        grid = self.launches.over("calibrate", n)
        calibrate_kernel[grid](
            x, self.scale, self.shift, out, n, self.channels, self.limits.low, self.limits.high,
            BLOCK=self.launches.block, CLIP=clip,
        )
        return out

    def clipped(self, y):
        grid = self.launches.over("clipped", y.numel())
        counts = torch.zeros(grid[0], dtype=torch.int32)
        clipped_kernel[grid](
            y, counts, y.numel(), self.limits.low, self.limits.high, BLOCK=self.launches.block
        )
        return int(counts.sum())

    def reference(self, x, clip=True):
        y = x.view(-1, self.channels) * self.scale + self.shift
        if clip:
            y = y.clamp(self.limits.low, self.limits.high)
        return y.view(-1)


class Sensors:
    """Made-up readings: each channel has an offset and a gain of its own."""

    def __init__(self, channels, seed):
        self.gen = torch.Generator().manual_seed(seed)
        self.offset = torch.linspace(0.1, 0.4, channels)
        self.gain = torch.linspace(0.01, 0.03, channels)

    def at(self, temperature):
        return self.offset + self.gain * temperature

    def read(self, moments):
        temperature = torch.rand(moments, 1, generator=self.gen) * 140 - 20
        return self.at(temperature).reshape(-1)


def describe(name, tensor):
    print("%-9s mean %8.4f  least %8.4f  most %8.4f" % (name, tensor.mean(), tensor.min(), tensor.max()))


def check(calibration, x, clip):
    got, want = calibration(x, clip), calibration.reference(x, clip)
    describe("kernel", got)
    describe("reference", want)
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-3)
    return got


def parse_args():
    parser = argparse.ArgumentParser(description="calibrate sensor readings")
    parser.add_argument("--moments", type=int, default=25)
    parser.add_argument("--channels", type=int, default=40)
    parser.add_argument("--block", type=int, default=128)
    parser.add_argument("--seed", type=int, default=11)
    return parser.parse_args()


def main():
    args = parse_args()
    limits = Limits()
    sensors = Sensors(args.channels, args.seed)
    launches = Launches(args.block)
    start = time.perf_counter()
    calibration = Calibration(sensors.at(0.0), sensors.at(limits.span), limits, launches)
    x = sensors.read(args.moments)
    for clip in (False, True):
        y = check(calibration, x, clip)
    print(f"{calibration.clipped(y)} of {len(y)} readings are clipped")
    print(f"{launches}: {time.perf_counter() - start:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
