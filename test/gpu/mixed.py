"""The part `mixed`: runs that fault, spin or fill the memory, beside and before
runs whose outcome is known, in the program's worker, by kind of child.

Each run carries a number of its own, which its outcome must show; so an outcome
that belongs to another run is wrong as well. Runs that end as `lost` are no
verdict: the program asks for them again. The fillers come last, since with them
the worker lowers the number of runs at a time.
"""
import base64
import random
import tempfile
import time
from pathlib import Path

import children

KINDS = ("fork", "warm", "hot")
AT_ONCE = 8
SPIN_S = 6      # after which what spins is ended
MIX = {"passes": 15, "raises": 17, "asserts": 10, "strays": 10, "spins": 5,
       "loops": 3}
LAST = {"passes": 4, "raises": 4, "fills": 2}

HEAD = """import torch
NUMBER = %(number)d
x = torch.arange(1000, device="cuda")
total = int(x.sum().item())
"""
STRAY = """import triton
import triton.language as tl

@triton.jit
def stray(x, offset, BLOCK: tl.constexpr):
    tl.store(x + offset + tl.arange(0, BLOCK), 2)

stray[(1,)](x, 1 << 40, BLOCK=128)
torch.cuda.synchronize()
print("value", NUMBER, total)
"""
FILL = """import time
held = []
try:
    while True:
        held.append(torch.empty(1 << 30, dtype=torch.uint8, device="cuda"))
except torch.OutOfMemoryError:
    time.sleep(2)  # the memory stays full for a while
    raise
"""
TEXTS = {
    "passes": HEAD + 'print("value", NUMBER, total)\n',
    "raises": HEAD + 'raise ValueError("K %%d %%d" %% (NUMBER, total))\n',
    "asserts": HEAD + 'x[torch.tensor([5000], device="cuda")]\n'
                      "torch.cuda.synchronize()\n",
    "strays": HEAD + STRAY,
    "spins": HEAD + "torch.cuda._sleep(1 << 60)\ntorch.cuda.synchronize()\n",
    "loops": HEAD + "while True:\n    x.sum().item()\n",
    "fills": HEAD + FILL,
}
PLAIN_HEAD = "NUMBER = %(number)d\ntotal = sum(range(1000))\n"
PLAIN_TEXTS = {
    "passes": PLAIN_HEAD + 'print("value", NUMBER, total)\n',
    "raises": PLAIN_HEAD + 'raise ValueError("K %%d %%d" %% (NUMBER, total))\n',
    "asserts": PLAIN_HEAD + 'raise RuntimeError("CUDA error: device-side '
                            'assert triggered")\n',
    "strays": PLAIN_HEAD + "import os\nos.abort()\n",
    "spins": PLAIN_HEAD + "import signal\nwhile True:\n    signal.pause()\n",
    "loops": PLAIN_HEAD + "while True:\n    pass\n",
    "fills": PLAIN_HEAD + "raise MemoryError\n",
}
TOTAL = 499500


def output(result):
    """What a run printed."""
    said = result.get("out") or ""
    if isinstance(said, dict):
        said = base64.b64decode(said["base64"]).decode("utf-8", "replace")
    return said


def is_right(kind, number, result, cpu):
    """Whether a run ended as a script of its kind does."""
    end, message = result["end"], result.get("exc_message") or ""
    if kind == "passes":
        return end == "exit" and result["exit_code"] == 0 and \
            output(result) == "value %d %d\n" % (number, TOTAL)
    if kind == "raises":
        return end == "exit" and result["exit_code"] == 1 and \
            result["exc_type"] == "ValueError" and \
            message == "K %d %d" % (number, TOTAL)
    if kind in ("spins", "loops"):
        return end == "timeout"
    if kind == "strays" and cpu:
        return end == "signal"
    want = {"asserts": ["device-side assert triggered"],
            "strays": ["illegal memory access", "CUDA error"],
            "fills": [""]}[kind]
    type_ = result.get("exc_type") or ""
    return end == "exit" and result["exit_code"] == 1 and \
        any(words in message for words in want) and \
        (kind != "fills" or "Memory" in type_)


