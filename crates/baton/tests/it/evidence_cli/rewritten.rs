//! Audits of a log that was changed behind the hub's back: each is loud, says what differs, exits with 1, and does not
//! forget what this machine saw.

use baton_evidence::note::{Checkpoint, VerifierKey};
use serde_json::{Value, json};
use std::fs;

use super::rewrite::Rewrite;
use super::workbench::{Workbench, handoff, seal};
use crate::it::hub::Hub;
use crate::it::program::Ran;
use crate::it::tenant::Tenant;

/// A hub with a log this machine has audited.
struct Audited {
    hub: Hub,
    tenant: Tenant,
    workbench: Workbench,
    size: u64,
    remembered: Vec<u8>,
}

impl Audited {
    fn new() -> Self {
        let hub = Hub::start();
        let tenant = Tenant::of_admin(&hub);
        let workbench = Workbench::of(&hub, &tenant);
        handoff(&tenant);
        handoff(&tenant);
        let size = seal(&tenant);
        workbench.baton(["evidence", "audit"]).exited(0);
        let remembered = fs::read(workbench.checkpoint_file()).unwrap();
        Self { hub, tenant, workbench, size, remembered }
    }

    /// Stops the hub, has the log changed, and starts it again.
    fn behind_its_back(&mut self, change: impl FnOnce(&Rewrite)) {
        assert!(self.hub.stop().success());
        self.hub.was_damaged = true;
        change(&Rewrite::of(&self.hub.data_dir(), &self.tenant.network_id));
        self.hub.restart();
    }

    /// An audit that finds these, for people and for programs, twice over: what was seen stays.
    fn found(&self, codes: &[&str]) -> (Ran, Value) {
        let ran = self.workbench.baton(["evidence", "audit"]).exited(1);
        assert_eq!(ran.stdout, "");
        assert!(ran.stderr.starts_with("*** THE EVIDENCE DOES NOT AGREE ***\n"), "{ran:?}");
        let said = self.workbench.baton(["evidence", "audit", "--json"]).exited(1).lines().remove(0);
        let found: Vec<_> =
            said["findings"].as_array().unwrap().iter().map(|f| f["code"].as_str().unwrap()).collect();
        assert_eq!(found, codes, "{said}");
        assert_eq!(said["ok"], false);

        let file = self.workbench.checkpoint_file();
        assert_eq!(fs::read(&file).unwrap(), self.remembered, "what was seen is not forgotten");
        assert!(ran.stderr.contains(file.to_str().unwrap()), "it says where: {ran:?}");
        let conflict = said["conflict_in"].as_str().unwrap();
        let conflict: Value = serde_json::from_slice(&fs::read(conflict).unwrap()).unwrap();
        let key = VerifierKey::parse(conflict["key"].as_str().unwrap()).unwrap();
        let shown = Checkpoint::open(conflict["checkpoint"].as_str().unwrap(), &key).unwrap();
        assert_eq!(shown.size, said["checkpoint"]["size"], "both sides of the contradiction are kept");
        (ran, said)
    }
}

#[test]
fn a_forked_history_is_named_with_the_first_event_that_differs() {
    let mut audited = Audited::new();
    audited.behind_its_back(|rewrite| {
        rewrite.change_actor(2, "mallory");
        rewrite.sign_anew();
    });
    let (ran, said) = audited.found(&["forked", "rewritten"]);
    assert!(ran.stderr.contains("the first that differs is event 2"), "{ran:?}");
    assert_eq!(said["findings"][1]["index"], 2);
}

#[test]
fn a_rewritten_history_that_went_on_is_caught_by_the_events_and_by_the_proof() {
    let mut audited = Audited::new();
    audited.behind_its_back(|rewrite| {
        rewrite.change_actor(0, "mallory");
        rewrite.sign_anew();
    });
    handoff(&audited.tenant);
    assert!(seal(&audited.tenant) > audited.size);
    let (ran, _) = audited.found(&["rewritten", "consistency_proof"]);
    assert!(ran.stderr.contains("the first that differs is event 0"), "{ran:?}");
}

