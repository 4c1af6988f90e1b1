"""Runs a second of AutoDD's runner: one text again and again, in as many of its
reused processes as are asked for.

usage: autodd_rate.py SCRIPT TEXT SECONDS JOBS...
One JSON object a line: jobs, runs, per_s, and in how many the text was missing.
"""
import asyncio
import json
import sys
import time

from tilelang.autodd import AsyncPythonRunner

FIRST_S = 90  # most of a run, the first of which imports


async def repeat(runner, code, text, end):
    """Runs of one runner until a moment: how many, and how many were wrong."""
    runs, wrong = 0, 0
    while time.monotonic() < end:
        out, err, _ = await runner.run(code, timeout=FIRST_S)
        runs += 1
        wrong += text not in out + err
    return runs, wrong


async def measure(code, text, seconds, jobs):
    """One line for each number of jobs."""
    runners = [AsyncPythonRunner() for _ in range(max(jobs))]
    for runner in runners:
        runner.start_proc()
    await asyncio.gather(*(runner.run(code, timeout=FIRST_S)
                           for runner in runners))
    for count in jobs:
        start = time.monotonic()
        found = await asyncio.gather(*(
            repeat(runner, code, text, start + seconds)
            for runner in runners[:count]))
        runs = sum(pair[0] for pair in found)
        print(json.dumps({
            "jobs": count, "runs": runs,
            "per_s": runs / (time.monotonic() - start),
            "wrong": sum(pair[1] for pair in found)}), flush=True)
    for runner in runners:
        runner.stop_proc()


def main():
    """Read the arguments."""
    with open(sys.argv[1], encoding="utf-8") as file:
        code = file.read()
    asyncio.run(measure(code, sys.argv[2], float(sys.argv[3]),
                        [int(word) for word in sys.argv[4:]]))


if __name__ == "__main__":
    main()
