"""The tarball: what `make install` lays down, to be unpacked in /usr/local. cargo-binstall and the Homebrew formula fetch it."""

import os
import pathlib
import tempfile

import archive
from project import NAME, ROOT, output


def make(release):
    path = release.out / file_name(release)
    with tempfile.TemporaryDirectory() as stage:
        archive.tar(path, archive.folder(installed(release, stage, "/usr/local")), release.project.epoch, release.level)
    return path


def file_name(release):
    return f"{NAME}-{release.project.version}-{release.target}.tar.gz"


def installed(release, stage, prefix):
    """Installs the program with all that belongs to it below `stage`."""
    environment = dict(os.environ, PREFIX=prefix, DESTDIR=str(stage))
    output(ROOT / "scripts/install.sh", "install", release.binary, env=environment)
    return pathlib.Path(stage, prefix.lstrip("/"))
