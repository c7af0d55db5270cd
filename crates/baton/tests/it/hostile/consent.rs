//! A stranger is put into somebody's network: until they accept, nothing they see or do changes.

use serde_json::{Value, json};

use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, inbox_task_ids, refused, send, succeed, text};
use crate::it::tool::call;

const BAIT: &str = "CLAIM YOUR PRIZE";

/// An attacker's network, and the id of the user who is to be forced into it.
struct Attack {
    attacker: Tenant,
    network_id: String,
    victim_id: String,
}

impl Attack {
    fn new(hub: &Hub, victim: &Tenant) -> Self {
        let attacker = Tenant::register(hub, "mallory");
        let made = succeed(&attacker.user.post("/api/networks", &json!({"name": BAIT, "description": BAIT})));
        let victim_id = text(&succeed(&victim.user.get("/api/auth/me"))["user"]["user_id"]);
        Self { attacker, network_id: text(&made["network_id"]), victim_id }
    }

    fn invite(&self) -> crate::it::http::Response {
        let path = format!("/api/networks/{}/members", self.network_id);
        self.attacker.user.post(&path, &json!({"user_id": self.victim_id, "role": "member"}))
    }

    fn answer(&self, victim: &Client, answer: &str) -> crate::it::http::Response {
        victim.post(&format!("/api/invitations/{}/{answer}", self.network_id), &json!({}))
    }
}

/// What a user sees without naming a network.
fn seen(user: &Client) -> Vec<Value> {
    let paths = [
        "/api/networks",
        "/api/auth/me",
        "/api/tasks",
        "/api/task_events",
        "/api/messages",
        "/api/completions",
        "/api/status",
        "/api/agents",
        "/api/stats",
    ];
    paths.into_iter().map(|path| succeed(&user.get(path))).collect()
}

#[test]
fn a_stranger_who_is_put_into_a_network_is_no_member_until_they_accept() {
    let hub = Hub::start();
    let victim = Tenant::register(&hub, "alice");
    let worker = victim.agent("worker");
    let attack = Attack::new(&hub, &victim);
    let bot = {
        let body = json!({"network_id": attack.network_id, "node_name": "bot"});
        let minted = succeed(&attack.attacker.user.post("/api/auth/node-token", &body));
        attack.attacker.user.with_token(minted["token"].as_str().unwrap())
    };
    succeed(&bot.post("/api/task", &json!({"alias": "bot", "task": BAIT})));
    let before = seen(&victim.user);

    assert_eq!(succeed(&attack.invite()), json!({"ok": true, "pending": true}));
    assert_eq!(seen(&victim.user), before);
    // Calls without network_id still mean the only network.
    let sent = send(&victim.user, "worker", "work");
    assert_eq!(inbox_task_ids(&worker), [sent]);
    // To the network the victim is a stranger: neither role nor inbox.
    let network = format!("/api/networks/{}", attack.network_id);
    refused(&victim.user.get(&network), 404, "network not found");
    let said = call(&bot, "send_message", &json!({"alias": "alice", "message": BAIT}));
    assert_eq!(said["error"], "alias_not_found");
    let members = succeed(&attack.attacker.user.get(&format!("{network}/members")));
    assert_eq!(members["members"].as_array().unwrap().len(), 1, "{members}");
    assert_eq!(members["pending"][0]["username"], "alice", "{members}");

    let invitations = succeed(&victim.user.get("/api/invitations"));
    let one = &invitations["invitations"][0];
    assert_eq!(
        (&one["network_id"], &one["network_name"], &one["role"], &one["invited_by"]),
        (&json!(attack.network_id), &json!(BAIT), &json!("member"), &json!("mallory"))
    );
    assert!(one["created_at"].is_string(), "{one}");
    refused(&worker.get("/api/invitations"), 403, "user_token_required");
}

#[test]
fn an_invitation_is_declined_for_good_and_only_by_whom_it_is_for() {
    let hub = Hub::start();
    let victim = Tenant::register(&hub, "alice");
    let attack = Attack::new(&hub, &victim);
    succeed(&attack.invite());
    refused(&attack.answer(&attack.attacker.user, "accept"), 404, "invitation_not_found");
    succeed(&attack.answer(&victim.user, "decline"));
    assert_eq!(succeed(&victim.user.get("/api/invitations"))["invitations"], json!([]));
    for answer in ["accept", "decline"] {
        refused(&attack.answer(&victim.user, answer), 404, "invitation_not_found");
    }
    assert_eq!(succeed(&victim.user.get("/api/networks"))["networks"].as_array().unwrap().len(), 1);
}

#[test]
fn whoever_accepted_can_leave_and_is_as_before() {
    let hub = Hub::start();
    let victim = Tenant::register(&hub, "alice");
    victim.agent("worker");
    let attack = Attack::new(&hub, &victim);
    succeed(&attack.invite());
    let joined = succeed(&attack.answer(&victim.user, "accept"));
    assert_eq!((&joined["network_id"], &joined["role"]), (&json!(attack.network_id), &json!("member")));
    let unnamed = victim.user.post("/api/task", &json!({"alias": "worker", "task": "x"}));
    refused(&unnamed, 400, "network_id_required");
    let body = json!({"network_id": attack.network_id, "node_name": "spy"});
    let minted = succeed(&victim.user.post("/api/auth/node-token", &body));
    let spy = victim.user.with_token(minted["token"].as_str().unwrap());
    succeed(&spy.get("/api/inbox"));

    succeed(&victim.user.delete(&format!("/api/networks/{}/members/me", attack.network_id)));
    refused(&spy.get("/api/inbox"), 401, "unauthorized");
    send(&victim.user, "worker", "work");
    let owner = attack.attacker.user.delete(&format!("/api/networks/{}/members/me", attack.network_id));
    let said = refused(&owner, 403, "permission_denied");
    assert!(text(&said["message"]).contains("delete the network instead"), "{said}");
}
