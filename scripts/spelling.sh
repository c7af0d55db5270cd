#!/usr/bin/env bash
# Checks the spelling of everything in the repository with typos, pinned by tests/spelling/requirements.txt. It is
# installed into target/tools/spelling: nothing outside target/ is touched. Words that are right are in typos.toml.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=target/tools/spelling
wanted=tests/spelling/requirements.txt

fail() {
    echo "$1" >&2
    exit 1
}

if ! [[ -f $tools/made-from ]] || ! cmp -s $wanted $tools/made-from; then
    python3 -m venv --clear $tools ||
        fail "python3 cannot make a virtual environment (on Debian: apt-get install python3-venv)"
    $tools/bin/pip install --quiet --disable-pip-version-check --timeout 30 --retries 2 --only-binary :all: --require-hashes \
        --requirement $wanted ||
        fail "typos could not be installed: is the Python package registry reachable?"
    cat $wanted >$tools/made-from
fi
$tools/bin/typos --format brief --config typos.toml
