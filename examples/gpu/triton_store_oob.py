"""
A Bloom filter on the GPU, in Triton: one byte for a slot, several hashes a key.

Inserting sets the slots of all hashes of a key, asking looks whether all of
them are set. A key that was inserted is always found; one that was not is found
with a small chance, which is counted and compared with what theory gives.

    python triton_store_oob.py
    python triton_store_oob.py --keys 100000 --log-slots 22 --bench

Needs a GPU. There is one fault in this file: the hashes are not folded into the
table, and the kernel stores far beyond its end.

    autodd-c examples/gpu/triton_store_oob.py --err-msg "CUDA error" -j 8
"""
import argparse
import math
import time
from dataclasses import dataclass

import torch
import triton
import triton.language as tl

DEVICE = "cuda"
MULTIPLIERS = (0x1E3779B97F4A7C15, 0x3F58476D1CE4E5B9, 0x14D049BB133111EB, 0x2545F4914F6CDD1D)
WORD = (1 << 44) - 1


@triton.jit
def hash_key(key, multiplier, mask):
    mixed = (key * multiplier) & 0x7FFFFFFFFFFFFFFF
    mixed = mixed ^ (mixed >> 30)
    mixed = (mixed * 0x3C79AC492BA7B653) & 0x7FFFFFFFFFFFFFFF
    mixed = mixed ^ (mixed >> 33)
    return mixed & mask


@triton.jit
def insert_kernel(keys_ptr, table_ptr, multipliers_ptr, count, mask, HASHES: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    keys = tl.load(keys_ptr + at, mask=inside, other=0)
    ones = tl.full((BLOCK,), 1, tl.int32)
    for h in range(HASHES):
        slot = hash_key(keys, tl.load(multipliers_ptr + h), mask)
        tl.store(table_ptr + slot, ones, mask=inside)


@triton.jit
def contains_kernel(
    keys_ptr, table_ptr, multipliers_ptr, found_ptr, count, mask, HASHES: tl.constexpr, BLOCK: tl.constexpr
):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    keys = tl.load(keys_ptr + at, mask=inside, other=0)
    found = tl.full((BLOCK,), 1, tl.int32)
    for h in range(HASHES):
        slot = hash_key(keys, tl.load(multipliers_ptr + h), mask)
        found = found & tl.load(table_ptr + slot, mask=inside, other=0)
    tl.store(found_ptr + at, found, mask=inside)


@dataclass(frozen=True)
class FilterConfig:
    log_slots: int = 20
    hashes: int = 3
    block: int = 256

    @property
    def slots(self):
        return 1 << self.log_slots

    @property
    def mask(self):
        return WORD

    def expected_rate(self, keys):
        full = 1 - math.exp(-self.hashes * keys / self.slots)
        return full**self.hashes


class BloomFilter:
    def __init__(self, config):
        self.config = config
        self.table = torch.zeros(config.slots, dtype=torch.int32, device=DEVICE)
        multipliers = torch.tensor(MULTIPLIERS[: config.hashes], dtype=torch.int64)
        self.multipliers = multipliers.to(DEVICE)

    def grid(self, keys):
        return (triton.cdiv(keys.numel(), self.config.block),)

    def insert(self, keys):
        c = self.config
        insert_kernel[self.grid(keys)](
            keys, self.table, self.multipliers, keys.numel(), c.mask, HASHES=c.hashes, BLOCK=c.block
        )
        torch.cuda.synchronize()

    def contains(self, keys):
        c = self.config
        found = torch.zeros(keys.numel(), dtype=torch.int32, device=DEVICE)
        contains_kernel[self.grid(keys)](
            keys, self.table, self.multipliers, found, keys.numel(), c.mask, HASHES=c.hashes, BLOCK=c.block
        )
        return found.bool()

    @property
    def filled(self):
        return float(self.table.count_nonzero()) / self.config.slots


def distinct_keys(count, seed):
    gen = torch.Generator().manual_seed(seed)
    keys = torch.randperm(4 * count, generator=gen)[: 2 * count]
    inserted, others = keys.to(torch.int64).split(count)
    return inserted.to(DEVICE), others.to(DEVICE)


def check(bloom, inserted, others):
    bloom.insert(inserted)
    print(f"{bloom.filled:.2%} of the slots are set")
    if not bool(bloom.contains(inserted).all()):
        raise AssertionError("a key that was inserted is not found")
    rate = float(bloom.contains(others).float().mean())
    expected = bloom.config.expected_rate(len(inserted))
    print(f"false positives {rate:.4f}, expected {expected:.4f}")
    if abs(rate - expected) > 0.02:
        raise AssertionError(f"rate of false positives is {rate}, not {expected}")


def bench(bloom, keys, repeat=20):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repeat):
        bloom.insert(keys)
    seconds = (time.perf_counter() - start) / repeat
    print(f"{len(keys) / seconds / 1e6:.1f} million keys a second")


def parse_args():
    parser = argparse.ArgumentParser(description="Bloom filter")
    parser.add_argument("--keys", type=int, default=20000)
    parser.add_argument("--log-slots", type=int, default=18)
    parser.add_argument("--hashes", type=int, default=3, choices=range(1, len(MULTIPLIERS) + 1))
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--bench", action="store_true")
    return parser.parse_args()


def main():
    args = parse_args()
    config = FilterConfig(log_slots=args.log_slots, hashes=args.hashes)
    inserted, others = distinct_keys(args.keys, args.seed)
    bloom = BloomFilter(config)
    check(bloom, inserted, others)
    if args.bench:
        bench(bloom, inserted)
    print("done")


if __name__ == "__main__":
    main()
