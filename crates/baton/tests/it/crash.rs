//! `kill -9` under load, again and again on the same folder: whatever was answered is there afterwards, and no task
//! is in a state the table does not know, and tables, history and log agree one to one (`baton hub check`). The
//! moment of each kill is a seeded number of answers into the load. Beside callers whose calls are answered at once there
//! are some whose claims, replies and sends wait in the hub; in the end every task that is open can be claimed.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, SystemTime};

use super::claimable::every_open_task_can_be_claimed;
use super::entry_bundles::wait_until_bundled;
use super::history::assert_legal;
use super::http::Client;
use super::hub::Hub;
use super::program;
use super::random::Random;
use super::tenant::{Tenant, events, task, text};

const KILLS: usize = 24;
const WRITERS: usize = 4;
/// Further pairs of a sender and a worker whose calls wait.
const PAIRS: usize = 2;
/// Longer than a round lasts.
const WAIT_SECONDS: u32 = 15;
/// What was held when the hub was killed comes back this long after its last start.
const LEASE_SECONDS: u32 = 10;
/// In this round the check runs beside the hub and its writers too.
const CHECKED_UNDER_LOAD: usize = KILLS / 2;
/// A kill comes after at most this many answers.
const ANSWERS_MAX: u64 = 90;

/// Something the hub reported as done.
#[derive(Debug)]
enum Acknowledged {
    Sent { task_id: String, content: String },
    Claimed { task_id: String },
    Ended { task_id: String, status: &'static str, result: String },
}

/// A call that may find the hub dead: the body of a whole successful answer, or nothing.
pub(super) fn try_post(client: &Client, path: &str, body: &Value) -> Option<Value> {
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        client.address,
        client.token.as_ref().unwrap(),
        body.len()
    );
    let mut socket = TcpStream::connect(client.address).ok()?;
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    socket.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).ok()?;
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let body: Value = serde_json::from_str(body).ok()?;
    assert!(head.starts_with("HTTP/1.1 20"), "{answer}");
    Some(body)
}

/// One writer: sends to its own worker, claims, ends; until a call is not answered.
struct Writer {
    sender: Client,
    worker: Client,
    alias: String,
    tell: Sender<Acknowledged>,
}

impl Writer {
    fn run(&self, round: usize) {
        for number in 0.. {
            if self.one_life(&format!("{} round {round} number {number}", self.alias), number).is_none() {
                return;
            }
        }
    }

    fn one_life(&self, content: &str, number: usize) -> Option<()> {
        let sent = try_post(&self.sender, "/api/task", &json!({"alias": self.alias, "task": content}))?;
        self.acknowledged(Acknowledged::Sent { task_id: text(&sent["task_id"]), content: content.into() })?;
        // Every fifth task is left in the inbox; so the next claim takes an older one.
        if number % 5 == 4 {
            return Some(());
        }
        let claimed = try_post(&self.worker, "/api/claim", &json!({"lease_seconds": LEASE_SECONDS}))?;
        let task_id = text(&claimed["task"]["task_id"]);
        self.acknowledged(Acknowledged::Claimed { task_id: task_id.clone() })?;
        let status = ["replied", "failed", "cancelled"][number % 3];
        let result = format!("{status}: {task_id}");
        let path = format!("/api/tasks/{task_id}/reply");
        // Every second reply takes along what was left.
        let mut body = json!({"text": result, "status": status, "lease_id": claimed["lease_id"]});
        if number.is_multiple_of(2) {
            body["claim_next"] = json!({"lease_seconds": LEASE_SECONDS});
        }
        let replied = try_post(&self.worker, &path, &body)?;
        self.acknowledged(Acknowledged::Ended { task_id, status, result })?;
        if replied["next"].is_object() {
            self.end_next(&replied["next"])?;
        }
        Some(())
    }

    /// Ends the task that a reply brought.
    fn end_next(&self, next: &Value) -> Option<()> {
        let task_id = text(&next["task"]["task_id"]);
        self.acknowledged(Acknowledged::Claimed { task_id: task_id.clone() })?;
        let result = format!("replied: {task_id}");
        let body = json!({"text": result, "lease_id": next["lease_id"]});
        try_post(&self.worker, &format!("/api/tasks/{task_id}/reply"), &body)?;
        self.acknowledged(Acknowledged::Ended { task_id, status: "replied", result })
    }

    fn acknowledged(&self, what: Acknowledged) -> Option<()> {
        self.tell.send(what).ok()
    }
}

/// A sender that waits for each of its tasks, and a worker whose claims wait, alone or with a reply: at every kill a
/// claim is parked, or a reply, and a send waits for its end.
struct WaitingPair(Writer);

impl WaitingPair {
    fn send(&self, round: usize) {
        for number in 0.. {
            if self.send_one(&format!("{} round {round} number {number}", self.0.alias)).is_none() {
                return;
            }
        }
    }

