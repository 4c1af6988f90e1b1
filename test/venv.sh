#!/bin/sh
# Print a Python interpreter that can run the demo or the tests.
#
# usage: test/venv.sh tilelang     one that imports tilelang
#        test/venv.sh test         one with all of test/requirements.txt
#
# The Python found (PYTHON, else python3) is taken if it has the modules.
# Otherwise a virtual environment in the user's cache folder is, made on the
# first call and shared by all clones: torch and its libraries are 6 GB. Its
# name holds the requirements and the Python it was made with, so that another
# version of either gets another one. Calls at the same time wait for each
# other; one that was cut short is made anew.
set -eu

cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

case ${1:-} in
tilelang) modules="tilelang" ;;
test) modules="tilelang, torch, triton, numba, numpy, pytest, xdist, yaml" ;;
*) sed -n '4,5s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

importable() { # asked outside the clone, whose folders are no packages
    (cd / && "$1" -c "import $modules") >/dev/null 2>&1
}

if importable "$python"; then
    command -v "$python"
    exit 0
fi

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
    echo "test/venv.sh: $(command -v "$python") is older than Python 3.10," \
        "which TileLang and torch need; set PYTHON" >&2
    exit 1
}

tag=$({ cat test/requirements.txt; "$python" -VV; } | sha256sum | cut -c1-8)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/autodd-c
venv=$cache/venv-$tag
mkdir -p "$cache"

exec 9>"$venv.lock"
flock 9
if [ ! -e "$venv/.done" ] || ! importable "$venv/bin/python"; then
    echo "Making $venv (3 GB to fetch, once)" >&2
    rm -rf "$venv"
    "$python" -m venv "$venv" >&2
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        --no-cache-dir -r test/requirements.txt >&2 9>&- || {
        echo "test/venv.sh: pip could not install test/requirements.txt" \
            "from PyPI; is there a network?" >&2
        exit 1
    }
    # A Python that cannot import them now would fail the same way again.
    modules="tilelang, torch, triton, numba, numpy, pytest, xdist, yaml"
    (cd / && "$venv/bin/python" -c "import $modules") >&2
    touch "$venv/.done"
fi
echo "$venv/bin/python"
