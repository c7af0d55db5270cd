//! A wall clock that jumps two days ahead under a running hub, and back, or stands earlier after a restart: nothing that has
//! time left is lost, and nothing that has ended comes back.

use serde_json::json;
use std::path::{Path, PathBuf};

use crate::it::http::Client;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::shim;
use crate::it::tenant::{Tenant, act, claim, refused, send, send_with, succeed, task, text};
use crate::it::work::worker::eventually;

/// Shifts the wall clock of one process by the seconds in a file, read at every look; monotonic time stays.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *now) {
    int failed = (int)syscall(SYS_clock_gettime, id, now);
    if (failed || id != CLOCK_REALTIME) return failed;
    char text[32];
    int file = open(getenv("SHIFT_FILE"), O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length > 0) { text[length] = 0; now->tv_sec += atol(text); }
    return 0;
}
"#;
const TWO_DAYS: i64 = 2 * 86_400;

struct Clock {
    library: PathBuf,
    file: PathBuf,
}

impl Clock {
    fn make(folder: &Path) -> Self {
        let clock = Self { library: shim::make(folder, "clock", SHIM), file: folder.join("shift") };
        clock.set(0);
        clock
    }

    /// So many seconds off from now on.
    fn set(&self, seconds: i64) {
        let new = self.file.with_extension("new");
        std::fs::write(&new, seconds.to_string()).unwrap();
        std::fs::rename(new, &self.file).unwrap(); // nobody reads half of it
    }

    fn environment(&self) -> [(&str, &str); 2] {
        [("LD_PRELOAD", self.library.to_str().unwrap()), ("SHIFT_FILE", self.file.to_str().unwrap())]
    }
}

fn is_expired(reader: &Client, id: &str) -> Option<()> {
    (task(reader, id)["status"] == "expired").then_some(())
}

/// Waits for a round of the sweep: one that came before is over, because the short task can only be ended by a later one.
fn let_rounds_pass(sender: &Client) {
    let short = send_with(sender, &json!({"alias": "worker", "task": "short", "ttl_seconds": 1}));
    eventually("what was sent now expires by the clock", || is_expired(sender, &short));
}

#[test]
fn a_clock_that_jumps_days_ahead_is_logged_and_expires_nothing_that_has_time_left() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::make(folder.path());
    let options = ["--username", ADMIN, "--password", PASSWORD];
    let mut hub = Hub::start_with_env(&options, &clock.environment());
    let tenant = Tenant::of_admin(&hub);
    let (sender, _worker) = (tenant.agent("sender"), tenant.agent("worker"));
    let waiting = send(&sender, "worker", "an hour to live");
    let path = format!("/api/networks/{}/invite", tenant.network_id);
    let invite = json!({"role": "member", "max_uses": 1, "expires_days": 1});
    let invite = succeed(&tenant.user.post(&path, &invite));

    clock.set(TWO_DAYS);
    let_rounds_pass(&sender);
    assert!(hub.log().contains("the clock jumped ahead"), "{}", hub.log());
    assert_eq!(hub.log().matches("the clock jumped ahead").count(), 1, "{}", hub.log());
    assert_eq!(task(&tenant.user, &waiting)["status"], "delivered", "it has most of its hour left");
    let (guest, _) = hub.register("guest");
    succeed(&guest.post("/api/networks/join", &json!({"invite_code": text(&invite["invite_code"])})));

    clock.set(0);
    let_rounds_pass(&sender);
    assert_eq!(hub.log().matches("the clock jumped back").count(), 1, "{}", hub.log());
    assert_eq!(task(&tenant.user, &waiting)["status"], "delivered");
    // From the next start on the clock counts as it stands.
    clock.set(TWO_DAYS);
    hub.restart();
    eventually("it expires by the clock of the new start", || is_expired(&tenant.user, &waiting));
}

#[test]
fn a_clock_that_stands_earlier_after_a_restart_neither_expires_nor_revives_a_task() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::make(folder.path());
    clock.set(TWO_DAYS);
    let options = ["--username", ADMIN, "--password", PASSWORD];
    let mut hub = Hub::start_with_env(&options, &clock.environment());
    let tenant = Tenant::of_admin(&hub);
    let (sender, worker) = (tenant.agent("sender"), tenant.agent("worker"));
    let done = send(&sender, "worker", "done");
    let lease = claim(&worker, 0, 600);
    succeed(&act(&worker, &done, "reply", &json!({"text": "42", "lease_id": lease["lease_id"]})));
    let overdue = send_with(&sender, &json!({"alias": "worker", "task": "overdue", "ttl_seconds": 1}));
    eventually("it expires", || is_expired(&sender, &overdue));
    let leased = send(&sender, "worker", "in work");
    let lease = claim(&worker, 0, 600);
    assert_eq!(text(&lease["task"]["task_id"]), leased);
    let waiting = send(&sender, "worker", "an hour to live");
    let rows = || [&done, &overdue, &leased, &waiting].map(|id| task(&tenant.user, id));
    let before = rows();

    // Two days earlier than everything that is written.
    hub.kill9();
    clock.set(0);
    hub.restart();
    let_rounds_pass(&sender);
    for (before, after) in before.iter().zip(rows()) {
        for field in ["status", "result", "attempt", "completed_at", "expires_at"] {
            assert_eq!(before[field], after[field], "{field} of {before}");
        }
    }
    refused(&act(&worker, &done, "reply", &json!({"text": "again"})), 409, "reply_task_terminal");
    let extended = worker
        .post(&format!("/api/leases/{}/extend", text(&lease["lease_id"])), &json!({"lease_seconds": 600}));
    succeed(&extended);
    succeed(&act(&worker, &leased, "reply", &json!({"text": "42", "lease_id": lease["lease_id"]})));
    let next = claim(&worker, 0, 600);
    assert_eq!(text(&next["task"]["task_id"]), waiting, "neither what is done nor what is overdue");
    succeed(&act(&worker, &waiting, "reply", &json!({"text": "42", "lease_id": next["lease_id"]})));
}
