"""What a second worker brings on real cores: -j 2 beside -j 1, the search alone.

From the moment the search begins until the final check does; the imports, the
runs of the original and the check take the same time at any -j. The first
inputs are judged by test/bench/judge.c, which sleeps for MS (50) to twice as many
milliseconds a run, so that a busy machine changes little: the tool, its workers
and its processes are real, the runs only take time. The last is the TileLang example in real runs,
where the interpreter has TileLang; these keep a core busy each, so that its
figure is worth something on a quiet machine of two cores or more alone.

usage: AUTODD_C=... JUDGE=build/cc/test/bench/judge PYTHON bench_cores.py [TIMES [MS]]
"""
import json
import math
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "test" / "e2e" / "cases"
EXAMPLE = ROOT / "examples" / "tilelang_gemm.py"
EXAMPLE_RESULT = """\
import tilelang.language as T
@T.prim_func
def gemm_bias():
    T.gemm(T.alloc_shared((1, 0), ''), T.alloc_shared((1, 0), ''), T.alloc_fragment((1, 0), ''))
"""
MESSAGE = "T.gemm K shape check failed"
STDLIB = "syntax-310", "triton-autotune"  # nothing of them is run
ASKED = 1.7


def search(script, folder, jobs, words):
    """One minimization: seconds of its search, runs, bytes of the result."""
    began = ended = done = None
    command = [
        os.environ["AUTODD_C"], script, "-j", str(jobs), "--json", "--force",
        "--no-cache", "--python", sys.executable, "-o", folder / "out.py", *words]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE) as tool:
        for line in tool.stdout:
            event = json.loads(line)
            if event["event"] == "phase" and event["phase"] == "searching":
                began = time.monotonic()
            elif event["event"] == "phase" and began and not ended:
                ended = time.monotonic()
            elif event["event"] == "done":
                done = event
    if tool.returncode or not done:
        sys.exit("%s: %s ended with %d" % (script, command[0], tool.returncode))
    return ended - began, done["runs"], done["bytes"]


def compare(name, script, folder, words, times):
    """Print both; how many times as fast two workers are."""
    seconds, runs, size = {}, {}, {}
    for jobs in (1, 2):
        made = [search(script, folder, jobs, words) for _ in range(times)]
        seconds[jobs] = statistics.median(each[0] for each in made)
        runs[jobs] = statistics.median(each[1] for each in made)
        size[jobs] = made[-1][2]
    faster = seconds[1] / seconds[2]
    print("%-28s %7.1f %7.1f %6.2f %6.0f %6.0f %5.0f %%  %d, %d bytes" % (
        name, seconds[1], seconds[2], faster, runs[1], runs[2],
        100 * (runs[2] / runs[1] - 1), size[1], size[2]), flush=True)
    return faster


def judged(name, script, result, folder, times, ms):
    """Of a script that the program judge judges."""
    shutil.copy(script, folder)
    test = shlex.join(map(str, (os.environ["JUDGE"], script, result, ms)))
    return compare(name, folder / script.name, folder, ["--test", test], times)


def main():
    times, ms = map(int, (sys.argv[1:] + ["3", "50"][len(sys.argv) - 1:])[:2])
    folder = Path(tempfile.mkdtemp(prefix="autodd-bench."))
    try:
        print("search alone: %15s %7s %6s %6s %6s %7s" % (
            "-j 1 s", "-j 2 s", "times", "runs", "runs", "more"))
        (folder / "result.py").write_text(EXAMPLE_RESULT)
        faster = [judged(name + ", sleeping", CASES / (name + ".py"),
                         CASES / (name + ".ideal.py"), folder, times, ms)
                  for name in STDLIB]
        faster.append(judged("tilelang_gemm, sleeping", EXAMPLE,
                             folder / "result.py", folder, times, ms))
        mean = math.exp(statistics.mean(map(math.log, faster)))
        if subprocess.run([sys.executable, "-c", "import tilelang"],
                          capture_output=True).returncode == 0:
            compare("tilelang_gemm, real runs", folder / EXAMPLE.name, folder,
                    ["--err-msg", MESSAGE], 1)
    finally:
        shutil.rmtree(folder)
    print("sleeping, in the mean: %.2f times as fast (asked: %.1f); "
          "%.1f processes were running on %d cores"
          % (mean, ASKED, os.getloadavg()[1], os.cpu_count()))
    return 0 if mean >= ASKED else 1


if __name__ == "__main__":
    sys.exit(main())
