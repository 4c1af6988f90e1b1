#!/bin/sh
# Fetch the sources of tree-sitter and its Python grammar from PyPI, checked
# against pinned SHA-256 sums, and unpack what we compile into DIR.
#
# usage: grammar/fetch.sh DIR
#
# The archives are kept in the user's cache folder, so that a second clone
# needs no network. The grammar's 0.25.0 archive lacks src/scanner.c; that of
# 0.23.6 has it, and the external tokens of both are the same (compared below).
set -eu

dir=$1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/autodd-c/archives
python=${PYTHON:-python3}

fetch() { # fetch NAME VERSION SHA256: prints the archive's path
    file=$cache/$(echo "$1" | tr - _)-$2.tar.gz
    [ "$1" != tree-sitter ] || file=$cache/$1-$2.tar.gz
    if ! echo "$3  $file" | sha256sum --check --status 2>/dev/null; then
        mkdir -p "$cache"
        tmp=$(mktemp -d "$cache/fetch.XXXXXX")
        "$python" -m pip download --quiet --disable-pip-version-check \
            --no-deps --no-binary :all: -d "$tmp" "$1==$2" >&2 || {
            rm -rf "$tmp"
            echo "grammar/fetch.sh: $1 $2 could not be fetched from PyPI;" \
                "put $(basename "$file") into $cache by hand" >&2
            exit 1
        }
        echo "$3  $tmp/$(basename "$file")" | sha256sum --check --status || {
            rm -rf "$tmp"
            echo "grammar/fetch.sh: $1 $2 has another SHA-256 than $3" >&2
            exit 1
        }
        mv "$tmp/$(basename "$file")" "$file"
        rm -rf "$tmp"
    fi
    echo "$file"
}

core=$(fetch tree-sitter 0.25.2 \
    fe43c158555da46723b28b52e058ad444195afd1db3ca7720c59a254544e9c20)
grammar=$(fetch tree-sitter-python 0.25.0 \
    b13e090f725f5b9c86aa455a268553c65cadf325471ad5b65cd29cac8a1a68ac)
scanner=$(fetch tree-sitter-python 0.23.6 \
    354bfa0a2f9217431764a631516f85173e9711af2c13dbd796a8815acfe505d9)

new=$dir.new
rm -rf "$new"
mkdir -p "$new/core" "$new/python" "$new/scanner"
tar xzf "$core" -C "$new/core" --strip-components=4 \
    tree-sitter-0.25.2/tree_sitter/core/lib
tar xzf "$grammar" -C "$new/python" --strip-components=1 \
    tree_sitter_python-0.25.0/src
tar xzf "$scanner" -C "$new/scanner" --strip-components=1 \
    tree_sitter_python-0.23.6/src

# The scanner answers by position in this table: it must not have moved.
tokens() {
    sed -n '/^enum ts_external_scanner_symbol_identifiers/,/^}/p' "$1"
}
if [ "$(tokens "$new/python/src/parser.c")" != \
     "$(tokens "$new/scanner/src/parser.c")" ]; then
    echo "grammar/fetch.sh: the grammars' external tokens differ" >&2
    exit 1
fi
cp "$new/scanner/src/scanner.c" "$new/python/src/"
rm -rf "$new/scanner" "$dir"
mv "$new" "$dir"
