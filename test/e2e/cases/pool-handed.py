"""Packs rows in a pool of threads, with a thread that counts them."""
import concurrent.futures
import functools
import queue
import struct
import threading

FORMATS = {"row": "<HH", "cell": "<B"}


class Counter(threading.Thread):
    def __init__(self, source):
        super().__init__(daemon=True)
        self.source = source
        self.total = 0

    def run(self):
        while (n := self.source.get(timeout=5)) is not None:
            self.total += n


def named(kind, *, level=0):
    def outer(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            return kind, level, fn(*args, **kwargs)
        return inner
    return outer


@named("row", level=1)
def pack(fmt, index, values, counts=None):
    packed = b""
    for value in values:
        packed += struct.pack(fmt, index, value)
    if counts is not None:
        counts.put(len(packed))
    return packed


def rows(n):
    for i in range(n):
        yield i, [(i * 7 + k) % 50 for k in range(4)]


def main():
    counts = queue.Queue()
    counter = Counter(counts)
    counter.start()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        waiting = []
        for index, values in rows(5):
            if index == 3:
                values.append(70_000)
            waiting.append(pool.submit(pack, FORMATS["row"], index, values, counts=counts))
        done = [future.result() for future in waiting]
    counts.put(None)
    counter.join()
    print(len(done), counter.total)


if __name__ == "__main__":
    main()
