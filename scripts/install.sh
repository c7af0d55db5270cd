#!/usr/bin/env bash
# Puts a built baton and what belongs to it under PREFIX (in DESTDIR, if set), or takes it away again. `make install` and
# `make uninstall` call it.
#   scripts/install.sh install BINARY
#   scripts/install.sh uninstall
# An uninstall leaves what a hub wrote (/var/lib/baton, ~/.baton) and what its operator wrote (/etc/baton).
set -euo pipefail
cd "$(dirname "$0")/.."

prefix=${PREFIX-/usr/local}
root=${DESTDIR-}$prefix
man=$root/share/man/man1
# Where each file goes, beside the man pages.
binary=$root/bin/baton
bash=$root/share/bash-completion/completions/baton
zsh=$root/share/zsh/site-functions/_baton
fish=$root/share/fish/vendor_completions.d/baton.fish
unit=$root/lib/systemd/system/baton-hub.service
user=$root/lib/sysusers.d/baton.conf
examples=$root/share/doc/baton/examples
license=$root/share/doc/baton/LICENSE

fail() {
    echo "$1" >&2
    exit 1
}

# It is written into the unit and a sed script.
[[ $prefix =~ ^[A-Za-z0-9/._+-]*$ ]] || fail "PREFIX may hold letters, digits and /._+- alone, not: $prefix"

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT

# put SOURCE TARGET: the unit's files name the binary where it will be.
put() {
    install -d "$(dirname "$2")"
    sed "s|/usr/local/bin/|$prefix/bin/|" "$1" | install -m 644 /dev/stdin "$2"
}

# complete SHELL TARGET
complete() {
    install -d "$(dirname "$2")"
    "$binary" completions "$1" | install -m 644 /dev/stdin "$2"
}

install_all() {
    [[ -x $1 ]] || fail "there is no $1; build it first: make build, or make dist"
    install -D -m 755 "$1" "$binary"
    "$binary" man --dir "$pages"
    install -d "$man"
    install -m 644 "$pages"/*.1 "$man"
    complete bash "$bash"
    complete zsh "$zsh"
    complete fish "$fish"
    put packaging/baton-hub.service "$unit"
    put packaging/baton.sysusers "$user"
    put packaging/baton-hub-tls.conf "$examples/tls.conf"
    put packaging/hub.env "$examples/hub.env"
    put LICENSE "$license"
    echo "installed $binary, its man pages, completions and systemd unit"
}

uninstall_all() {
    [[ -x $binary ]] || fail "there is no $binary; was it installed with another PREFIX or DESTDIR?"
    # Which pages are ours the binary knows.
    "$binary" man --dir "$pages"
    for page in "$pages"/*.1; do
        rm -f "$man/$(basename "$page")"
    done
    rm -f "$bash" "$zsh" "$fish" "$unit" "$user" "$examples/tls.conf" "$examples/hub.env" "$license" "$binary"
    rmdir --ignore-fail-on-non-empty "$examples" "$(dirname "$examples")"
    echo "removed $binary and what came with it"
}

case ${1-} in
install) install_all "${2?the binary to install}" ;;
uninstall) uninstall_all ;;
*) fail "say install BINARY or uninstall" ;;
esac
