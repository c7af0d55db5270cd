//! The key by which the hub knows a send again. A user's call has one of its own, so that an answer that was lost on the
//! way does not make a second task. A command of `baton work` may be started again from its beginning: there the key
//! follows from the task it works on and from the call, so that a planner that was killed receives the tasks it already sent.
//!
//! What a call sends makes its key, and equal calls are numbered in their order. So calls that run at the same time, and finish
//! in another order the next time, keep their keys.

use baton_core::hex;
use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::cli::failure::Failure;
use crate::service::send_task;

/// Names the folder in which `baton work` lets the calls of one run be counted.
pub(crate) const FOLDER: &str = "BATON_SENDS";

/// Where the key of a call comes from.
#[derive(Debug, Clone, Copy)]
pub(super) enum KeySource<'a> {
    /// Named by the caller.
    Named(&'a str),
    /// Follows from the task that the command works on.
    Derived { counted_in: &'a Path },
    /// Nobody else's.
    Random,
}

impl KeySource<'_> {
    pub(super) fn key(self, args: &send_task::Args) -> Result<String, Failure> {
        match (self, &args.parent_task_id) {
            (Self::Named(key), _) => Ok(key.to_owned()),
            (Self::Derived { counted_in }, Some(parent)) => {
                let call = digest(args).map_err(Failure::System)?;
                let position = position(counted_in, &call).map_err(|error| Failure::Write {
                    name: format!("{FOLDER} {}", counted_in.display()),
                    error,
                })?;
                Ok(hex::encode(&Sha256::digest(format!("{parent} {call} {position}"))))
            }
            (Self::Derived { .. } | Self::Random, _) => random(),
        }
    }
}

/// Everything the hub compares when a key comes again.
fn digest(args: &send_task::Args) -> io::Result<String> {
    let call = send_task::Args { wait_seconds: None, idempotency_key: None, ..args.clone() };
    Ok(hex::encode(&Sha256::digest(serde_json::to_vec(&call)?)))
}

/// How many equal calls this run has made before, counted in a file of their own.
fn position(folder: &Path, call: &str) -> io::Result<u64> {
    std::fs::create_dir_all(folder)?;
    let mut open = OpenOptions::new();
    let mut file: File =
        open.read(true).write(true).create(true).truncate(false).mode(0o600).open(folder.join(call))?;
    flock(&file, FlockOperation::LockExclusive)?;
    let mut counted = String::new();
    file.read_to_string(&mut counted)?;
    let position = match &*counted {
        "" => 0,
        count => count.parse().map_err(|_| io::Error::other("holds no number"))?,
    };
    file.rewind()?;
    write!(file, "{}", position + 1)?;
    Ok(position)
}

/// A key nobody else has.
fn random() -> Result<String, Failure> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| Failure::System(io::Error::other(error)))?;
    Ok(hex::encode(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(task: &str, parent: &str) -> send_task::Args {
        send_task::Args {
            alias: "coder".into(),
            task: task.into(),
            parent_task_id: Some(parent.into()),
            wait_seconds: Some(2),
            ..Default::default()
        }
    }

    /// The keys of a run that makes these calls.
    fn run(calls: &[send_task::Args]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let counted_in = folder.path().join("sends");
        let source = KeySource::Derived { counted_in: &counted_in };
        calls.iter().map(|call| source.key(call).unwrap()).collect()
    }

    #[test]
    fn a_run_that_begins_again_has_the_same_keys_in_whatever_order_its_calls_come() {
        let calls = [call("a", "t1"), call("b", "t1"), call("a", "t1")];
        let first = run(&calls);
        assert_eq!(run(&calls), first);
        let turned = run(&[call("a", "t1"), call("a", "t1"), call("b", "t1")]);
        assert_eq!([&turned[0], &turned[1], &turned[2]], [&first[0], &first[2], &first[1]]);
    }

    #[test]
    fn equal_calls_other_calls_and_other_tasks_have_keys_of_their_own() {
        let mut keys = run(&[call("a", "t1"), call("a", "t1"), call("b", "t1")]);
        keys.extend(run(&[call("a", "t2")]));
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn how_long_a_call_waits_is_no_part_of_its_key() {
        let patient = send_task::Args { wait_seconds: None, ..call("a", "t1") };
        assert_eq!(run(&[patient]), run(&[call("a", "t1")]));
    }

    #[test]
    fn a_named_key_counts_and_without_a_task_or_a_run_every_key_is_new() {
        let plain = send_task::Args { parent_task_id: None, ..call("a", "t1") };
        assert_eq!(KeySource::Named("mine").key(&plain).unwrap(), "mine");
        assert_ne!(KeySource::Random.key(&plain).unwrap(), KeySource::Random.key(&plain).unwrap());
        assert_ne!(run(std::slice::from_ref(&plain)), run(std::slice::from_ref(&plain)));
    }
}
