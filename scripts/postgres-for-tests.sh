#!/bin/sh
# Keeps a PostgreSQL server in a folder for as long as tests use it: `postgres-for-tests.sh VERSION FOLDER`. Tests hold
# FOLDER.users, shared; once nobody has held it for a few seconds the server is stopped and the folder removed. If this
# script is killed the server is too.
set -eu
version=$1
folder=$2
here=$(cd "$(dirname "$0")/.." && pwd)
bin=
for try in "$here/target/tools/postgres-$version/bin" "/usr/lib/postgresql/$version/bin"; do
    if [ -x "$try/postgres" ]; then
        bin=$try
        break
    fi
done
if [ -z "$bin" ]; then
    echo "PostgreSQL $version is not installed"
    exit 1
fi
if [ -d "${bin%/bin}/lib-own" ]; then
    export LD_LIBRARY_PATH="${bin%/bin}/lib-own"
fi

rm -rf "$folder"
mkdir -p "$folder/socket"
# PostgreSQL does not run as root.
as="setpriv --pdeathsig QUIT"
if [ "$(id -u)" = 0 ]; then
    chown -R 65534:65534 "$folder"
    as="$as --reuid=65534 --regid=65534 --clear-groups"
fi
umask 022
cd /
$as "$bin/initdb" -D "$folder/data" -U postgres --auth=trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null ||
    $as "$bin/initdb" -D "$folder/data" -U postgres --auth=trust -E UTF8 --locale=C --no-sync >/dev/null
# One role needs its password.
printf 'local all needs_password scram-sha-256\nlocal all all trust\n' >"$folder/data/pg_hba.conf"
$as "$bin/postgres" -D "$folder/data" -c unix_socket_directories="$folder/socket" -c listen_addresses= \
    -c fsync=off -c full_page_writes=off -c max_connections=300 -c shared_buffers=64MB -c autovacuum=off \
    -c max_wal_senders=0 -c wal_level=minimal -c jit=off &
server=$!
tries=0
until "$bin/pg_isready" -q -h "$folder/socket" -U postgres; do
    kill -0 $server 2>/dev/null || exit 1
    tries=$((tries + 1))
    [ $tries -lt 600 ] || exit 1
    sleep 0.05
done
: >"$folder/socket/ready"

exec 9>"$folder.users"
idle=0
while kill -0 $server 2>/dev/null; do
    if flock -n -x 9; then
        idle=$((idle + 1))
        if [ $idle -ge 5 ]; then
            # Whoever comes now waits for the lock, and then finds no server.
            rm -f "$folder/socket/ready"
            kill -QUIT $server
            wait $server || true
            rm -rf "$folder"
            exit 0
        fi
        flock -u 9
    else
        idle=0
    fi
    sleep 1
done
rm -rf "$folder"