#[test]
fn without_the_hashes_of_its_events_a_rewritten_history_is_still_caught() {
    let mut audited = Audited::new();
    let leaves = audited
        .workbench
        .remembered()
        .into_iter()
        .find(|file| file.extension().unwrap() == "leaves")
        .unwrap();
    fs::write(leaves, [0; 64]).unwrap();
    audited.behind_its_back(|rewrite| {
        rewrite.change_actor(1, "mallory");
        rewrite.sign_anew();
    });
    let (_, said) = audited.found(&["forked", "rewritten"]);
    assert_eq!(said["findings"][1]["index"], json!(null));
}

#[test]
fn a_truncated_history_is_named() {
    let mut audited = Audited::new();
    let left = audited.size - 2;
    audited.behind_its_back(|rewrite| {
        rewrite.truncate(left);
        rewrite.sign_anew();
    });
    let (ran, said) = audited.found(&["truncated"]);
    let words = format!("this machine saw {} events signed for, now it is {left}", audited.size);
    assert!(ran.stderr.contains(&words), "{ran:?}");
    assert_eq!(said["findings"][0]["index"], left);
}

#[test]
fn a_truncated_history_that_grew_past_its_old_length_is_caught() {
    let mut audited = Audited::new();
    let left = audited.size - 1;
    audited.behind_its_back(|rewrite| {
        rewrite.truncate(left);
        rewrite.sign_anew();
    });
    handoff(&audited.tenant);
    assert!(seal(&audited.tenant) > audited.size);
    let (_, said) = audited.found(&["rewritten", "consistency_proof"]);
    assert_eq!(said["findings"][0]["index"], left);
}

#[test]
fn another_key_is_named_also_where_the_events_are_the_same() {
    let mut audited = Audited::new();
    audited.behind_its_back(|rewrite| {
        rewrite.exchange_key();
        rewrite.sign_anew();
    });
    let (ran, _) = audited.found(&["key_changed", "signature"]);
    assert!(ran.stderr.contains("the key changed: the hub now shows "), "{ran:?}");
}

#[test]
fn events_that_the_checkpoint_does_not_sign_for_are_named() {
    let mut audited = Audited::new();
    audited.behind_its_back(|rewrite| rewrite.change_actor(1, "mallory"));
    let (ran, _) = audited.found(&["other_root", "rewritten"]);
    assert!(ran.stderr.contains("the first that differs is event 1"), "{ran:?}");
}

#[test]
fn events_that_are_gone_though_signed_for_are_named() {
    let mut audited = Audited::new();
    let left = audited.size - 1;
    audited.behind_its_back(|rewrite| rewrite.truncate(left));
    let (ran, _) = audited.found(&["missing_events"]);
    assert!(
        ran.stderr.contains(&format!("{} are signed for, the hub shows {left}", audited.size)),
        "{ran:?}"
    );
}

#[test]
fn an_event_that_breaks_its_own_rules_is_named_though_it_is_signed_for() {
    let mut audited = Audited::new();
    let network = audited.tenant.network_id.clone();
    let spoils: [(&str, String, &str, &str); 6] = [
        ("{", String::new(), "{ ", "not canonical"),
        ("\"assayrunid\":\"", network.clone(), "\"assayrunid\":\"x", "its run id is"),
        ("\"assayseq\":", "1".into(), "\"assayseq\":9", "its number is 91"),
        ("\"id\":\"", format!("{network}:1"), "\"id\":\"x", "its id is"),
        ("\"status\":\"", String::new(), "\"status\":\"x", "not what its content hash says"),
        ("\"batonorigin\":\"", "hub".into(), "\"batonorigin\":\"x", "does not say who it comes from"),
    ];
    let mut good = None;
    for (before, rest, after, words) in spoils {
        audited.behind_its_back(|rewrite| {
            let good = good.get_or_insert_with(|| rewrite.event(1));
            let spoiled = good.replacen(&format!("{before}{rest}"), &format!("{after}{rest}"), 1);
            assert_ne!(&spoiled, good, "{words}");
            rewrite.put(1, spoiled.as_bytes());
            rewrite.sign_anew();
        });
        // At a desk that saw nothing before.
        let workbench = Workbench::of(&audited.hub, &audited.tenant);
        let ran = workbench.baton(["evidence", "audit"]).exited(1);
        assert!(ran.stderr.contains("event 1 is not what its place in the log asks for"), "{ran:?}");
        assert!(ran.stderr.contains(words) && !ran.stderr.contains("make the root"), "{words}: {ran:?}");
        assert!(workbench.remembered().is_empty());
    }
}
