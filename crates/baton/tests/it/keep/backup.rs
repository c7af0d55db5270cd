//! `baton hub backup`: under load, of a hub that was killed, onto a disk that is full.

use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use super::{assert_agrees, back_up, back_up_with, restore};
use crate::it::crash::try_post;
use crate::it::hostile::{NO_DISK, on_a_full_disk, on_its_own_disk};
use crate::it::http::Client;
use crate::it::hub::{ADMIN, Hub, PASSWORD, baton};
use crate::it::program::names;
use crate::it::tenant::{Tenant, claim, send, task, text};

const WRITERS: usize = 3;

/// Sends, and ends every second task, until the hub is gone. Tells what was answered: task and status.
fn write(sender: &Client, worker: &Client, alias: &str, tell: &Sender<(String, &'static str)>) {
    for number in 0.. {
        let content = format!("{number} {}", "x".repeat(4_000));
        let Some(sent) = try_post(sender, "/api/task", &json!({"alias": alias, "task": content})) else {
            return;
        };
        let task_id = text(&sent["task_id"]);
        tell.send((task_id.clone(), "delivered")).unwrap();
        if number % 2 == 0 {
            continue;
        }
        let path = format!("/api/tasks/{task_id}/reply");
        if try_post(worker, &path, &json!({"text": "done", "status": "replied"})).is_none() {
            return;
        }
        tell.send((task_id, "replied")).unwrap();
    }
}

fn next(told: &Receiver<(String, &'static str)>) -> (String, &'static str) {
    told.recv_timeout(Duration::from_secs(30)).unwrap()
}

#[test]
fn a_backup_under_load_has_all_that_was_answered_before_it_though_the_hub_is_killed_after() {
    let mut hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (tell, told) = channel();
    let agents: Vec<_> = (0..WRITERS)
        .map(|n| (network.agent(&format!("sender-{n}")), network.agent(&format!("worker-{n}"))))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("backup.tar.gz");
    let mut answered = Vec::new();
    thread::scope(|scope| {
        for (n, (sender, worker)) in agents.iter().enumerate() {
            let tell = tell.clone();
            scope.spawn(move || write(sender, worker, &format!("worker-{n}"), &tell));
        }
        answered.extend((0..150).map(|_| next(&told)));
        let ran = back_up(&hub.data_dir(), &file).exited(0);
        assert!(ran.stdout.contains("the key that signs this hub's evidence"), "{ran:?}");
        hub.kill9();
    });
    assert_eq!(names(folder.path()), ["backup.tar.gz"]);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);

    let restored = Hub::start_on(|into| {
        let said = restore(&file, into).exited(0).stdout;
        assert!(said.contains("the logs of evidence end there"), "{said}");
        assert!(!assert_agrees(into).contains(" 0 log events"));
        assert_eq!(names(into), ["evidence.key", "hub.db", "hub.lock"]);
    });
    let reader = restored.login(ADMIN, PASSWORD);
    for (task_id, status) in &answered {
        let row = task(&reader, task_id);
        assert!(row["status"] == *status || *status == "delivered", "{task_id}: {row}");
    }
    // And it continues: the tokens are those of then.
    let worker = Client::new(restored.address()).with_token(agents[0].1.token.as_deref().unwrap());
    assert!(claim(&worker, 0, 60)["task"].is_object());
    drop(told);
    hub.restart();
}

#[test]
fn writes_go_on_while_a_backup_is_made() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (sender, _worker) = (network.agent("sender"), network.agent("worker"));
    let large = "x".repeat(9_000);
    for _ in 0..60 {
        send(&sender, "worker", &large);
    }
    let folder = tempfile::tempdir().unwrap();
    let data = hub.data_dir();
    thread::scope(|scope| {
        let copies = scope.spawn(|| {
            for n in 0..5 {
                back_up(&data, &folder.path().join(format!("{n}.tar.gz"))).exited(0);
            }
        });
        let mut sent = 0;
        while !copies.is_finished() {
            send(&sender, "worker", &large);
            sent += 1;
        }
        assert!(sent > 5, "only {sent} sends while five backups were made");
        copies.join().unwrap();
    });
}

