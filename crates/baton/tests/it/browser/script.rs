//! Runs a script of `tests/browser/` to its end, which comes within two minutes, and fails with all it said.

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::it::clients::stage::repository;

/// A little more than a script gives itself.
const PATIENCE: Duration = Duration::from_secs(125);

/// Runs a script that needs nothing done while it runs: what it printed.
pub(super) fn drive(script: &str, given: &Value) -> Vec<String> {
    drive_with(script, given, |asked| panic!("nobody does {asked:?} here"))
}

/// Runs a script; a line `? something` asks `does` for it and is answered when it is done.
pub(super) fn drive_with(script: &str, given: &Value, mut does: impl FnMut(&str)) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Running::start(script, given, folder.path());
    let deadline = Instant::now() + PATIENCE;
    let mut said = Vec::new();
    loop {
        match browser.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                if let Some(asked) = line.strip_prefix("? ") {
                    does(asked);
                    writeln!(browser.child.stdin.as_mut().unwrap(), "done").unwrap();
                }
                said.push(line);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                panic!("{script} is not done after {PATIENCE:?}:\n{}", said.join("\n"))
            }
        }
    }
    let status = browser.child.wait().unwrap();
    assert!(status.success(), "{script}: {status}\n{}", said.join("\n"));
    said
}

/// A script that runs, and is ended with its browser in any case here.
struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    /// The browser's profile lies in `folder` and goes with it.
    fn start(script: &str, given: &Value, folder: &Path) -> Self {
        assert_installed();
        let mut command = Command::new("node");
        command.arg(repository().join("tests/browser").join(script));
        command.env("GIVEN", given.to_string()).env("TMPDIR", folder).env("HOME", folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("node (on Debian: apt-get install nodejs)");
        let (tell, lines) = channel();
        listen(child.stdout.take().unwrap(), tell.clone());
        listen(child.stderr.take().unwrap(), tell);
        Self { child, lines }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Chromium receives the end of its pipe and ends too.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(output: impl std::io::Read + Send + 'static, tell: std::sync::mpsc::Sender<String>) {
    std::thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| tell.send(line))
    });
}

fn assert_installed() {
    let tools = repository().join("target/tools/browser/made-from");
    assert!(
        tools.exists(),
        "{} is not there: `make browser` installs playwright-core and axe-core from the npm registry, which must be \
         reachable for it",
        tools.display()
    );
    let chromium = std::env::var("BATON_CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".into());
    assert!(
        Path::new(&chromium).exists(),
        "{chromium} is not there: the browser tests need Chromium (on Debian: apt-get install chromium; elsewhere \
         name it in BATON_CHROMIUM)"
    );
}
