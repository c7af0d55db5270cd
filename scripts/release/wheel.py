"""The wheel for PyPI: the program as a script of the package, with no Python in it.

maturin (`bindings = "bin"`) makes the same file, but only around a program that it has had compiled itself. Every package
of a release holds the same bytes, so the wheel is written here.
"""

import base64
import hashlib

import archive
from project import NAME, PROGRAM

# `uvx baton-hub` and `pipx run baton-hub` look for a program of the package's name. It is found through links, too.
ALSO_NAMED = f"""#!/bin/sh
exec "$(dirname "$(readlink -f "$0")")/{PROGRAM}" "$@"
"""


def make(release):
    project = release.project
    package = f"{NAME.replace('-', '_')}-{project.version}"
    tags = platforms(release.executable)
    info = f"{package}.dist-info"
    files = [
        (f"{package}.data/scripts/{PROGRAM}", 0o755, release.binary.read_bytes()),
        (f"{package}.data/scripts/{NAME}", 0o755, ALSO_NAMED.encode()),
        (f"{info}/METADATA", 0o644, metadata(project, release.mcp_name).encode()),
        (f"{info}/WHEEL", 0o644, wheel(tags).encode()),
        (f"{info}/licenses/LICENSE", 0o644, project.text("LICENSE")),
    ]
    files.append((f"{info}/RECORD", 0o644, record(files, f"{info}/RECORD").encode()))
    path = release.out / f"{package}-py3-none-{'.'.join(tags)}.whl"
    archive.zip(path, files, project.epoch, release.level)
    return path


def platforms(executable):
    """A static program runs on any Linux; pip asks for one tag that it knows."""
    if executable.glibc is None:
        return [f"{kind}_{executable.wheel}" for kind in ("manylinux_2_17", "manylinux2014", "musllinux_1_1")]
    return [f"manylinux_2_{executable.glibc}_{executable.wheel}"]


def metadata(project, mcp_name):
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", NAME),
        ("Version", project.version),
        ("Summary", project.summary),
        ("License-Expression", project.license),
        ("License-File", "LICENSE"),
        ("Classifier", "Environment :: Console"),
        ("Classifier", "Operating System :: POSIX :: Linux"),
        ("Classifier", "Programming Language :: Rust"),
        *([("Project-URL", f"Source, {project.repository}")] if project.repository else []),
        ("Description-Content-Type", "text/markdown"),
    ]
    # The MCP registry takes the package for its owner's by this line.
    owner = f"\n<!-- mcp-name: {mcp_name} -->\n" if mcp_name else ""
    return "".join(f"{name}: {value}\n" for name, value in fields) + "\n" + project.text("packaging/about.md").decode() + owner


def wheel(tags):
    lines = ["Wheel-Version: 1.0", f"Generator: {NAME}/scripts/release", "Root-Is-Purelib: false"]
    return "".join(f"{line}\n" for line in lines + [f"Tag: py3-none-{tag}" for tag in tags])


def record(files, name):
    def line(path, data):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        return f"{path},sha256={digest},{len(data)}\n"

    return "".join(line(path, data) for path, _, data in files) + f"{name},,\n"
