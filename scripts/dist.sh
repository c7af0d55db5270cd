#!/usr/bin/env bash
# Builds the binary that is shipped, static, so that it runs on any Linux of this machine's processor, and packs it with its
# man pages, completions and unit: target/shipped/baton-VERSION-MACHINE-linux.tar.gz, to be unpacked in /usr/local.
# `make dist` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo=${CARGO:-cargo}
machine=$(uname -m)
target=$machine-unknown-linux-musl
binary=target/$target/dist/baton
shipped=target/shipped

fail() {
    echo "$1" >&2
    exit 1
}

command -v musl-gcc >/dev/null || fail "a static build needs musl's C compiler (on Debian: apt-get install musl-tools)"
[[ -d $(rustc --print sysroot)/lib/rustlib/$target ]] || rustup target add "$target"

"$cargo" build --locked --profile dist --package baton --target "$target"
# What ldd says of such a file differs by release; of any other it lists libraries.
{ ldd "$binary" 2>&1 || true; } | grep -qE 'statically linked|not a dynamic executable' ||
    fail "$binary is not static: $(ldd "$binary")"

version=$("$binary" --version)
name=baton-${version#baton }-$machine-linux
stage=$shipped/$name
rm -rf "$stage"
PREFIX=/usr/local DESTDIR=$stage scripts/install.sh install "$binary" >/dev/null
# The same sources give the same tarball: order, owner and times are fixed. Files only: unpacked as root, an entry for a
# folder would change the owner and mode of one that is there.
time=$(git log -1 --format=%ct 2>/dev/null || echo 0)
(cd "$stage/usr/local" && find . -type f -print0 | LC_ALL=C sort -z |
    tar --null --no-recursion --owner=0 --group=0 --numeric-owner --mtime="@$time" -cf - -T -) |
    gzip -n9 >"$shipped/$name.tar.gz"
rm -rf "$stage"
(cd "$shipped" && sha256sum "$name.tar.gz" | tee "$name.tar.gz.sha256")
ls -l "$binary" "$shipped/$name.tar.gz"
