"""Which edits are worth offering: do the results parse, does CPython take them?

Single edits of the files of this interpreter's standard library and of its
TileLang package, a sample of each file (all of them with a large number). Both
shares are printed for each kind: what tree-sitter rejects, for nothing, should
stay below 2 %; what CPython alone rejects costs a compilation. A file that
this interpreter itself does not compile is left out of the second.

usage: EDITS=build/cc/test/bench/edits PYTHON bench_edits.py [PER-FILE [ONE-IN]]
"""
import collections
import importlib.util
import os
import subprocess
import sys
import sysconfig
import warnings
from pathlib import Path

ASKED = 0.02


def files():
    """The library's own files, its tests too, and TileLang's."""
    roots = [Path(sysconfig.get_paths()["stdlib"])]
    spec = importlib.util.find_spec("tilelang")
    if spec:
        roots.append(Path(spec.origin).parent)
    for root in roots:
        for path in sorted(root.rglob("*.py")):
            if "site-packages" not in path.relative_to(root).parts:
                yield path


def compiles(text, path):
    try:
        compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def read(stream, show):
    """(kind, tried, refused by CPython) and (kind, offered, rejected)."""
    tried, refused = collections.Counter(), collections.Counter()
    offered, rejected = {}, {}
    good = False
    for line in stream:
        word, kind, rest = line.decode("utf-8", "surrogateescape").split(" ", 2)
        if word == "kind":
            offered[kind], rejected[kind] = map(int, rest.split())
            continue
        size, path = rest.rstrip("\n").split(" ", 1)
        text = stream.read(int(size))
        if kind == "-":
            good = compiles(text, path)
        elif good:
            tried[kind] += 1
            if not compiles(text, path):
                refused[kind] += 1
                if show and refused[kind] <= 5:
                    Path(show).mkdir(exist_ok=True)
                    Path(show, "%s-%d.py" % (kind, refused[kind])).write_bytes(text)
    return offered, rejected, tried, refused


def main():
    per_file, one_in = (sys.argv[1:] + ["150", "20"][len(sys.argv) - 1:])[:2]
    warnings.simplefilter("ignore")
    sys.set_int_max_str_digits(0) if hasattr(sys, "set_int_max_str_digits") else None
    names = "".join("%s\n" % path for path in files())
    with subprocess.Popen([os.environ["EDITS"], per_file, one_in],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        # the list is longer than a pipe holds, and results come meanwhile
        if os.fork() == 0:
            child.stdout.close()
            child.stdin.write(names.encode("utf-8", "surrogateescape"))
            child.stdin.close()
            os._exit(0)
        child.stdin.close()
        offered, rejected, tried, refused = read(child.stdout, os.environ.get("SHOW"))
        os.wait()
    print("%d files, Python %d.%d" % ((names.count("\n"),) + sys.version_info[:2]))
    print("%-12s %9s %9s %7s %9s %9s %7s"
          % ("kind", "offered", "rejected", "%", "compiled", "refused", "%"))
    bad = []
    for kind in list(offered) + ["all"]:
        n, no = ((sum(offered.values()), sum(rejected.values())) if kind == "all"
                 else (offered[kind], rejected[kind]))
        m, refusals = ((sum(tried.values()), sum(refused.values())) if kind == "all"
                       else (tried[kind], refused[kind]))
        print("%-12s %9d %9d %7.2f %9d %9d %7.2f"
              % (kind, n, no, 100 * no / max(n, 1), m, refusals,
                 100 * refusals / max(m, 1)))
        if n and no / n > ASKED:
            bad.append(kind)
    if bad:
        print("more than %d %% do not parse: %s" % (100 * ASKED, ", ".join(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
