//! A hub whose disk fills up, refuses every write, or is read-only: writes get a clear answer and change nothing,
//! reads continue, `/ready` tells it, and with room again everything continues without a restart. If a disk takes a commit and does
//! not confirm it, its outcome is unknown.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::http::Client;
use super::hub::{ADMIN, Hub, PASSWORD, baton};
use super::shim;
use super::small_disk::{NO_DISK, SmallDisk, allow_growth, refuse_growth, size_of};
use super::tenant::{Tenant, act, claim, refused, send, succeed, task, text};
use super::tool;
use super::work::worker::eventually;

/// While a file exists, no sync is confirmed: what was written stays where the system keeps it.
const UNCONFIRMED: &str = r#"
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static int sync_by(long call, int file) {
    if (access(getenv("UNCONFIRMED_FILE"), F_OK) == 0) { errno = EIO; return -1; }
    return (int)syscall(call, file);
}
int fsync(int file) { return sync_by(SYS_fsync, file); }
int fdatasync(int file) { return sync_by(SYS_fdatasync, file); }
"#;
const OPTIONS: [&str; 4] = ["--username", ADMIN, "--password", PASSWORD];
/// What was there before may still be written over, so some sends still fit.
const SENDS_MAX: usize = 4_000;
/// Kills until a start finds what was not confirmed.
const ROUNDS_MAX: usize = 40;

/// A network with two agents, and what it was answered.
struct Stage {
    network: Tenant,
    sender: Client,
    worker: Client,
    sent: BTreeSet<String>,
}

impl Stage {
    fn of(hub: &Hub) -> Self {
        let network = Tenant::of_admin(hub);
        let (sender, worker) = (network.agent("sender"), network.agent("worker"));
        let mut stage = Self { network, sender, worker, sent: BTreeSet::new() };
        for number in 0..20 {
            stage.sent.insert(send(&stage.sender, "worker", &format!("before {number}")));
        }
        stage
    }

    /// Sends until the disk refuses for good. Before the log can no longer be folded back,
    /// what is refused now may fit a moment later.
    fn send_until_refused(&mut self, hub: &Hub) {
        let folds_failed = |log: String| log.matches("could not be folded back").count();
        let before = folds_failed(hub.log());
        for number in 0..SENDS_MAX {
            let is_stuck = folds_failed(hub.log()) > before;
            let task = if is_stuck { "x".into() } else { format!("{number} {}", "x".repeat(5_000)) };
            let answer = self.sender.post("/api/task", &json!({"alias": "worker", "task": task}));
            if answer.status == 503 {
                if is_stuck {
                    return self.acknowledge_until_refused();
                }
                continue;
            }
            self.sent.insert(text(&succeed(&answer)["task_id"]));
        }
        panic!("{SENDS_MAX} sends fitted on a full disk");
    }

    /// Less than a send may still fit; the newest task stays as it is.
    fn acknowledge_until_refused(&self) {
        let acknowledged = |id: &&String| act(&self.worker, id, "ack", &json!({})).status == 200;
        let count = self.sent.iter().take_while(acknowledged).count();
        assert!(count < self.sent.len() - 1, "{count} fitted on a full disk");
    }

    /// Every door says the same of a write, and every read is answered.
    fn assert_writes_refused_and_reads_answered(&self, hub: &Hub) {
        let newest = self.sent.last().unwrap(); // nobody has claimed it yet
        let answer = self.sender.post("/api/task", &json!({"alias": "worker", "task": "x"}));
        let body = refused(&answer, 503, "storage_unavailable");
        assert_eq!(body["message"], "the hub cannot use its disk; nothing was changed");
        assert_eq!(answer.header("retry-after"), Some("1"));
        for (action, body) in [("cancel", json!({})), ("reply", json!({"text": "x"})), ("ack", json!({}))] {
            refused(&act(&self.worker, newest, action, &body), 503, "storage_unavailable");
        }
        refused(&self.worker.post("/api/claim", &json!({})), 503, "storage_unavailable");
        let said = tool::call(&self.sender, "send_task", &json!({"alias": "worker", "task": "x"}));
        assert_eq!((&said["ok"], &said["error"]), (&json!(false), &json!("storage_unavailable")), "{said}");

        assert_eq!(task(&self.network.user, newest)["status"], "delivered");
        for path in ["/api/tasks", "/api/inbox", "/api/task_events?limit=5", "/api/status", "/api/evidence"] {
            let reader = if path == "/api/inbox" { &self.worker } else { &self.network.user };
            succeed(&reader.get(path));
        }
        assert_eq!(hub.client().get("/health").status, 200);
        refused(&hub.client().get("/ready"), 503, "storage_unavailable");
    }

