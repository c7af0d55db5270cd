#!/usr/bin/env bash
# Installs the official A2A clients that the tests drive, pinned by tests/clients/*, into target/tools/a2a-*: nothing
# outside target/ is touched. Quick when they are there. `make clients` and `make test` call it.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=target/tools
python=$tools/a2a-python
js=$tools/a2a-js
node=$tools/a2a-node
# What @a2a-js/sdk needs: 20, and a node that can require() its dependency jose.
node_minimum=20.19
node_local=22.23.3

fail() {
    echo "$1" >&2
    exit 1
}

# is_current FOLDER FILE...: whether the folder was made from these very files.
is_current() {
    local folder=$1
    shift
    [[ -f $folder/made-from ]] && cat "$@" | cmp -s - "$folder/made-from"
}

install_python() {
    local wanted=tests/clients/python/requirements.txt
    is_current $python $wanted && return
    python3 -m venv --clear $python ||
        fail "python3 cannot make a virtual environment (on Debian: apt-get install python3-venv)"
    $python/bin/pip install --quiet --disable-pip-version-check --timeout 30 --retries 2 \
        --require-hashes --requirement $wanted ||
        fail "the official Python A2A client could not be installed: is the Python package registry reachable?"
    cat $wanted >$python/made-from
}

# npm with an end to every wait.
npm_within() {
    npm --fetch-timeout=30000 --fetch-retries=2 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 \
        --no-audit --no-fund --loglevel=error "$@"
}

install_js() {
    local wanted=(tests/clients/js/package.json tests/clients/js/package-lock.json)
    is_current $js "${wanted[@]}" && return
    rm -rf $js
    mkdir -p $js
    cp "${wanted[@]}" $js
    npm_within ci --ignore-scripts --prefix $js ||
        fail "the official JavaScript A2A client could not be installed: is the npm registry reachable?"
    cat "${wanted[@]}" >$js/made-from
}

# The system's node if it is new enough, else one of our own.
install_node() {
    local found
    found=$(node -p process.versions.node 2>/dev/null || echo 0)
    [[ $(printf '%s\n' $node_minimum "$found" | sort -V | head -n 1) == "$node_minimum" ]] && return
    [[ $($node/node_modules/.bin/node -p process.versions.node 2>/dev/null) == "$node_local" ]] && return
    npm_within install --no-save --prefix $node "node@$node_local" ||
        fail "node $found is too old for the JavaScript A2A client and node $node_local could not be installed: is the npm registry reachable?"
}

command -v npm >/dev/null || fail "the tests need node and npm (on Debian: apt-get install nodejs npm)"
install_python
install_node
install_js
