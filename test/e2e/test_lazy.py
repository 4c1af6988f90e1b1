"""Modules that the fork server loads ahead and keeps out of sight."""
import os
import time

import pytest

from frames import PATIENCE

DEEP = """import os
with open(os.environ["LOADED"], "a") as file:
    file.write(__name__ + "\\n")
import pkg.other
VALUE = 3
"""
PACKAGE = {
    "pkg/__init__.py": "def use():\n    import pkg.deep\n    return pkg.deep.VALUE\n",
    "pkg/deep.py": DEEP,
    "pkg/other.py": "",
}


@pytest.fixture
def server(make, tmp_path):
    """Make a worker with modules in its path; it imports pkg."""
    def start(files, **setup):
        for name, text in {**PACKAGE, **files}.items():
            path = tmp_path / "lib" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        loaded = tmp_path / "loaded"
        loaded.write_text("")
        w = make(preload=["pkg"], env=["PYTHONPATH=%s" % (tmp_path / "lib"),
                                       "LOADED=%s" % loaded], **setup)
        w.loaded = lambda: loaded.read_text().split()
        w.start()
        return w
    return start


def learn(w, text):
    """Let it learn from a script; how many modules it has loaded ahead."""
    first = w.run(text, learn="lazy")
    assert first["forked"] and not first["learned"]
    second = w.run(text)
    assert (second["out"], second["err"], second["exit_code"]) == (
        first["out"], first["err"], first["exit_code"])
    return second["learned"]


def test_what_a_run_loads_is_loaded_once(server):
    w = server({})
    assert learn(w, "import pkg\nprint(pkg.use())\n") == 2
    before = w.loaded()
    got = w.run("import pkg\nprint(pkg.use(), pkg.deep.__name__, "
                "pkg.deep.__spec__.loader.get_filename())\n")
    assert got["out"].startswith("3 pkg.deep /")
    assert w.loaded() == before


def test_nobody_sees_it_who_has_not_imported_it(server):
    w = server({})
    assert learn(w, "import pkg\nprint(pkg.use())\n") == 2
    got = w.run("import pkg, sys\nprint(hasattr(pkg, 'deep'), hasattr(pkg, "
                "'other'), [m for m in sys.modules if 'pkg.' in m])\n")
    assert got["out"] == "False False []\n"
    got = w.run("import pkg\npkg.deep.VALUE\n")
    assert got["exc_type"] == "AttributeError"


@pytest.mark.parametrize("text", [
    "import pkg.deep\n", "from pkg import deep\n", "from pkg.deep import VALUE\n",
    "import importlib\nimportlib.import_module('pkg.deep')\n",
    "import pkg\npkg.use()\n"])
def test_importing_it_shows_all_that_it_loads(server, text):
    w = server({})
    assert learn(w, "import pkg\nprint(pkg.use())\n") == 2
    text += ("import sys\np = sys.modules['pkg']\n"
             "assert p.deep is sys.modules['pkg.deep'] and p.deep.VALUE == 3\n"
             "assert p.other is sys.modules['pkg.other']\n"
             "print('pkg.deep' in repr(p.deep.__spec__), 'deep.py' in "
             "repr(p.deep))\n")
    assert w.run(text)["out"] == "True True\n"


def test_other_module_alone_shows_no_more(server):
    w = server({})
    assert learn(w, "import pkg\nprint(pkg.use())\n") == 2
    got = w.run("import pkg.other, sys\nprint('pkg.deep' in sys.modules, "
                "hasattr(pkg, 'deep'))\n")
    assert got["out"] == "False False\n"


def test_second_copy_is_another_one(server):
    w = server({})
    assert learn(w, "import pkg\nprint(pkg.use())\n") == 2
    got = w.run("import sys, pkg.deep\nold = pkg.deep\n"
                "del sys.modules['pkg.deep']\nimport pkg.deep\n"
                "print(pkg.deep is old, pkg.deep.VALUE)\n")
    assert got["out"] == "False 3\n"
    got = w.run("import importlib.util as u\ns = u.find_spec('pkg.deep')\n"
                "m = u.module_from_spec(s)\ns.loader.exec_module(m)\n"
                "print(m.VALUE, s.origin[-7:])\nimport pkg.deep\n"
                "print(pkg.deep is m)\n")
    assert got["out"] == "3 deep.py\nFalse\n"


