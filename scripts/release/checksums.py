"""SHA256SUMS of all that was made, and its signature with minisign, by the key in the file that BATON_RELEASE_KEY names.
minisign asks for the key's password, if it has one, on the terminal."""

import hashlib
import os
import pathlib
import shutil
import subprocess

from project import NAME, fail

NAME_OF_SUMS = "SHA256SUMS"


def make(release, paths):
    sums = release.out / NAME_OF_SUMS
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(paths)]
    sums.write_text("".join(lines))
    signature = sums.with_name(f"{NAME_OF_SUMS}.minisig")
    # A signature of other sums would only mislead.
    signature.unlink(missing_ok=True)
    key = os.environ.get("BATON_RELEASE_KEY")
    if not key:
        print(f"{NAME_OF_SUMS} is not signed: BATON_RELEASE_KEY names no key (minisign -G makes one)")
        return [sums]
    sign(release, sums, signature, pathlib.Path(key))
    return [sums, signature]


def sign(release, sums, signature, key):
    if not shutil.which("minisign"):
        fail("a signature needs minisign (on Debian: apt-get install minisign)")
    if not key.is_file():
        fail(f"BATON_RELEASE_KEY names {key}, which is no file")
    # The trusted comment is signed too. By default it has the time of day, and two signatures would differ.
    words = f"{NAME} {release.project.version}"
    command = ["minisign", "-S", "-s", key, "-m", sums, "-x", signature, "-t", words, "-c", f"signature of {words}"]
    if subprocess.run(command).returncode != 0:
        fail(f"minisign could not sign {sums} with {key}")
