//! Runs the binary as a user would, with an end to every run: a program that hangs is stopped and fails its
//! test.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{LazyLock, mpsc};
use std::thread;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(300);

/// What a run left behind.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Ran {
    pub(super) fn lines(&self) -> Vec<serde_json::Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Panicking has its own exit code, and words.
    #[track_caller]
    pub(super) fn exited(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(!self.stderr.contains("panicked"), "{self:?}");
        self
    }
}

/// The binary under test: the one that was built with the tests, or the one that `BATON_TEST_BINARY` names, for figures
/// that only a release build can give.
pub(super) fn binary() -> &'static Path {
    static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
        let given = std::env::var_os("BATON_TEST_BINARY").filter(|path| !path.is_empty());
        given.map_or_else(|| env!("CARGO_BIN_EXE_baton").into(), PathBuf::from)
    });
    &BINARY
}

/// `baton` with these arguments and nothing on standard input.
pub(super) fn baton<I: IntoIterator<Item: AsRef<OsStr>>>(arguments: I) -> Ran {
    baton_fed(arguments, b"")
}

/// `baton` with these arguments and these bytes on standard input.
pub(super) fn baton_fed<I: IntoIterator<Item: AsRef<OsStr>>>(arguments: I, input: &[u8]) -> Ran {
    let input = input.to_vec();
    run(Command::new(binary()).args(arguments), move |stdin| stdin.write_all(&input))
}

/// Runs a command; `feed` writes its input from a thread and may meet a reader that has gone.
pub(super) fn run(
    command: &mut Command,
    feed: impl FnOnce(&mut dyn Write) -> std::io::Result<()> + Send + 'static,
) -> Ran {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut stdin, (done, ended)) = (child.stdin.take().unwrap(), mpsc::channel());
    thread::spawn(move || {
        let _ = feed(&mut stdin);
    });
    let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let outputs = [collect(stdout, done.clone()), collect(stderr, done)];
    for _ in 0..2 {
        if ended.recv_timeout(PATIENCE).is_err() {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("still running after {PATIENCE:?}: {command:?}");
        }
    }
    let code = child.wait().unwrap().code();
    let [stdout, stderr] = outputs.map(|output| String::from_utf8(output.join().unwrap()).unwrap());
    Ran { code, stdout, stderr }
}

fn collect(mut from: impl Read + Send + 'static, done: mpsc::Sender<()>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut all = Vec::new();
        from.read_to_end(&mut all).unwrap();
        let _ = done.send(());
        all
    })
}

/// The names in a folder, in order.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A packet that converts in strict mode.
pub(super) fn packet(number: usize) -> String {
    format!(
        r#"{{"protocol":"a2a","version":"0.2","event_type":"task.requested","timestamp":"2026-03-04T05:06:07Z","agent":{{"id":"agent://coordinator"}},"task":{{"id":"task-{number}","kind":"delegation"}},"attributes":{{"é😀":[1.5,-0,1e21],"a":"\u001b[31m"}}}}"#
    )
}

pub(super) fn packets(count: usize) -> String {
    (0..count).map(|number| packet(number) + "\n").collect()
}

/// Packs `count` packets into a bundle by the binary itself.
pub(super) fn bundle(folder: &Path, count: usize) -> std::path::PathBuf {
    let (events, out) = (folder.join("events.ndjson"), folder.join("bundle.tar.gz"));
    let adapted = baton_fed(["adapt", "--ndjson"], packets(count).as_bytes()).exited(0);
    std::fs::write(&events, adapted.stdout).unwrap();
    baton([OsStr::new("evidence"), "bundle".as_ref(), events.as_ref(), "-o".as_ref(), out.as_ref()])
        .exited(0);
    out
}
