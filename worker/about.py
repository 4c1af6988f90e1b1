"""Say the version of this interpreter; with "about" and names of modules as
arguments, say also on what machine and with which packages it works.

The first line is the version. Lines "KEY TAB TEXT" follow: platform, gpu,
package. Nothing is imported for that but the standard library, and nothing
asked of a device; what cannot be found out is left out. Written so that any
Python can read it: one that is too old is told apart by its version.
"""

import sys

print("%d.%d.%d" % tuple(sys.version_info[:3]))
sys.stdout.flush()  # whatever becomes of the rest

# What comes with a module and often holds the fault.
WITH = {
    "torch": ("triton",),
    "tilelang": ("torch", "apache-tvm-ffi"),
    "numba": ("llvmlite", "numpy"),
}


def say(key, text):
    print("%s\t%s" % (key, " ".join(str(text).split())[:200]))
    sys.stdout.flush()


def about_platform():
    import os

    system = os.uname()
    parts = ["%s %s" % (system[0], system[2]), system[4]]
    try:
        with open("/etc/os-release") as lines:
            for line in lines:
                if line.startswith("PRETTY_NAME="):
                    parts.insert(0, line[12:].strip().strip("\"'"))
    except (OSError, ValueError):
        pass
    try:
        parts.append(os.confstr("CS_GNU_LIBC_VERSION"))
    except (OSError, ValueError):
        pass
    say("platform", ", ".join(part for part in parts if part))


def about_gpus(root="/proc/driver/nvidia"):
    """As the driver's own files have it: no call can hang on a sick device."""
    import glob
    import re

    models = {}
    for path in sorted(glob.glob(root + "/gpus/*/information"))[:64]:
        with open(path) as lines:
            for line in lines:
                if line.startswith("Model:"):
                    model = line[6:].strip()
                    models[model] = models.get(model, 0) + 1
    if not models:
        return
    with open(root + "/version") as text:
        driver = re.search(r"\s(\d+\.\d+(?:\.\d+)?)\s", text.readline())
    say("gpu", ", ".join(
        "%d x %s" % (n, model) if n > 1 else model
        for model, n in sorted(models.items())) +
        (", driver " + driver.group(1) if driver else ""))


def about_packages(modules):
    from importlib import metadata

    names = []
    for module in modules:
        top = module.split(".")[0]
        for name in (top,) + WITH.get(top, ()):
            if name not in names:
                names.append(name)
    missing = []
    for name in names[:64]:
        if name in getattr(sys, "stdlib_module_names", ()):
            continue
        try:
            say("package", "%s %s" % (name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            missing.append(name)
    # Of another name than the module, as PyYAML is.
    for package in metadata.distributions() if missing else ():
        for name in (package.read_text("top_level.txt") or "").split():
            if name in missing:
                missing.remove(name)
                say("package", "%s %s" % (
                    package.metadata["Name"], package.version))


def about(modules):
    for part in (about_platform, about_gpus, lambda: about_packages(modules)):
        try:
            part()
        except Exception:  # optional, whatever it was
            pass


if sys.argv[1:2] == ["about"]:
    about(sys.argv[2:])
