//! Folders that old programs left, opened by today's hub: everything is what it was, goes on, and what was signed then
//! holds against proofs that are made now.

use baton_evidence::log::{Hash, check_consistency, check_inclusion};
use baton_evidence::note::{Checkpoint, VerifierKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::archive::{Then, WITH_LOG, lay_out};
use super::{earlier_versions, newest_version};
use crate::it::entry_bundles::{COUNT, wait_until_bundled};
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::keep::assert_agrees;
use crate::it::outside::rpc;
use crate::it::tenant::{Tenant, act, claim, events, refused, send, send_with, succeed, task, text};

#[test]
fn a_folder_of_schema_1_to_8_has_after_its_upgrade_what_it_had_and_goes_on() {
    each_goes_on(1..=8);
}

#[test]
fn a_folder_of_schema_9_to_20_has_after_its_upgrade_what_it_had_and_goes_on() {
    each_goes_on(9..=20);
}

#[test]
fn a_folder_of_schema_21_or_later_has_after_its_upgrade_what_it_had_and_goes_on() {
    each_goes_on(21..=newest_version() - 1);
}

fn each_goes_on(schemas: RangeInclusive<i64>) {
    let versions = earlier_versions();
    assert_eq!(versions[..12], (1..=12).collect::<Vec<_>>());
    for version in versions.into_iter().filter(|version| schemas.contains(version)) {
        println!("schema {version}");
        let mut then = None;
        let hub = Hub::start_on(|folder| then = Some(lay_out(folder, version)));
        let then = then.unwrap();
        let line = format!("upgrading the database from schema {version} to schema {}", newest_version());
        assert!(hub.log().contains(&line), "{}", hub.log());
        let said = assert_agrees(&hub.data_dir());
        assert_eq!(said.contains("events happened before there was a log"), version < WITH_LOG, "{said}");
        let tenants: Vec<_> = then.networks().iter().map(|network| tenant(&hub, network)).collect();
        for (tenant, network) in tenants.iter().zip(then.networks()) {
            are_as_they_were(tenant, network);
            if version >= WITH_LOG {
                the_log_is_as_it_was(&hub, tenant, network, &then);
            }
        }
        access_is_as_it_was(&hub, &then);
        goes_on(&hub, &tenants[0], &then);
        if version >= WITH_LOG {
            for (tenant, network) in tenants.iter().zip(then.networks()) {
                what_was_signed_holds(&hub, tenant, network, &then);
            }
        }
    }
}

/// The user of a network, with the token of then.
pub(super) fn tenant(hub: &Hub, network: &Value) -> Tenant {
    let user = hub.client().with_token(network["token"].as_str().unwrap());
    Tenant { user, network_id: text(&network["network_id"]) }
}

/// An agent of a network, with the token of then.
pub(super) fn agent(hub: &Hub, network: &Value, alias: &str) -> Client {
    hub.client().with_token(network["agents"][alias].as_str().unwrap())
}

/// The fields that an archive and a hub both have are the same, but for the times that were put forward.
#[track_caller]
fn same(now: &Value, then: &Value, but_for: &[&str]) {
    for (field, before) in then.as_object().unwrap() {
        if let Some(now) = now.get(field)
            && !but_for.contains(&field.as_str())
        {
            assert_eq!(now, before, "{field} of {now} was {before}: {then}");
        }
    }
}

/// Tasks with their histories, inboxes and messages.
fn are_as_they_were(tenant: &Tenant, network: &Value) {
    for seen in network["tasks"].as_array().unwrap() {
        let id = text(&seen["task"]["task_id"]);
        let now = succeed(&tenant.user.get(&format!("/api/tasks/{id}")));
        same(&now["task"], &seen["task"], &["expires_at"]);
        let said = |answer: &Value| -> Vec<Value> {
            let messages = answer["messages"].as_array().into_iter().flatten();
            messages
                .map(|message| json!([message["message_id"], message["from_name"], message["content"]]))
                .collect()
        };
        assert_eq!(said(&now), said(seen));
        let events = events(&tenant.user, &id);
        let before = network["histories"][&id].as_array().unwrap();
        assert_eq!(events.len(), before.len(), "{events:?}");
        for (now, before) in events.iter().zip(before) {
            same(now, before, &["id"]);
        }
    }
    let ids = |messages: &Value| -> Vec<String> {
        messages.as_array().unwrap().iter().map(|message| text(&message["id"])).collect()
    };
    for (alias, inbox) in network["inboxes"].as_object().unwrap() {
        let agent = tenant.user.with_token(network["agents"][alias].as_str().unwrap());
        let now = succeed(&agent.get("/api/inbox?limit=100"));
        assert_eq!(ids(&now["messages"]), ids(inbox), "the inbox of {alias}");
        for (now, before) in now["messages"].as_array().unwrap().iter().zip(inbox.as_array().unwrap()) {
            same(now, before, &["created_at"]);
        }
    }
    let path = format!("/api/messages?network_id={}&limit=500&since=2020-01-01T00:00:00Z", tenant.network_id);
    let listed = |messages: &Value| -> BTreeMap<String, Value> {
        let rows = messages.as_array().unwrap().iter();
        rows.map(|row| (text(&row["id"]), row["type"].clone())).collect()
    };
    assert_eq!(listed(&succeed(&tenant.user.get(&path))["messages"]), listed(&network["messages"]));
}

/// Every entry, by the hash of its content, and the key.
fn the_log_is_as_it_was(hub: &Hub, tenant: &Tenant, network: &Value, then: &Then) {
    let path = format!("/api/evidence?network_id={}&limit=1000", tenant.network_id);
    let listed = succeed(&tenant.user.get(&path));
    let entries = listed["events"].as_array().unwrap();
    let hashes: String = entries.iter().map(|entry| text(&entry["assaycontenthash"])).collect();
    let digest = baton_core::hex::encode(&Sha256::digest(hashes));
    assert_eq!(
        (json!(entries.len()), json!(digest)),
        (network["entries"].clone(), network["content_hashes"].clone())
    );
    assert_eq!(succeed(&hub.client().get("/api/evidence/key"))["key"], then.0["key"]);
}

/// Tokens, passwords, invitations and keys of sends.
fn access_is_as_it_was(hub: &Hub, then: &Then) {
    let revoked = hub.client().with_token(then.0["revoked"].as_str().unwrap());
    assert_eq!(revoked.get("/api/inbox").status, 401);
    let bob = hub.login("bob", then.0["password"].as_str().unwrap());
    let networks = succeed(&bob.get("/api/networks"));
    let listed = networks["networks"].as_array().unwrap();
    assert_eq!(listed.len(), 2, "his own, and the one he joined: {networks}");
    let (carol, _) = hub.register("carol");
    let invited =
        succeed(&carol.post("/api/networks/join", &json!({"invite_code": then.0["invite"]["code"]})));
    assert_eq!(
        (&invited["network_id"], &invited["role"]),
        (&then.0["invite"]["network_id"], &json!("member"))
    );
    for key in then.0["keys"].as_array().unwrap() {
        let sender = agent(hub, &then.networks()[0], key["agent"].as_str().unwrap());
        let mut other = key["body"].clone();
        assert_eq!(succeed(&sender.post("/api/task", &other))["task_id"], key["task_id"]);
        other["task"] = json!("with other words");
        refused(&sender.post("/api/task", &other), 409, "idempotency_key_reused");
    }
}

/// Leases are good for an answer, what is open is claimed in its order, and what was asked is answered.
fn goes_on(hub: &Hub, tenant: &Tenant, then: &Then) {
    let network = &then.networks()[0];
    let coder = agent(hub, network, "coder");
    for lease in then.0["leases"].as_array().unwrap() {
        let id = text(&lease["task_id"]);
        assert_eq!(task(&tenant.user, &id)["status"], "running");
        let reply = json!({"text": "after the upgrade", "lease_id": lease["lease_id"]});
        succeed(&act(&coder, &id, "reply", &reply));
        assert_eq!(task(&tenant.user, &id)["result"], "after the upgrade");
    }
    for name in ["open, high", "open", "handed on", "open, low"] {
        let claimed = claim(&coder, 0, 60);
        assert_eq!(claimed["task"]["task_id"].as_str(), then.named(name), "{name}: {claimed}");
        let reply = json!({"text": "done", "lease_id": claimed["lease_id"]});
        succeed(&act(&coder, then.named(name).unwrap(), "reply", &reply));
    }
    if let Some(asks) = then.named("asks") {
        let (lead, reviewer) = (agent(hub, network, "lead"), agent(hub, network, "reviewer"));
        succeed(&act(&lead, asks, "answer", &json!({"text": "the second"})));
        let claimed = claim(&reviewer, 0, 60);
        assert_eq!(claimed["task"]["task_id"], json!(asks), "{claimed}");
        let said: Vec<_> =
            claimed["messages"].as_array().unwrap().iter().map(|said| text(&said["content"])).collect();
        assert_eq!(said, ["which one?", "the first", "and the other?", "the second"]);
    }
    for push in then.0["pushes"].as_array().unwrap() {
        let named = json!({"taskId": push["task_id"], "id": push["id"]});
        let alias = push["alias"].as_str().unwrap();
        let got = rpc(&tenant.user, &tenant.network_id, alias, "GetTaskPushNotificationConfig", &named);
        assert_eq!(got["result"]["url"], "http://127.0.0.1:9/hook", "{got}");
    }
    // What is sent now finds its agents of then.
    let id = send(&tenant.user, "idle", "new");
    assert_eq!(claim(&agent(hub, network, "idle"), 0, 60)["task"]["task_id"], json!(id));
}

/// The log has grown since. The checkpoint of then is a beginning of the one of now, and every entry of then is in it, by
/// proofs that this hub makes, before and after it has bundled the old entries.
pub(super) fn what_was_signed_holds(hub: &Hub, tenant: &Tenant, network: &Value, then: &Then) {
    let key = VerifierKey::parse(then.0["key"].as_str().unwrap()).unwrap();
    let earlier = Checkpoint::open(network["checkpoint"].as_str().unwrap(), &key).unwrap();
    let bundles = usize::try_from(earlier.size).unwrap() / COUNT;
    wait_until_bundled(&hub.data_dir(), &tenant.network_id, i64::try_from(bundles * COUNT).unwrap());
    send_with(
        &tenant.user,
        &json!({"alias": "coder", "task": "one more entry", "network_id": tenant.network_id}),
    );
    let of = format!("network_id={}", tenant.network_id);
    let path = format!("/api/evidence/consistency?{of}&from={}", earlier.size);
    let answer = succeed(&tenant.user.get(&path));
    let size = answer["to"].as_u64().unwrap_or_else(|| panic!("{answer}"));
    assert!(size > earlier.size, "{answer}");
    let note = tenant.user.get(&format!("/api/evidence/checkpoint?{of}")).text();
    let later = Checkpoint::open(&note, &key).unwrap();
    let path = format!("/api/evidence/consistency?{of}&from={}&to={}", earlier.size, later.size);
    let proof = hashes(&succeed(&tenant.user.get(&path)));
    check_consistency(earlier.size, &earlier.root, later.size, &later.root, &proof).unwrap();
    let some = [0, 1, 254, 255, 256, 257, earlier.size / 2, earlier.size - 1];
    for index in some.into_iter().filter(|index| *index < earlier.size) {
        let path = format!("/api/evidence/proof?{of}&index={index}&size={}", earlier.size);
        let answer = succeed(&tenant.user.get(&path));
        let leaf: Hash = serde_json::from_value(answer["leaf_hash"].clone()).unwrap();
        check_inclusion(&leaf, index, earlier.size, &hashes(&answer), &earlier.root).unwrap();
    }
}

fn hashes(answer: &Value) -> Vec<Hash> {
    serde_json::from_value(answer["hashes"].clone()).unwrap()
}
