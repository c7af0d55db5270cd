"""Archives whose bytes follow from their contents: order, owner, mode and time are fixed."""

import gzip
import io
import tarfile
import time
import zipfile


def tar(path, files, epoch, level):
    """`files`: name to (mode, bytes). Files only: unpacked as root, an entry for a folder would change the owner and mode of
    one that is there."""
    with open(path, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=level, mtime=0) as packed:
        write_tar(packed, files, epoch)


def write_tar(stream, files, epoch, folders=()):
    """`folders`: (name, mode, owner), before the files."""
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as out:
        for name, mode, owner in folders:
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode, entry.mtime, entry.uid, entry.gid = tarfile.DIRTYPE, mode, epoch, owner, owner
            out.addfile(entry)
        for name, (mode, data) in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.mode, entry.mtime, entry.size = mode, epoch, len(data)
            out.addfile(entry, io.BytesIO(data))


def zip(path, files, epoch, level):  # noqa: A001
    """`files`: (name, mode, bytes), in their order. A ZIP file knows no time before 1980."""
    moment = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as out:
        for name, mode, data in files:
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, (0o100000 | mode) << 16
            out.writestr(entry, data, compresslevel=level)


def folder(root):
    """The files below a folder, as `tar` takes them: 755 for programs, else 644."""
    found = {}
    for path in root.rglob("*"):
        if path.is_file():
            found[path.relative_to(root).as_posix()] = (0o755 if path.stat().st_mode & 0o100 else 0o644, path.read_bytes())
    return found
