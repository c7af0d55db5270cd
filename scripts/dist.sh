#!/usr/bin/env bash
# Builds the program that is shipped and prints where it is. By default it is static (musl), so that it runs on any Linux of
# this machine's processor; TARGET=x86_64-unknown-linux-gnu builds it for glibc instead. `make dist` and `make release` call it.
# The same sources and toolchain give the same bytes wherever the repository and cargo's home lie (`make reproduce`).
set -euo pipefail
cd "$(dirname "$0")/.."

cargo=${CARGO:-cargo}
target=${TARGET:-$(uname -m)-unknown-linux-musl}
profile=${PROFILE:-dist}
# Where cargo puts what `--profile dev` builds.
folder=${profile/#dev/debug}
binary=target/$target/$folder/baton

fail() {
    echo "$1" >&2
    exit 1
}

if [[ $target == *-musl ]]; then
    command -v musl-gcc >/dev/null ||
        fail "a static build needs musl's C compiler (on Debian: apt-get install musl-tools); TARGET=$(uname -m)-unknown-linux-gnu builds for glibc"
fi
if ! [[ -d $(rustc --print sysroot)/lib/rustlib/$target ]]; then
    [[ -z ${CARGO_NET_OFFLINE-} ]] || fail "the toolchain has no $target; \`rustup target add $target\` fetches it"
    rustup target add "$target"
fi

# Panics and C's assertions name source files; these are the names in every build.
home=${CARGO_HOME:-$HOME/.cargo}
export RUSTFLAGS="${RUSTFLAGS-} --remap-path-prefix=$home=/cargo --remap-path-prefix=$PWD=/baton"
export CFLAGS="${CFLAGS-} -ffile-prefix-map=$home=/cargo -ffile-prefix-map=$PWD=/baton"

"$cargo" build --locked --profile "$profile" --package baton-hub --target "$target" >&2
if [[ $target == *-musl ]]; then
    # What ldd says of such a file differs by release; of any other it lists libraries.
    { ldd "$binary" 2>&1 || true; } | grep -qE 'statically linked|not a dynamic executable' ||
        fail "$binary is not static: $(ldd "$binary")"
fi
echo "$binary"
