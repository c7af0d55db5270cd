"""The Debian package: the program with man pages, completions, unit and user, and /etc/baton/hub.env as a conffile.
dpkg-deb writes it; SOURCE_DATE_EPOCH is its time."""

import gzip
import os
import pathlib
import shutil
import tempfile

import tarball
from project import NAME, ROOT, fail, output

# A higher level takes much more memory and saves hardly anything.
XZ_LEVEL_MAX = 6


def make(release):
    if not shutil.which("dpkg-deb"):
        fail("the Debian package needs dpkg-deb (on Debian it is there; elsewhere install dpkg, or leave `deb` out with --only)")
    path = release.out / f"{NAME}_{release.project.version}_{release.executable.debian}.deb"
    with tempfile.TemporaryDirectory() as folder:
        stage = pathlib.Path(folder)
        usr = tarball.installed(release, stage, "/usr")
        rearrange(usr)
        put(stage / "etc/baton/hub.env", (ROOT / "packaging/hub.env").read_bytes(), 0o600)
        put(usr / f"share/doc/{NAME}/copyright", copyright_file(release.project))
        size = sum(file.stat().st_size for file in stage.rglob("*") if file.is_file())
        put(stage / "DEBIAN/control", control(release, size).encode())
        put(stage / "DEBIAN/conffiles", b"/etc/baton/hub.env\n")
        for script in ("postinst", "prerm", "postrm"):
            put(stage / "DEBIAN" / script, (ROOT / "packaging/debian" / script).read_bytes(), 0o755)
        for each in [stage, *stage.rglob("*")]:
            if each.is_dir():
                each.chmod(0o755)
        packed = ["-Znone"] if release.level == 0 else ["-Zxz", f"-z{min(release.level, XZ_LEVEL_MAX)}", "--threads-max=1"]
        environment = dict(os.environ, SOURCE_DATE_EPOCH=str(release.project.epoch))
        output("dpkg-deb", "--root-owner-group", *packed, "--build", stage, path, env=environment)
    return path


def put(path, data, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


def rearrange(usr):
    """Where Debian looks for it, and packed as it asks for."""
    (usr / "share/zsh/vendor-completions").mkdir()
    (usr / "share/zsh/site-functions/_baton").rename(usr / "share/zsh/vendor-completions/_baton")
    (usr / "share/zsh/site-functions").rmdir()
    for page in (usr / "share/man/man1").glob("*.1"):
        put(page.with_name(page.name + ".gz"), gzip.compress(page.read_bytes(), mtime=0))
        page.unlink()


def control(release, size):
    project, glibc = release.project, release.executable.glibc
    fields = [
        ("Package", NAME),
        ("Version", project.version),
        ("Architecture", release.executable.debian),
        # A name without an address: nobody has given one.
        ("Maintainer", os.environ.get("BATON_MAINTAINER", "The Baton authors")),
        ("Installed-Size", str(-(-size // 1024))),
        *([] if glibc is None else [("Depends", f"libc6 (>= 2.{glibc}), libgcc-s1")]),
        ("Recommends", "ca-certificates, systemd"),
        ("Section", "net"),
        ("Priority", "optional"),
        *([("Homepage", project.repository)] if project.repository else []),
        ("Description", f"{project.synopsis()}\n"
         " One program: the hub, its command line, a dashboard and an MCP server. What\n"
         " agents hand each other leaves evidence that anyone can check offline.\n"
         " .\n"
         " The service is installed, not started: systemctl enable --now baton-hub."),
    ]  # fmt: skip
    return "".join(f"{name}: {value}\n" for name, value in fields)


def copyright_file(project):
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        f"Upstream-Name: {NAME}\n\nFiles: *\nCopyright: The Baton authors\nLicense: {project.license}\n"
        " On Debian systems the whole text is in /usr/share/common-licenses/Apache-2.0.\n"
    ).encode()