TRACES = {
    "prints": "print('loaded')\n",
    "warns": "import warnings\nwarnings.warn('loaded')\n",
    "starts a thread": "import threading\nthreading.Thread(target=threading."
                       "Event().wait, daemon=True).start()\n",
    "starts a process": "import subprocess\nP = subprocess.Popen(['sleep', '9'])\n",
    "takes a signal": "import signal\nsignal.signal(signal.SIGUSR1, print)\n",
    "changes the path": "import sys\nsys.path.append('/nowhere')\n",
    "filters warnings": "import warnings\nwarnings.simplefilter('error')\n",
    "leaves a file open": "F = open('/dev/null')\n",
    "draws a number": "import random\nrandom.random()\n",
    "needs one that does": "import quiet, loud\n",
}
OTHERS = {"quiet.py": "", "loud.py": "print('loud')\n"}


@pytest.mark.parametrize("kind", TRACES)
def test_module_that_leaves_a_trace_is_not_loaded_ahead(server, kind):
    w = server({"bad.py": TRACES[kind], **OTHERS})
    text = "import pkg\nprint(pkg.use())\nimport random, quiet\nrandom.seed(1)\n" \
           "import bad\nprint(random.random())\n"
    learned = learn(w, text)
    got = w.run("import sys\nprint([type(f).__name__ for f in sys.meta_path], "
                "sorted(sys.meta_path[0].modules))\n")
    assert "'Hidden'" in got["out"] and "'bad'" not in got["out"], got
    assert "'loud'" not in got["out"] and "'quiet'" in got["out"], got
    assert learned >= 3


QUIET = {
    "filters its own warnings": "import warnings\nclass W(Warning): pass\n"
                                "warnings.simplefilter('once', W)\n",
    "has a folder for its files": "import os\nos.environ.setdefault("
                                  "'TORCHINDUCTOR_CACHE_DIR', '/nowhere')\n",
    "loads what has a state": "import logging\n",
}


@pytest.mark.parametrize("kind", QUIET)
def test_module_whose_trace_is_its_own_is_loaded_ahead(server, kind):
    w = server({"own.py": QUIET[kind]})
    text = "import os, pkg\nprint(pkg.use())\nimport own\n" \
           "print(os.environ.get('TORCHINDUCTOR_CACHE_DIR') == '/nowhere')\n"
    assert learn(w, text) >= 3
    got = w.run("import sys\nprint(sorted(sys.meta_path[0].modules))\n")
    assert "'own'" in got["out"], got
    assert w.run(text)["out"] == "3\nFalse\n"


@pytest.mark.parametrize("end", ["raise ValueError", "import os\nos._exit(3)",
                                 "import os\nos.abort()"])
def test_module_that_fails_or_dies_costs_nothing(server, end):
    w = server({"bad.py": "import sys\nif 'flag' not in sys.modules:\n    %s\n"
                          % end.replace("\n", "\n    ")})
    text = "import pkg\nprint(pkg.use())\nimport sys\nsys.modules['flag'] = sys\n" \
           "import bad\n"
    assert learn(w, text) >= 2
    assert w.run("import pkg\nprint(pkg.use())\n")["out"] == "3\n"


def test_what_lies_beside_the_script_is_not_loaded_ahead(server):
    w = server({})
    (w.script_dir / "beside.py").write_text("import pkg.deep\n")
    assert learn(w, "import beside\nprint(beside.pkg.deep.VALUE)\n") == 2


def test_script_that_changes_the_environment_teaches_nothing(server):
    w = server({})
    assert not learn(w, "import os, pkg\nos.environ['A'] = '1'\n"
                        "print(pkg.use())\n")


