//! The end of a run: after a last kill and start, everything the ledger has is held against what the hub has.

use baton_evidence::log::{Hash, check_consistency};
use baton_evidence::note::{Checkpoint, VerifierKey};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use super::database::Database;
use super::feeds;
use super::ledger::{Book, Claim, Sent};
use super::senders::try_send;
use super::stage::{ALIASES, Grounds, Network, PROCESS, Stage};
use super::workers::end_of;
use crate::it::claimable::every_open_task_can_be_claimed;
use crate::it::evidence_cli::workbench::{Workbench, key};
use crate::it::history::assert_legal;
use crate::it::hub::baton;
use crate::it::tenant::{events, succeed, task, text};

/// The most memory of its own that a hub may ever have held; what it maps of its database is not counted.
const ANONYMOUS_MAX_KIB: u64 = 256 << 10;
const READERS: usize = 4;

/// Every row of a network, by id.
type Rows = BTreeMap<String, Value>;

pub(super) fn pass(grounds: &mut Grounds, stage: &Stage) {
    let rows = settle(grounds, stage);
    check_sends(stage, &rows);
    check_ends(stage, &rows);
    check_leases(stage);
    check_retries(stage, &rows);
    check_histories(stage, &rows);
    feeds::check(stage);
    check_open(stage);
    for network in &stage.networks {
        check_evidence(grounds, stage, network);
    }
    check_hub(grounds, stage);
    tell(stage);
}

/// How many acknowledged tasks are gone after a run that is expected to lose some.
pub(super) fn count_lost(grounds: &mut Grounds, stage: &Stage) -> usize {
    let rows = settle(grounds, stage);
    let there: HashSet<&String> = rows.iter().flat_map(Rows::keys).collect();
    let book = stage.ledger.book();
    let is_lost = |id: &&String| !there.contains(id);
    book.known.iter().flatten().filter(is_lost).count()
}

/// After a last kill and start: every send has a known fate. Gives what is there.
fn settle(grounds: &mut Grounds, stage: &Stage) -> Vec<Rows> {
    println!("the last kill and start");
    if let Database::Patroni(cluster) = &grounds.database {
        cluster.wait_ready();
    }
    grounds.hubs.iter_mut().for_each(|hub| hub.kill9());
    grounds.hubs.iter_mut().for_each(|hub| hub.restart());
    resolve(stage);
    let rows: Vec<Rows> = stage.networks.iter().map(list).collect();
    println!("looking at {} tasks", rows.iter().map(Rows::len).sum::<usize>());
    rows
}

/// The tables, and every task that something was found of with its history.
fn tell(stage: &Stage) {
    let book = stage.ledger.book();
    println!("\n{}", book.summary(stage.seed));
    let suspects: Vec<String> = book.suspects.iter().take(10).cloned().collect();
    let findings = book.findings().to_vec();
    drop(book);
    for task_id in suspects {
        for network in &stage.networks {
            let answer = network.tenant.user.get(&format!("/api/tasks/{task_id}"));
            if answer.status == 200 {
                println!("{}\n{:#?}", answer.text(), events(&network.tenant.user, &task_id));
            }
        }
    }
    assert!(findings.is_empty(), "seed {}: found {}:\n{}", stage.seed, findings.len(), findings.join("\n"));
}

/// Sends whose answers were lost are sent again with their keys.
fn resolve(stage: &Stage) {
    let unknown: Vec<usize> = {
        let book = stage.ledger.book();
        let is_unknown = |(_, send): &(usize, &super::ledger::Send)| send.state == Sent::Perhaps;
        book.sends.iter().enumerate().filter(is_unknown).map(|(number, _)| number).collect()
    };
    println!("{} sends are resolved by their keys", unknown.len());
    for number in unknown {
        try_send(stage, number, false);
        let state = stage.ledger.book().sends[number].state.clone();
        if !matches!(state, Sent::Acknowledged(_)) {
            stage.ledger.finding(format!("send {number} could not be resolved by its key: {state:?}"));
        }
    }
}

