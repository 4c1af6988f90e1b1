"""
Explicit time steps of a heat equation on a rod, in Numba: a three-point stencil
over tiles in shared memory.

    u[i] += k * dt / dx^2 * (u[i - 1] - 2 * u[i] + u[i + 1])

A block copies its tile and one cell more on either side, waits, and then each
thread computes the new value of one cell. The ends of the rod are held at fixed
temperatures, or insulated.

    python numba_bounds.py
    python numba_bounds.py --cells 64 --steps 20 --ends insulated

Runs on the CPU, in Numba's CUDA simulator. There is one fault in this file: the
last thread of a tile looks for its right neighbour past the end of the tile.

    autodd-c examples/numba_bounds.py --err-msg "is out of bounds for axis 0 with size 18" -j 4
"""
import argparse
import os
import sys
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

from dataclasses import dataclass

import numpy as np
from numba import cuda, float32

TILE = 16
HALO = 1
MATERIALS = {"copper": 1.0, "steel": 0.12, "glass": 0.003}


@cuda.jit
def hold_ends(values, out, insulated):
    """The first and the last cell, which have one neighbour."""
    i = cuda.grid(1)
    if i == 0:
        out[i] = values[1] if insulated else values[0]
    if i == values.size - 1:
        out[i] = values[i - 1] if insulated else values[i]


@cuda.jit
def diffuse(values, out, rate):
    """A step for all cells between."""
    tile = cuda.shared.array(TILE + 2 * HALO, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < values.size:
        tile[t + HALO] = values[i]
        if t == 0 and i > 0:
            tile[0] = values[i - 1]
        if t == TILE - 1 and i + 1 < values.size:
            tile[TILE + HALO] = values[i + 1]
    cuda.syncthreads()
    if 0 < i < values.size - 1:
        middle = tile[t + HALO]
        out[i] = middle + rate * (tile[t] - 2 * middle + tile[t + 3 * HALO])


@cuda.jit
def block_sums(values, sums):
    """The heat in each tile, added up by a tree."""
    part = cuda.shared.array(TILE, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = values[i] if i < values.size else 0
    cuda.syncthreads()
    half = TILE // 2
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@dataclass
class Rod:
    """What is simulated."""

    cells: int
    material: str
    insulated: bool
    length: float = 1.0

    @property
    def spacing(self):
        return self.length / (self.cells - 1)

    def rate(self, dt):
        """The factor of the stencil; above a half the steps run away."""
        rate = MATERIALS[self.material] * dt / self.spacing ** 2
        if rate > 0.5:
            raise ValueError(f"dt {dt} is too long for {self.cells} cells")
        return np.float32(rate)

    def start(self):
        """Warm in the middle."""
        x = np.linspace(0, 1, self.cells, dtype=np.float32)
        return (20 + 60 * np.exp(-40 * (x - 0.5) ** 2)).astype(np.float32)


class Solver:
    """Steps on the device, and the same on the host."""

    def __init__(self, rod, dt):
        self.rod = rod
        self.rate = rod.rate(dt)
        self.blocks = -(-rod.cells // TILE)
        self.seconds = 0.0

    def step(self, values):
        out = np.empty_like(values)
        hold_ends[self.blocks, TILE](values, out, self.rod.insulated)
        diffuse[self.blocks, TILE](values, out, self.rate)
        return out

    def run(self, values, steps, watch=None):
        began = time.perf_counter()
        for number in range(steps):
            values = self.step(values)
            if watch is not None:
                watch(number + 1, values)
        self.seconds += time.perf_counter() - began
        return values

    def heat(self, values):
        sums = np.zeros(self.blocks, dtype=np.float32)
        block_sums[self.blocks, TILE](values, sums)
        return float(sums.sum()) * self.rod.spacing

    def reference(self, values, steps):
        for _ in range(steps):
            inner = values[1:-1] + self.rate * (values[:-2] - 2 * values[1:-1] + values[2:])
            if self.rod.insulated:
                ends = values[1], values[-2]
            else:
                ends = values[0], values[-1]
            values = np.concatenate([ends[:1], inner, ends[1:]]).astype(np.float32)
        return values


class Watch:
    """Notes the hottest cell every few steps."""

    def __init__(self, every):
        self.every = every
        self.notes = []

    def __call__(self, number, values):
        if number % self.every == 0:
            self.notes.append((number, int(values.argmax()), float(values.max())))

    def print(self):
        for number, cell, hottest in self.notes:
            print(f"  step {number:>4}  cell {cell:>4}  {hottest:6.2f} degrees")


def bar(values, width=32):
    """The rod as a line of characters."""
    shades = " .:-=+*#%@"
    low, high = float(values.min()), float(values.max())
    cells = values[:: max(1, len(values) // width)]
    scale = (len(shades) - 1) / (high - low or 1)
    return "".join(shades[int((float(v) - low) * scale)] for v in cells)


def parse_args():
    parser = argparse.ArgumentParser(description="heat in a rod")
    parser.add_argument("--cells", type=int, default=40)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--dt", type=float, default=2e-4)
    parser.add_argument("--material", choices=sorted(MATERIALS), default="copper")
    parser.add_argument("--ends", choices=("held", "insulated"), default="held")
    return parser.parse_args()


def main():
    args = parse_args()
    rod = Rod(args.cells, args.material, args.ends == "insulated")
    solver = Solver(rod, args.dt)
    start = rod.start()
    print(f"[{bar(start)}] heat {solver.heat(start):.3f}")
    watch = Watch(every=2)
    got = solver.run(start, args.steps, watch)
    watch.print()
    print(f"[{bar(got)}] heat {solver.heat(got):.3f}, {solver.seconds:.2f} s")
    np.testing.assert_allclose(got, solver.reference(start, args.steps), rtol=1e-5, atol=1e-5)
    print("equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
