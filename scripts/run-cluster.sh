#!/usr/bin/env bash
# Shows three hubs on one PostgreSQL database: a task that is sent on one hub is answered on another, then a hub is killed and
# work goes on. `run-cluster.sh BATON [stay]`: with `stay` the hubs run on until Ctrl-C. Everything is in a new folder
# under the temporary folder and is removed at the end; `make run-cluster` calls it.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
baton=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
stay=${2:-}
folder=$(mktemp -d "${TMPDIR:-/tmp}/baton-cluster.XXXXXX")
chmod 755 "$folder"
export HOME=$folder BATON_PROFILE= BATON_TOKEN= BATON_HUB=
password=$(head -c 18 /dev/urandom | base64 | tr '+/' 'ab')

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
fail() {
    echo "$1" >&2
    tail -n 5 "$folder"/*.log >&2
    exit 1
}

stop() {
    trap - EXIT INT TERM
    local running
    running=$(jobs -p)
    # shellcheck disable=SC2086
    [[ -z $running ]] || kill $running 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$folder"
}
trap stop EXIT INT TERM

# free_ports COUNT: ports nobody listens on.
free_ports() {
    python3 -c '
import socket, sys
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*[server.getsockname()[1] for server in held])' "$1"
}

for programs in "$here/target/tools/postgres-15/bin" /usr/lib/postgresql/15/bin; do
    [[ -x $programs/postgres ]] && break
done
[[ -x $programs/postgres ]] || fail "PostgreSQL 15 is not installed: run make postgres"
[[ -d ${programs%/bin}/lib-own ]] && export LD_LIBRARY_PATH=${programs%/bin}/lib-own
read -r database hub1 hub2 hub3 <<<"$(free_ports 4)"

say "One PostgreSQL server, on port $database"
as=(setpriv --pdeathsig QUIT)
if [[ $(id -u) == 0 ]]; then
    as+=(--reuid=65534 --regid=65534 --clear-groups)
    mkdir "$folder/postgres"
    chown 65534:65534 "$folder/postgres"
else
    mkdir "$folder/postgres"
fi
(cd / && "${as[@]}" "$programs/initdb" -D "$folder/postgres/data" -U postgres --auth=trust -E UTF8 --locale=C.UTF-8 --no-sync) >"$folder/initdb.log" 2>&1 ||
    fail "initdb failed"
(cd / && exec "${as[@]}" "$programs/postgres" -D "$folder/postgres/data" -p "$database" -c listen_addresses=127.0.0.1 -c unix_socket_directories=) >"$folder/postgres.log" 2>&1 &
for _ in $(seq 200); do
    "$programs/pg_isready" -q -h 127.0.0.1 -p "$database" && break
    sleep 0.1
done
"$programs/createdb" -h 127.0.0.1 -p "$database" -U postgres baton || fail "the database could not be created"
export BATON_STORE=postgres://postgres@127.0.0.1:$database/baton
echo "$BATON_STORE"
unset LD_LIBRARY_PATH

# start_hub NUMBER PORT: hubs sign with the same evidence key, so the second and third get the first one's.
start_hub() {
    local data=$folder/hub$1
    mkdir -p "$data"
    if [[ $1 != 1 ]]; then
        cp "$folder/hub1/evidence.key" "$data/evidence.key"
    fi
    BATON_ADMIN_PASSWORD=$password setpriv --pdeathsig KILL "$baton" hub start --port "$2" --username admin --data-dir "$data" \
        >"$folder/hub$1.log" 2>&1 &
    pids[$1]=$!
    for _ in $(seq 300); do
        grep -q "Baton hub listening on" "$folder/hub$1.log" && return
        kill -0 "${pids[$1]}" 2>/dev/null || fail "hub $1 did not start"
        sleep 0.1
    done
    fail "hub $1 did not start in time"
}

say "Three hubs on that database"
declare -A pids
start_hub 1 "$hub1"
start_hub 2 "$hub2"
start_hub 3 "$hub3"
echo "hub 1 http://127.0.0.1:$hub1   hub 2 http://127.0.0.1:$hub2   hub 3 http://127.0.0.1:$hub3"

# at PORT COMMAND...: a command of baton at one of the hubs.
at() {
    local port=$1
    shift
    BATON_HUB=http://127.0.0.1:$port "$baton" "$@"
}
printf '%s\n' "$password" | at "$hub1" login --username admin --password-stdin >/dev/null
token=$(at "$hub1" node create shouter)
export BATON_TOKEN
BATON_TOKEN=$(sed -n 's/^token *= *"\(.*\)"$/\1/p' "$folder/.baton/config.toml" | head -n 1)

# work NUMBER PORT: a worker at one of the hubs.
work() {
    BATON_HUB=http://127.0.0.1:$2 BATON_TOKEN=$token setpriv --pdeathsig KILL "$baton" work --alias shouter -- tr a-z A-Z >"$folder/worker$1.log" 2>&1 &
    workers[$1]=$!
}
declare -A workers

say "A task sent on hub 1 is answered by a worker at hub 2"
work 2 "$hub2"
echo "\$ BATON_HUB=http://127.0.0.1:$hub1 baton send shouter \"from the first hub\" --wait"
at "$hub1" send shouter "from the first hub" --wait=60 --quiet

say "Hub 1 is killed (kill -9)"
kill -9 "${pids[1]}"
wait "${pids[1]}" 2>/dev/null || true
echo "hub 1 is gone; its tasks are in the database"
at "$hub3" tasks --limit 5

say "Work goes on: sent on hub 3, answered by the worker at hub 2"
echo "\$ BATON_HUB=http://127.0.0.1:$hub3 baton send shouter \"one hub fewer\" --wait"
at "$hub3" send shouter "one hub fewer" --wait=60 --quiet

say "Hub 1 comes back and has everything"
start_hub 1 "$hub1"
at "$hub1" tasks --limit 5
if [[ $stay == stay ]]; then
    say "The hubs run on until Ctrl-C. Sign in as admin with the password $password"
    wait
fi
