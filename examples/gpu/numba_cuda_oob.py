"""
Histograms of measured series with numba.cuda, one for each sensor.

Values outside the range are left out. A sensor that was silent has its missing
values marked with a large number. Each block counts a part of one series into
the histogram of its sensor.

    python numba_cuda_oob.py
    python numba_cuda_oob.py --sensors 16 --samples 100000 --bins 256

Needs a GPU. There is one fault in this file: the kernel leaves out what is below
the range but not what is above it, and counts far out of bounds.

    autodd-c examples/gpu/numba_cuda_oob.py --err-msg CUDA_ERROR_ILLEGAL_ADDRESS -j 8
"""
import argparse
import dataclasses
import math
import time

import numpy as np
from numba import cuda

MISSING = 1.0e8
THREADS = 128


@cuda.jit
def histogram_kernel(samples, counts, low, high, width):
    sensor = cuda.blockIdx.y
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < samples.shape[1]:
        value = samples[sensor, i]
        if value >= low:
            place = int((value - low) / width)
            cuda.atomic.add(counts, (sensor, place), 1)


@cuda.jit
def cumulate_kernel(counts, total):
    sensor = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if sensor < counts.shape[0]:
        running = 0
        for place in range(counts.shape[1]):
            running += counts[sensor, place]
            total[sensor, place] = running


@dataclasses.dataclass(frozen=True)
class Range:
    low: float
    high: float
    bins: int

    @property
    def width(self):
        return (self.high - self.low) / self.bins

    def centre(self, place):
        return self.low + (place + 0.5) * self.width


class Histograms:
    def __init__(self, sensors, axis):
        self.axis = axis
        self.counts = cuda.to_device(np.zeros((sensors, axis.bins), dtype=np.int64))
        self.samples = 0

    def add(self, samples):
        device = cuda.to_device(samples)
        grid = (math.ceil(samples.shape[1] / THREADS), samples.shape[0])
        axis = self.axis
        histogram_kernel[grid, THREADS](device, self.counts, axis.low, axis.high, axis.width)
        self.samples += samples.size

    def result(self):
        return self.counts.copy_to_host()

    def cumulated(self):
        total = cuda.to_device(np.zeros(self.counts.shape, dtype=np.int64))
        sensors = self.counts.shape[0]
        cumulate_kernel[(sensors + 31) // 32, 32](self.counts, total)
        return total.copy_to_host()


def measure(sensors, samples, rng):
    """Series around a level of their own, with gaps in some of them."""
    level = rng.uniform(-2, 2, (sensors, 1))
    series = level + rng.standard_normal((sensors, samples))
    gaps = rng.random((sensors, samples)) < 0.02
    gaps[::2] = False
    series[gaps] = MISSING
    return series


def reference(chunks, axis):
    total = None
    for samples in chunks:
        known = (samples >= axis.low) & (samples < axis.high)
        place = np.clip(((samples - axis.low) / axis.width), 0, axis.bins - 1).astype(np.int64)
        counts = np.stack(
            [np.bincount(p[k], minlength=axis.bins) for p, k in zip(place, known)]
        )
        total = counts if total is None else total + counts
    return total


def median(cumulated, axis):
    half = cumulated[:, -1:] / 2
    return [axis.centre(int(place)) for place in (cumulated < half).sum(axis=1)]


def parse_args():
    parser = argparse.ArgumentParser(description="histograms of sensors")
    parser.add_argument("--sensors", type=int, default=4)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--chunks", type=int, default=3)
    parser.add_argument("--bins", type=int, default=64)
    parser.add_argument("--seed", type=int, default=12)
    return parser.parse_args()


def main():
    args = parse_args()
    rng = np.random.default_rng(args.seed)
    axis = Range(-4.0, 4.0, args.bins)
    chunks = [measure(args.sensors, args.samples, rng) for _ in range(args.chunks)]
    histograms = Histograms(args.sensors, axis)
    start = time.perf_counter()
    for samples in chunks:
        histograms.add(samples)
    counts = histograms.result()
    print(f"{histograms.samples} samples in {time.perf_counter() - start:.2f} s")
    np.testing.assert_array_equal(counts, reference(chunks, axis))
    cumulated = histograms.cumulated()
    np.testing.assert_array_equal(cumulated, counts.cumsum(axis=1))
    print("medians", " ".join(f"{value:+.2f}" for value in median(cumulated, axis)))
    print("equal")


if __name__ == "__main__":
    main()