    fn send_one(&self, content: &str) -> Option<()> {
        let body = json!({"alias": self.0.alias, "task": content, "wait_seconds": WAIT_SECONDS});
        let sent = try_post(&self.0.sender, "/api/task", &body)?;
        let task_id = text(&sent["task_id"]);
        self.0.acknowledged(Acknowledged::Sent { task_id: task_id.clone(), content: content.into() })?;
        // One whose leases lapsed in three kills has failed.
        if sent["task"]["status"] == "replied" {
            let result = text(&sent["task"]["result"]);
            self.0.acknowledged(Acknowledged::Ended { task_id, status: "replied", result })?;
        }
        Some(())
    }

    fn work(&self) {
        let body = json!({"wait_seconds": WAIT_SECONDS, "lease_seconds": LEASE_SECONDS});
        let mut held = None;
        // A claim whose time is over without a task is made again; a hub that was killed answers none.
        while let Some(claimed) = held.take().or_else(|| try_post(&self.0.worker, "/api/claim", &body)) {
            if claimed["task"].is_object() {
                let Some(next) = self.reply(&claimed, &body) else { return };
                held = Some(next).filter(Value::is_object);
            }
        }
    }

    /// Ends what was claimed, and waits for the next in the same call.
    fn reply(&self, claimed: &Value, claim_next: &Value) -> Option<Value> {
        let task_id = text(&claimed["task"]["task_id"]);
        self.0.acknowledged(Acknowledged::Claimed { task_id: task_id.clone() })?;
        let result = format!("replied: {task_id}");
        let body = json!({"text": result, "lease_id": claimed["lease_id"], "claim_next": claim_next});
        let replied = try_post(&self.0.worker, &format!("/api/tasks/{task_id}/reply"), &body)?;
        self.0.acknowledged(Acknowledged::Ended { task_id, status: "replied", result })?;
        Some(replied["next"].clone())
    }
}

fn seed() -> u64 {
    let given = std::env::var("BATON_CRASH_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        u64::from(now.subsec_nanos()) << 20 | 1
    });
    println!("BATON_CRASH_SEED={seed}");
    seed
}

#[test]
fn nothing_acknowledged_is_lost_when_the_hub_is_killed_24_times_under_load() {
    let mut random = Random::of(seed());
    let mut hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (tell, told) = channel();
    let writer = |number: usize| {
        let alias = format!("worker-{number}");
        let (sender, worker) = (network.agent(&format!("sender-{number}")), network.agent(&alias));
        Writer { sender, worker, alias, tell: tell.clone() }
    };
    let writers: Vec<Writer> = (0..WRITERS).map(writer).collect();
    let pairs: Vec<_> = (WRITERS..WRITERS + PAIRS).map(|number| WaitingPair(writer(number))).collect();
    let mut acknowledged = Vec::new();
    for round in 0..KILLS {
        let answers = 1 + random.below(ANSWERS_MAX);
        thread::scope(|scope| {
            for writer in &writers {
                scope.spawn(move || writer.run(round));
            }
            for pair in &pairs {
                scope.spawn(move || pair.send(round));
                scope.spawn(move || pair.work());
            }
            acknowledged.extend((0..answers).map(|_| told.recv_timeout(Duration::from_secs(20)).unwrap()));
            if round == CHECKED_UNDER_LOAD {
                assert_agrees(&hub);
            }
            hub.kill9();
        });
        acknowledged.extend(told.try_iter());
        assert_agrees(&hub);
        hub.restart();
    }
    println!("{} answers over {KILLS} kills", acknowledged.len());
    wait_until_bundled(&hub.data_dir(), &network.network_id, 256);
    for what in &acknowledged {
        check(&network.user, what);
    }
    for writer in writers.iter().chain(pairs.iter().map(|pair| &pair.0)) {
        every_open_task_can_be_claimed(&network, &writer.alias, &writer.worker);
    }
}

/// The database as the hub left it, or as it is while the hub runs.
fn assert_agrees(hub: &Hub) {
    let ran =
        program::baton(["hub".as_ref(), "check".as_ref(), "--data-dir".as_ref(), hub.data_dir().as_os_str()]);
    let said = ran.exited(0).stdout;
    assert!(said.starts_with("agree: "), "{said}");
    assert!(!said.contains(" 0 log events"), "{said}");
}

fn check(reader: &Client, what: &Acknowledged) {
    let (Acknowledged::Sent { task_id, .. }
    | Acknowledged::Claimed { task_id }
    | Acknowledged::Ended { task_id, .. }) = what;
    let (row, events) = (task(reader, task_id), events(reader, task_id));
    assert_legal(&row, &events);
    match what {
        Acknowledged::Sent { content, .. } => assert_eq!(row["content"], json!(content)),
        Acknowledged::Claimed { .. } => {
            assert!(events.iter().any(|event| event["to_status"] == "running"), "{row} {events:?}");
        }
        Acknowledged::Ended { status, result, .. } => {
            assert_eq!((&row["status"], &row["result"]), (&json!(status), &json!(result)));
        }
    }
}
