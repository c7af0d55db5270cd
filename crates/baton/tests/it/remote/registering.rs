//! Who may register a remote agent, which are refused, and the command line.

use serde_json::json;
use std::io::Write;
use std::process::Stdio;

use super::agent::{Agent, Binding, answered, sent};
use super::{hub, register, wait_for_status};
use crate::it::hub::{Hub, baton};
use crate::it::outside::{Outside, Reply};
use crate::it::tenant::{Tenant, refused, send, succeed};

#[test]
fn only_admins_register_and_an_address_inside_is_refused() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let (member, stranger) = (Tenant::register(&hub, "bob"), Tenant::register(&hub, "mallory"));
    tenant.admit(&member.user, "member");
    let outside = Outside::start(|_, _| Reply::Json(200, json!({})));
    let body = json!({"alias": "scout", "card_url": outside.url("/card.json")});
    let path = format!("/api/networks/{}/remotes", tenant.network_id);
    refused(&member.user.post(&path, &body), 403, "permission_denied");
    refused(&stranger.user.post(&path, &body), 404, "network not found");
    refused(&tenant.agent("x").post(&path, &body), 403, "user_token_required");
    let inside = refused(&tenant.user.post(&path, &body), 400, "invalid input");
    let said = inside["message"].as_str().unwrap();
    assert!(said.contains("--allow-outbound") && !said.contains("127.0.0.1"), "{inside}");
    assert!(outside.received().is_empty(), "nothing was called");
    refused(&member.user.get(&path), 403, "permission_denied");
    refused(&tenant.user.delete(&format!("{path}/scout")), 404, "alias_not_found");
}

#[test]
fn a_card_that_would_take_the_credential_elsewhere_is_refused() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let elsewhere = Outside::start(|_, _| Reply::Json(200, json!({})));
    let there = elsewhere.url("/");
    let outside = Outside::start(move |_, _| {
        let interface = json!({"url": there, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"});
        Reply::Json(200, json!({"name": "x", "supportedInterfaces": [interface]}))
    });
    let path = format!("/api/networks/{}/remotes", tenant.network_id);
    let body = json!({"alias": "scout", "card_url": outside.url("/card.json"), "credential": "secret"});
    let error = refused(&tenant.user.post(&path, &body), 400, "invalid input");
    assert!(error["message"].as_str().unwrap().contains("another host"), "{error}");
    assert!(elsewhere.received().is_empty());
    for reply in [Reply::Json(200, json!({"name": "old", "url": "http://x"})), Reply::Json(404, json!({}))] {
        let outside = Outside::start(move |_, _| reply.clone());
        let body = json!({"alias": "scout", "card_url": outside.url("/card.json")});
        refused(&tenant.user.post(&path, &body), 400, "invalid input");
    }
}

#[test]
fn an_alias_is_taken_once_and_free_again_after_its_removal() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let agent = Agent::start(Binding::JsonRpc, |_, _| sent(&answered("yes")));
    register(&tenant, &agent.card_url(), None);
    let path = format!("/api/networks/{}/remotes", tenant.network_id);
    let again = json!({"alias": "scout", "card_url": agent.card_url()});
    refused(&tenant.user.post(&path, &again), 409, "alias_in_use");
    let names_a_member = json!({"alias": "alice", "card_url": agent.card_url()});
    refused(&tenant.user.post(&path, &names_a_member), 409, "alias_in_use");
    wait_for_status(&tenant.user, &send(&tenant.user, "scout", "x"), "replied");
    succeed(&tenant.user.delete(&format!("{path}/scout")));
    assert_eq!(succeed(&tenant.user.get(&path))["remotes"], json!([]));
    let nobody = tenant.user.post("/api/task", &json!({"alias": "scout", "task": "is anybody there?"}));
    refused(&nobody, 404, "alias_not_found");
    register(&tenant, &agent.card_url(), None);
    wait_for_status(&tenant.user, &send(&tenant.user, "scout", "y"), "replied");
}

