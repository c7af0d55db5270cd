#!/usr/bin/env bash
# Installs schemathesis, which calls a live hub by its own description, pinned by tests/schemathesis/requirements.txt,
# into target/tools/schemathesis: nothing outside target/ is touched. Quick when it is there. `make schemathesis` and
# `make test` call it.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=target/tools/schemathesis
wanted=tests/schemathesis/requirements.txt

fail() {
    echo "$1" >&2
    exit 1
}

[[ -f $tools/made-from ]] && cmp -s $wanted $tools/made-from && exit
python3 -m venv --clear $tools ||
    fail "python3 cannot make a virtual environment (on Debian: apt-get install python3-venv)"
$tools/bin/pip install --quiet --disable-pip-version-check --timeout 30 --retries 2 --require-hashes --requirement $wanted ||
    fail "schemathesis could not be installed: is the Python package registry reachable?"
cat $wanted >$tools/made-from
