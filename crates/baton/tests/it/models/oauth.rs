//! OAuth as real clients do it: the official SDK, which is given an address and nothing else, and the authorization suite of
//! MCP's conformance package. The user who decides is the test.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::stage::{node, program};
use crate::it::clients::stage::repository;
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, succeed};

/// A program that runs, and is ended with the test.
struct Running {
    child: Child,
    said: Vec<String>,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        let child = command.stdout(Stdio::piped()).spawn().unwrap();
        Self { child, said: Vec::new() }
    }

    /// Reads to the end; `does` is given each line.
    fn read(&mut self, mut does: impl FnMut(&str)) {
        let lines = BufReader::new(self.child.stdout.take().unwrap()).lines();
        for line in lines.map(Result::unwrap) {
            does(&line);
            self.said.push(line);
        }
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {:#?}", self.said);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The user opens the address, allows what is asked, and their browser goes back to the client.
fn allows(network: &Tenant, address: &str, alias: &str) {
    let (endpoint, query) = address.split_once('?').unwrap();
    assert!(endpoint.ends_with("/oauth/authorize"), "{address}");
    let page = network.user.get(&format!("/oauth/authorize?{query}"));
    assert_eq!(page.status, 200);
    let asked = succeed(&network.user.get(&format!("/api/oauth/authorization?{query}")));
    assert_eq!(asked.get("problem"), None, "{asked}");
    let request: serde_json::Map<String, Value> =
        pairs(query).map(|(name, value)| (name, json!(value))).collect();
    let decision =
        json!({"request": request, "allow": true, "network_id": network.network_id, "alias": alias});
    let decided = succeed(&network.user.post("/api/oauth/authorization", &decision));
    let url = decided["redirect_to"].as_str().unwrap();
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    assert_eq!(Client::new(host.parse().unwrap()).get(&format!("/{path}")).status, 200);
}

fn pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    let url = reqwest::Url::parse(&format!("http://x/?{query}")).unwrap();
    let pairs: Vec<_> = url.query_pairs().into_owned().collect();
    pairs.into_iter()
}

#[test]
fn the_official_sdk_finds_registers_asks_calls_and_refreshes_by_itself() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    network.agent("helper");
    let mut command = Command::new(node());
    program("@modelcontextprotocol/sdk/package.json");
    command.arg(repository().join("tests/clients/mcp/oauth-client.mjs"));
    let mut client = Running::start(command.arg(format!("{}/mcp", hub.url())).arg("helper"));
    client.read(|line| {
        if let Some(address) = line.strip_prefix("open ") {
            allows(&network, address, "by-oauth");
        }
    });
    let sent: Vec<_> = client.said.iter().filter_map(|line| line.strip_prefix("sent ")).collect();
    assert_eq!(sent.len(), 2, "{:#?}", client.said);
    for task in sent {
        let task = succeed(&network.user.get(&format!("/api/tasks/{task}")));
        assert!(task.to_string().contains(r#""from_name":"by-oauth""#), "{task}");
    }
    let tokens = succeed(&network.user.get("/api/auth/tokens"));
    let grants = tokens["tokens"].as_array().unwrap().iter().filter(|token| token["client_id"].is_string());
    assert_eq!(grants.count(), 1, "{tokens}");
}

#[test]
fn every_check_of_the_conformance_suites_authorization_part_passes() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (url, folder) = (hub.url(), tempfile::tempdir().unwrap());
    // A port that is free now; the suite takes none that it chose itself.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let metadata = json!({"client_name": "suite", "redirect_uris": ["http://127.0.0.1/callback"]});
    let registered = Client::new(hub.address()).post("/oauth/register", &metadata).json();
    let mut command = Command::new(node());
    command.arg(program("@modelcontextprotocol/conformance/dist/index.js"));
    command.args(["authorization", "--url", &url, "--port", &port, "--resource", &format!("{url}/mcp")]);
    command.args(["--client-id", registered["client_id"].as_str().unwrap(), "-o"]).arg(folder.path());
    command.env("HOME", folder.path()).current_dir(folder.path());
    let mut suite = Running::start(&mut command);
    let mut asked = 0;
    suite.read(|line| {
        if line.contains("/oauth/authorize?") {
            asked += 1;
            allows(&network, line.trim(), "suite");
        }
    });
    let checks = checks(folder.path());
    let failed: Vec<_> =
        checks.iter().filter(|check| !matches!(check["status"].as_str(), Some("SUCCESS" | "INFO"))).collect();
    assert!(failed.is_empty(), "{failed:#?}\n{:#?}", suite.said);
    let passed: Vec<_> = checks.iter().map(|check| check["id"].as_str().unwrap()).collect();
    for check in
        ["authorization-server-metadata", "authorization-server-metadata-cimd", "authorization-code-grant"]
    {
        assert!(passed.contains(&check), "{check} did not run: {passed:?}");
    }
    assert_eq!(asked, 1);
}

/// Every check that the suite wrote down.
fn checks(folder: &Path) -> Vec<Value> {
    let mut all = Vec::new();
    for scenario in std::fs::read_dir(folder).unwrap() {
        let file = scenario.unwrap().path().join("checks.json");
        if let Ok(text) = std::fs::read(file) {
            all.extend(serde_json::from_slice::<Vec<Value>>(&text).unwrap());
        }
    }
    all
}