    /// Whatever was answered is there, what was refused is not, and work continues.
    fn assert_goes_on(&mut self, hub: &Hub) {
        // Though nobody writes.
        eventually("ready again", || (hub.client().get("/ready").status == 200).then_some(()));
        self.sent.insert(send(&self.sender, "worker", "after"));
        let claimed = claim(&self.worker, 5, 60);
        let (task_id, lease_id) = (text(&claimed["task"]["task_id"]), &claimed["lease_id"]);
        succeed(&act(&self.worker, &task_id, "reply", &json!({"text": "done", "lease_id": lease_id})));
        assert_eq!(self.task_ids(), self.sent);
        let checked = hub.baton(&["hub", "check"]);
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    }

    fn task_ids(&self) -> BTreeSet<String> {
        let (mut ids, mut cursor) = (BTreeSet::new(), String::new());
        loop {
            let page = succeed(&self.network.user.get(&format!("/api/tasks?limit=200{cursor}")));
            ids.extend(page["tasks"].as_array().unwrap().iter().map(|row| text(&row["task_id"])));
            match &page["next_cursor"] {
                Value::String(next) => cursor = format!("&cursor={next}"),
                _ => return ids,
            }
        }
    }
}

#[test]
fn a_full_disk_refuses_writes_answers_reads_and_with_room_again_all_goes_on() {
    let Some(disk) = SmallDisk::mount(64 << 20) else { return eprintln!("skipped: {NO_DISK}") };
    let mut hub = Hub::start_on_disk(Some(disk.path()), 0, &OPTIONS, &[]);
    let mut stage = Stage::of(&hub);
    for _ in 0..2 {
        disk.fill();
        stage.send_until_refused(&hub);
        stage.assert_writes_refused_and_reads_answered(&hub);
        disk.free();
        stage.assert_goes_on(&hub);
    }
    // Killed while it is full: nothing torn either.
    disk.fill();
    stage.send_until_refused(&hub);
    hub.kill9();
    disk.free();
    hub.restart();
    stage.assert_goes_on(&hub);
}

/// In a WAL that has been long before, a commit is written where there is room already; its index needs new room.
#[test]
fn what_a_full_disk_refused_is_not_there_after_a_kill() {
    let Some(disk) = SmallDisk::mount(128 << 20) else { return eprintln!("skipped: {NO_DISK}") };
    let mut hub = Hub::start_on_disk(Some(disk.path()), 0, &OPTIONS, &[]);
    let mut stage = Stage::of(&hub);
    hub.kill9();
    let mut log = File::options().append(true).open(hub.data_dir().join("hub.db-wal")).unwrap();
    log.write_all(&vec![0; 24 << 20]).unwrap();
    hub.restart();
    disk.fill();
    stage.send_until_refused(&hub);
    hub.kill9();
    disk.free();
    hub.restart();
    stage.assert_goes_on(&hub);
}

#[test]
fn a_hub_whose_files_may_not_grow_refuses_writes_and_goes_on_when_they_may() {
    let hub = Hub::start();
    let mut stage = Stage::of(&hub);
    refuse_growth(hub.pid(), size_of(&hub.data_dir().join("hub.db-wal")));
    stage.send_until_refused(&hub);
    stage.assert_writes_refused_and_reads_answered(&hub);
    allow_growth(hub.pid());
    stage.assert_goes_on(&hub);
}

#[test]
fn a_disk_that_takes_no_write_at_all_any_more_still_answers_reads() {
    let hub = Hub::start();
    let mut stage = Stage::of(&hub);
    refuse_growth(hub.pid(), 0);
    stage.assert_writes_refused_and_reads_answered(&hub);
    // It stays so, also when nobody writes: asking for it writes, and is refused.
    let until = Instant::now() + Duration::from_secs(5);
    while Instant::now() < until {
        refused(&hub.client().get("/ready"), 503, "storage_unavailable");
        thread::sleep(Duration::from_millis(200));
    }
    allow_growth(hub.pid());
    stage.assert_goes_on(&hub);
}

