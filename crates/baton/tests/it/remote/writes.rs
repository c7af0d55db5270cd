//! The database cannot be written for a while, just when a remote agent answered: its answer is written later, and
//! nothing goes out twice for it.

use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::agent::{Agent, AgentReply, Binding, answered, bare, sent, task};
use super::{hub, register, wait_for_status};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, send};

/// Whoever holds the database's one place for writers.
#[derive(Clone)]
struct Blockade {
    database: PathBuf,
    held: Arc<Mutex<Option<Connection>>>,
}

impl Blockade {
    fn begin(&self) {
        let connection = Connection::open(&self.database).unwrap();
        connection.busy_timeout(Duration::from_secs(20)).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        *self.held.lock().unwrap() = Some(connection);
    }

    fn end(&self) {
        drop(self.held.lock().unwrap().take().expect("a blockade"));
    }

    /// Ends, having changed something.
    fn end_with(&self, sql: &str) {
        let connection = self.held.lock().unwrap().take().expect("a blockade");
        assert_eq!(connection.execute(sql, []).unwrap(), 1);
        connection.execute_batch("COMMIT").unwrap();
    }
}

/// Waits until the hub has said so often that something could not be written.
fn wait_for_trouble(hub: &Hub, what: &str) {
    let deadline = Instant::now() + Duration::from_secs(40);
    let is_told = |line: &str| line.contains("not written yet") && line.contains(what);
    while !hub.log().lines().any(is_told) {
        assert!(Instant::now() < deadline, "{}", hub.log());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_an_agent_said_while_nothing_could_be_written_is_written_later_and_asked_once() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let blockade = Blockade { database: hub.data_dir().join("hub.db"), held: Arc::default() };
    let begun = blockade.clone();
    let agent = Agent::start(Binding::JsonRpc, move |method, _| {
        begun.begin();
        match method {
            "SendMessage" => sent(&task("WORKING", None)),
            _ => AgentReply::Result(answered("said once")),
        }
    });
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    wait_for_trouble(&hub, "where a task stands");
    blockade.end();
    wait_for_trouble(&hub, "an answer");
    blockade.end();
    let row = wait_for_status(&tenant.user, &task_id, "replied");
    assert_eq!((&row["result"], &row["attempt"]), (&"said once".into(), &1.into()));
    assert_eq!(agent.methods(), ["SendMessage", "GetTask"]);
}

#[test]
fn a_message_that_is_all_there_is_is_not_lost_either() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let blockade = Blockade { database: hub.data_dir().join("hub.db"), held: Arc::default() };
    let begun = blockade.clone();
    let agent = Agent::start(Binding::HttpJson, move |_, _| {
        begun.begin();
        bare("all there is")
    });
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    wait_for_trouble(&hub, "where a task stands");
    blockade.end();
    assert_eq!(wait_for_status(&tenant.user, &task_id, "replied")["result"], "all there is");
    assert_eq!(agent.methods(), ["SendMessage"]);
}

#[test]
fn a_message_that_is_all_there_is_is_not_asked_for_again_when_the_lease_was_lost_meanwhile() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let blockade = Blockade { database: hub.data_dir().join("hub.db"), held: Arc::default() };
    let (begun, is_first) = (blockade.clone(), AtomicBool::new(true));
    let agent = Agent::start(Binding::HttpJson, move |_, _| {
        if is_first.swap(false, Ordering::SeqCst) {
            begun.begin();
        }
        bare("all there is")
    });
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    wait_for_trouble(&hub, "not written yet");
    // Nobody can write for longer than a lease: the remote task's is not the task's any more, and the task's is over.
    blockade.end_with(
        "UPDATE tasks SET lease_id = 'lease_' || substr(lower(hex(task_id)), 1, 32), lease_deadline = 0
         WHERE lease_id IS NOT NULL",
    );
    let row = wait_for_status(&tenant.user, &task_id, "replied");
    assert_eq!((&row["result"], &row["attempt"]), (&"all there is".into(), &2.into()));
    assert_eq!(agent.methods(), ["SendMessage"]);
}