fn list(network: &Network) -> Rows {
    let (mut rows, mut cursor) = (Rows::new(), String::new());
    loop {
        let path = format!("/api/tasks?network_id={}&limit=200{cursor}", network.tenant.network_id);
        let page = succeed(&network.tenant.user.get(&path));
        for row in page["tasks"].as_array().unwrap() {
            rows.insert(text(&row["task_id"]), row.clone());
        }
        match &page["next_cursor"] {
            Value::String(next) => cursor = format!("&cursor={next}"),
            _ => return rows,
        }
    }
}

/// Every acknowledged send is there once, under its id and in its network; every other is not.
fn check_sends(stage: &Stage, rows: &[Rows]) {
    let mut found: HashMap<&str, Vec<(usize, &str)>> = HashMap::new();
    for (number, rows) in rows.iter().enumerate() {
        for (id, row) in rows.iter().filter(|(_, row)| row["retry_of"].is_null()) {
            found.entry(row["content"].as_str().unwrap()).or_default().push((number, id));
        }
    }
    let book = stage.ledger.book();
    let mut wrong = Vec::new();
    for send in &book.sends {
        let order = &send.order;
        let there = found.remove(order.content.as_str()).unwrap_or_default();
        let expected: Vec<(usize, &str)> = match &send.state {
            Sent::Acknowledged(id) => vec![(order.network, id.as_str())],
            Sent::Not | Sent::Perhaps => Vec::new(),
        };
        if there != expected {
            wrong.push(format!("{} is {:?} and found as {there:?}", order.key, send.state));
        } else if let [(network, id)] = there[..]
            && rows[network][id]["parent_task_id"].as_str() != order.parent.as_deref()
        {
            wrong.push(format!("{} has another parent: {}", order.key, rows[network][id]));
        }
    }
    wrong.extend(found.values().map(|there| format!("nobody sent {there:?}")));
    drop(book);
    wrong.into_iter().for_each(|what| stage.ledger.finding(what));
}

/// Every acknowledged end is the task's, every end has somebody who gave it, and what was seen to end stayed so.
fn check_ends(stage: &Stage, rows: &[Rows]) {
    let book = stage.ledger.book();
    let mut wrong = Vec::new();
    let all: HashMap<&String, &Value> = rows.iter().flatten().collect();
    for (id, row) in &all {
        let (status, result) = (row["status"].as_str().unwrap(), row["result"].as_str().unwrap_or_default());
        if let Some(end) = book.acknowledged_end(id)
            && (end.status, end.result.as_str()) != (status, result)
        {
            wrong.push((*id, format!("was ended {} with {:?}", end.status, end.result)));
        }
        if row["completed_at"].is_string() && !has_author(&book, id, row) {
            wrong.push((*id, format!("nobody ended it {status} with {result:?}")));
        }
        if let Some(seen) = book.seen.get(*id)
            && *seen != end_of(row)
        {
            wrong.push((*id, format!("changed after its end, which was {seen}")));
        }
    }
    for id in book.ends.keys().chain(book.seen.keys()).filter(|id| !all.contains_key(id)) {
        wrong.push((id, "was worked on and is gone".into()));
    }
    let wrong: Vec<(String, String)> = wrong.into_iter().map(|(id, what)| (id.clone(), what)).collect();
    drop(book);
    wrong.into_iter().for_each(|(id, what)| stage.ledger.finding_of(&id, &what));
}

fn has_author(book: &Book, id: &str, row: &Value) -> bool {
    let (status, result) = (row["status"].as_str().unwrap(), row["result"].as_str().unwrap_or_default());
    let is_said = |end: &super::ledger::End| (end.status, end.result.as_str()) == (status, result);
    let by_the_hub = status == "expired" || status == "failed" && result.starts_with("lease expired after ");
    let by_a_process = row["to_name"] == PROCESS
        && status == "replied"
        && result.strip_prefix("did ") == row["content"].as_str();
    by_the_hub || by_a_process || book.ends.get(id).is_some_and(|ends| ends.iter().any(is_said))
}

