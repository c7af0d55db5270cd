"""What the program is made of, as a CycloneDX document: the crates that are linked into it with their checksums from
Cargo.lock, the C libraries that some of them bring along, and the dashboard's JavaScript. Compilers, build scripts and
macros are not in the program, and not in the document."""

import hashlib
import json
import pathlib
import re
import time
import tomllib
import uuid

from project import NAME, PROGRAM, ROOT, cargo, fail

# Crates that carry a C library: its name, the file that has its version, and how it is written there.
CARRIED = {
    "libsqlite3-sys": ("sqlite", "sqlite3/sqlite3.h", r'#define SQLITE_VERSION +"([0-9.]+)"'),
    "zstd-sys": ("zstd", "zstd/lib/zstd.h", r"#define ZSTD_VERSION_(?:MAJOR|MINOR|RELEASE) +(\d+)"),
    # Five digits: two of each after the first.
    "libmimalloc-sys": ("mimalloc", "c_src/mimalloc/v3/include/mimalloc.h", r"#define MI_MALLOC_VERSION +(\d)(\d\d)(\d\d)"),
}
DASHBOARD = "crates/baton-doors/src/web/assets/vendor.js"


def make(release):
    project = release.project
    metadata = json.loads(cargo("metadata", "--locked", "--offline", f"--filter-platform={release.target}", "--format-version=1"))
    packages = {(package["name"], package["version"]): package for package in metadata["packages"]}
    linked = linked_crates(project.package, release.target)
    checksums = lock_checksums()
    crates = [crate(packages[key], checksums.get(key)) for key in sorted(linked)]
    program = (project.package, project.version)
    root = next(component for component in crates if component["bom-ref"] == reference(*program))
    components = [component for component in crates if component is not root]
    components += [library for key in sorted(linked) for library in carried(packages[key])]
    components += dashboard()
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", project.moment()),
            "component": {
                **root,
                "type": "application",
                "name": NAME,
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(release.binary.read_bytes()).hexdigest()}],
                "properties": [{"name": "cdx:cargo:target", "value": release.target}, {"name": "cdx:binary", "value": PROGRAM}],
            },
        },
        "components": components,
        "dependencies": dependencies(metadata, packages, linked),
    }
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    # A serial number of its own for every document, and the same for the same one.
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}"
    path = release.out / f"{NAME}-{project.version}-{release.target}.cdx.json"
    path.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")
    return path


def linked_crates(package, target):
    """Names and versions, with the features of this program alone: `cargo metadata` has those of the tests too."""
    tree = cargo("tree", "--locked", "--offline", f"--package={package}", f"--target={target}",
                 "--edges=normal,no-proc-macro", "--prefix=none", "--format={p}")  # fmt: skip
    return {(words[0], words[1].removeprefix("v")) for words in map(str.split, tree.splitlines()) if words}


def lock_checksums():
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    return {(package["name"], package["version"]): package.get("checksum") for package in lock["package"]}


def reference(name, version):
    return f"pkg:cargo/{name}@{version}"


def crate(package, checksum):
    name, version = package["name"], package["version"]
    return {
        "type": "library",
        "bom-ref": reference(name, version),
        "name": name,
        "version": version,
        "purl": reference(name, version),
        # Old manifests write a slash for OR.
        **({"licenses": [{"expression": package["license"].replace("/", " OR ")}]} if package["license"] else {}),
        **({"hashes": [{"alg": "SHA-256", "content": checksum}]} if checksum else {}),
    }


def carried(package):
    if package["name"] not in CARRIED:
        return []
    name, header, pattern = CARRIED[package["name"]]
    path = pathlib.Path(package["manifest_path"]).parent / header
    found = re.findall(pattern, path.read_text(errors="replace")) if path.exists() else []
    if not found:
        fail(f"the version of {name} is not found in {path}; mend CARRIED in scripts/release/sbom.py")
    numbers = found[0] if isinstance(found[0], tuple) else found
    version = ".".join(number.lstrip("0") or "0" for number in numbers)
    return [
        {
            "type": "library",
            "bom-ref": f"pkg:generic/{name}@{version}",
            "name": name,
            "version": version,
            "purl": f"pkg:generic/{name}@{version}",
        }
    ]


def dashboard():
    first = (ROOT / DASHBOARD).read_text().split("*/")[0]
    found = re.findall(r"([a-z]+) (\d+\.\d+\.\d+) \(([A-Za-z0-9.-]+)", first)
    if not found:
        fail(f"the first line of {DASHBOARD} names no library; scripts/vendor-web.sh writes it")
    return [
        {"type": "library", "bom-ref": f"pkg:npm/{name}@{version}", "name": name, "version": version, "purl": f"pkg:npm/{name}@{version}",
         "licenses": [{"license": {"id": license}}]}
        for name, version, license in found
    ]  # fmt: skip


def dependencies(metadata, packages, linked):
    """Who uses whom, of what is linked."""
    keys = {package["id"]: key for key, package in packages.items()}
    found = []
    for node in metadata["resolve"]["nodes"]:
        key = keys[node["id"]]
        if key not in linked:
            continue
        normal = [keys[used["pkg"]] for used in node["deps"] if any(kind["kind"] is None for kind in used["dep_kinds"])]
        uses = sorted({reference(*used) for used in normal if used in linked})
        uses += [library["bom-ref"] for library in carried(packages[key])]
        found.append({"ref": reference(*key), "dependsOn": uses})
    return sorted(found, key=lambda entry: entry["ref"])
