//! Callers who hang up while they wait: no task is lost to them.

use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;
use std::net::Shutdown;
use std::sync::Barrier;

use super::{figure, parked, stage, waiting};
use crate::it::http::{Client, connect};
use crate::it::tenant::{Tenant, claim, send, send_with, succeed};
use crate::it::tool;
use crate::it::work::worker::eventually;

/// How often claims hang up over REST: as often as ten seconds allow. The store alone does it 10,000 times, in
/// `ten_thousand_claims_that_hung_up_take_no_task`.
const ROUNDS: usize = 150;
/// Claims of a round.
const CLAIMS: usize = 10;
/// A task that goes to a caller who is just leaving is the next one's after this time.
const LEASE_SECONDS: u32 = 5;

#[test]
fn claims_that_hang_up_while_a_task_is_sent_lose_none() {
    let (_hub, tenant, worker) = stage();
    let body = json!({"wait_seconds": 50, "lease_seconds": LEASE_SECONDS}).to_string();
    let request = worker.request("POST", "/api/claim", &[], Some(&body));
    none_is_lost(&tenant, &worker, &request, ROUNDS);
}

#[test]
fn claims_over_mcp_that_hang_up_while_a_task_is_sent_lose_none() {
    let (_hub, tenant, worker) = stage();
    let arguments = json!({"wait_seconds": 50, "lease_seconds": LEASE_SECONDS});
    let request = tool::request(&worker, "claim_task", &arguments);
    none_is_lost(&tenant, &worker, &request, ROUNDS / 5);
}

/// In each round claims wait, and hang up while a task is sent: before it, with it and after it. Whatever became of the
/// task, in the end somebody who stays has it.
fn none_is_lost(tenant: &Tenant, worker: &Client, claim: &[u8], rounds: usize) {
    let mut open = BTreeSet::new();
    let mut taken_later = 0;
    let mut take = |wait_seconds: u32, open: &mut BTreeSet<String>| {
        // Whoever stays keeps what it takes.
        let body = json!({"wait_seconds": wait_seconds, "max": 32, "lease_seconds": 3_600});
        let taken = succeed(&worker.post("/api/claim", &body));
        for held in taken["tasks"].as_array().unwrap() {
            assert!(
                open.remove(held["task"]["task_id"].as_str().unwrap()),
                "not sent, or taken before: {held}"
            );
            // It first went to somebody who had left.
            taken_later += usize::from(held["task"]["attempt"] != 1);
        }
        taken["tasks"].as_array().unwrap().len()
    };
    for _ in 0..rounds {
        let sockets: Vec<_> = (0..CLAIMS)
            .map(|_| {
                let mut socket = connect(worker.address);
                socket.write_all(claim).unwrap();
                socket.set_nonblocking(true).unwrap();
                socket
            })
            .collect();
        eventually("the claims", || {
            // One may have been answered already: with a task whose lease has lapsed meanwhile.
            let answered = sockets.iter().filter(|socket| socket.peek(&mut [0]).is_ok()).count();
            (figure(&tenant.user, "baton_claims_waiting") as usize + answered >= CLAIMS).then_some(())
        });
        let begin = Barrier::new(2);
        let sent = std::thread::scope(|scope| {
            scope.spawn(|| {
                begin.wait();
                for socket in sockets {
                    socket.shutdown(Shutdown::Both).unwrap();
                }
            });
            begin.wait();
            // More attempts than there are leases in this time: what lapses may meet the claims of later rounds.
            send_with(&tenant.user, &json!({"alias": "worker", "task": "work", "max_attempts": 10}))
        });
        open.insert(sent);
        parked(&tenant.user, 0); // else the next round's claims are counted with these
        take(0, &mut open);
    }
    while !open.is_empty() {
        assert!(take(50, &mut open) > 0, "these are lost: {open:?}");
    }
    println!("{} claims hung up, {taken_later} of {rounds} tasks first went to one of them", rounds * CLAIMS);
}

#[test]
fn a_task_that_went_to_a_worker_that_was_killed_comes_back_when_its_lease_lapses() {
    let (_hub, tenant, worker) = stage();
    let body = json!({"wait_seconds": 50, "lease_seconds": 5}).to_string();
    let mut socket = connect(worker.address);
    socket.write_all(&worker.request("POST", "/api/claim", &[], Some(&body))).unwrap();
    parked(&tenant.user, 1);
    let id = send(&tenant.user, "worker", "work");
    // It dies with the answer on its way.
    drop(socket);
    let held = claim(&worker, 50, 60);
    assert_eq!((&held["task"]["task_id"], &held["task"]["attempt"]), (&json!(id), &json!(2)));
}

#[test]
fn a_sender_that_hangs_up_while_it_waits_holds_nothing_and_its_task_goes_on() {
    let (_hub, tenant, worker) = stage();
    let body = json!({"alias": "worker", "task": "work", "wait_seconds": 60}).to_string();
    let mut socket = connect(tenant.user.address);
    socket.write_all(&tenant.user.request("POST", "/api/task", &[], Some(&body))).unwrap();
    waiting(&tenant.user, 1);
    drop(socket);
    waiting(&tenant.user, 0);
    assert_eq!(super::work_off(&worker, "done")["task"]["content"], "work");
}
