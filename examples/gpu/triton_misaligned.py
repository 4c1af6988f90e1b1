"""
Reading records of eight small weights at once, in Triton.

A packed buffer is a header and then groups of eight signed 8-bit weights; after
the weights come their scales, one for a group. The kernel reads a group as one
64-bit word, takes it apart by shifts and multiplies by the scale.

    python triton_misaligned.py
    python triton_misaligned.py --groups 65536 --bench

Needs a GPU. There is one fault in this file: the header is padded to 4 bytes and
not to 8, so that the 64-bit words are misaligned.

    autodd-c examples/gpu/triton_misaligned.py --err-msg "misaligned address" -j 8
"""
import argparse
import struct
import time
from dataclasses import dataclass

import torch
import triton
import triton.language as tl

DEVICE = "cuda"
MAGIC = b"pk8"
GROUP = 8
ALIGNMENT = 4


@triton.jit
def unpack_kernel(packed_ptr, scale_ptr, out_ptr, begin, groups, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    group = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = group < groups
    words_ptr = (packed_ptr + begin).to(tl.pointer_type(tl.int64))
    words = tl.load(words_ptr + group, mask=inside, other=0)
    scale = tl.load(scale_ptr + group, mask=inside, other=0.0)
    for i in tl.static_range(GROUP):
        byte = (words >> (8 * i)) & 0xFF
        weight = tl.where(byte >= 128, byte - 256, byte).to(tl.float32)
        tl.store(out_ptr + group * GROUP + i, weight * scale, mask=inside)


@triton.jit
def row_norm_kernel(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * width + at, mask=at < width, other=0.0)
        total += x * x
    tl.store(out_ptr + row, tl.sqrt(tl.sum(total, axis=0)))


@dataclass
class Header:
    """What stands in front of the weights: magic, version, number of groups."""

    groups: int
    version: int = 1

    def encode(self):
        raw = MAGIC + struct.pack("<BII", self.version, self.groups, GROUP)
        return raw + bytes(-len(raw) % ALIGNMENT)

    @classmethod
    def decode(cls, raw):
        if raw[:3] != MAGIC:
            raise ValueError("no packed weights")
        version, groups, group = struct.unpack_from("<BII", raw, len(MAGIC))
        if group != GROUP:
            raise ValueError(f"groups of {group}, not {GROUP}")
        return cls(groups, version)


class Packed:
    def __init__(self, weights):
        groups = weights.reshape(-1, GROUP)
        largest = groups.abs().amax(dim=1).clamp(min=1e-6)
        self.scales = (largest / 127).to(DEVICE)
        self.quantized = torch.round(groups / largest[:, None] * 127).to(torch.int8)
        self.header = Header(groups.shape[0])
        raw = self.header.encode()
        self.begin = len(raw)
        head = torch.tensor(list(raw), dtype=torch.int8)
        self.buffer = torch.cat([head, self.quantized.flatten()]).to(DEVICE)

    def unpack(self, block=128):
        groups = Header.decode(bytes(self.buffer[: self.begin].tolist())).groups
        out = torch.empty(groups * GROUP, device=DEVICE)
        grid = (triton.cdiv(groups, block),)
        unpack_kernel[grid](
            self.buffer, self.scales, out, self.begin, groups, GROUP=GROUP, BLOCK=block
        )
        torch.cuda.synchronize()
        return out

    def reference(self):
        return (self.quantized.to(DEVICE).float() * self.scales[:, None]).flatten()


def row_norms(x, width, block=256):
    rows = x.numel() // width
    out = torch.empty(rows, device=DEVICE)
    row_norm_kernel[(rows,)](x, out, width, BLOCK=block)
    return out


def check(packed, width):
    got, want = packed.unpack(), packed.reference()
    torch.testing.assert_close(got, want)
    norms = row_norms(got, width)
    torch.testing.assert_close(norms, want.reshape(-1, width).norm(dim=1))
    print(f"{packed.header.groups} groups, largest norm {float(norms.max()):.3f}")


def bench(packed, repeat=50):
    packed.unpack()
    start = time.perf_counter()
    for _ in range(repeat):
        packed.unpack()
    seconds = (time.perf_counter() - start) / repeat
    print(f"{packed.buffer.numel() / seconds / 1e9:.2f} GB/s")


def main():
    parser = argparse.ArgumentParser(description="unpack 8-bit weights")
    parser.add_argument("--groups", type=int, default=4096)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--bench", action="store_true")
    args = parser.parse_args()
    if args.groups * GROUP % args.width:
        parser.error("--width must divide the number of weights")
    torch.manual_seed(args.seed)
    packed = Packed(torch.randn(args.groups * GROUP))
    check(packed, args.width)
    if args.bench:
        bench(packed)
    print("equal")


if __name__ == "__main__":
    main()
