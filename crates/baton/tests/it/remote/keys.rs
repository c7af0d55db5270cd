//! Keys of remote agents: the one that signed the card is pinned, and a card that it did not sign is refused until an
//! admin pins another.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use baton_service::card_text::canonical_card;
use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{hub, register, wait_for_status};
use crate::it::cli::cli_user::CliUser;
use crate::it::outside::{Outside, Reply};
use crate::it::tenant::{Tenant, refused, send, succeed, task};

/// A remote agent that answers every task, and signs its card with the key it was given last, if any.
struct SigningAgent {
    outside: Outside,
    key: Arc<Mutex<Option<SigningKey>>>,
}

fn key(n: u8) -> SigningKey {
    SigningKey::from_bytes(&[n; 32])
}

fn jwk(key: &SigningKey) -> Value {
    let x = BASE64.encode(key.verifying_key().as_bytes());
    json!({"kty": "OKP", "crv": "Ed25519", "x": x})
}

fn signed(mut card: Value, key: &SigningKey) -> Value {
    let protected = BASE64.encode(r#"{"alg":"EdDSA","typ":"JOSE"}"#);
    let payload = BASE64.encode(canonical_card(card.clone()).unwrap());
    let signature = key.sign(format!("{protected}.{payload}").as_bytes()).to_bytes();
    card["signatures"] = json!([{"protected": protected, "signature": BASE64.encode(signature)}]);
    card
}

impl SigningAgent {
    fn start(first: Option<SigningKey>) -> Self {
        let key = Arc::new(Mutex::new(first));
        let (known, base) = (key.clone(), Arc::new(Mutex::new(String::new())));
        let url = base.clone();
        let outside = Outside::start(move |_, call| {
            let key = known.lock().unwrap().clone();
            match (&*call.path, key) {
                ("/.well-known/jwks.json", key) => {
                    let keys: Vec<_> = key.iter().map(jwk).collect();
                    Reply::Json(200, json!({"keys": keys}))
                }
                ("/.well-known/agent-card.json", key) => {
                    let interface = json!({"url": *url.lock().unwrap(), "protocolBinding": "JSONRPC"});
                    let card = json!({"name": "Scout", "supportedInterfaces": [interface]});
                    Reply::Json(200, key.map_or(card.clone(), |key| signed(card, &key)))
                }
                _ => {
                    let message =
                        json!({"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "done"}]});
                    let result = json!({"message": message});
                    Reply::Json(200, json!({"jsonrpc": "2.0", "id": call.body["id"], "result": result}))
                }
            }
        });
        *base.lock().unwrap() = outside.url("/rpc");
        Self { outside, key }
    }

    fn card_url(&self) -> String {
        self.outside.url("/")
    }

    fn sign_with(&self, key: Option<SigningKey>) {
        *self.key.lock().unwrap() = key;
    }

    /// How often a task was sent to it.
    fn sends(&self) -> usize {
        self.outside.received().iter().filter(|call| call.path == "/rpc").count()
    }
}

fn listed(tenant: &Tenant) -> Value {
    let path = format!("/api/networks/{}/remotes", tenant.network_id);
    succeed(&tenant.user.get(&path))["remotes"][0].clone()
}

fn wait_for_card_error(tenant: &Tenant, code: &Value) {
    let deadline = Instant::now() + Duration::from_secs(40);
    while listed(tenant)["card_error"] != *code {
        assert!(Instant::now() < deadline, "{}", listed(tenant));
        std::thread::yield_now();
    }
}

#[test]
fn a_card_of_another_key_is_refused_until_an_admin_pins_that_key() {
    let mut hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let agent = SigningAgent::start(Some(key(1)));
    let added = register(&tenant, &agent.card_url(), None);
    let first = added["remote"]["pinned_key"].as_str().unwrap().to_owned();
    wait_for_status(&tenant.user, &send(&tenant.user, "scout", "x"), "replied");
    let sends = agent.sends();

    agent.sign_with(Some(key(2)));
    hub.restart_with(&["--allow-outbound", "127.0.0.0/8"]); // so that the card is read again
    let waiting = send(&tenant.user, "scout", "y");
    wait_for_card_error(&tenant, &"remote_card_key_changed".into());
    agent.sign_with(None);
    wait_for_card_error(&tenant, &"remote_card_unsigned".into());
    assert_eq!(listed(&tenant)["pinned_key"], *first);
    assert_eq!(agent.sends(), sends, "nothing was sent to an agent whose card is refused");
    assert_ne!(task(&tenant.user, &waiting)["status"], "failed");

    agent.sign_with(Some(key(2)));
    let path = format!("/api/networks/{}/remotes/scout/key", tenant.network_id);
    let wrong =
        refused(&tenant.user.put(&path, &json!({"pinned_key": first})), 409, "remote_card_key_changed");
    let message = wrong["message"].as_str().unwrap();
    let second = message.split("the key ").nth(1).unwrap().split(',').next().unwrap();
    refused(&tenant.agent("x").put(&path, &json!({"pinned_key": second})), 403, "user_token_required");
    let pinned = succeed(&tenant.user.put(&path, &json!({"pinned_key": second})));
    assert_eq!(
        (&pinned["remote"]["pinned_key"], &pinned["remote"]["card_error"]),
        (&second.into(), &Value::Null)
    );
    wait_for_status(&tenant.user, &waiting, "replied");
    let audited = succeed(&hub.admin().get("/api/audit-log")).to_string();
    assert!(audited.contains("remote.key_pinned") && audited.contains(second), "{audited}");
}

#[test]
fn a_named_key_must_have_signed_and_an_unsigned_card_is_accepted_without_one() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let agent = SigningAgent::start(None);
    let path = format!("/api/networks/{}/remotes", tenant.network_id);
    let other = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
    let mut body = json!({"alias": "scout", "card_url": agent.card_url(), "pinned_key": other});
    refused(&tenant.user.post(&path, &body), 409, "remote_card_unsigned");
    agent.sign_with(Some(key(1)));
    refused(&tenant.user.post(&path, &body), 409, "remote_card_key_changed");
    body["pinned_key"] = "short".into();
    refused(&tenant.user.post(&path, &body), 400, "invalid input");
    agent.sign_with(None);
    assert_eq!(register(&tenant, &agent.card_url(), None)["remote"]["pinned_key"], Value::Null);
    // The first key that signs the card is pinned: no card was read since it was added.
    agent.sign_with(Some(key(1)));
    wait_for_status(&tenant.user, &send(&tenant.user, "scout", "x"), "replied");
    assert!(listed(&tenant)["pinned_key"].is_string());
}

#[test]
fn a_key_is_pinned_by_the_command_line_which_lists_why_a_card_is_refused() {
    let mut hub = hub();
    let ada = CliUser::logged_in(&hub, "ada");
    let agent = SigningAgent::start(Some(key(1)));
    let card = agent.card_url();
    let [first, second] = [key(1), key(2)].map(|key| thumbprint(&key));
    let add = ["node", "add-remote", "scout", "--card", &card, "--pin"];

    let refused = ada.baton(&[&add[..], &[&second]].concat()).exited(6);
    assert!(
        refused.stderr.contains("remote_card_key_changed") && refused.stderr.contains(&first),
        "{refused:?}"
    );
    let added = ada.says(&[&add[..], &[&first]].concat());
    assert!(added.ends_with(&format!("Its card has to be signed by the key {first}.")), "{added}");
    assert_eq!(columns(&ada), [&*first, "-"]);

    agent.sign_with(Some(key(2)));
    hub.restart_with(&["--allow-outbound", "127.0.0.0/8"]); // so that the card is read again
    let waiting = send(&ada.tenant.user, "scout", "x");
    wait_for_card_error(&ada.tenant, &"remote_card_key_changed".into());
    assert_eq!(columns(&ada), [&*first, "remote_card_key_changed"]);

    let pin = ["node", "pin-remote", "scout", "--pin"];
    let refused = ada.baton(&[&pin[..], &[&first]].concat()).exited(6);
    assert!(refused.stderr.contains("remote_card_key_changed"), "{refused:?}");
    let pinned = ada.says(&[&pin[..], &[&second]].concat());
    assert_eq!(pinned, format!("The card of scout has to be signed by the key {second}."));
    assert_eq!(columns(&ada), [&*second, "-"]);
    wait_for_status(&ada.tenant.user, &waiting, "replied");
}

/// RFC 7638.
fn thumbprint(key: &SigningKey) -> String {
    let x = BASE64.encode(key.verifying_key().as_bytes());
    BASE64.encode(Sha256::digest(format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#)))
}

/// The key and the error that `baton node ls-remote` lists for the only remote agent.
fn columns(user: &CliUser) -> [String; 2] {
    let listed = user.says(&["node", "ls-remote"]);
    let mut lines = listed.lines();
    let (head, row) = (lines.next().unwrap(), lines.next().unwrap());
    ["KEY", "ERROR"].map(|name| {
        let column = head.split_whitespace().position(|title| title == name).unwrap();
        row.split_whitespace().nth(column).unwrap().to_owned()
    })
}
