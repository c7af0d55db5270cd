"""The source packages for crates.io, as `cargo publish --workspace` sends them: the program and the libraries below it."""
import json
import os
import pathlib
import shutil
import tempfile

from project import cargo, fail


def make(release):
    # A folder of its own: cargo keeps what it packed before.
    with tempfile.TemporaryDirectory() as folder:
        cargo("package", "--workspace", "--locked", "--offline", "--no-verify", "--allow-dirty", f"--target-dir={folder}")
        packed = sorted(pathlib.Path(folder, "package").glob("*.crate"))
        if not packed:
            fail("cargo packed nothing")
        return [pathlib.Path(shutil.copy(path, release.out)) for path in packed]
