#!/usr/bin/env bash
# Three PostgreSQL 15 servers on loopback that Patroni keeps in step through three etcd servers. A commit is acknowledged
# once two of the three have it (`synchronous_mode: quorum`, strict). For tests, benchmarks and docs/scale.md, not for production:
# all of it runs on one machine, and it trusts every local user.
#
#   patroni.sh install                     etcd (Debian) and Patroni (PyPI, pinned) under target/tools
#   patroni.sh run FOLDER [asynchronous]   make, start, wait until ready, print the address; Ctrl-C stops everything
#
# The steps of `run`, for a test that stops and starts the parts itself:
#
#   patroni.sh make FOLDER [asynchronous]  configuration and free ports in a new folder
#   patroni.sh etcd FOLDER N               run etcd server N, 1 to 3, in the foreground
#   patroni.sh node FOLDER N               run Patroni node N and its PostgreSQL in the foreground
#   patroni.sh wait FOLDER                 wait until commits are replicated, and create the database
#   patroni.sh stop FOLDER                 stop everything that was started from this folder
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
tools=$here/target/tools/patroni
wanted=$here/tests/patroni/requirements.txt
# PostgreSQL refuses to run as root: everything runs as nobody then.
runs_as=65534

fail() {
    echo "$1" >&2
    exit 1
}

