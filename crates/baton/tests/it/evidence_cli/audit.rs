//! Audits in agreement: what is checked, what is remembered, and who is turned away and how.

use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::workbench::{Workbench, handoff, key, seal};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, send};

#[test]
fn a_second_audit_says_how_the_log_grew() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    handoff(&tenant);
    let first = seal(&tenant);

    let ran = workbench.baton(["evidence", "audit"]).exited(0);
    assert!(
        ran.stdout.starts_with(&format!("in agreement: {first} events of baton/{}", tenant.network_id)),
        "{ran:?}"
    );
    for said in [
        "taken on first use",
        "first audit of this log",
        "a handoff visible on 1",
        "consistency, not honesty",
        "bounded observed visibility flag",
    ] {
        assert!(ran.stdout.contains(said), "{said:?} in {}", ran.stdout);
    }
    for file in workbench.remembered() {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{}", file.display());
    }
    assert_eq!(workbench.remembered().len(), 2); // the checkpoint, and the hashes under it

    handoff(&tenant);
    let second = seal(&tenant);
    assert!(second > first);
    let ran = workbench.baton(["evidence", "audit"]).exited(0);
    assert!(
        ran.stdout.contains(&format!("from {first} to {second} events, the first {first} unchanged")),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("the one this machine remembers"), "{ran:?}");

    let said = &workbench.baton(["evidence", "audit", "--json"]).exited(0).lines()[0];
    assert_eq!((&said["ok"], &said["findings"]), (&json!(true), &json!([])), "{said}");
    assert_eq!(
        (&said["checkpoint"], &said["key_from"]),
        (&said["last_seen"], &json!("remembered")),
        "{said}"
    );
}

#[test]
fn an_empty_log_is_audited_too_and_then_grows() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    workbench.baton(["evidence", "audit"]).exited(0);
    handoff(&tenant);
    let size = seal(&tenant);
    let ran = workbench.baton(["evidence", "audit"]).exited(0);
    assert!(ran.stdout.contains(&format!("from 0 to {size} events")), "{ran:?}");
}

#[test]
fn a_log_of_several_pages_is_read_whole() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    workbench.fed(["adapt", "--send", "--ndjson"], &crate::it::program::packets(1_100)).exited(0);
    seal(&tenant);
    let said = &workbench.baton(["evidence", "audit", "--json"]).exited(0).lines()[0];
    assert_eq!(
        (&said["checkpoint"]["size"], &said["events"]["reported"]["events"]),
        (&json!(1_100), &json!(1_100))
    );
}

#[test]
fn the_key_you_give_is_the_one_that_counts() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    handoff(&tenant);
    seal(&tenant);
    let other =
        baton_evidence::note::SigningKey::from_seed([7; 32], "baton").unwrap().verifier_key().to_string();
    let ran = workbench.baton(["evidence", "audit", "--key", &other]).exited(1);
    assert!(ran.stderr.contains("THE EVIDENCE DOES NOT AGREE") && ran.stderr.contains(&other), "{ran:?}");
    assert!(workbench.remembered().is_empty(), "nothing that does not agree is remembered");

    fs::write(workbench.path("hub.key"), key(&tenant)).unwrap();
    let ran = workbench.baton(["evidence", "audit", "--key", "hub.key"]).exited(0);
    assert!(ran.stdout.contains("the one you gave"), "{ran:?}");
    let before = fs::read(workbench.checkpoint_file()).unwrap();
    let ran = workbench.baton(["evidence", "audit", "--key", &other]).exited(1);
    assert!(ran.stderr.contains("is not the one this machine remembers"), "{ran:?}");
    assert_eq!(fs::read(workbench.checkpoint_file()).unwrap(), before);
    assert_eq!(workbench.remembered().len(), 2, "a key mistaken is no conflict of two checkpoints");
    workbench.baton(["evidence", "audit", "--key", "no such key"]).exited(2);
}

#[test]
fn who_may_not_read_the_log_is_told_what_to_use() {
    let mut hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    handoff(&tenant);
    seal(&tenant);
    let audit = ["evidence", "audit"];

    let agent = tenant.agent("carol").token.unwrap();
    let ran = Workbench::of(&hub, &tenant).with_token(&agent).baton(audit).exited(6);
    assert!(ran.stderr.contains("permission_denied") && ran.stderr.contains("baton login"), "{ran:?}");
    let coordinator = tenant.coordinator("dave").token.unwrap();
    Workbench::of(&hub, &tenant).with_token(&coordinator).baton(audit).exited(0);

    let ran = Workbench::of(&hub, &tenant)
        .with_token("utok_00112233445566778899aabbccddeeff")
        .baton(audit)
        .exited(6);
    assert!(ran.stderr.contains("does not accept your token"), "{ran:?}");

    let other = Tenant::register(&hub, "mallory");
    let of_another = Workbench::of(&hub, &other).with_network(&tenant.network_id).baton(audit).exited(6);
    let of_nobody = Workbench::of(&hub, &other).with_network("net_000000000000").baton(audit).exited(6);
    assert_eq!(of_another.stderr, of_nobody.stderr);

    let workbench = Workbench::of(&hub, &tenant);
    hub.stop();
    let ran = workbench.baton(audit).exited(5);
    assert!(ran.stderr.contains("cannot be reached"), "{ran:?}");
}

#[test]
fn a_memory_that_was_tampered_with_is_not_used_and_not_replaced() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    handoff(&tenant);
    seal(&tenant);
    workbench.baton(["evidence", "audit"]).exited(0);
    let file = workbench.checkpoint_file();
    let good = fs::read_to_string(&file).unwrap();
    for bad in ["", "{}", &good.replace("baton/", "baton/x")] {
        fs::write(&file, bad).unwrap();
        let ran = workbench.baton(["evidence", "audit"]).exited(2);
        assert!(ran.stderr.contains("is not a checkpoint that this machine saved"), "{ran:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), bad);
    }
    fs::write(&file, &good).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let ran = workbench.baton(["evidence", "audit"]).exited(2);
    assert!(ran.stderr.contains("chmod 600"), "{ran:?}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    workbench.baton(["evidence", "audit"]).exited(0);
}

#[test]
fn an_audit_agrees_while_tasks_are_being_sent() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    handoff(&tenant);
    let is_done = AtomicBool::new(false);
    let sizes: Vec<u64> = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                send(&tenant.user, "bob", "one more");
            }
        });
        let audit = |_| {
            seal(&tenant);
            let said = &workbench.baton(["evidence", "audit", "--json"]).exited(0).lines()[0];
            said["checkpoint"]["size"].as_u64().unwrap()
        };
        let sizes = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (0..4).map(audit).collect()));
        is_done.store(true, Ordering::Relaxed); // also if an audit failed, or the sender never ends
        sizes.unwrap()
    });
    assert!(sizes.is_sorted() && sizes.first() < sizes.last(), "the log did not grow: {sizes:?}");
}
