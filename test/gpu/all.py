#!/usr/bin/env python3
"""The runs on a GPU that the figures in h200.md come from, part by part.

    python3 test/gpu/all.py --autodd-c BIN --out DIR --seconds 560 \\
        --parts steps,side

The parts write DIR/all.json and DIR/all.md. Each has its share of --seconds and
leaves the GPU as it found it, which is looked at. No program runs without an
end. A later call goes on with what an earlier one has left out if it is given
the earlier one's folder (--done). The parts:

  steps      each example minimized, every accepted step run again
  side       each example with autodd-c and with AutoDD
  mixed      200 runs that fault, spin or fill the memory beside good ones
  kill       kill -9 of autodd-c at random moments, and what is left
  sanitizer  what only compute-sanitizer sees
  aids       --launch-blocking, --fill, the plain runs before --sanitizer, and
             the example whose message has two forms
  speed      runs a second by kind of child, and of AutoDD's runner
  gemm       examples/tilelang_gemm.py, every kind of children, and AutoDD
  two        two GPUs, one of which is quarantined

--cpu tries all this where there is no GPU: the parts then take scripts of
their own that need none, and --manifest is to name a faults.yaml of such ones.
Standard library only; what the examples import must be there.
"""
import argparse
import os
import sys
import time
import traceback

import rig as rigs  # first: it says where the modules of test/bench are

import cases
import examples
import minimized

ROOT = rigs.ROOT
WEIGHTS = {"steps": 4, "side": 3, "mixed": 2, "kill": 1.5, "sanitizer": 2,
           "aids": 3, "speed": 4, "gemm": 3, "two": 2}
RESERVE = 15  # seconds at the end, for looking whether all is clean


def numbers(parser, text):
    """What NAME=NUMBER,NAME,... says; None where there is no number."""
    found = {}
    for word in filter(None, text.split(",")):
        name, _, number = word.partition("=")
        try:
            found[name] = float(number) if number else None
        except ValueError:
            parser.error("not a number: " + word)
        if number and not found[name] > 0:
            parser.error("not above 0: " + word)
    return found


def parse_args():
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--autodd-c", required=True, metavar="BIN")
    parser.add_argument("--out", required=True, metavar="DIR")
    parser.add_argument("--seconds", type=float, default=560,
                        help="after which all is over (560)")
    parser.add_argument("--parts", default="steps,side", metavar="A,B=SHARE",
                        help="in this order; each has a share of its own")
    parser.add_argument("--done", metavar="DIR",
                        help="--out of an earlier call, to go on from")
    parser.add_argument("--site", default=os.environ.get("AUTODD_GPU_SITE"),
                        metavar="DIR", help="packages that were carried here")
    parser.add_argument("--manifest", metavar="FILE",
                        default=ROOT / "examples/gpu/faults.yaml")
    parser.add_argument("--names", default="", metavar="A,B",
                        help="only these examples, begun in this order; of the "
                        "scripts of aids those named, if any is")
    parser.add_argument("-j", "--jobs", type=int, default=8)
    parser.add_argument("--children", default="auto")
    parser.add_argument("--at-once", type=int, metavar="N",
                        default=max(1, (os.cpu_count() or 1) // 3),
                        help="minimizations at a time")
    parser.add_argument("--parallel", type=int, metavar="N",
                        default=max(2, (os.cpu_count() or 2) - 2),
                        help="fresh runs at a time")
    parser.add_argument("--minimize", type=float, metavar="SECONDS",
                        help="of one minimization; else from --seconds")
    parser.add_argument("--budgets", default="", metavar="NAME=SECONDS,...",
                        help="of the minimization of one script")
    parser.add_argument("--to-end", action="store_true",
                        help="go on with what --done says was cut off")
    parser.add_argument("--ways", default="auto,AutoDD,hot,warm,plain",
                        metavar="A,B", help="of gemm, in this order")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu", action="store_true")
    args = parser.parse_args()
    args.budgets = numbers(parser, args.budgets)
    asked = numbers(parser, args.parts)
    args.parts = list(asked)
    for part in args.parts:
        if part not in WEIGHTS:
            parser.error("no such part: " + part)
    args.weights = {part: WEIGHTS[part] if asked[part] is None
                    else asked[part] for part in args.parts}
    return args


def examples_part(rig, part, seconds):
    """`steps` or `side`: the one that comes first also minimizes."""
    found = cases.load(rig, [n for n in rig.args.names.split(",") if n])
    jobs = minimized.Jobs(rig, found)
    tools = ["ours"] + ["autodd"] * ("side" in rig.args.parts)
    end = time.monotonic() + seconds
    later = rig.later.get("steps", 0) if part == "side" else \
        rig.later.get("side", 0)
    share = 0.65 if part == "steps" else 0.8
    jobs.prepare(tools, seconds * share + later * 0.7)
    do = minimized.steps if part == "steps" else minimized.side
    return do(rig, found, jobs, max(20, end - time.monotonic()))


def run_part(rig, part, seconds):
    """One part; True: all was as it should be."""
    rig.say("---- %s, about %.0f s", part, seconds)
    if part in ("steps", "side"):
        return examples_part(rig, part, seconds)
    return __import__(part).part(rig, seconds)


def main():
    """All parts that were asked for, one after another."""
    args = parse_args()
    rig = rigs.Rig(args)
    tool = examples.find_sanitizer()
    if tool:
        os.environ["PATH"] += os.pathsep + os.path.dirname(tool)
    good = {}
    try:
        rig.find_packages(args.site)
        for at, part in enumerate(args.parts):
            weights = {name: args.weights[name] for name in args.parts[at:]}
            room = rig.left() - RESERVE
            rig.later = {name: room * weight / sum(weights.values())
                         for name, weight in weights.items()}
            before = rigs.gpu_memory()
            try:
                good[part] = run_part(rig, part, rig.later.pop(part))
            except (Exception, SystemExit):
                traceback.print_exc()
                good[part] = None
            took, now = rig.wait_clean(before)
            rig.say("%s: %s; GPU memory %s", part, {
                True: "as it should be", False: "SEE THE TABLE",
                None: "BROKEN"}[good[part]],
                "as before" if took is not None else "LEFT: %s" % now)
    finally:
        good["clean"] = rig.clean_up()
    for part in args.parts:
        print("\n%s\n" % rig.page(part))
    rig.say("%s", good)
    return 0 if all(good.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