/// Sends a task while no sync is confirmed and kills the hub; whether its next start finds the task.
fn finds_unconfirmed_task(hub: &mut Hub, stage: &mut Stage, unconfirmed: &Path) -> bool {
    File::create(unconfirmed).unwrap();
    let answer = stage.sender.post("/api/task", &json!({"alias": "worker", "task": "x"}));
    let body = refused(&answer, 503, "outcome_unknown");
    assert!(!text(&body["message"]).contains("nothing was changed"), "{body}");
    assert_eq!(stage.task_ids(), stage.sent, "the hub that runs has undone it");
    hub.kill9();
    std::fs::remove_file(unconfirmed).unwrap();
    hub.restart();
    let found = stage.task_ids();
    let recovered: Vec<_> = found.difference(&stage.sent).cloned().collect();
    assert!(recovered.len() <= 1 && found.is_superset(&stage.sent), "{recovered:?}");
    stage.sent.extend(recovered.iter().cloned());
    !recovered.is_empty()
}

#[test]
fn a_commit_that_the_disk_does_not_confirm_has_an_unknown_outcome_and_a_start_may_find_it() {
    let folder = tempfile::tempdir().unwrap();
    let (library, unconfirmed) = (shim::make(folder.path(), "sync", UNCONFIRMED), folder.path().join("now"));
    let environment =
        [("LD_PRELOAD", library.to_str().unwrap()), ("UNCONFIRMED_FILE", unconfirmed.to_str().unwrap())];
    let mut hub = Hub::start_with_env(&OPTIONS, &environment);
    let mut stage = Stage::of(&hub);
    // Not in every round: the hub may have written something else over it before it was killed.
    let is_found = (0..ROUNDS_MAX).any(|_| finds_unconfirmed_task(&mut hub, &mut stage, &unconfirmed));
    assert!(is_found, "no start found what was answered as unknown");
    File::create(&unconfirmed).unwrap();
    let answer = stage.sender.post("/api/task", &json!({"alias": "worker", "task": "x"}));
    refused(&answer, 503, "outcome_unknown");
    refused(&hub.client().get("/ready"), 503, "storage_unavailable");
    std::fs::remove_file(&unconfirmed).unwrap();
    stage.assert_goes_on(&hub);
}

/// What a hub that cannot start says, and that it ends.
fn fails_to_start(data: &Path) -> String {
    let mut command = baton();
    command.args(["hub", "start", "--port", "0", "--data-dir"]).arg(data);
    let ended = command.output().unwrap();
    assert_eq!(ended.status.code(), Some(1), "it may be mended while a service manager tries again");
    assert_eq!(String::from_utf8_lossy(&ended.stdout), "");
    String::from_utf8(ended.stderr).unwrap()
}

#[test]
fn a_hub_does_not_start_on_a_read_only_or_full_disk_and_says_why() {
    let Some(disk) = SmallDisk::mount(64 << 20) else { return eprintln!("skipped: {NO_DISK}") };
    let mut hub = Hub::start_on_disk(Some(disk.path()), 0, &OPTIONS, &[]);
    let mut stage = Stage::of(&hub);
    hub.stop();
    disk.make_read_only();
    let said = fails_to_start(&hub.data_dir());
    assert!(said.contains("Read-only file system") && said.lines().count() == 1, "{said}");
    disk.make_writable();
    disk.fill();
    let said = fails_to_start(&hub.data_dir());
    assert!(said.lines().count() == 1, "{said}");
    disk.free();
    hub.restart();
    stage.assert_goes_on(&hub);
}

/// Without this lock (SQLite's, on byte 128) the next process to open the database cuts the WAL's index off under the hub.
#[test]
fn a_running_hub_keeps_its_lock_on_the_wal_index() {
    let hub = Hub::start();
    let index = std::fs::metadata(hub.data_dir().join("hub.db-shm")).unwrap();
    let (pid, place) = (format!(" READ {} ", hub.pid()), format!(":{} 128 128", index.ino()));
    // The list is read in pieces and may miss a line when another process locks or unlocks meanwhile. A lock that was lost
    // does not come back.
    eventually("the lock is listed", || {
        let locks = std::fs::read_to_string("/proc/locks").unwrap();
        locks.lines().any(|lock| lock.contains(&pid) && lock.ends_with(&place)).then_some(())
    });
}
