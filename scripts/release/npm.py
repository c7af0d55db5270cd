"""The npm package: the program itself behind the package's two names, with no JavaScript in it. npm refuses it, with the
platforms that it is for, wherever it could not run."""

import json

import archive
from project import NAME, PROGRAM


def make(release):
    project = release.project
    program = f"bin/{PROGRAM}"
    manifest = {
        "name": NAME,
        "version": project.version,
        "description": project.summary,
        "license": project.license,
        **({"repository": {"type": "git", "url": f"git+{project.repository}.git"}} if project.repository else {}),
        **({"mcpName": release.mcp_name} if release.mcp_name else {}),
        "os": ["linux"],
        "cpu": [release.executable.npm],
        **({} if release.executable.glibc is None else {"libc": ["glibc"]}),
        # npx takes the name of the package.
        "bin": {PROGRAM: program, NAME: program},
        "files": ["bin"],
    }
    files = {
        "package/package.json": (0o644, (json.dumps(manifest, indent=2) + "\n").encode()),
        f"package/{program}": (0o755, release.binary.read_bytes()),
        "package/README.md": (0o644, project.text("packaging/about.md")),
        "package/LICENSE": (0o644, project.text("LICENSE")),
    }
    path = release.out / f"{NAME}-{project.version}.tgz"
    archive.tar(path, files, project.epoch, release.level)
    return path
