//! Signing in with a real issuer, `oidc-provider` from npm. `make oidc-issuer` installs it.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use tempfile::TempDir;

use super::stage::node;
use crate::it::clients::stage::repository;
use crate::it::hub::Hub;

/// A running issuer, and the hub that its users sign in to.
pub(crate) struct Issuer {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    pub(crate) url: String,
    pub(crate) hub: Hub,
    _secret: TempDir,
}

impl Issuer {
    /// With these arguments of the script.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let installed = repository().join("target/tools/oidc/made-from");
        assert!(
            installed.exists(),
            "{} is not there: `make oidc-issuer` installs it from the npm registry",
            installed.display()
        );
        let mut command = Command::new(node());
        command.arg(repository().join("tests/clients/oidc/issuer.mjs")).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let url = lines.next().unwrap().unwrap().strip_prefix("issuer ").unwrap().to_owned();
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        std::fs::write(&secret, "a secret of the hub\n").unwrap();
        let hub = Hub::start_with(&[
            "--oidc-issuer",
            &url,
            "--oidc-client-id",
            "hub",
            "--oidc-client-secret-file",
            secret.to_str().unwrap(),
            "--oidc-group",
            "ops=admin",
            "--allow-outbound",
            "127.0.0.0/8",
        ]);
        writeln!(child.stdin.as_mut().unwrap(), "{}", hub.url()).unwrap();
        Self { child, lines, url, hub, _secret: folder }
    }

    /// One that serves until this is dropped.
    pub(crate) fn serve() -> Self {
        let mut issuer = Self::start(&["serve"]);
        assert_eq!(issuer.lines.next().unwrap().unwrap(), "serving");
        issuer
    }

    /// Everything it says until it ends, which it does well.
    fn said(&mut self) -> Vec<String> {
        let said: Vec<String> = self.lines.by_ref().map(Result::unwrap).collect();
        assert!(self.child.wait().unwrap().success(), "{said:#?}");
        said
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_user_signs_in_with_a_certified_issuer_and_its_groups_give_the_role() {
    let said = Issuer::start(&[]).said();
    let sessions: Vec<Value> = said
        .iter()
        .filter_map(|line| line.strip_prefix("session "))
        .map(|session| serde_json::from_str(session).unwrap())
        .collect();
    assert_eq!(sessions.len(), 2, "{said:#?}");
    assert_eq!(sessions[0], sessions[1], "the same user at both sign-ins");
    let user = &sessions[0];
    assert_eq!((&user["username"], &user["role"]), (&json!("ada"), &json!("admin")), "{said:#?}");
    assert_eq!((&user["display_name"], &user["email"]), (&json!("Ada"), &json!("ada@example.org")));
}
