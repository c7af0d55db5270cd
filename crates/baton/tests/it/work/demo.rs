//! `baton demo`, as a newcomer runs it.

use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use super::worker::{eventually, is_running};
use crate::it::hub::baton;

/// Processes that have this text in their environment or arguments.
fn processes_of(folder: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for process in std::fs::read_dir("/proc").unwrap().map_while(Result::ok) {
        let Some(pid) = process.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let read = |name: &str| std::fs::read(process.path().join(name)).unwrap_or_default();
        let all = [read("environ"), read("cmdline")].concat();
        if String::from_utf8_lossy(&all).contains(folder) && is_running(pid) {
            found.push(pid);
        }
    }
    found
}

fn start(temporary: &std::path::Path) -> Child {
    let mut command = baton();
    command.arg("demo").env("TMPDIR", temporary).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
fn the_demo_tells_its_story_and_leaves_nothing_behind() {
    let temporary = tempfile::tempdir().unwrap();
    let output = start(temporary.path()).wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    println!("{said}");
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    for words in [
        "planner     → coder: write: a health check  (delegation)",
        "reviewer    → planner: looks fine to me",
        "its command and both children are gone",
        "kill -9",
        "done, at attempt 2",
        "cancelled",
        "$ baton evidence export -o evidence.tar.gz",
        "$ baton evidence verify evidence.tar.gz --key KEY",
        "observed by the hub: 20 events, a handoff visible on 2",
        "the adapter makes the same event of each kept packet",
        "none of them means that",
    ] {
        assert!(said.contains(words), "{words:?} in:\n{said}");
    }
    // What it says to type next works in a shell that does not have it on its PATH.
    let next = format!("   {} hub start\n", baton().get_program().display());
    assert!(said.contains(&next), "{next:?} in:\n{said}");
    assert_eq!(temporary.path().read_dir().unwrap().count(), 0, "files left behind");
    eventually("the end of all processes", || {
        processes_of(temporary.path().to_str().unwrap()).is_empty().then_some(())
    });
}

#[test]
fn ctrl_c_and_kill_9_end_the_demo_with_everything_it_started() {
    for signal in [Signal::INT, Signal::KILL] {
        let temporary = tempfile::tempdir().unwrap();
        let mut demo = start(temporary.path());
        let mut lines = BufReader::new(demo.stdout.take().unwrap()).lines().map_while(Result::ok);
        lines.find(|line| line.contains("runs it, with two child processes")).unwrap();
        assert!(processes_of(temporary.path().to_str().unwrap()).len() >= 5);
        kill_process(Pid::from_child(&demo), signal).unwrap();
        let status = demo.wait().unwrap();
        if signal == Signal::INT {
            assert_eq!(status.code(), Some(130));
            assert_eq!(temporary.path().read_dir().unwrap().count(), 0, "files left behind");
        }
        eventually("the end of all processes", || {
            processes_of(temporary.path().to_str().unwrap()).is_empty().then_some(())
        });
    }
}
