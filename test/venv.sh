#!/bin/sh
# Print a Python interpreter that can run the demo or the tests.
#
# usage: test/venv.sh tilelang     one that imports tilelang
#        test/venv.sh test         one with all of test/requirements.txt and
#                                  test/requirements-light.txt
#
# The Python found (PYTHON, else python3) is taken if it has the modules.
# Otherwise a virtual environment in the user's cache folder is, made on the
# first call and shared by all clones: torch and its libraries are 6 GB. Its
# name holds the requirements and the Python it was made with, so that another
# version of either gets another one. The light ones are added to what is there.
# Calls at the same time wait for each other; one that was cut short is made
# anew.
set -eu

cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

heavy="tilelang, torch, triton, numba, numpy, pytest, xdist, yaml"
case ${1:-} in
tilelang) modules="tilelang" light="sys" ;;
test) modules="$heavy" light="markdown_it, selenium" ;;
*) sed -n '4,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

importable() { # asked outside the clone, whose folders are no packages
    (cd / && "$1" -c "import $2") >/dev/null 2>&1
}

fetch() { # fetch REQUIREMENTS: into the environment
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        --no-cache-dir -r "$1" >&2 9>&- || {
        echo "test/venv.sh: pip could not install $1 from PyPI; is there a" \
            "network?" >&2
        exit 1
    }
}

if importable "$python" "$modules, $light"; then
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
if [ ! -e "$venv/.done" ] || ! importable "$venv/bin/python" "$modules"; then
    echo "Making $venv (3 GB to fetch, once)" >&2
    rm -rf "$venv"
    "$python" -m venv "$venv" >&2
    fetch test/requirements.txt
    # A Python that cannot import them now would fail the same way again.
    (cd / && "$venv/bin/python" -c "import $heavy") >&2
    touch "$venv/.done"
fi
if ! importable "$venv/bin/python" "$light"; then
    fetch test/requirements-light.txt
    (cd / && "$venv/bin/python" -c "import $light") >&2
fi
echo "$venv/bin/python"
