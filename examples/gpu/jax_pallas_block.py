"""
A gated product of matrices, element by element, as a Pallas kernel of JAX.

    out = silu(gate) * x + bias

The matrices are cut into square blocks, a program for each. The bias is one row,
of which a program gets the part above its block.

    python jax_pallas_block.py
    python jax_pallas_block.py --rows 1024 --columns 1024 --bench

Needs a GPU. There is one fault in this file: the BlockSpec of the gate has the
two coordinates of a block the wrong way round.

    autodd-c examples/gpu/jax_pallas_block.py --err-msg "Not equal to tolerance" -j 8
"""
import argparse
import dataclasses
import functools
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

INTERPRET = False


def gated_kernel(gate_ref, x_ref, bias_ref, out_ref):
    gate = gate_ref[...]
    silu = gate / (1.0 + jnp.exp(-gate))
    out_ref[...] = silu * x_ref[...] + bias_ref[...]


def scale_kernel(x_ref, out_ref, *, factor):
    out_ref[...] = x_ref[...] * factor


@dataclasses.dataclass(frozen=True)
class Blocks:
    rows: int
    columns: int
    block: int = 32

    def validate(self):
        for name in ("rows", "columns"):
            extent = getattr(self, name)
            if extent % self.block:
                raise ValueError(f"{name} is {extent}, no multiple of {self.block}")
        return self

    @property
    def grid(self):
        return self.rows // self.block, self.columns // self.block

    @property
    def shape(self):
        return self.rows, self.columns


@functools.partial(jax.jit, static_argnames="blocks")
def gated(gate, x, bias, blocks):
    square = (blocks.block, blocks.block)
    call = pl.pallas_call(
        gated_kernel,
        grid=blocks.grid,
        in_specs=[
            pl.BlockSpec(square, lambda i, j: (j, i)),
            pl.BlockSpec(square, lambda i, j: (i, j)),
            pl.BlockSpec((1, blocks.block), lambda i, j: (0, j)),
        ],
        out_specs=pl.BlockSpec(square, lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct(blocks.shape, x.dtype),
        interpret=INTERPRET,
    )
    return call(gate, x, bias)


@functools.partial(jax.jit, static_argnames=("factor", "blocks"))
def scaled(x, factor, blocks):
    square = (blocks.block, blocks.block)
    call = pl.pallas_call(
        functools.partial(scale_kernel, factor=factor),
        grid=blocks.grid,
        in_specs=[pl.BlockSpec(square, lambda i, j: (i, j))],
        out_specs=pl.BlockSpec(square, lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct(blocks.shape, x.dtype),
        interpret=INTERPRET,
    )
    return call(x)


def reference(gate, x, bias, factor):
    return jax.nn.silu(gate) * x * factor + bias


class Layer:
    def __init__(self, blocks, factor=0.5, seed=0):
        self.blocks = blocks.validate()
        self.factor = factor
        self.bias = jax.random.normal(jax.random.key(seed), (1, blocks.columns))

    def __call__(self, gate, x):
        return gated(gate, scaled(x, self.factor, self.blocks), self.bias, self.blocks)

    def inputs(self, seed=1):
        first, second = jax.random.split(jax.random.key(seed))
        shape = self.blocks.shape
        return jax.random.normal(first, shape), jax.random.normal(second, shape)


def check(layer):
    gate, x = layer.inputs()
    got = np.asarray(layer(gate, x))
    want = np.asarray(reference(gate, x, layer.bias, layer.factor))
    block = layer.blocks.block
    difference = np.abs(got - want)
    tiles = difference.reshape(got.shape[0] // block, block, -1, block).max(axis=(1, 3))
    print(f"{int((tiles > 1e-4).sum())} of {tiles.size} blocks are off, by {difference.max():.2e} at most")
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


def bench(layer, repeat=50):
    gate, x = layer.inputs()
    layer(gate, x).block_until_ready()
    start = time.perf_counter()
    for _ in range(repeat):
        out = layer(gate, x)
    out.block_until_ready()
    print(f"{(time.perf_counter() - start) / repeat * 1e6:.1f} us")


def main():
    parser = argparse.ArgumentParser(description="gated product")
    parser.add_argument("--rows", type=int, default=128)
    parser.add_argument("--columns", type=int, default=128)
    parser.add_argument("--block", type=int, default=32)
    parser.add_argument("--bench", action="store_true")
    args = parser.parse_args()
    layer = Layer(Blocks(args.rows, args.columns, args.block))
    print(f"{jax.devices()[0].platform}, grid {layer.blocks.grid}")
    check(layer)
    if args.bench:
        bench(layer)
    print("equal")


if __name__ == "__main__":
    main()
