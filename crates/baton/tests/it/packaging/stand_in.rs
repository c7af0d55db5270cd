//! Packages that only a static program gets, around one that says it is baton: the binary under test is linked to glibc.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::files::{after, read};
use super::packages::{VERSION, done, release};
use crate::it::program::names;

/// A static program that knows its version, in a folder of its own below this one.
pub(super) fn program(folder: &Path) -> PathBuf {
    let folder = folder.join("program");
    std::fs::create_dir(&folder).unwrap();
    let (source, program) = (folder.join("baton.c"), folder.join("baton"));
    let text = format!("#include <stdio.h>\nint main(void) {{ puts(\"baton {VERSION}\"); return 0; }}\n");
    std::fs::write(&source, text).unwrap();
    done(Command::new("cc").args(["-static", "-s", "-o"]).arg(&program).arg(&source));
    program
}

/// The files of a tar archive with their modes and owners.
fn members(archive: impl Read) -> BTreeMap<String, (u32, u64, Vec<u8>)> {
    let mut archive = tar::Archive::new(archive);
    let read = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        let name = entry.path().unwrap().to_str().unwrap().trim_end_matches('/').to_owned();
        (name, (entry.header().mode().unwrap(), entry.header().uid().unwrap(), bytes))
    });
    read.collect()
}

#[test]
fn the_image_has_the_program_the_certificates_and_what_the_dockerfile_says() {
    let folder = tempfile::tempdir().unwrap();
    let (program, authorities) = (program(folder.path()), folder.path().join("ca.pem"));
    std::fs::write(&authorities, "certificates\n").unwrap();
    let out = folder.path().join("out");
    done(release(&program, &out).args(["--only", "image", "--ca-bundle"]).arg(&authorities));
    let name = names(&out).into_iter().find(|name| name.ends_with(".oci.tar")).unwrap();
    let image = members(std::fs::File::open(out.join(name)).unwrap());
    assert_eq!(image["oci-layout"].2, br#"{"imageLayoutVersion":"1.0.0"}"#);
    let blob = |described: &Value| {
        let digest = described["digest"].as_str().unwrap().strip_prefix("sha256:").unwrap();
        let bytes = &image[&format!("blobs/sha256/{digest}")].2;
        assert_eq!((digest, &described["size"]), (&*sha256(bytes), &json!(bytes.len())));
        bytes
    };
    let index: Value = serde_json::from_slice(&image["index.json"].2).unwrap();
    let manifest: Value = serde_json::from_slice(blob(&index["manifests"][0])).unwrap();
    let config: Value = serde_json::from_slice(blob(&manifest["config"])).unwrap();

    let mut layer = Vec::new();
    flate2::read::GzDecoder::new(&**blob(&manifest["layers"][0])).read_to_end(&mut layer).unwrap();
    assert_eq!(config["rootfs"]["diff_ids"], json!([format!("sha256:{}", sha256(&layer))]));
    let files = members(&*layer);
    assert_eq!(files["usr/bin/baton"], (0o755, 0, std::fs::read(&program).unwrap()));
    assert_eq!(files["etc/ssl/certs/ca-certificates.crt"].2, b"certificates\n");
    // The hub's own folder, and a place for SQLite's large sorts.
    assert_eq!((files["data"].0, files["data"].1), (0o700, 65532));
    assert_eq!((files["tmp"].0, files["tmp"].1), (0o1777, 0));

    let dockerfile = read("Dockerfile");
    let said = |word: &str| after(&dockerfile, word).pop().unwrap().to_owned();
    let list = |word: &str| serde_json::from_str::<Value>(&said(word)).unwrap();
    let run = &config["config"];
    assert_eq!((&run["Entrypoint"], &run["Cmd"]), (&list("ENTRYPOINT "), &list("CMD ")));
    assert_eq!((&run["User"], &run["StopSignal"]), (&said("USER ").into(), &said("STOPSIGNAL ").into()));
    assert_eq!((&run["Volumes"], &run["ExposedPorts"]), (&json!({"/data": {}}), &json!({"9200/tcp": {}})));
}

fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

#[test]
fn a_wheel_of_a_static_program_is_for_every_linux() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    done(release(&program(folder.path()), &out).args(["--only", "wheel"]));
    let machine = std::env::consts::ARCH;
    let tags = format!("manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}");
    assert_eq!(names(&out), ["SHA256SUMS".to_owned(), format!("baton_hub-{VERSION}-py3-none-{tags}.whl")]);
}
