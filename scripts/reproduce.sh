#!/usr/bin/env bash
# Builds the shipped program a second time, from a clone of the commit in a folder of its own with an empty target, and
# compares it with the first, byte for byte. Takes twice as long as `make dist`. `make reproduce` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."

git diff --quiet HEAD || { echo "there are changes that are not committed; the second build would be of HEAD" >&2; exit 1; }
first=$(scripts/dist.sh)
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
git clone --quiet --local . "$elsewhere/baton"
second=$(cd "$elsewhere/baton" && env --unset=CARGO_TARGET_DIR scripts/dist.sh)
sha256sum "$first" "$elsewhere/baton/$second"
cmp "$first" "$elsewhere/baton/$second"
echo "two builds, the same bytes"
