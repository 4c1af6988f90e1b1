from dataclasses import dataclass, field


class Pool:
    """One of its kind."""
    size, step = 4, 2
    name: str

    def __init__(self, count, *, scale=1):
        """Make it."""
        self.count = count
        self.name = f"{self.size} {count!r}"
        text = """a
        b"""
        self.text = text
        self.at = {k: v for k, v in zip(self.text, range(count))}

    def get(self, key, /, other=None):
        return self.at[key] if self.size else self.other(key)

    async def other(self,):
        return [self.step async for size in self.text]


@dataclass(frozen=True)
class Tile:
    m: int
    n: int = 8 * 2
    k: list = field(default_factory=list)

    def __post_init__(self): self.area = self.m * self.n


def main(count):
    tile = Tile(count, k=[1])
    for name, (at, size) in {tile.m: (0, tile.n)}.items():
        print(size, tile.area)
    for a, (b, [c, *d]) in tile.k: print(d)


pool = Pool(main(3), scale=2)
pool.extra = pool.get("a")
print(pool.extra, lambda step: pool.step)


class Once:
    def __init__(self): print(self.__class__)


Once()
