//! Another time of day for one hub: a few lines of C, loaded before the C library, that shift the wall clock it reads.
//! Monotonic time stays. So that weeks pass in a test, on the real binary, without a switch for it in the hub.

use std::path::{Path, PathBuf};
use std::process::Command;

const SHIM: &str = r#"
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *now) {
    int failed = (int)syscall(SYS_clock_gettime, id, now);
    const char *shift = getenv("SHIFTED_SECONDS");
    if (!failed && id == CLOCK_REALTIME && shift) now->tv_sec += atol(shift);
    return failed;
}
"#;

/// A shifted clock, in a folder.
pub(super) struct Clock {
    library: PathBuf,
}

impl Clock {
    pub(super) fn make(folder: &Path) -> Self {
        let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
        std::fs::write(&source, SHIM).unwrap();
        let made = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
        assert!(made.unwrap().success());
        Self { library }
    }

    /// The environment of a hub that lives this many days ago.
    pub(super) fn days_ago(&self, days: i64) -> [(&'static str, String); 2] {
        let seconds = (-days * 86_400).to_string();
        [("LD_PRELOAD", self.library.to_str().unwrap().to_owned()), ("SHIFTED_SECONDS", seconds)]
    }
}
