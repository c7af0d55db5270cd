//! The source packages for crates.io: the program's, and those of the libraries below it.

use std::process::Command;

use super::packages::{Packages, VERSION, done};
use super::stand_in::program;
use crate::it::program::names;

const LIBRARIES: [&str; 7] = ["adapter", "core", "doors", "evidence", "service", "store", "wal"];

#[test]
fn the_crates_are_packed_and_name_each_other_by_version_alone() {
    let packages = Packages::around(program, &["crates"]);
    let mut found = names(packages.folder());
    found.retain(|name| name.ends_with(".crate"));
    let mut expected = vec![format!("baton-hub-{VERSION}.crate")];
    expected.extend(LIBRARIES.map(|name| format!("baton-hub-{name}-{VERSION}.crate")));
    assert_eq!(found, expected);
    let mut named = 0;
    for name in found {
        let member = format!("{}/Cargo.toml", name.strip_suffix(".crate").unwrap());
        let manifest = done(Command::new("tar").arg("-xOzf").arg(packages.folder().join(&name)).arg(&member));
        let manifest: toml::Table = manifest.parse().unwrap();
        for field in ["description", "license"] {
            assert!(manifest["package"][field].is_str(), "crates.io asks for a {field}: {name}");
        }
        let Some(dependencies) = manifest.get("dependencies").and_then(toml::Value::as_table) else {
            continue;
        };
        for (dependency, wanted) in dependencies.iter().filter(|(name, _)| name.starts_with("baton-")) {
            assert!(wanted.get("path").is_none(), "{dependency} in {name}");
            assert_eq!(wanted["version"].as_str(), Some(&*format!("={VERSION}")), "{dependency} in {name}");
            let package = wanted["package"].as_str().unwrap().strip_prefix("baton-hub-").unwrap();
            assert!(LIBRARIES.contains(&package), "{package} in {name}");
            named += 1;
        }
    }
    assert!(named > LIBRARIES.len(), "{named}");
}
