//! The guard: a small process beside the worker that knows which process groups the worker has started. When the
//! worker is gone, however it went (`kill -9` too), the guard ends the groups that are left and goes as well.
//!
//! It is notified of groups over a pipe, one line each, `+N` started and `-N` ended; the end of the pipe is the end of the
//! worker. It has a process group of its own, so that Ctrl-C in a terminal reaches the worker.

use baton_core::limits;
use clap::Args;
use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::group::Group;
use crate::cli::failure::Failure;

/// The worker's end.
#[derive(Debug, Clone)]
pub(crate) struct Guard(Arc<Mutex<GuardProcess>>);

#[derive(Debug)]
struct GuardProcess {
    process: Child,
    pipe: Option<ChildStdin>,
}

/// A group that is guarded as long as this lives.
#[derive(Debug)]
pub(crate) struct GuardedGroup {
    guard: Guard,
    group: Group,
}

impl Guard {
    /// Starts the guard from this same binary.
    pub(crate) fn start(grace: Duration) -> io::Result<Self> {
        use std::os::unix::process::CommandExt;
        let mut process = Command::new(std::env::current_exe()?)
            .args(["guard", "--grace-ms", &grace.as_millis().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()?;
        let pipe = process.stdin.take();
        Ok(Self(Arc::new(Mutex::new(GuardProcess { process, pipe }))))
    }

    /// From here on the group ends with the worker.
    pub(crate) fn watch(&self, group: Group) -> GuardedGroup {
        self.notify('+', group);
        GuardedGroup { guard: self.clone(), group }
    }

    fn notify(&self, sign: char, group: Group) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = format!("{sign}{}\n", group.number());
        let done = told.pipe.as_mut().map(|pipe| pipe.write_all(line.as_bytes()));
        if let Some(Err(error)) = done {
            tracing::warn!(%error, "the guard is gone: commands may outlive a worker that is killed");
            told.pipe = None;
        }
    }
}

impl Drop for GuardedGroup {
    fn drop(&mut self) {
        self.guard.notify('-', self.group);
    }
}

impl Drop for GuardProcess {
    fn drop(&mut self) {
        self.pipe = None; // the guard ends with its pipe
        let _ = self.process.wait();
    }
}

/// Ends the process groups of a worker that has died. Started by `baton work`.
#[derive(Debug, Args)]
pub(crate) struct RunGuard {
    /// Between TERM and KILL
    #[arg(long, value_name = "MS", default_value_t = limits::WORK_GRACE_DEFAULT_SECONDS * 1_000)]
    grace_ms: u64,
}

impl RunGuard {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let left = groups_left(io::stdin().lock());
        if left.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|error| Failure::Read { name: "the clock".into(), error })?;
        let grace = Duration::from_millis(self.grace_ms);
        runtime.block_on(async {
            let ends = left.into_iter().map(|group| group.end(grace));
            futures_util::future::join_all(ends).await;
        });
        Ok(ExitCode::SUCCESS)
    }
}

/// Listens until the worker is gone: the groups it had not seen the end of.
fn groups_left(told: impl BufRead) -> HashSet<Group> {
    let mut groups = HashSet::new();
    for line in told.lines().map_while(Result::ok) {
        let number = line.get(1..).and_then(|number| number.parse().ok());
        let Some(group) = number.and_then(Group::led_by) else { continue };
        match line.as_bytes()[0] {
            b'+' => groups.insert(group),
            _ => groups.remove(&group),
        };
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_were_not_seen_to_end_are_left() {
        let left = groups_left("+12\n+34\n-12\nnonsense\n\n+0\n+56\n".as_bytes());
        let numbers: HashSet<i32> = left.into_iter().map(Group::number).collect();
        assert_eq!(numbers, HashSet::from([34, 56]));
    }
}
