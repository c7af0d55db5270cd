//! Callers who hang up while they wait: no task is lost to them.

use serde_json::json;
use std::io::Write;
use std::net::Shutdown;

use super::{parked, stage, waiting};
use crate::it::http::connect;
use crate::it::tenant::{claim, send, task};

#[test]
fn claims_that_hung_up_take_no_task() {
    let (_hub, tenant, worker) = stage();
    let body = json!({"wait_seconds": 50}).to_string();
    let request = worker.request("POST", "/api/claim", &[], Some(&body));
    for round in 0..30 {
        let mut gone: Vec<_> = (0..10)
            .map(|_| {
                let mut socket = connect(worker.address);
                socket.write_all(&request).unwrap();
                socket
            })
            .collect();
        parked(&tenant.user, 10);
        for socket in gone.drain(..) {
            socket.shutdown(Shutdown::Both).unwrap();
        }
        parked(&tenant.user, 0);
        let id = send(&tenant.user, "worker", "work");
        assert_eq!(task(&tenant.user, &id)["status"], "delivered", "round {round}");
        assert_eq!(claim(&worker, 0, 60)["task"]["task_id"], json!(id), "round {round}");
    }
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
