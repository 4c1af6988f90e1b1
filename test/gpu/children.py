#!/usr/bin/env python3
"""What the kinds of children are worth on this machine's GPU, and whether any
of them was ever wrong. Standard library only; writes children.json and
children.md.

    python3 test/gpu/children.py --autodd-c build/static/autodd-c --out DIR

Two parts, each bounded by --seconds:
  speed   runs a second of four scripts, by kind of child and by how many run at
          a time; each run must end as its script does in a new interpreter
  steps   scripts are minimized with each kind; then every accepted step is run
          again in a new interpreter, and must fail in the way it was accepted for

--cpu leaves out what needs a GPU, to try this program without one.
"""
import argparse
import concurrent.futures
import json
import os
import select
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

PLAIN = '''
import torch
a = torch.ones(4, 3)
def check(a):
    if a.shape[0] != a.shape[1]:
        raise ValueError("K shape check failed: %d" % a.shape[0])
check(a)
'''
CONTEXT = '''
import torch
a = torch.ones(4, 3, device="cuda")
def check(a):
    if a.shape[0] != a.shape[1]:
        raise ValueError("K shape check failed: %d" % a.shape[0])
check(a + 1)
'''
TRITON = '''
import torch
import triton
import triton.language as tl

@triton.jit
def scale(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)

x = torch.ones(1000, device="cuda")
scale[(8,)](x, 1000, BLOCK=128)
total = int(x.sum().item())
if total != 1000:
    raise ValueError("K shape check failed: %d" % total)
'''
TILELANG = '''
import tilelang
import tilelang.language as T
import torch

@tilelang.jit(out_idx=[-1])
def build(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"),
             C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            A_shared = T.alloc_shared((64, 32), "float16")
            B_shared = T.alloc_shared((32, 64), "float16")
            C_local = T.alloc_fragment((64, 64), "float")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 64, k * 32], A_shared)
                T.copy(B[k * 32, bx * 64], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[by * 64, bx * 64])
    return main

a = torch.ones(128, 128, device="cuda", dtype=torch.float16)
total = int(build(128, 128, 128)(a, a)[0, 0].item())
if total != 0:
    raise ValueError("K shape check failed: %d" % total)
'''
SPEED = [("no context", PLAIN, False), ("context", CONTEXT, True),
         ("Triton compile", TRITON, True),
         ("TileLang compile", TILELANG, True)]

TWO_SHAPES = '''
import torch

CONFIG = {"rows": 64, "cols": 48, "scale": 3}

def tensor(rows, cols, scale):
    base = torch.arange(rows * cols, device=DEVICE, dtype=torch.float32)
    return base.reshape(rows, cols) * scale

def normalize(a):
    low, high = a.min(), a.max()
    return (a - low) / (high - low)

def reference(a):
    out = torch.zeros_like(a)
    for row in range(a.shape[0]):
        out[row] = a[row] * 2
    return out

def check(a):
    if a.shape[0] != a.shape[1]:
        raise ValueError("K shape check failed: %d" % a.shape[0])
    return a

def main():
    a = normalize(tensor(**CONFIG))
    print("mean", float(reference(a).mean()))
    check(a)

main()
'''
OUT_OF_BOUNDS = '''
import torch
import triton
import triton.language as tl

@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, 1.0, mask=at < n)

@triton.jit
def spill(x, offset, BLOCK: tl.constexpr):
    at = offset + tl.arange(0, BLOCK)
    tl.store(x + at, 2.0)

def main():
    torch.manual_seed(0)
    x = torch.randn(4096, device="cuda")
    fill[(32,)](x, 4096, BLOCK=128)
    torch.cuda.synchronize()
    print("filled", float(x.sum()))
    spill[(1,)](x, 1 << 40, BLOCK=128)
    torch.cuda.synchronize()

main()
'''
STEPS = [("shapes", TWO_SHAPES, "K shape check failed", False),
         ("triton", TRITON, "K shape check failed", True),
         ("tilelang", TILELANG, "K shape check failed", True),
         ("out of bounds", OUT_OF_BOUNDS, "illegal memory access", True)]
KINDS = ("fork", "warm", "hot", "fresh")
SILENCE = 120  # seconds in which a worker says something, or it is given up


