//! server.json for the MCP registry: the registry's rules for it, and that the packages it names are the server's.

use serde_json::Value;
use std::process::Command;

use super::packages::{Packages, REPOSITORY, VERSION, done};
use super::stand_in::program;
use crate::it::hub::{Hub, baton};
use crate::it::program::run;
use crate::it::tenant::Tenant;

const SERVER: &str = "io.github.example/baton-hub";

fn json(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap()
}

#[test]
fn the_entry_of_the_registry_names_packages_that_say_they_are_its_server() {
    let packages = Packages::around(program, &["server-json", "npm", "wheel"]);
    let server = json(&std::fs::read(packages.one("server.json")).unwrap());
    assert_eq!((&server["name"], &server["version"]), (&SERVER.into(), &VERSION.into()));
    assert_eq!(server["repository"]["url"], REPOSITORY);
    assert!((1..=100).contains(&server["description"].as_str().unwrap().len()), "the registry's limit");
    let named: Vec<&str> = server["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            assert_eq!((&package["identifier"], &package["version"]), (&"baton-hub".into(), &VERSION.into()));
            assert_eq!(package["transport"]["type"], "stdio");
            package["registryType"].as_str().unwrap()
        })
        .collect();
    assert_eq!(named, ["npm", "pypi"]);

    // The two marks of ownership.
    let manifest =
        done(Command::new("tar").arg("-xOzf").arg(packages.one(".tgz")).arg("package/package.json"));
    assert_eq!(json(manifest.as_bytes())["mcpName"], SERVER);
    let member = format!("baton_hub-{VERSION}.dist-info/METADATA");
    let script = "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode())";
    let metadata = done(Command::new("python3").args(["-c", script]).arg(packages.one(".whl")).arg(member));
    assert!(metadata.contains(&format!("mcp-name: {SERVER}")), "{metadata}");
}

/// As a client starts it: the package's arguments, and the variables that the entry lists, with nothing else set.
#[test]
fn the_entry_of_the_registry_starts_the_mcp_server() {
    let packages = Packages::around(program, &["server-json"]);
    let server = json(&std::fs::read(packages.one("server.json")).unwrap());
    let hub = Hub::start();
    let token = Tenant::of_admin(&hub).agent("coder").token.unwrap();
    for package in server["packages"].as_array().unwrap() {
        let words = package["packageArguments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word["value"].as_str().unwrap());
        let home = tempfile::tempdir().unwrap();
        let mut command = baton();
        command.args(words).env("HOME", home.path());
        for variable in package["environmentVariables"].as_array().unwrap() {
            let value = match variable["name"].as_str().unwrap() {
                "BATON_HUB" => hub.url(),
                "BATON_TOKEN" => token.clone(),
                other => panic!("{other}"),
            };
            command.env(variable["name"].as_str().unwrap(), value);
        }
        let listed = run(&mut command, |stdin| stdin.write_all(LIST.as_bytes())).exited(0).stdout;
        assert!(
            listed.contains("\"name\":\"claim_task\""),
            "claim_task is not in {} bytes of tools",
            listed.len()
        );
    }
}

const LIST: &str = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}\n";
