#!/usr/bin/env bash
# Checks the TypeScript SDK: biome, tsc, and its tests against a real hub (BATON_TEST_BINARY, by default target/debug/baton), in
# Chromium too. What is needed is pinned in clients/typescript/package-lock.json and installed beside it. `make sdk-typescript` and
# `make test` call it; with the word `adapters` it tests the adapters instead, which need 500 MB of packages.
set -euo pipefail
cd "$(dirname "$0")/.."

project=clients/typescript

fail() {
    echo "$1" >&2
    exit 1
}

command -v npm >/dev/null || fail "the TypeScript SDK needs node and npm (on Debian: apt-get install nodejs npm)"
node -e 'process.exit(Number(Number.parseInt(process.versions.node, 10) < 20))' || fail "the TypeScript SDK needs Node 20 or newer"
binary=${BATON_TEST_BINARY:-target/debug/baton}
[[ -x $binary ]] ||
    fail "the tests need a hub: \`cargo build --locked --package baton-hub\`, or name one in BATON_TEST_BINARY"

made=$project/node_modules/made-from
if ! [[ -f $made ]] || ! cmp -s $project/package-lock.json $made; then
    # An end to every wait.
    npm --fetch-timeout=30000 --fetch-retries=2 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 \
        --no-audit --no-fund --loglevel=error ci --ignore-scripts --prefix $project ||
        fail "what the TypeScript SDK is checked with could not be installed: is the npm registry reachable?"
    cp $project/package-lock.json $made
fi

BATON_TEST_BINARY=$(realpath "$binary")
export BATON_TEST_BINARY
cd $project
if [[ ${1:-library} == adapters ]]; then
    exec node scripts/adapters.mjs
fi
node_modules/.bin/biome ci --error-on-warnings .
exec node scripts/test.mjs
