"""The container image as an OCI archive, made without Docker: what the Dockerfile's last stage has, around a static program.
`docker load` and `podman load` take it. The health check is Docker's alone; OCI has no word for it."""

import gzip
import hashlib
import io
import json
import re
import time

import archive
from project import NAME, PROGRAM, ROOT

LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
CONFIG = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"


def reasons_against(release):
    if release.executable.glibc is not None:
        return {"image": "an image of nothing but the program needs a static one: build it for a musl target"}
    if release.ca_bundle is None:
        return {"image": "it needs CA certificates; pass --ca-bundle FILE (make: CA_BUNDLE=)"}
    return {}


def make(release):
    project = release.project
    user, instructions = dockerfile()
    files = {
        f"usr/bin/{PROGRAM}": (0o755, release.binary.read_bytes()),
        CERTIFICATES: (0o644, release.ca_bundle.read_bytes()),
    }
    folders = [(name, 0o755, 0) for name in ("etc", "etc/ssl", "etc/ssl/certs", "usr", "usr/bin")]
    folders += [("data", 0o700, user), ("tmp", 0o1777, 0)]
    layer = io.BytesIO()
    archive.write_tar(layer, files, project.epoch, folders)
    packed = gzip.compress(layer.getvalue(), release.level, mtime=0)
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", project.moment())
    config = blob({
        "created": created, "architecture": release.executable.oci, "os": "linux", "config": instructions,
        "rootfs": {"type": "layers", "diff_ids": [digest(layer.getvalue())]},
        "history": [{"created": created, "created_by": "scripts/release/image.py"}],
    })  # fmt: skip
    manifest = blob({
        "schemaVersion": 2, "mediaType": MANIFEST,
        "config": descriptor(CONFIG, config), "layers": [descriptor(LAYER, packed)],
    })  # fmt: skip
    name = {"org.opencontainers.image.ref.name": project.version, "io.containerd.image.name": f"docker.io/library/{NAME}:{project.version}"}
    index = blob({"schemaVersion": 2, "mediaType": INDEX, "manifests": [{**descriptor(MANIFEST, manifest), "annotations": name}]})
    contents = {"oci-layout": blob({"imageLayoutVersion": "1.0.0"}), "index.json": index}
    contents |= {f"blobs/sha256/{digest(data).split(':')[1]}": data for data in (packed, config, manifest)}
    path = release.out / f"{NAME}-{project.version}-{release.target}.oci.tar"
    with open(path, "wb") as out:
        archive.write_tar(out, {name: (0o644, data) for name, data in contents.items()}, project.epoch)
    return path


def dockerfile():
    """The user's number and what the last stage says of how it is run."""
    last = (ROOT / "Dockerfile").read_text().split("\nFROM scratch\n")[1]
    said = dict(re.findall(r"^(USER|VOLUME|EXPOSE|STOPSIGNAL|ENTRYPOINT|CMD) (.+)$", last, re.MULTILINE))
    return int(said["USER"].split(":")[0]), {
        "User": said["USER"],
        "ExposedPorts": {f"{said['EXPOSE']}/tcp": {}},
        "Volumes": {said["VOLUME"]: {}},
        "StopSignal": said["STOPSIGNAL"],
        "Entrypoint": json.loads(said["ENTRYPOINT"]),
        "Cmd": json.loads(said["CMD"]),
    }


def blob(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest(data):
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def descriptor(kind, data):
    return {"mediaType": kind, "digest": digest(data), "size": len(data)}
