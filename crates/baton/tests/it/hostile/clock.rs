//! A wall clock that jumps two days ahead under a running hub, and back: nothing that has time left is lost.

use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, send, send_with, succeed, task, text};
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
        let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
        std::fs::write(&source, SHIM).unwrap();
        let made = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
        assert!(made.unwrap().success());
        let clock = Self { library, file: folder.join("shift") };
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

    // A round that came before the next is over: the short task can only be ended by a later one.
    let expired = |id: &str| (task(&tenant.user, id)["status"] == "expired").then_some(());
    let let_rounds_pass = || {
        let short = send_with(&sender, &json!({"alias": "worker", "task": "short", "ttl_seconds": 1}));
        eventually("what was sent after the jump expires by the clock", || expired(&short));
    };
    clock.set(TWO_DAYS);
    let_rounds_pass();
    assert!(hub.log().contains("the clock jumped ahead"), "{}", hub.log());
    assert_eq!(hub.log().matches("the clock jumped ahead").count(), 1, "{}", hub.log());
    assert_eq!(task(&tenant.user, &waiting)["status"], "delivered", "it has most of its hour left");
    let (guest, _) = hub.register("guest");
    succeed(&guest.post("/api/networks/join", &json!({"invite_code": text(&invite["invite_code"])})));

    clock.set(0);
    let_rounds_pass();
    assert_eq!(hub.log().matches("the clock jumped back").count(), 1, "{}", hub.log());
    assert_eq!(task(&tenant.user, &waiting)["status"], "delivered");
    // From the next start on the clock counts as it stands.
    clock.set(TWO_DAYS);
    hub.restart();
    eventually("it expires by the clock of the new start", || expired(&waiting));
}
