#!/usr/bin/env bash
# Installs the server that speaks S3 in the tests of artifacts (PyPI's moto), pinned by tests/s3/requirements.txt, into
# target/tools/s3: nothing outside target/ is touched. Quick when it is there. `make s3` and `make test` call it.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=target/tools/s3
wanted=tests/s3/requirements.txt

fail() {
    echo "$1" >&2
    exit 1
}

[[ -f $folder/made-from ]] && cmp -s $wanted $folder/made-from && exit
python3 -m venv --clear $folder ||
    fail "python3 cannot make a virtual environment (on Debian: apt-get install python3-venv)"
$folder/bin/pip install --quiet --disable-pip-version-check --timeout 30 --retries 2 \
    --require-hashes --requirement $wanted ||
    fail "moto could not be installed: is the Python package registry reachable?"
cp $wanted $folder/made-from
