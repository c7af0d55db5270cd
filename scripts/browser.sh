#!/usr/bin/env bash
# Installs what the dashboard's tests drive Chromium with, pinned by tests/browser/package-lock.json, into
# target/tools/browser: nothing outside target/ is touched. Quick when it is there. `make browser` and `make test` call
# it. Chromium itself is the system's.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=target/tools/browser
wanted=(tests/browser/package.json tests/browser/package-lock.json)

fail() {
    echo "$1" >&2
    exit 1
}

command -v npm >/dev/null || fail "the browser tests need node and npm (on Debian: apt-get install nodejs npm)"
command -v "${BATON_CHROMIUM:-chromium}" >/dev/null ||
    fail "the browser tests need Chromium (on Debian: apt-get install chromium; elsewhere name it in BATON_CHROMIUM)"

[[ -f $tools/made-from ]] && cat "${wanted[@]}" | cmp -s - $tools/made-from && exit
rm -rf $tools
mkdir -p $tools
cp "${wanted[@]}" $tools
# An end to every wait.
npm --fetch-timeout=30000 --fetch-retries=2 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 \
    --no-audit --no-fund --loglevel=error ci --ignore-scripts --prefix $tools ||
    fail "playwright-core and axe-core could not be installed: is the npm registry reachable?"
cat "${wanted[@]}" >$tools/made-from
