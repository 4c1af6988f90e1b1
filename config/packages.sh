#!/bin/sh
# See that the Debian packages of the named sets are there, and install what is
# missing where that is possible: as root, or through a sudo that asks for no
# password. Else say what is missing and how to get it. Needs no terminal.
#
# usage: config/packages.sh build|static|test|venv|browser|clang|lint|peers ...
#
# What counts is whether a thing works, not which package brought it: on another
# distribution, or with a Python of one's own, nothing is asked of apt-get.
set -u

python=${PYTHON:-python3}

have() { # have KIND NAME: is it usable?
    case $1 in
    cmd) command -v "$2" ;;
    pc)  pkg-config --exists "$2" ;;
    hdr) echo "#include <$2>" | ${CC:-cc} -E - ;;
    py)  "$python" -c "import $2" ;;
    font) find -L /usr/share/fonts /usr/local/share/fonts -name "$2" | grep . ;;
    lib) test -e "$(${CC:-cc} -print-file-name="$2")" ;;
    rt)  echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
             clang -fsanitize="$2",address -x c -o /dev/null - ;;
    esac >/dev/null 2>&1
}

list() { # the rows of a set: package, kind of check, what is checked
    case $1 in
    build) cat <<-ROWS
	gcc             cmd gcc
	libc6-dev       hdr stdio.h
	binutils        cmd ar
	pkg-config      cmd pkg-config
	libuv1-dev      pc  libuv
	libyaml-dev     pc  yaml-0.1
	libjansson-dev  pc  jansson
	libpcre2-dev    pc  libpcre2-8
	libxxhash-dev   pc  libxxhash
	libsqlite3-dev  pc  sqlite3
	nettle-dev      pc  nettle
	python3         cmd $python
	python3-pip     py  pip
	ROWS
        case ${CC:-cc} in *clang*) echo "clang cmd clang" ;; esac ;;
    static) cat <<-ROWS
	libuv1-dev      lib libuv_a.a
	libyaml-dev     lib libyaml.a
	libjansson-dev  lib libjansson.a
	libpcre2-dev    lib libpcre2-8.a
	libxxhash-dev   lib libxxhash.a
	libsqlite3-dev  lib libsqlite3.a
	nettle-dev      lib libnettle.a
	libc6-dev       lib libc.a
	ROWS
        ;;
    test) echo "libcmocka-dev pc cmocka" ;;
    venv) cat <<-ROWS
	python3         cmd $python
	python3-venv    py  venv,ensurepip
	util-linux      cmd flock
	ROWS
        ;;
    browser) cat <<-ROWS
	chromium        cmd chromium
	chromium-driver cmd chromedriver
	fonts-dejavu-core font *.ttf
	ROWS
        ;;
    clang) cat <<-ROWS
	clang           cmd clang
	libclang-rt-dev rt  fuzzer
	ROWS
        ;;
    lint) cat <<-ROWS
	clang-format    cmd clang-format
	pyflakes3       cmd pyflakes3
	ROWS
        ;;
    peers) echo "cvise cmd cvise" ;;
    esac
}

missing() { # missing SET...: packages whose check fails
    for set in "$@"; do
        list "$set"
    done | while read -r package kind name; do
        have "$kind" "$name" || echo "$package"
    done | sort -u | tr '\n' ' '
}

[ $# -gt 0 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 2; }
for set in "$@"; do
    [ -n "$(list "$set")" ] || {
        echo "config/packages.sh: no set is called $set" >&2
        exit 2
    }
done
want=$(missing "$@")
[ -n "$want" ] || exit 0

get="apt-get install -y --no-install-recommends $want"
if [ "$(id -u)" = 0 ]; then
    as_root=env
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root="sudo -n env"
else
    as_root=
fi
if [ -z "$as_root" ] || ! command -v apt-get >/dev/null; then
    echo "Missing: $want" >&2
    echo "Install them and run make again. On Debian and Ubuntu:" >&2
    echo "    sudo $get" >&2
    exit 1
fi

echo "Installing: $want" >&2
export DEBIAN_FRONTEND=noninteractive
apt() {
    # Another apt-get may hold the lock: wait for it instead of failing.
    $as_root DEBIAN_FRONTEND=noninteractive apt-get \
        -o DPkg::Lock::Timeout=300 -qq "$@" </dev/null >/dev/null
}
# shellcheck disable=SC2086
{ apt update && apt install -y --no-install-recommends $want; } || {
    echo "apt-get could not install: $want" >&2
    echo "The command was: $get" >&2
    exit 1
}

# pkg-config comes first in some checks: only now can all of them answer.
left=$(missing "$@")
if [ -n "$left" ]; then
    echo "Installed, and still not usable: $left" >&2
    echo "Is another $python or compiler first in PATH? It is" \
        "$(command -v "$python")." >&2
    exit 1
fi
