//! A client in another language: a script that reads a message to send from each line and prints what came of it.

use serde::Deserialize;
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use super::conversation::{Refused, Seen, Sender};
use super::stage::Stage;
use super::steps::Names;
use crate::it::work::worker::PATIENCE;

/// The script, and what it prints.
pub(super) struct Script {
    child: Child,
    orders: ChildStdin,
    lines: Receiver<String>,
    names: &'static Names,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Seen(Seen),
    Refused(Refused),
}

impl Script {
    pub(super) fn start(mut command: Command, names: &'static Names, stage: &Stage, binding: &str) -> Self {
        stage.describe(&mut command, binding);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (orders, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let (tell, lines) = channel();
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
        Self { child, orders, lines, names }
    }

    /// Has the client send a message, by a stream or not.
    fn order(&mut self, text: &str, task: Option<&str>, watch: bool) -> Result<Seen, Refused> {
        let order = json!({"text": text, "task": task.unwrap_or_default(), "watch": watch});
        writeln!(self.orders, "{order}").unwrap();
        let line = self.lines.recv_timeout(PATIENCE);
        let line = line.unwrap_or_else(|error| panic!("the client printed nothing for {order}: {error}"));
        match serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line}")) {
            Line::Seen(seen) => Ok(seen),
            Line::Refused(refused) => Err(refused),
        }
    }
}

impl Sender for Script {
    fn not_an_option(&self) -> &'static str {
        self.names.invalid_params
    }

    fn send(&mut self, text: &str, task: Option<&str>) -> Result<Seen, Refused> {
        self.order(text, task, false)
    }

    fn watch(&mut self, text: &str, task: Option<&str>) -> Result<Seen, Refused> {
        self.order(text, task, true)
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
