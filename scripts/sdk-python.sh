#!/usr/bin/env bash
# Checks the Python SDK: ruff, mypy, and its tests against a real hub (BATON_TEST_BINARY, by default target/debug/baton). What is
# needed is pinned in clients/python/requirements*.txt and installed into target/tools/sdk-python. `make sdk-python` and
# `make test` call it; with the word `adapters` it tests the adapters instead, which need some 500 MB of packages.
set -euo pipefail
cd "$(dirname "$0")/.."

group=${1:-library}
project=clients/python
tools=$PWD/target/tools/sdk-python
wanted=("$project/requirements.txt")
if [[ $group == adapters ]]; then
    tools=$PWD/target/tools/sdk-python-adapters
    wanted+=("$project/requirements-adapters.txt")
fi

fail() {
    echo "$1" >&2
    exit 1
}

install() {
    [[ -f $tools/made-from ]] && cat "${wanted[@]}" | cmp -s - "$tools/made-from" && return
    python3 -m venv --clear "$tools" ||
        fail "python3 cannot make a virtual environment (on Debian: apt-get install python3-venv)"
    local options=()
    for file in "${wanted[@]}"; do options+=(--requirement "$file"); done
    "$tools/bin/pip" install --quiet --disable-pip-version-check --timeout 30 --retries 2 --require-hashes "${options[@]}" ||
        fail "what the Python SDK is checked with could not be installed: is the Python package registry reachable?"
    cat "${wanted[@]}" >"$tools/made-from"
}

python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || fail "the Python SDK needs Python 3.10 or newer"
install
cd $project
export PYTHONDONTWRITEBYTECODE=1
if [[ $group == adapters ]]; then
    "$tools/bin/mypy" --config-file pyproject.toml --cache-dir "$tools/mypy" --strict src/baton_hub/adapters/*.py
    exec "$tools/bin/pytest" --override-ini addopts="-q --strict-markers -p no:cacheprovider" tests/adapters
fi
"$tools/bin/ruff" check --no-cache --quiet .
"$tools/bin/ruff" format --no-cache --quiet --check .
"$tools/bin/mypy" --cache-dir "$tools/mypy"
exec "$tools/bin/pytest" --durations=3
