//! The bill of materials: what is linked into the program, and nothing that only builds or tests it.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

use super::files::read;
use super::packages::{Packages, VERSION};

#[test]
fn the_bill_of_materials_lists_what_is_linked_into_the_program() {
    let packages = Packages::make(&["sbom"]);
    let bill: Value = serde_json::from_slice(&std::fs::read(packages.one(".cdx.json")).unwrap()).unwrap();
    assert_eq!((&bill["bomFormat"], &bill["specVersion"]), (&"CycloneDX".into(), &"1.5".into()));
    let root = &bill["metadata"]["component"];
    assert_eq!((&root["name"], &root["version"]), (&"baton-hub".into(), &VERSION.into()));
    let program = std::fs::read(packages.folder().join("program/baton")).unwrap();
    assert_eq!(root["hashes"][0]["content"], format!("{:x}", Sha256::digest(program)));

    let components = bill["components"].as_array().unwrap();
    let names: BTreeSet<&str> =
        components.iter().map(|component| component["name"].as_str().unwrap()).collect();
    for linked in ["tokio", "rusqlite", "sqlite", "zstd", "mimalloc", "preact", "htm"] {
        assert!(names.contains(linked), "{linked}");
    }
    // A macro, what compiles C, and what only tests use.
    for not_linked in ["serde_derive", "cc", "jsonschema", "rcgen"] {
        assert!(!names.contains(not_linked), "{not_linked}");
    }

    // Each crate from the registry has the checksum that the build was locked to.
    let lock: toml::Table = read("Cargo.lock").parse().unwrap();
    let locked = |name: &str, version: &str| {
        let mut packages = lock["package"].as_array().unwrap().iter();
        packages
            .find(|package| {
                package["name"].as_str() == Some(name) && package["version"].as_str() == Some(version)
            })
            .unwrap()
    };
    for component in
        components.iter().filter(|component| component["purl"].as_str().unwrap().starts_with("pkg:cargo/"))
    {
        let package = locked(component["name"].as_str().unwrap(), component["version"].as_str().unwrap());
        let checksum = package.get("checksum").and_then(toml::Value::as_str);
        assert_eq!(component["hashes"][0]["content"].as_str(), checksum, "{component}");
    }

    // Whoever is used is in the list.
    let known: BTreeSet<&str> =
        components.iter().chain([root]).map(|component| component["bom-ref"].as_str().unwrap()).collect();
    for used in bill["dependencies"].as_array().unwrap() {
        for reference in [&used["ref"]].into_iter().chain(used["dependsOn"].as_array().unwrap()) {
            assert!(known.contains(reference.as_str().unwrap()), "{reference}");
        }
    }
}
