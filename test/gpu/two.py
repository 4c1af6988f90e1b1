"""The part `two`: two GPUs, by what each run sees in CUDA_VISIBLE_DEVICES.

First both are healthy. Then a fake NVML, which names the same two GPUs, plays
an Xid for one of them in the middle of the search: no later run may be on it,
the other goes on to a result of its own. That need not be the same text: with
fewer workers other candidates are tried at the same time.
"""
import json
import shutil
import subprocess
import threading
import time

import rig as rigs

XID = 79            # the GPU has fallen off the bus
ENOUGH = 12         # runs on the second GPU, after which it falls
STARTED_S = 1.0     # a run may have been started that long after the event
MOST_S = 120
FAKES = rigs.ROOT / "test" / "fakes"

SCRIPT = '''import os
import time
%(imports)s
with __freeze__:
    with open(os.environ["TWO_LOG"], "a") as log:
        log.write("\\n%%f %%s.\\n" %% (
            time.time(), os.environ.get("CUDA_VISIBLE_DEVICES", "none")))
    %(length)s

CONFIG = {"rows": 64, "cols": 48, "scale": 3}


def tensor(rows, cols, scale):
    base = %(arange)s
    return [base, rows, cols, scale]


def normalize(a):
    low, high = min(a[1:]), max(a[1:])
    return a + [(a[3] - low) / (high - low)]


def widths(a):
    out = []
    for row in range(a[2]):
        out.append(row * 2)
    return out


def check(a):
    %(use)s
    if a[1] != a[2]:
        raise ValueError("K shape check failed: %%d" %% a[1])
    return a


def main():
    a = normalize(tensor(**CONFIG))
    print("widths", sum(widths(a)))
    check(a)


main()
'''
GPU = {"imports": "import torch\n", "use": "print(float(a[0].sum()))",
       "arange": 'torch.arange(rows * cols, device="cuda")', "length": "pass"}
# A run takes so long that the search goes on well after the fall.
CPU = {"imports": "", "use": "print(a[0])", "arange": "rows * cols",
       "length": "time.sleep(0.2)"}


def runs(path):
    """When each run began, and on what; a line cut short does not count."""
    if not path.exists():
        return []
    return [(float(at), gpu) for at, gpu in
            (line[:-1].split() for line in path.read_text().splitlines()
             if line.endswith("."))]


