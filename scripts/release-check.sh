#!/usr/bin/env bash
# Makes the packages in target/shipped again from the same program, as somebody else would on another day: another folder,
# time zone and umask. Every byte must be the same; signatures are left out, as their key is not asked for again.
# `make release-check` calls it, with the options of `make release`.
set -euo pipefail
cd "$(dirname "$0")/.."

shipped=target/shipped
target=${TARGET:-$(uname -m)-unknown-linux-musl}
binary=target/$target/dist/baton
[[ -f $shipped/SHA256SUMS ]] || { echo "$shipped has no SHA256SUMS: run \`make release\` first" >&2; exit 1; }

again=$(mktemp -d)
trap 'rm -rf "$again"' EXIT
(umask 077 && TZ=Asia/Tokyo BATON_RELEASE_KEY='' python3 scripts/release --binary "$binary" --target "$target" --out "$again" "$@" >/dev/null)
# Every file that was made, and no other, by its checksum.
(cd $shipped && sha256sum --quiet --check SHA256SUMS)
diff -u $shipped/SHA256SUMS "$again/SHA256SUMS"
echo "the same $(wc -l <"$again/SHA256SUMS") files, byte for byte"
