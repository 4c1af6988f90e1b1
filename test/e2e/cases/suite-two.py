"""Two tests of a ring buffer fail; the one looked for is told first."""
import collections
import itertools
import struct
import unittest


class Ring:
    def __init__(self, size):
        self.items = collections.deque(maxlen=size)

    def push(self, *items):
        self.items.extend(items)
        return self

    def rotate(self, n=1):
        self.items.rotate(n)
        return self

    def windows(self, width):
        parts = itertools.tee(self.items, width)
        for i, part in enumerate(parts):
            next(itertools.islice(part, i, i), None)
        return [struct.pack("<2c", *map(str.encode, pair), b"") for pair in zip(*parts)]


class RingTest(unittest.TestCase):
    def test_keeps_last(self):
        self.assertEqual(list(Ring(2).push(1, 2, 3).items), [2, 3])

    def test_windows(self):
        ring = Ring(4).push(*"abcdef")
        self.assertIn(("c", "d"), ring.windows(2))


class TurnTest(unittest.TestCase):
    def setUp(self):
        self.ring = Ring(4).push(*"abcd")

    def test_rotate(self):
        self.assertEqual("".join(self.ring.rotate(5).items), "abcd")


if __name__ == "__main__":
    unittest.main()
