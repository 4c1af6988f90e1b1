#!/bin/sh
# Install the reducers that compare.py compares with, and print the folder.
#
# usage: test/bench/peers.sh            for this machine
#        test/bench/peers.sh DIR        to carry: DIR runs on any machine with
#                                       the same version of Python (PEERS_PYTHON
#                                       there, else python3), without a network
#
# Shrink Ray, Lithium and picire go into a virtual environment in the user's
# cache folder, in the versions of peers.txt. C-Vise is no Python package: it is
# Debian's. Shrink Ray needs Python 3.12 or later: PEERS_PYTHON, else the newest
# that is found.
set -eu

cd "$(dirname "$0")/../.."

newest() {
    for python in ${PEERS_PYTHON:-python3.14 python3.13 python3.12 python3 \
        "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python3}; do
        "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' \
            2>/dev/null && command -v "$python" && return
    done
    echo "test/bench/peers.sh: no Python 3.12 or later, which Shrink Ray needs;" \
        "set PEERS_PYTHON" >&2
    return 1
}

python=$(newest)
sh config/packages.sh venv peers

# A program of the folder that can be carried: words after the interpreter.
launcher() { # launcher NAME WORDS
    cat >"$to/bin/$1" <<-END
	#!/bin/sh
	here=\$(cd "\$(dirname "\$0")/.." && pwd)
	PATH=\$here/usr/lib/cvise:\$PATH
	DESTDIR=\$here PYTHONPATH=\$here/site
	export PATH DESTDIR PYTHONPATH
	exec "\${PEERS_PYTHON:-python3}" $2 "\$@"
	END
    chmod +x "$to/bin/$1"
}

if [ $# -gt 0 ]; then
    to=$1
    mkdir -p "$to/bin" "$to/usr/bin" "$to/usr/share" "$to/usr/lib"
    "$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile \
        --upgrade --target "$to/site" -r test/bench/peers.txt >&2
    for name in shrinkray lithium picire; do
        launcher $name "-m $name"
    done
    cp -R /usr/share/cvise "$to/usr/share"
    cp /usr/bin/cvise "$to/usr/bin"
    mkdir -p "$to/usr/lib/cvise"
    for name in clex strlex topformflat; do # what --not-c leaves a use for
        cp "/usr/lib/cvise/$name" "$to/usr/lib/cvise"
    done
    launcher cvise "\"\$here/usr/bin/cvise\""
    echo "$to"
    exit
fi

tag=$({ cat test/bench/peers.txt; "$python" -VV; } | sha256sum | cut -c1-8)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/autodd-c
venv=$cache/peers-$tag
mkdir -p "$cache"

exec 9>"$venv.lock"
flock 9
if [ ! -e "$venv/.done" ]; then
    echo "Making $venv" >&2
    rm -rf "$venv"
    "$python" -m venv "$venv" >&2
    # Without what they ask for: Shrink Ray would build llama.cpp, for passes
    # that fetch a language model. All that runs here is in peers.txt.
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        --no-deps -r test/bench/peers.txt >&2 9>&-
    touch "$venv/.done"
fi
echo "$venv"