/// No lease was given while another ran, and none was good for an answer after the next was given.
fn check_leases(stage: &Stage) {
    let mut book = stage.ledger.book();
    let mut wrong = Vec::new();
    let mut claims = std::mem::take(&mut book.claims);
    for (id, claims) in &mut claims {
        claims.sort_by_key(|claim| claim.answered);
        for pair in claims.windows(2) {
            let (first, second) = (&pair[0], &pair[1]);
            let moves = book.moves.get(id).map(Vec::as_slice).unwrap_or_default();
            let was_moved = was_moved(moves, first, second);
            let until = first.held_from + Duration::from_secs(first.lease_seconds);
            if first.lease_id == second.lease_id || second.answered < until && !was_moved {
                wrong.push((id.clone(), format!("was leased twice at once: {first:?} and {second:?}")));
            }
        }
        for end in book.ends.get(id).into_iter().flatten().filter(|end| end.is_acknowledged) {
            let Some((lease_id, asked)) = &end.lease else { continue };
            let own = claims.iter().find(|claim| claim.lease_id == *lease_id);
            let moves = book.moves.get(id).map(Vec::as_slice).unwrap_or_default();
            let is_later = |claim: &&Claim| match own {
                Some(own) => {
                    claim.asked >= own.answered
                        || claim.answered > own.answered && !was_moved(moves, own, claim)
                }
                None => true,
            };
            if claims.iter().filter(is_later).any(|claim| claim.answered < *asked) {
                wrong.push((id.clone(), format!("was ended under a lease that was lost: {end:?}")));
            }
        }
    }
    drop(book);
    wrong.into_iter().for_each(|(id, what)| stage.ledger.finding_of(&id, &what));
}

/// Whether the task may have been given to another agent between two claims. Their answers may cross on the way: without
/// a move the one that was answered first was given first.
fn was_moved(moves: &[(Instant, Instant)], one: &Claim, other: &Claim) -> bool {
    let (first, last) = (one.asked.min(other.asked), one.answered.max(other.answered));
    moves.iter().any(|(from, to)| *from <= last && *to >= first)
}

/// A task is retried at most once, as what was answered, and only if somebody asked.
fn check_retries(stage: &Stage, rows: &[Rows]) {
    let book = stage.ledger.book();
    let mut wrong = Vec::new();
    let mut retried = HashSet::new();
    for (id, row) in rows.iter().flatten() {
        let Some(old) = row["retry_of"].as_str() else { continue };
        if !retried.insert(old) {
            wrong.push((id.clone(), format!("is a second retry of {old}")));
        }
        let asked = book.retries.get(old).map(Vec::as_slice).unwrap_or_default();
        let mut answered = asked.iter().flatten();
        if asked.is_empty() || answered.any(|answered| answered != id) {
            wrong.push((id.clone(), format!("is a retry of {old}, which was answered {asked:?}")));
        }
    }
    for (old, new) in book.retries.iter().filter(|(_, new)| new.iter().any(Option::is_some)) {
        if !retried.contains(old.as_str()) {
            wrong.push((old.clone(), format!("was retried as {new:?}, which is not there")));
        }
    }
    drop(book);
    wrong.into_iter().for_each(|(id, what)| stage.ledger.finding_of(&id, &what));
}

/// Every history is gapless, follows the state machine and ends where the row is; no command was run without a lease.
fn check_histories(stage: &Stage, rows: &[Rows]) {
    for (network, rows) in stage.networks.iter().zip(rows) {
        let listed: Vec<(&String, &Value)> = rows.iter().collect();
        thread::scope(|scope| {
            for part in listed.chunks(listed.len().div_ceil(READERS).max(1)) {
                scope.spawn(move || part.iter().for_each(|(id, row)| check_history(stage, network, id, row)));
            }
        });
    }
}

