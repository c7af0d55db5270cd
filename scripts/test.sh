#!/usr/bin/env bash
# Every test. What waits for the network or for other processes goes on beside what computes: the clients and servers that the
# tests need are installed while the tests are built, and the client libraries' tests run beside the first of the hub's own.
# `make test` calls it. Without the package registries the tests that need them fail and say so; all others still run.
set -uo pipefail
cd "$(dirname "$0")/.."

cargo=${CARGO:-cargo}
logs=target/tools/logs
mkdir -p $logs

# begin NAME COMMAND...: goes on beside the rest, with what it says in a file.
begin() {
    local name=$1
    shift
    "$@" >"$logs/$name" 2>&1 &
    pids[$name]=$!
}

# finish NAME: waits for it, shows what it said, and gives its exit code.
finish() {
    local code=0
    wait "${pids[$1]}" || code=$?
    unset "pids[$1]"
    echo "== $1"
    cat "$logs/$1"
    return $code
}

# Whatever still runs ends with this script.
declare -A pids
trap 'kill "${pids[@]}" 2>/dev/null' EXIT

begin installed env --unset=MAKEFLAGS make --no-print-directory --jobs --keep-going --output-sync clients mcp-clients oidc-issuer browser schemathesis s3 postgres
"$cargo" nextest run --locked --workspace --no-run || exit
finish installed

failed=()
begin sdk-python scripts/sdk-python.sh
begin sdk-typescript scripts/sdk-typescript.sh
"$cargo" nextest run --locked --workspace || failed+=("the Rust tests")
finish sdk-python || failed+=("the Python SDK")
finish sdk-typescript || failed+=("the TypeScript SDK")

((${#failed[@]} == 0)) && exit
printf 'failed: %s\n' "${failed[@]}" >&2
exit 1
