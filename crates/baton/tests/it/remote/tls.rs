//! A remote agent behind TLS: whose certificate the hub does not know is refused, also inside; who is signed by an
//! authority that the hub was given is spoken to.

use serde_json::json;

use super::agent::{Agent, Binding, answered, sent};
use super::{register, wait_for_status};
use crate::it::hub::{ADMIN, Hub, PASSWORD, baton};
use crate::it::outside::Authority;
use crate::it::tenant::{Tenant, refused, send};

const OPTIONS: [&str; 6] = ["--username", ADMIN, "--password", PASSWORD, "--allow-outbound", "127.0.0.0/8"];

#[test]
fn an_agent_with_a_certificate_nobody_knows_is_refused_with_the_reason() {
    let hub = Hub::start_with(&OPTIONS);
    let tenant = Tenant::register(&hub, "alice");
    let agent = Agent::start_tls(&Authority::new(), Binding::JsonRpc, |_, _| sent(&answered("psst")));
    let path = format!("/api/networks/{}/remotes", tenant.network_id);
    let body = json!({"alias": "scout", "card_url": agent.card_url(), "credential": "the-bearer-51"});
    let error = refused(&tenant.user.post(&path, &body), 400, "invalid input");
    assert!(error["message"].as_str().unwrap().contains("signed by an unknown authority"), "{error}");
    assert!(agent.outside.received().is_empty(), "nothing was sent to it, least of all the credential");
}

#[test]
fn an_agent_signed_by_an_authority_the_hub_was_given_answers() {
    let authority = Authority::new();
    let folder = tempfile::tempdir().unwrap();
    let file = authority.write_to(folder.path());
    let hub = Hub::start_with(&[&OPTIONS[..], &["--outbound-ca", file.to_str().unwrap()]].concat());
    let tenant = Tenant::register(&hub, "alice");
    let agent = Agent::start_tls(&authority, Binding::JsonRpc, |_, _| sent(&answered("over TLS")));
    register(&tenant, &agent.card_url(), Some("the-bearer-51"));
    let task_id = send(&tenant.user, "scout", "x");
    assert_eq!(wait_for_status(&tenant.user, &task_id, "replied")["result"], "over TLS");
}

#[test]
fn the_environment_names_authorities_too() {
    let authority = Authority::new();
    let folder = tempfile::tempdir().unwrap();
    let file = authority.write_to(folder.path());
    let hub = Hub::start_with_env(&OPTIONS, &[("SSL_CERT_FILE", file.to_str().unwrap())]);
    let tenant = Tenant::register(&hub, "alice");
    let agent = Agent::start_tls(&authority, Binding::HttpJson, |_, _| sent(&answered("over TLS")));
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    assert_eq!(wait_for_status(&tenant.user, &task_id, "replied")["result"], "over TLS");
}

#[test]
fn a_file_without_a_usable_authority_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.pem");
    std::fs::write(&empty, "").unwrap();
    let broken = folder.path().join("broken.pem");
    std::fs::write(&broken, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
    for (file, said) in [
        (empty, "holds no certificate"),
        (broken, "cannot be used"),
        (folder.path().join("missing.pem"), "cannot be read"),
    ] {
        let mut command = baton();
        command.args(["hub", "start", "--port", "0", "--data-dir"]).arg(folder.path().join("data"));
        let output = command.arg("--outbound-ca").arg(file).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(said), "{error}");
    }
}