def build(folder, name, source):
    """A fake library."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        raise SystemExit("no C compiler for the fake NVML")
    path = folder / name
    subprocess.run([compiler, "-shared", "-fPIC", "-fvisibility=hidden", "-o",
                    path, FAKES / source], check=True, timeout=60)
    return path


def machine(rig, folder, uuids):
    """A fake NVML with these GPUs: the environment for it."""
    folder.mkdir()
    (folder / "gpus").write_text("".join(
        "%s 143771 500 0 NVIDIA H200\n" % uuid for uuid in uuids))
    env = {"AUTODD_NVML_LIB": str(build(folder, "nvml.so", "nvml.c")),
           "FAKE_NVML": str(folder)}
    if rig.args.cpu:  # the canary needs a driver
        env["AUTODD_CUDA_LIB"] = str(build(folder, "cuda.so", "canary.c"))
        env["FAKE_CUDA"] = str(folder)
    return env


class Fall(threading.Thread):
    """Plays the Xid once the second GPU has had its runs."""

    def __init__(self, log, folder, uuid):
        super().__init__(daemon=True)
        self.log, self.folder, self.uuid = log, folder, uuid
        self.over, self.at = threading.Event(), None

    def run(self):
        while not self.over.wait(0.05):
            if sum(gpu == self.uuid for _, gpu in runs(self.log)) >= ENOUGH:
                with open(self.folder / "events", "a") as file:
                    file.write("1 %d\n" % XID)
                self.at = time.time()
                return


def once(rig, uuids, fall, env):
    """One minimization."""
    folder = rig.work / ("two-fall" if fall else "two")
    folder.mkdir()
    (folder / "work.py").write_text(SCRIPT % (CPU if rig.args.cpu else GPU))
    log, report = folder / "log", folder / "report.json"
    watch = Fall(log, rig.work / "machine", uuids[1]) if fall else None
    if watch:
        watch.start()
    before = rigs.gpu_memory()
    done = rig.run(
        [rig.autodd_c, folder / "work.py", "--err-msg", "K shape check failed",
         "-j", rig.args.jobs, "--python", rig.python, "--children",
         rig.args.children, "--state", folder / "state.db", "-o",
         folder / "out.py", "--report", report, "--max-time", MOST_S],
        MOST_S + 45, env=dict(env, TWO_LOG=str(log)))
    if watch:
        watch.over.set()
        watch.join()
    said = json.loads(report.read_text()) if report.exists() else {}
    row = {"exit": done.code, "seconds": round(done.seconds, 1),
           "said": done.tail(), "status": said.get("status"),
           "notes": [note["text"] for note in said.get("notes", [])],
           "runs": said.get("runs"), "no_verdict": said.get("no_verdict"),
           "free_s": rig.wait_clean(before)[0], "fell": bool(fall and watch.at)}
    out = folder / "out.py"
    row["result"] = out.read_text() if out.exists() else None
    all_runs = runs(log)
    row["gpus"] = {uuid: sum(gpu == uuid for _, gpu in all_runs)
                   for uuid in uuids}
    row["elsewhere"] = len(all_runs) - sum(row["gpus"].values())
    if row["fell"]:
        row["after"] = {uuid: sum(gpu == uuid and at > watch.at + STARTED_S
                                  for at, gpu in all_runs) for uuid in uuids}
    rig.say("two, %s: %s", "one falls" if fall else "healthy",
            {key: row[key] for key in row if key not in ("said", "result")})
    return row


def part(rig, seconds):
    """Healthy, then with a fall."""
    uuids = list(rigs.gpu_memory())[:2]
    if rig.args.cpu:
        uuids = ["GPU-aaaaaaaa-1111-2222", "GPU-bbbbbbbb-1111-2222"]
    if len(uuids) < 2:
        rig.save("two", {"gpus": uuids}, ["# Two GPUs", "", "Not run: %d GPU "
                                          "here." % len(uuids)])
        return True
    env = machine(rig, rig.work / "machine", uuids)
    healthy = once(rig, uuids, False, env if rig.args.cpu else {})
    fallen = once(rig, uuids, True, env)
    rows = {"healthy": healthy, "fallen": fallen}
    rig.save("two", rows, table(uuids, rows))
    return all(row["status"] == "verified" and row["free_s"] is not None
               for row in rows.values()) and min(healthy["gpus"].values()) > 0 \
        and fallen["fell"] and fallen["after"][uuids[1]] == 0 \
        and fallen["after"][uuids[0]] > 0 \
        and alike(healthy["result"], fallen["result"])


def alike(one, other):
    """Tell whether results are as small, but for the way that a search took."""
    return bool(one and other) and max(len(one), len(other)) \
        <= min(len(one), len(other)) * 1.25 + 20


def table(uuids, rows):
    """The page of the part."""
    lines = ["# Two GPUs", "", "Runs by the CUDA_VISIBLE_DEVICES that they saw; "
             "in the second row a fake NVML played Xid %d for the second GPU."
             % XID, "",
             "| | end | runs, without a verdict | on the first | on the second "
             "| after the Xid, first and second | result | seconds |",
             "|---|---|---|---|---|---|---|---|"]
    for name, row in rows.items():
        after = row.get("after")
        lines.append("| %s | %s (exit %s) | %s, %s | %d | %d | %s | %s | %.1f |"
                     % (name, row["status"], row["exit"], row["runs"],
                        row["no_verdict"], row["gpus"][uuids[0]],
                        row["gpus"][uuids[1]],
                        "%d, %d" % (after[uuids[0]], after[uuids[1]])
                        if after else "", "%d bytes" % len(row["result"])
                        if row["result"] else "none", row["seconds"]))
    same = alike(rows["healthy"]["result"], rows["fallen"]["result"])
    lines += ["", "The results are %s." % ("as small" if same
                                          else "**not as small**"), ""]
    lines += ["* " + note for note in rows["fallen"]["notes"] if "GPU" in note]
    return lines
