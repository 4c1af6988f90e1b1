# A wrong result: the store leaves out the tail of the last block. Runs on the
# CPU, in Triton's interpreter. From the folder above:
#
#   autodd-c examples/triton_mask.py --err-msg "Mismatched elements: 104 / 1000" -j 4
"""Row-wise scale and shift of a flat tensor."""
import argparse
import os

os.environ["TRITON_INTERPRET"] = "1"

import torch
import triton
import triton.language as tl


@triton.jit
def affine_kernel(x_ptr, scale_ptr, shift_ptr, out_ptr, n, width, BLOCK: tl.constexpr):
    start = tl.program_id(axis=0) * BLOCK
    offsets = start + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0)
    scale = tl.load(scale_ptr + offsets % width, mask=inside, other=1.0)
    shift = tl.load(shift_ptr + offsets % width, mask=inside, other=0.0)
    whole = (n // BLOCK) * BLOCK
    tl.store(out_ptr + offsets, x * scale + shift, mask=offsets < whole)


class Affine:
    """Holds the two rows and launches the kernel over a tensor of any size."""

    def __init__(self, width, block=128):
        self.scale = torch.linspace(0.5, 2.0, width)
        self.shift = torch.linspace(1.0, 3.0, width)
        self.width = width
        self.block = block

    def reference(self, x):
        rows = x.view(-1, self.width)
        return (rows * self.scale + self.shift).view(-1)

    def __call__(self, x):
        out = torch.zeros_like(x)
        n = x.numel()
        grid = (triton.cdiv(n, self.block),)
        affine_kernel[grid](x, self.scale, self.shift, out, n, self.width, BLOCK=self.block)
        return out


def describe(name, tensor):
    print("%-9s mean %.4f  max %.4f" % (name, tensor.mean(), tensor.max()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=25)
    parser.add_argument("--width", type=int, default=40)
    args = parser.parse_args()

    torch.manual_seed(11)
    x = torch.rand(args.rows * args.width) + 0.25
    op = Affine(args.width)
    got, want = op(x), op.reference(x)
    describe("kernel", got)
    describe("reference", want)
    torch.testing.assert_close(got, want)
    print("equal")


if __name__ == "__main__":
    main()
