"""What a run costs, and what the tool itself costs, on the demo.

Both backends in one go, side by side, since times vary from machine to machine:
a run through the fork server should cost at most 1/10 of a fresh one, and the
tool's own CPU time should be at most 5 ms a trial.

usage: AUTODD_C=build/cc/autodd-c PYTHON-WITH-TILELANG bench_cost.py
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "tilelang_gemm.py"
MESSAGE = "T.gemm K shape check failed"


def measure(folder, backend, runs):
    """The report of a search that is cut off after so many runs; 0: never."""
    name = "%s-%d" % (backend, runs)
    report = folder / (name + ".json")
    command = [
        os.environ["AUTODD_C"], folder / EXAMPLE.name, "--err-msg", MESSAGE,
        "--python", sys.executable, "--backend", backend, "-j", "1", "-q",
        "--max-runs", str(runs), "--state", folder / (name + ".db"),
        "-o", folder / (name + ".py"), "--report", report]
    subprocess.run(command, check=True, timeout=1800, stdin=subprocess.DEVNULL)
    return json.loads(report.read_text())


def per_run(few, many):
    """Seconds of one more run: what both have in common drops out."""
    return (many["wall_s"] - few["wall_s"]) / (many["runs"] - few["runs"])


def main():
    folder = Path(tempfile.mkdtemp(prefix="autodd-bench."))
    try:
        shutil.copy(EXAMPLE, folder)
        forked = per_run(measure(folder, "runner", 10), measure(folder, "runner", 110))
        fresh = per_run(measure(folder, "subproc", 10), measure(folder, "subproc", 25))
        whole = measure(folder, "auto", 0)
    finally:
        shutil.rmtree(folder)
    trials = whole["runs"] + whole["cached"] + whole["rejected_early"]
    own_ms = 1000 * whole["tool_cpu_s"] / trials
    print("a run, forked: %.3f s; fresh: %.3f s; ratio %.3f (asked: 0.1)"
          % (forked, fresh, forked / fresh))
    print("the tool's own CPU time: %.2f ms a trial (asked: 5)" % own_ms)
    print("the whole demo at -j 1: %d runs, %.1f s, %d to %d bytes (asked: 600 runs, 500 bytes)"
          % (whole["runs"], whole["wall_s"], whole["original"]["bytes"],
             whole["result"]["bytes"]))
    good = (forked <= fresh / 10 and own_ms <= 5
            and whole["runs"] <= 600 and whole["result"]["bytes"] <= 500)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