install_all() {
    "$here/scripts/postgres.sh" 15
    if [[ ! -x $tools/etcd ]]; then
        local unpacked
        mkdir -p "$tools"
        unpacked=$(mktemp -d "$tools/unpacked.XXXXXX")
        (cd "$unpacked" && { apt-get -q download etcd-server || { apt-get update -qq && apt-get -q download etcd-server; }; }) >/dev/null 2>&1 ||
            fail "etcd could not be downloaded: is Debian's package registry reachable?"
        dpkg-deb --extract "$unpacked"/*.deb "$unpacked"
        mv "$unpacked/usr/bin/etcd" "$tools/etcd"
        rm -rf "$unpacked"
    fi
    if ! cmp -s "$wanted" "$tools/made-from"; then
        # The system's own Python: another user has to be able to run it.
        /usr/bin/python3 -m venv --clear "$tools/venv" ||
            fail "python3 cannot make a virtual environment (on Debian: apt-get install python3-venv)"
        "$tools/venv/bin/pip" install --quiet --disable-pip-version-check --timeout 30 --retries 2 \
            --require-hashes --requirement "$wanted" ||
            fail "Patroni could not be installed: is the Python package registry reachable?"
        cp "$wanted" "$tools/made-from"
    fi
    chmod -R a+rX "$tools"
}

# The folder of PostgreSQL's programs.
programs() {
    local try
    for try in "$here/target/tools/postgres-15/bin" /usr/lib/postgresql/15/bin; do
        [[ -x $try/postgres ]] && { (cd "$try" && pwd -P); return; }
    done
    fail "PostgreSQL 15 is not installed: run scripts/patroni.sh install"
}

# Runs a command without root's rights and this shell's environment. It ends with the process that started it.
run_as_nobody() {
    local own_libraries
    own_libraries=$here/target/tools/postgres-15/lib-own
    local as=(setpriv --pdeathsig TERM)
    [[ $(id -u) == 0 ]] &&
        as=(setpriv --reuid=$runs_as --regid=$runs_as --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all --pdeathsig TERM)
    cd /
    exec env -i PATH="$(programs):/usr/bin:/bin" HOME="$folder" LANG=C.UTF-8 \
        ${own_libraries:+LD_LIBRARY_PATH="$own_libraries"} "${as[@]}" "$@"
}

make_folder() {
    [[ -e $folder ]] && fail "$folder exists already"
    mkdir -p "$folder"
    folder=$(cd "$folder" && pwd)
    local mode=${1:-synchronous} synchronous
    case $mode in
    synchronous) synchronous='synchronous_mode: quorum
    synchronous_mode_strict: true
    synchronous_node_count: 1' ;;
    asynchronous) synchronous='synchronous_mode: false' ;;
    *) fail "the mode is synchronous or asynchronous, not $mode" ;;
    esac
    # Below the ports that the system gives to outgoing connections: a server that was stopped finds its own free again.
    /usr/bin/python3 - >"$folder/ports" <<'PYTHON'
import random, socket
names = [f"{kind}{n}" for n in (1, 2, 3) for kind in ("client", "peer", "rest", "postgres")]
held = []
while len(held) < len(names):
    try:
        held.append(socket.create_server(("127.0.0.1", random.randrange(12000, 32000)), reuse_port=False))
    except OSError:
        pass
for name, server in zip(names, held):
    print(f"{name}={server.getsockname()[1]}")
PYTHON
    # shellcheck disable=SC1091
    . "$folder/ports"
    echo "${TTL:-20}" >"$folder/ttl"
    local n rest postgres
    for n in 1 2 3; do
        rest=rest$n postgres=postgres$n
        cat >"$folder/node$n.yml" <<YAML
scope: baton
name: node$n
restapi: {listen: "127.0.0.1:${!rest}", connect_address: "127.0.0.1:${!rest}"}
etcd3: {hosts: ["127.0.0.1:$client1", "127.0.0.1:$client2", "127.0.0.1:$client3"]}
bootstrap:
  dcs:
    ttl: ${TTL:-20}
    loop_wait: 5
    retry_timeout: 5
    maximum_lag_on_failover: 1048576
    $synchronous
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters: {max_connections: 100, max_worker_processes: 4, max_wal_senders: 6, max_replication_slots: 6, wal_keep_size: 64MB}
  initdb: [{encoding: UTF8}, {locale: C.UTF-8}, data-checksums, {auth: trust}]
postgresql:
  listen: 127.0.0.1:${!postgres}
  connect_address: 127.0.0.1:${!postgres}
  data_dir: $folder/data$n
  bin_dir: $(programs)
  pgpass: $folder/pgpass$n
  authentication:
    superuser: {username: postgres, password: for-loopback-only}
    replication: {username: replicator, password: for-loopback-only}
    rewind: {username: rewinder, password: for-loopback-only}
  parameters: {unix_socket_directories: "$folder", shared_buffers: ${SHARED_BUFFERS:-32MB}, max_wal_size: ${MAX_WAL_SIZE:-512MB}, jit: 'off', max_parallel_workers: 0,
    wal_sender_timeout: 5s, wal_receiver_timeout: 5s, wal_receiver_status_interval: 1s, wal_retrieve_retry_interval: 500ms, tcp_user_timeout: 5000}
  pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust']
  basebackup: [{checkpoint: fast}, no-sync]
watchdog: {mode: 'off'}
YAML
    done
    echo "postgres://postgres@127.0.0.1:$postgres1,127.0.0.1:$postgres2,127.0.0.1:$postgres3/baton?target_session_attrs=read-write" >"$folder/address"
    echo "$mode" >"$folder/mode"
    [[ $(id -u) == 0 ]] && chown -R $runs_as:$runs_as "$folder"
    return 0
}

run_etcd() {
    local n=$1 client=client$1 peer=peer$1
    run_as_nobody "$tools/etcd" --name "etcd$n" --data-dir "$folder/etcd$n" \
        --listen-client-urls "http://127.0.0.1:${!client}" --advertise-client-urls "http://127.0.0.1:${!client}" \
        --listen-peer-urls "http://127.0.0.1:${!peer}" --initial-advertise-peer-urls "http://127.0.0.1:${!peer}" \
        --initial-cluster "etcd1=http://127.0.0.1:$peer1,etcd2=http://127.0.0.1:$peer2,etcd3=http://127.0.0.1:$peer3" \
        --initial-cluster-state new --initial-cluster-token baton --heartbeat-interval 100 --election-timeout 1000 \
        --logger zap --log-level warn --log-outputs stderr
}

run_node() {
    run_as_nobody "$tools/venv/bin/python" "$tools/venv/bin/patroni" "$folder/node$1.yml"
}

# Ready: a leader, and both others streaming. With synchronous replication Patroni has also told PostgreSQL to wait for
# them; before that, commits are acknowledged without a standby for some seconds.
wait_until_ready() {
    local mode
    mode=$(cat "$folder/mode")
    /usr/bin/python3 - "$mode" "$rest1" "$rest2" "$rest3" <<'PYTHON' || fail "the cluster was not ready in time"
import json, sys, time, urllib.request
mode, ports = sys.argv[1], sys.argv[2:]
wanted = "quorum_standby" if mode == "synchronous" else "replica"
until = time.monotonic() + 120
while time.monotonic() < until:
    for port in ports:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/cluster", timeout=2) as answer:
                members = json.load(answer)["members"]
        except (OSError, ValueError, KeyError):
            continue
        roles = [member["role"] for member in members if member["state"] in ("running", "streaming")]
        if roles.count("leader") == 1 and roles.count(wanted) == 2:
            sys.exit()
    time.sleep(0.2)
sys.exit(1)
PYTHON
    local psql=("$(programs)/psql" -X -q -A -t -h 127.0.0.1 -U postgres) port
    for port in "$postgres1" "$postgres2" "$postgres3"; do
        if [[ $("${psql[@]}" -p "$port" -d postgres -c "SELECT pg_is_in_recovery()" 2>/dev/null) == f ]]; then
            [[ -n $("${psql[@]}" -p "$port" -d postgres -c "SELECT 1 FROM pg_database WHERE datname = 'baton'") ]] ||
                "${psql[@]}" -p "$port" -d postgres -c "CREATE DATABASE baton"
            return
        fi
    done
    fail "no server of the cluster accepts writes"
}

# Every process that was started from this folder, PostgreSQL's too.
stop_all() {
    local process
    for process in /proc/[0-9]*; do
        if { tr '\0' ' ' <"$process/cmdline"; } 2>/dev/null | grep -qF -e "$folder/" &&
            [[ ${process#/proc/} != "$$" && ${process#/proc/} != "$PPID" ]]; then
            case $(cat "$process/comm" 2>/dev/null) in
            etcd | patroni | postgres | python*) kill -KILL "${process#/proc/}" 2>/dev/null || true ;;
            esac
        fi
    done
}

run_all() {
    make_folder "$@"
    . "$folder/ports"
    trap 'trap - EXIT INT TERM; kill $(jobs -p) 2>/dev/null; wait; stop_all' EXIT INT TERM
    local n
    for n in 1 2 3; do
        "$0" etcd "$folder" $n >>"$folder/etcd$n.log" 2>&1 &
    done
    for n in 1 2 3; do
        "$0" node "$folder" $n >>"$folder/node$n.log" 2>&1 &
    done
    wait_until_ready
    echo "Three PostgreSQL servers are ready. Logs are in $folder. Start hubs with"
    echo "  baton hub start --store '$(cat "$folder/address")'"
    wait
}

command=${1:-install}
[[ $command == install ]] && { install_all; exit; }
folder=${2:?the folder of the cluster}
[[ -f $folder/ports ]] && { folder=$(cd "$folder" && pwd); . "$folder/ports"; }
shift 2
case $command in
make) make_folder "$@" ;;
etcd) run_etcd "$@" ;;
node) run_node "$@" ;;
wait) wait_until_ready ;;
stop) stop_all ;;
run) run_all "$@" ;;
*) fail "patroni.sh: unknown command $command" ;;
esac