class Worker:
    """The program's worker, driven by its frames."""

    def __init__(self, args, folder, slots, preload, **more):
        self.folder = folder
        source = folder / "src"
        source.mkdir()
        self.process = subprocess.Popen(
            [args.autodd_c, "worker"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, start_new_session=True,
            env=dict(os.environ, TMPDIR=str(folder)))
        self.data, self.ids = b"", 0
        self.send(frame="setup", slots=slots, python=args.python,
                  script_name="s.py", script_dir=str(source), argv=[], env=[],
                  hide=[], backend="auto", patterns=[], preload=preload,
                  early_env=[], mark="g" + uuid.uuid4().hex, memory_max=0,
                  file_max=0, procs_max=0, output_max=65536, grace_ms=2000, **more)
        while True:
            frame = self.receive()
            if frame["frame"] == "ready":
                break
        if not frame["ok"] or not frame["forks"]:
            sys.exit("the worker cannot fork: %s" % frame)

    def send(self, **frame):
        self.process.stdin.write(json.dumps(frame).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        while b"\n" not in self.data:
            if not select.select([self.process.stdout], [], [], SILENCE)[0]:
                sys.exit("the worker says nothing")
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                sys.exit("the worker has ended")
            self.data += more
        line, _, self.data = self.data.partition(b"\n")
        return json.loads(line)

    def begin(self, text, kind, lane, timeout_s=120):
        self.ids += 1
        more = dict(lane=lane, generation=0) if kind == "hot" else {}
        self.send(frame="run", id=self.ids, text=text, how=kind,
                  timeout_ms=timeout_s * 1000, **more)
        return self.ids

    def finish(self):
        """End it; it is killed if it does not end by itself."""
        self.process.stdin.close()
        try:
            self.process.wait(SILENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(SILENCE)


def essence(result):
    """What must be the same for each run of one text."""
    return (result["end"], result["exit_code"], result["exc_type"],
            result["exc_message"])


def flow(worker, text, kind, at_once, seconds, want, wrong):
    """Runs at a time for some seconds; the runs a second, and their share
    that was warm. The first run of each place is not counted."""
    out, done, warm, rounds = {}, 0, 0, 0
    for lane in range(at_once):
        out[worker.begin(text, kind, lane)] = lane
    start = None
    while out:
        frame = worker.receive()
        if frame["frame"] != "result":
            continue
        lane = out.pop(frame["id"])
        if essence(frame) != want:
            wrong.append(dict(kind=kind, at_once=at_once, end=frame["end"],
                              why=frame.get("why"), text=frame["exc_message"],
                              err=(frame.get("err") or "")[-300:]))
        rounds += 1
        if start is not None:
            done += 1
            warm += frame["warm"]
        elif rounds >= at_once:
            start = time.monotonic()
        if start is None or time.monotonic() - start < seconds:
            out[worker.begin(text, kind, lane)] = lane
    took = time.monotonic() - start
    return {"runs": done, "per_s": done / took if took else 0, "warm": warm}


def speed(args, deadline):
    scripts = [s for s in SPEED if not (args.cpu and s[2])]
    modules = ["torch"] if args.cpu else ["torch", "triton", "tilelang"]
    rows, wrong = [], []
    folder = Path(tempfile.mkdtemp(dir=args.out))
    worker = Worker(args, folder, max(args.jobs), modules)
    for name, text, _ in scripts:
        first = worker.begin(text, "fresh", 0)
        while True:
            frame = worker.receive()
            if frame["frame"] == "result" and frame["id"] == first:
                break
        want = essence(frame)
        print("%s: %s" % (name, want), flush=True)
        for kind in KINDS:
            for at_once in args.jobs:
                if time.monotonic() > deadline:
                    rows.append(dict(script=name, kind=kind, at_once=at_once))
                    continue
                got = flow(worker, text, kind, at_once, args.each, want, wrong)
                rows.append(dict(script=name, kind=kind, at_once=at_once, **got))
                print("  %-6s %d: %.2f/s" % (kind, at_once, got["per_s"]),
                      flush=True)
    worker.finish()
    return rows, wrong


def fails(args, text, message):
    """Whether a text fails in a new interpreter, with the message last."""
    with tempfile.TemporaryDirectory(dir=args.out) as folder:
        path = os.path.join(folder, "step.py")
        with open(path, "wb") as file:
            file.write(text)
        try:
            done = subprocess.run(
                [args.python, path], stdin=subprocess.DEVNULL,
                capture_output=True, timeout=180, cwd=folder,
                start_new_session=True,
                env=dict(os.environ, TRITON_CACHE_DIR=folder + "/triton",
                         TILELANG_CACHE_DIR=folder + "/tilelang"))
        except subprocess.TimeoutExpired:
            return False
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        return done.returncode != 0 and any(
            message in line for line in lines if not line.startswith(" "))


def steps(args, deadline):
    rows = []
    for name, text, message, gpu in STEPS:
        if args.cpu and gpu:
            continue
        text = text.replace("DEVICE", '"cpu"' if args.cpu else '"cuda"')
        for kind in args.children:
            if time.monotonic() > deadline:
                rows.append(dict(script=name, children=kind))
                continue
            folder = Path(tempfile.mkdtemp(dir=args.out))
            (folder / "in.py").write_text(text)
            report, state = folder / "r.json", folder / "s.db"
            done = subprocess.run(
                [args.autodd_c, folder / "in.py", "--err-msg", message, "-j",
                 str(max(args.jobs)), "--python", args.python, "--children", kind,
                 "--state", state, "-o", folder / "out.py",
                 "--report", report, "--max-time", str(args.minimize)],
                capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if not report.exists():
                rows.append(dict(script=name, children=kind, error=done.stderr))
                continue
            said = json.loads(report.read_text())
            base = sqlite3.connect(str(state))
            texts = [bytes(row[0]) if not isinstance(row[0], str)
                     else row[0].encode() for row in
                     base.execute("SELECT text FROM step ORDER BY seq")]
            base.close()
            with concurrent.futures.ThreadPoolExecutor(max(args.jobs)) as pool:
                held = list(pool.map(
                    lambda step: fails(args, step, message), texts))
            rows.append(dict(
                script=name, children=kind, status=said["status"],
                wall_s=said["wall_s"], runs=said["runs"],
                bytes=said["result"]["bytes"], kinds=said["children"],
                steps=len(held), wrong=held.count(False),
                said=done.stderr[-2000:]))
            print("%s, %s: %s" % (name, kind, rows[-1]), flush=True)
    return rows


def markdown(result):
    """The figures as a page."""
    lines = ["# Kinds of children, measured", "", result["machine"], "",
             "## Runs a second", "",
             "| script | child | %s |" % " | ".join(
                 "-j %d" % j for j in result["jobs"]),
             "|---|---|" + "---|" * len(result["jobs"])]
    cells = {(r["script"], r["kind"], r["at_once"]): r
             for r in result["speed"]}
    for script in dict.fromkeys(r["script"] for r in result["speed"]):
        for kind in KINDS:
            row = [cells.get((script, kind, j), {}) for j in result["jobs"]]
            lines.append("| %s | %s | %s |" % (script, kind, " | ".join(
                "%.1f" % r["per_s"] if "per_s" in r else "not run"
                for r in row)))
    lines += ["", "Runs that did not end as the script does by itself: %d."
              % len(result["wrong"]), "", "## Minimized", "",
              "| script | children | s | runs | bytes | steps | do not fail "
              "when run again | hot refusals, sampled, overturned | void "
              "batches |", "|---|---|---|---|---|---|---|---|---|"]
    for r in result["steps"]:
        if "wall_s" not in r:
            lines.append("| %s | %s | not run %s |||||||" % (
                r["script"], r["children"], r.get("error", "")[-80:]))
            continue
        k = r["kinds"]
        lines.append("| %s | %s | %.1f | %d | %d | %d | %d | %d, %d, %d | "
                     "%d of %d |" % (
                         r["script"], r["children"], r["wall_s"], r["runs"],
                         r["bytes"], r["steps"], r["wrong"], k["noes"],
                         k["sampled"], k["overturned"], k["voided"],
                         k["voided"] + k["batches"]))
    return "\n".join(lines) + "\n"


def machine():
    """What this is, in a line."""
    try:
        return subprocess.run(
            ["nvidia-smi", "--query-gpu=name,driver_version",
             "--format=csv,noheader"], capture_output=True, text=True,
            timeout=60).stdout.strip().replace("\n", "; ")
    except OSError:
        return "no GPU"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--autodd-c", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--out", default=".")
    parser.add_argument("--seconds", type=float, default=270,
                        help="most that each part takes, about")
    parser.add_argument("--each", type=float, default=3,
                        help="seconds of one measurement")
    parser.add_argument("--minimize", type=float, default=60,
                        help="most seconds of one minimization")
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--children", nargs="+",
                        default=["plain", "warm", "hot"])
    parser.add_argument("--parts", nargs="+", default=["speed", "steps"])
    parser.add_argument("--cpu", action="store_true")
    args = parser.parse_args()
    args.autodd_c = os.path.abspath(args.autodd_c)
    out = Path(args.out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    args.out = tempfile.mkdtemp()
    os.environ.setdefault("XDG_STATE_HOME", args.out)
    result = dict(machine=machine(), jobs=args.jobs, speed=[], wrong=[],
                  steps=[])
    try:
        if "speed" in args.parts:
            result["speed"], result["wrong"] = speed(
                args, time.monotonic() + args.seconds)
        if "steps" in args.parts:
            result["steps"] = steps(args, time.monotonic() + args.seconds)
    finally:
        (out / "children.json").write_text(json.dumps(result, indent=1))
        (out / "children.md").write_text(markdown(result))
        shutil.rmtree(args.out, ignore_errors=True)
    print(markdown(result))
    wrong = len(result["wrong"]) + sum(r.get("wrong", 0)
                                       for r in result["steps"])
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
