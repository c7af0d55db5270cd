#!/usr/bin/env bash
# Installs the OpenID Connect issuer that a test signs in with, pinned by tests/clients/oidc/package-lock.json, into
# target/tools/oidc: nothing outside target/ is touched. Quick when it is there. `make oidc-issuer` and `make test` call it.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=target/tools/oidc
wanted=(tests/clients/oidc/package.json tests/clients/oidc/package-lock.json)

fail() {
    echo "$1" >&2
    exit 1
}

command -v npm >/dev/null || fail "the tests need node and npm (on Debian: apt-get install nodejs npm)"
[[ -f $tools/made-from ]] && cat "${wanted[@]}" | cmp -s - $tools/made-from && exit
rm -rf $tools
mkdir -p $tools
cp "${wanted[@]}" $tools
# An end to every wait.
npm --fetch-timeout=30000 --fetch-retries=2 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 \
    --no-audit --no-fund --loglevel=error ci --ignore-scripts --prefix $tools ||
    fail "oidc-provider could not be installed: is the npm registry reachable?"
cat "${wanted[@]}" >$tools/made-from
