"""What the manifests say of this version, and the one time that everything in a release has."""

import dataclasses
import json
import os
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The name on crates.io, PyPI, npm and Debian; the program in it is called `baton`.
NAME = "baton-hub"
PROGRAM = "baton"


def fail(message):
    raise SystemExit(f"release: {message}")


def output(*command, **options):
    """What a program prints; one that fails ends the release with its own words."""
    ran = subprocess.run(command, cwd=options.pop("cwd", ROOT), capture_output=True, text=True, **options)
    if ran.returncode != 0:
        fail(f"`{' '.join(map(str, command))}` failed with exit code {ran.returncode}:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def cargo(*arguments):
    return output(os.environ.get("CARGO", "cargo"), *arguments)


@dataclasses.dataclass(frozen=True)
class Project:
    # The program's package in Cargo.
    package: str
    version: str
    summary: str
    license: str
    # https://HOST/OWNER/NAME, or None: no package invents an address.
    repository: str | None
    # Seconds since 1970: SOURCE_DATE_EPOCH, else the commit's.
    epoch: int

    @classmethod
    def read(cls, repository):
        metadata = json.loads(cargo("metadata", "--locked", "--offline", "--no-deps", "--format-version=1"))
        package = next(package for package in metadata["packages"] if pathlib.Path(package["manifest_path"]).parent.name == PROGRAM)
        repository = repository or package["repository"]
        if repository and not repository.startswith("https://"):
            fail(f"the repository must be an https:// address, not {repository!r}")
        return cls(
            package["name"], package["version"], package["description"], package["license"],
            repository and repository.rstrip("/"), source_date(),
        )  # fmt: skip

    def synopsis(self):
        """The summary's first part, as package lists want it: short, without an article."""
        return self.summary.split(",")[0].removeprefix("A ")

    def moment(self):
        return time.gmtime(self.epoch)

    def text(self, name):
        return (ROOT / name).read_bytes()


def source_date():
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        given = output("git", "log", "-1", "--format=%ct").strip()
    if not given.isdigit():
        fail(f"SOURCE_DATE_EPOCH must be seconds since 1970, not {given!r}")
    return int(given)
