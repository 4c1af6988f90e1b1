"""Events of a stream, told apart by match."""
import asyncio
import enum
from dataclasses import dataclass, field


class Kind(enum.Enum):
    COPY = "copy"
    SYNC = "sync"


@dataclass
class Event:
    kind: Kind
    data: list[int] = field(default_factory=list)
    lane: int = 0


async def events(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield Event(Kind.COPY if i % 3 else Kind.SYNC, [i] * (i % 4), i)
    yield {"text": "mark", "at": (3, [b"x", 300])}


def size_of(event):
    match event:
        case Event(Kind.SYNC):
            return 0
        case Event(_, [first, *rest], lane=lane) if lane >= first:
            return first + len(rest)
        case {"text": str(text), "at": (width, [head, *tail])}:
            return head.ljust(width) + bytes(tail) + text.encode()
        case Event() as other:
            return other.lane


async def main():
    total = 0
    async for event in events(5):
        size = size_of(event)
        if isinstance(size, int):
            total += size
    print("total", total)


asyncio.run(main())
