"""A thread waits for an end that nobody sends."""
import queue
import threading

END = object()


class Stage(threading.Thread):
    def __init__(self, work, source, sink=None):
        super().__init__()
        self.work, self.source, self.sink = work, source, sink

    def run(self):
        while True:
            item = self.source.get(timeout=40)
            if item is END:
                break
            result = self.work(item)
            if self.sink is not None:
                self.sink.put(result)


numbers, labels = queue.Queue(), queue.Queue()
seen = []
stages = [Stage("<{}>".format, numbers, labels), Stage(seen.append, labels)]
for stage in stages:
    stage.start()
for i in range(3):
    numbers.put(i)
numbers.put(END)
print("all items sent", flush=True)
for stage in stages:
    stage.join()
print(*seen)