def order(rng, mix):
    """Kinds in a random order, as many of each as `mix` says."""
    kinds = [kind for kind, count in mix.items() for _ in range(count)]
    rng.shuffle(kinds)
    return kinds


def flow(rig, worker, how, kinds, end):
    """Do the runs, some at a time. Returns a row a run."""
    texts = PLAIN_TEXTS if rig.args.cpu else TEXTS
    waiting, out, rows = list(enumerate(kinds, 1)), {}, []
    lanes = list(range(AT_ONCE))
    while out or (waiting and time.monotonic() < end):
        while waiting and lanes and time.monotonic() < end:
            number, kind = waiting.pop(0)
            lane = lanes.pop()
            spins = kind in ("spins", "loops")
            run = worker.begin(texts[kind] % {"number": number}, how, lane,
                               SPIN_S if spins else 90)
            out[run] = number, kind, lane
        frame = worker.receive()
        if frame["frame"] == "note":
            rig.say("the worker: %s", frame.get("text", frame))
        if frame["frame"] != "result":
            continue
        number, kind, lane = out.pop(frame["id"])
        lanes.append(lane)
        row = {"how": how, "kind": kind, "end": frame["end"],
               "void": frame["end"] == "lost",
               "warm": bool(frame.get("warm")), "hot": frame.get("hot") or 0,
               "seconds": round(frame.get("wall_ms", 0) / 1000, 2)}
        row["right"] = row["void"] or is_right(kind, number, frame,
                                               rig.args.cpu)
        if not row["right"] or row["void"]:
            row["seen"] = {key: frame.get(key) for key in (
                "exit_code", "signal", "why", "exc_type", "exc_message")}
            row["seen"]["err"] = str(frame.get("err"))[-600:]
            rig.say("%s %s: %s %s", how, kind, "void" if row["void"]
                    else "WRONG", row["seen"])
        rows.append(row)
    return rows


def part(rig, seconds):
    """All kinds of children, one worker each."""
    rows, began = [], time.monotonic()
    rng = random.Random(rig.args.seed)
    modules = [] if rig.args.cpu else ["torch", "triton"]
    more = {} if rig.args.cpu else {"gpus": "all"}
    for at, how in enumerate(KINDS):
        end = began + seconds * (at + 1) / len(KINDS)
        folder = Path(tempfile.mkdtemp(dir=rig.work))
        worker = children.Worker(rig, folder, AT_ONCE, modules, **more)
        found = flow(rig, worker, how, order(rng, MIX), end - seconds / 12)
        found += flow(rig, worker, how, order(rng, LAST), end)
        worker.finish()
        rig.say("%s: %d runs, %d wrong, %d void", how, len(found),
                sum(not row["right"] for row in found),
                sum(row["void"] for row in found))
        rows += found
        rig.save("mixed", {"rows": rows, "seed": rig.args.seed}, table(rows))
    return all(row["right"] for row in rows) and len(rows) >= 200


def table(rows):
    """The page of the part."""
    names = list(dict.fromkeys([*MIX, *LAST]))
    lines = ["# Runs that fault, spin or fill the memory beside good ones", "",
             "%d at a time. passes, raises: their outcome is known and has the "
             "run's own number in it. asserts: device-side assert. strays: "
             "store far out of bounds. spins: a kernel without an end. loops: "
             "kernels without an end. fills: takes all of the GPU's memory."
             % AT_ONCE, "",
             "| children | %s | warm, hot | no verdict | wrong |"
             % " | ".join(names), "|---|" + "---|" * (len(names) + 3)]
    for how in dict.fromkeys(row["how"] for row in rows):
        own = [row for row in rows if row["how"] == how]
        lines.append("| %s | %s | %d, %d | %d | %d |" % (
            how, " | ".join(str(sum(row["kind"] == name for row in own))
                            for name in names),
            sum(row["warm"] for row in own),
            sum(bool(row["hot"]) for row in own),
            sum(row["void"] for row in own),
            sum(not row["right"] for row in own)))
    lines += ["", "%d runs, **%d wrong**, %d without a verdict." % (
        len(rows), sum(not row["right"] for row in rows),
        sum(row["void"] for row in rows))]
    return lines