/// Nothing that is open is out of reach: no claim that was parked when its hub was killed keeps a task.
fn check_open(stage: &Stage) {
    for network in &stage.networks {
        // A process still serves the other alias, and takes what is open there.
        for (alias, agent) in ALIASES.iter().zip(&network.agents).filter(|(alias, _)| **alias != PROCESS) {
            every_open_task_can_be_claimed(&network.tenant, alias, agent);
        }
    }
}

fn check_history(stage: &Stage, network: &Network, id: &str, listed: &Value) {
    let reader = &network.tenant.user;
    let mut claimed = 0;
    // An open task may have gone on since it was listed, and between two looks; not again and again.
    let is_over = ["replied", "failed", "cancelled", "expired"].contains(&text(&listed["status"]).as_str());
    let is_legal = (0..4).any(|_| {
        let row = if is_over { listed.clone() } else { task(reader, id) };
        let events = events(reader, id);
        claimed = events.iter().filter(|event| event["to_status"] == "running").count();
        catch_unwind(AssertUnwindSafe(|| assert_legal(&row, &events))).is_ok()
    });
    if !is_legal {
        stage.ledger.finding_of(id, "its history is not one of the state machine's");
    }
    let run = stage.ledger.book().runs.get(id).copied().unwrap_or_default();
    if run > claimed {
        stage.ledger.finding_of(id, &format!("was claimed {claimed} times and run {run} times"));
    }
}

/// What was exported is checked offline, the log is audited, and every checkpoint given out is a beginning of the last.
fn check_evidence(grounds: &Grounds, stage: &Stage, network: &Network) {
    let workbench = Workbench::of(&grounds.hubs[0], &network.tenant);
    let key = key(&network.tenant);
    workbench.baton(["evidence", "audit", "--key", &key]).exited(0);
    workbench.baton(["evidence", "export", "-o", "all.tar.gz"]).exited(0);
    let files = crate::it::program::names(workbench.home());
    let files: Vec<&String> = files.iter().filter(|file| file.ends_with(".tar.gz")).collect();
    assert!(!files.is_empty());
    for file in files {
        workbench.baton(["evidence", "verify", file, "--key", &key]).exited(0);
    }
    let key = VerifierKey::parse(&key).unwrap();
    let notes = stage.ledger.book().checkpoints[network.number].clone();
    let network_id = &network.tenant.network_id;
    let open = |note: &String| Checkpoint::open(note, &key).unwrap();
    let last = network.tenant.user.get(&format!("/api/evidence/checkpoint?network_id={network_id}")).text();
    let last = open(&last);
    for seen in notes.iter().map(open) {
        let path =
            format!("/api/evidence/consistency?network_id={network_id}&from={}&to={}", seen.size, last.size);
        let answer = succeed(&network.tenant.user.get(&path));
        let hashes = answer["hashes"].as_array().unwrap();
        let proof: Vec<Hash> = hashes.iter().map(|hash| hash.as_str().unwrap().parse().unwrap()).collect();
        if let Err(error) = check_consistency(seen.size, &seen.root, last.size, &last.root, &proof) {
            stage.ledger.finding(format!("a checkpoint of {} events: {error}", seen.size));
        }
    }
}

fn check_hub(grounds: &Grounds, stage: &Stage) {
    let mut check = baton();
    check.args(["hub", "check", "--data-dir"]).arg(grounds.hubs[0].data_dir());
    check.envs(grounds.database.url().map(|url| ("BATON_STORE", url)));
    let checked = check.output().unwrap();
    println!("hub check: {}", String::from_utf8_lossy(&checked.stdout).trim_end());
    if !checked.status.success() {
        let said = String::from_utf8_lossy(&checked.stderr);
        stage.ledger.finding(format!("hub check differs: {said}"));
    }
    let kib = stage.ledger.book().anonymous_kib;
    if kib > ANONYMOUS_MAX_KIB {
        stage.ledger.finding(format!("the hub held {kib} KiB"));
    }
    // A panic is logged with its place in the code.
    for hub in &grounds.hubs {
        for line in hub.log().lines().filter(|line| line.contains("place=")) {
            stage.ledger.finding(format!("a panic: {line}"));
        }
    }
}