#[test]
fn the_command_line_adds_lists_and_removes_and_reads_the_token_from_standard_input() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let agent = Agent::start(Binding::HttpJson, |_, _| sent(&answered("yes")));
    let run = |arguments: &[&str], input: &str| {
        let mut command = baton();
        command.args(arguments).args(["--hub", &hub.url(), "--token", tenant.user.token.as_deref().unwrap()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let added =
        run(&["node", "add-remote", "scout", "--card", &agent.card_url(), "--bearer-stdin"], "hush\n");
    assert!(added.contains("Tasks sent to scout now go to Scout."), "{added}");
    let listed = run(&["node", "ls-remote"], "");
    assert!(listed.contains("scout") && listed.contains("kept") && !listed.contains("hush"), "{listed}");
    wait_for_status(&tenant.user, &send(&tenant.user, "scout", "x"), "replied");
    assert_eq!(agent.outside.received()[0].header("authorization"), Some("Bearer hush"));
    assert!(run(&["node", "remove-remote", "scout"], "").contains("scout is removed."));
}

#[test]
fn an_agent_of_others_goes_on_when_who_registered_it_is_demoted_or_leaves() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let (bob, registered) = hub.register("bob");
    tenant.admit(&bob, "admin");
    let agent = Agent::start(Binding::JsonRpc, |_, _| sent(&answered("still here")));
    let of_bob = Tenant { user: bob, network_id: tenant.network_id.clone() };
    register(&of_bob, &format!("{}?key=hush", agent.card_url()), None);
    // The token the hub works under is nobody's to see or to revoke.
    let database = rusqlite::Connection::open(hub.data_dir().join("hub.db")).unwrap();
    let token: String = database.query_row("SELECT token_id FROM remotes", [], |row| row.get(0)).unwrap();
    drop(database);
    assert!(!succeed(&of_bob.user.get("/api/auth/tokens")).to_string().contains(&token));
    refused(&of_bob.user.delete(&format!("/api/auth/tokens/{token}")), 404, "token not found");
    let member = registered["user"]["user_id"].as_str().unwrap();
    let path = format!("/api/networks/{}/members/{member}", tenant.network_id);
    succeed(&tenant.user.put(&path, &json!({"role": "viewer"})));
    wait_for_status(&tenant.user, &send(&tenant.user, "scout", "x"), "replied");
    succeed(&tenant.user.delete(&path));
    wait_for_status(&tenant.user, &send(&tenant.user, "scout", "y"), "replied");
    let audited = succeed(&hub.admin().get("/api/audit-log")).to_string();
    assert!(audited.contains(&agent.card_url()) && !audited.contains("hush"), "{audited}");
}

#[test]
fn a_name_that_leads_inside_is_refused_when_an_agent_is_added_and_when_it_is_called() {
    let mut hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let agent = Agent::start(Binding::JsonRpc, |_, _| sent(&answered("yes")));
    let by_name = agent.outside.url_by_name("/");
    let path = format!("/api/networks/{}/remotes", tenant.network_id);
    let body = json!({"alias": "scout", "card_url": by_name});
    let inside = refused(&tenant.user.post(&path, &body), 400, "invalid input");
    assert!(inside["message"].as_str().unwrap().contains("--allow-outbound"), "{inside}");
    assert!(agent.outside.received().is_empty(), "nothing was called");
    hub.restart_with(&["--allow-outbound", "127.0.0.0/8", "--allow-outbound", "::1/128"]);
    register(&tenant, &by_name, None);
    wait_for_status(&tenant.user, &send(&tenant.user, "scout", "x"), "replied");
    let before = agent.outside.received().len();
    hub.restart_with(&[]);
    let row = wait_for_status(&tenant.user, &send(&tenant.user, "scout", "y"), "failed");
    assert!(row["result"].as_str().unwrap().contains("--allow-outbound"), "{row}");
    assert_eq!(agent.outside.received().len(), before, "nothing was called");
}
