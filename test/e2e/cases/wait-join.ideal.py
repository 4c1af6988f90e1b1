import queue
import threading
class Stage(threading.Thread):
    def run(self):
        queue.Queue().get(timeout=40)
Stage().start()
print("all items sent", flush=True)
