"""
Prefix sums and stream compaction with Numba: one block scans a chunk in shared
memory, the sums of the chunks are scanned on the host, and added back.

The scan in a block is the one of Hillis and Steele: in step s each thread adds
what stands s places to its left, between two buffers.

    python numba_scan.py
    python numba_scan.py --count 100 --threshold 0.2

Runs on the CPU, in Numba's CUDA simulator. There is one fault in this file: the
offset of a chunk is added to all of its elements but the last.

    autodd-c examples/numba_scan.py --err-msg "Arrays are not equal" -j 8
"""
import argparse
import collections
import os
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numpy as np
from numba import cuda, int32

CHUNK = 8
Result = collections.namedtuple("Result", "name got want")


@cuda.jit
def scan_chunks(values, sums, totals):
    """Inclusive sums of each chunk, and its total."""
    front = cuda.shared.array(CHUNK, int32)
    back = cuda.shared.array(CHUNK, int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    front[t] = values[i] if i < values.size else 0
    cuda.syncthreads()
    step = 1
    while step < CHUNK:
        if t >= step:
            back[t] = front[t] + front[t - step]
        else:
            back[t] = front[t]
        cuda.syncthreads()
        front[t] = back[t]
        cuda.syncthreads()
        step *= 2
    if i < values.size:
        sums[i] = front[t]
    if t == CHUNK - 1:
        totals[cuda.blockIdx.x] = front[t]


@cuda.jit
def add_offsets(sums, offsets):
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < sums.size and t < CHUNK - 1:
        sums[i] += offsets[cuda.blockIdx.x]


@cuda.jit
def mark_kept(values, threshold, flags):
    i = cuda.grid(1)
    if i < values.size:
        flags[i] = 1 if values[i] > threshold else 0


@cuda.jit
def scatter(values, flags, sums, out):
    i = cuda.grid(1)
    if i < values.size and flags[i] == 1:
        out[sums[i] - 1] = values[i]


def blocks_for(count):
    return max(1, -(-count // CHUNK))


class Scanner:
    """Sums of any length; chunks of chunks where there are many."""

    def __init__(self, trace=False):
        self.trace = trace
        self.depth = 0

    def __call__(self, values):
        blocks = blocks_for(values.size)
        sums = np.zeros(values.size, dtype=np.int32)
        totals = np.zeros(blocks, dtype=np.int32)
        scan_chunks[blocks, CHUNK](values, sums, totals)
        if blocks > 1:
            add_offsets[blocks, CHUNK](sums, self.exclusive(totals))
        if self.trace:
            print("  " * self.depth + f"scanned {values.size} in {blocks} blocks")
        return sums

    def exclusive(self, totals):
        """Exclusive sums of the totals, on the host."""
        self.depth += 1
        offsets = np.concatenate([[0], np.cumsum(totals)[:-1]])
        self.depth -= 1
        return offsets.astype(np.int32)


class Compactor:
    """Keeps the values above a threshold, in their order."""

    def __init__(self, threshold, scanner):
        self.threshold = threshold
        self.scanner = scanner

    def flags(self, values):
        flags = np.zeros(values.size, dtype=np.int32)
        mark_kept[blocks_for(values.size), CHUNK](values, self.threshold, flags)
        return flags

    def __call__(self, values):
        flags = self.flags(values)
        sums = self.scanner(flags)
        out = np.zeros(int(sums[-1]), dtype=values.dtype)
        scatter[blocks_for(values.size), CHUNK](values, flags, sums, out)
        return out

    def reference(self, values):
        return values[values > self.threshold]


def noise(count, seed=13):
    """Numbers from 0 to 1, the same on every machine."""
    state = np.empty(count, dtype=np.float64)
    word = seed
    for i in range(count):
        word = (word * 1664525 + 1013904223) % (1 << 32)
        state[i] = word / (1 << 32)
    return state


def run_scans(scanner, counts):
    for count in counts:
        values = (noise(count) * 10).astype(np.int32)
        yield Result(f"scan of {count}", scanner(values), np.cumsum(values).astype(np.int32))


def run_compactions(scanner, count, thresholds):
    values = noise(count, seed=99)
    for threshold in thresholds:
        compact = Compactor(threshold, scanner)
        yield Result(f"above {threshold}", compact(values), compact.reference(values))


def report(result, seconds):
    same = result.got.shape == result.want.shape and bool((result.got == result.want).all())
    mark = "ok" if same else "WRONG"
    print(f"{result.name:<14} {result.got.size:>4} values {seconds * 1e3:7.1f} ms  {mark}")


def main():
    parser = argparse.ArgumentParser(description="prefix sums")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--threshold", type=float, nargs="+", default=[0.5, 0.9])
    parser.add_argument("--trace", action="store_true")
    args = parser.parse_args()
    scanner = Scanner(args.trace)
    results = list(run_scans(scanner, (1, CHUNK, args.count)))
    start = time.perf_counter()
    for result in results:
        report(result, time.perf_counter() - start)
    for result in results:
        np.testing.assert_array_equal(result.got, result.want, err_msg=result.name)
    for result in run_compactions(scanner, args.count, args.threshold):
        report(result, time.perf_counter() - start)
        np.testing.assert_array_equal(result.got, result.want, err_msg=result.name)
    print("all equal")


if __name__ == "__main__":
    main()