#[test]
fn a_folder_without_a_hub_is_backed_up_also_after_a_kill() {
    let mut hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (lead, _coder) = (network.agent("lead"), network.agent("coder"));
    let sent: Vec<_> = (0..20).map(|n| send(&lead, "coder", &format!("task {n}"))).collect();
    hub.kill9();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("backup");
    back_up(&hub.data_dir(), &file).exited(0);

    // Never over another file without --force.
    let before = std::fs::read(&file).unwrap();
    let ran = back_up(&hub.data_dir(), &file).exited(2);
    assert!(ran.stderr.contains("--force"), "{ran:?}");
    assert!(std::fs::read(&file).unwrap() == before);
    back_up_with(&hub.data_dir(), &file, &["--force"]).exited(0);
    assert_eq!(names(folder.path()), ["backup"]);

    let restored = Hub::start_on(|into| drop(restore(&file, into).exited(0)));
    let reader = restored.login(ADMIN, PASSWORD);
    for task_id in sent {
        assert_eq!(task(&reader, &task_id)["status"], "delivered");
    }
    hub.restart();
}

#[test]
fn a_folder_in_which_no_hub_ever_lived_has_no_backup() {
    let folder = tempfile::tempdir().unwrap();
    let (empty, file) = (folder.path().join("empty"), folder.path().join("backup"));
    std::fs::create_dir(&empty).unwrap();
    let ran =
        baton().args(["hub", "backup", "--data-dir"]).arg(&empty).arg("-o").arg(&file).output().unwrap();
    let error = String::from_utf8(ran.stderr).unwrap();
    assert!(ran.status.code() == Some(2) && error.contains("there is no hub in it"), "{error}");
    assert_eq!(names(folder.path()), ["empty"]);
    assert!(names(&empty).is_empty());
}

#[test]
fn a_backup_onto_a_full_disk_says_so_leaves_no_file_and_the_hub_goes_on() {
    let mut hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (lead, _coder) = (network.agent("lead"), network.agent("coder"));
    send(&lead, "coder", "before");
    assert!(hub.stop().success());
    let (data, beside) = (hub.data_dir(), tempfile::tempdir().unwrap());
    let (data, good) = (data.to_str().unwrap(), beside.path().join("good"));

    let out = beside.path().join("out");
    let arguments = ["hub", "backup", "--data-dir", data, "-o", out.to_str().unwrap()];
    let arguments: Vec<_> = arguments.iter().map(std::ffi::OsStr::new).collect();
    let ran = on_a_full_disk(128, &arguments, "").exited(2);
    assert!(ran.stderr.starts_with("baton: cannot copy the database: "), "{ran:?}");
    assert!(names(beside.path()).is_empty(), "{:?}", names(beside.path()));

    // A hub that runs is asked for the copy; its disk has room, the other has not.
    let script = format!(
        "\"$2\" hub start --port 0 --data-dir {data} >/dev/null 2>&1 &
         until \"$2\" hub status --data-dir {data} >/dev/null; do :; done
         \"$2\" hub backup --data-dir {data} -o \"$1/out\"; code=$?
         ls -A \"$1\"
         \"$2\" hub backup --data-dir {data} -o {good} >/dev/null || echo the hub is gone
         \"$2\" hub stop --data-dir {data} >/dev/null || echo the hub is gone
         exit $code",
        good = good.to_str().unwrap()
    );
    let Some(ran) = on_its_own_disk("size=64k", &script, "") else {
        eprintln!("{NO_DISK}");
        return hub.restart();
    };
    let ran = ran.exited(2);
    assert!(ran.stderr.contains("the database was not copied: database or disk is full"), "{ran:?}");
    assert_eq!(ran.stdout, "", "no file is left, and the hub is still there");
    let into = beside.path().join("restored");
    restore(&good, &into).exited(0);
    assert_agrees(&into);
    hub.restart();
}
