#!/usr/bin/env python3
"""Makes the packages of a release around a program that is built already. `make release` calls it, and the tests do.

    python3 scripts/release --binary PATH --target TRIPLE --out FOLDER [--only PACKAGE ...]

The same program, sources and SOURCE_DATE_EPOCH (by default the commit's time) give the same bytes. Nothing is fetched.
"""

import argparse
import dataclasses
import os
import pathlib
import sys

import checksums
import crates
import deb
import homebrew
import image
import mcp_registry
import npm
import sbom
import tarball
import wheel
from executable import Executable
from project import NAME, Project, fail, output

# In the order they are made: the formula has the tarball's checksum.
PACKAGES = {
    "tarball": tarball,
    "wheel": wheel,
    "npm": npm,
    "deb": deb,
    "image": image,
    "sbom": sbom,
    "crates": crates,
    "homebrew": homebrew,
    "server-json": mcp_registry,
}
# They name the repository.
NEED_REPOSITORY = ("homebrew", "server-json")


@dataclasses.dataclass(frozen=True)
class Release:
    project: Project
    binary: pathlib.Path
    target: str
    executable: Executable
    out: pathlib.Path
    # Of compression, 0 (none) to 9.
    level: int
    # The server's name in the MCP registry, if the repository gives it one.
    mcp_name: str | None
    # The CA certificates in the image.
    ca_bundle: pathlib.Path | None


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/release", description="Makes the packages of a release around a built program.")
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    parser.add_argument("--target", required=True, help="the program's target, as Rust names it")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--only", nargs="+", choices=PACKAGES, metavar="PACKAGE", help=", ".join(PACKAGES))
    parser.add_argument("--repository", metavar="URL", help="where releases are downloaded from: https://HOST/OWNER/NAME")
    parser.add_argument("--ca-bundle", type=pathlib.Path, metavar="FILE", help="CA certificates for the image, PEM")
    parser.add_argument("--level", type=int, choices=range(10), default=9, metavar="0-9", help="of compression; 0 is none")
    return parser.parse_args()


def prepared(given):
    binary = given.binary.resolve()
    if not os.access(binary, os.X_OK):
        fail(f"{given.binary} is no program; build it first: make dist")
    executable = Executable.read(binary)
    if given.target.split("-")[0] != executable.rust:
        fail(f"{given.binary} is a program for {executable.rust}, not for {given.target}")
    if "musl" in given.target and executable.glibc is not None:
        fail(f"{given.binary} needs glibc, so it is not of the target {given.target}")
    project = Project.read(given.repository)
    said = output(binary, "--version").strip()
    if said != f"baton {project.version}":
        fail(f"{given.binary} says it is {said!r}, and the manifests say {project.version}; build it again")
    mcp_name = os.environ.get("BATON_MCP_NAME") or (project.repository and mcp_registry.server_name(project.repository))
    given.out.mkdir(parents=True, exist_ok=True)
    return Release(project, binary, given.target, executable, given.out.resolve(), given.level, mcp_name, given.ca_bundle)


def wanted(given, release):
    """Which packages; without --only all that can be made, with a reason for each that cannot."""
    reasons = {}
    if not release.project.repository:
        reasons = {
            kind: "it names the repository; pass --repository https://HOST/OWNER/NAME (make: REPOSITORY=)" for kind in NEED_REPOSITORY
        }
    elif not release.mcp_name:
        reasons["server-json"] = "the repository is not on github.com; name the server in BATON_MCP_NAME, as the registry knows its owner"
    reasons |= image.reasons_against(release)
    chosen = given.only or list(PACKAGES)
    for kind in chosen:
        if kind in reasons and given.only:
            fail(f"{kind} cannot be made: {reasons[kind]}")
        if kind in reasons:
            print(f"{kind} is not made: {reasons[kind]}")
    return [kind for kind in PACKAGES if kind in chosen and kind not in reasons]


def main():
    given = arguments()
    release = prepared(given)
    kinds = wanted(given, release)
    if "homebrew" in kinds and "tarball" not in kinds:
        fail("homebrew needs the tarball's checksum: --only tarball homebrew")
    made = []
    for kind in kinds:
        paths = PACKAGES[kind].make(release)
        made += paths if isinstance(paths, list) else [paths]
    made += checksums.make(release, made)
    print(f"{NAME} {release.project.version} for {release.target}, in {given.out}:")
    for path in made:
        print(f"{path.stat().st_size:>12,}  {path.name}")


if __name__ == "__main__":
    sys.exit(main())