def test_script_that_closes_all_files_teaches_nothing(server):
    w = server({})
    assert not learn(w, "import os, pkg\nprint(pkg.use())\n"
                        "os.closerange(3, 1024)\n")


def test_undone_it_is_as_if_nothing_had_been_learned(server):
    w = server({})
    text = "import pkg\nprint(pkg.use())\n"
    assert learn(w, text) == 2
    for how in ({"learn": "undo"}, {}):
        got = w.run(text, **how)
        assert got["forked"] and not got["learned"] and got["out"] == "3\n"


def test_successor_knows_what_its_predecessor_has_learned(server):
    w = server({"grower.py": "import os\nKEPT = []\nos.register_at_fork("
                             "after_in_parent=lambda: KEPT.append(b'x' * "
                             "(20 << 20)) if len(KEPT) < 9 else None)\n",
                "pkg/__init__.py": PACKAGE["pkg/__init__.py"]
                + "import grower\n"})
    assert learn(w, "import pkg\nprint(pkg.use())\n") == 2
    text = "import os\nprint(os.getppid())\n"
    first = w.run(text)["out"]
    deadline = time.monotonic() + PATIENCE
    while w.run(text)["out"] == first:
        assert time.monotonic() < deadline
    assert w.run(text)["learned"] == 2


def test_candidate_that_lost_the_import_is_refused(tool, tmp_path):
    for name, text in PACKAGE.items():
        path = tmp_path / "lib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    script = tool.write("script.py", "import pkg\nunused = [1, 2]\npkg.use()\n"
                                     "if pkg.deep.VALUE == 3:\n"
                                     "    raise ValueError('boom %d' % pkg.deep.VALUE)\n")
    done = tool.run(script, "--err-msg", "boom 3", "--keep", "none", "-j", "2",
                    "--mutate", "none", "--env",
                    "PYTHONPATH=%s" % (tmp_path / "lib"), "--env",
                    "LOADED=%s" % os.devnull)
    assert done.code == 0, done
    result = script.with_name("script.min.py").read_text()
    assert "unused" not in result
    assert "failed again in 3 of 3 fresh runs" in done.text, done


def test_what_changes_the_failure_is_undone_and_runs_are_still_forked(tool, tmp_path):
    files = dict(PACKAGE)
    files["pkg/__init__.py"] += "SEEN = []\n"
    files["pkg/other.py"] = "import pkg\npkg.SEEN.append(1)\n"
    for name, text in files.items():
        path = tmp_path / "lib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    script = tool.write("script.py", "import pkg\nassert not pkg.SEEN, 'seen'\n"
                                     "pkg.use()\nraise ValueError('boom')\n")
    done = tool.run(script, "--err-msg", "boom", "-j", "2", "--env",
                    "PYTHONPATH=%s" % (tmp_path / "lib"), "--env",
                    "LOADED=%s" % os.devnull)
    assert done.code == 0, done
    assert "shown in 2 of 2 fresh and 7 of 7 forked runs" in done.err, done


def test_candidate_that_lost_what_registers_a_codec_is_refused(tool, tmp_path):
    """What a module leaves in others is there in each fork, out of sight."""
    files = {"pkg/__init__.py": "def use():\n    import pkg.deep\n",
             "pkg/deep.py": "import codecs\n\ndef fail(data, errors='strict'):\n"
                            "    raise ValueError('boom')\n\n"
                            "CODEC = codecs.CodecInfo(fail, fail, name='deep')\n"
                            "codecs.register({'deep': CODEC}.get)\n"}
    for name, text in files.items():
        path = tmp_path / "lib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    script = tool.write("script.py", "import pkg\nunused = [1, 2]\npkg.use()\n"
                                     "print(b'a'.decode('deep'))\n")
    done = tool.run(script, "--err-msg", "boom", "--keep", "none", "-j", "2",
                    "--mutate", "none", "--env",
                    "PYTHONPATH=%s" % (tmp_path / "lib"))
    assert done.code == 0, done
    result = script.with_name("script.min.py").read_text()
    assert "use()" in result and "unused" not in result
    assert "failed again in 3 of 3 fresh runs" in done.text, done
