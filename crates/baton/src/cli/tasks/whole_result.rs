//! The result of a task, whole: one that is too long for a reply is an artifact of it, and is fetched. What cannot be fetched
//! is an error: a beginning is never taken for the whole.

use std::io::{self, Write};

use crate::cli::failure::Failure;
use crate::cli::plain;
use crate::cli::screen::{Screen, note};
use crate::cli::tasks::Away;
use crate::cli::transfer::{Download, WHOLE_RESULT};
use crate::client::Client;
use crate::client::artifacts::Artifact;
use crate::client::tasks::Task;

/// Prints the result of a task that has one, and names the other artifacts of its reply on stderr.
pub(super) async fn print(client: &Client, task: &Task, is_quiet: bool) -> Result<(), Failure> {
    let Some(result) = &task.result else { return Ok(()) };
    let (screen, whole) = (Screen::stdout(), task.artifacts.iter().find(|artifact| is_whole(artifact)));
    match whole {
        Some(artifact) => fetch(client, task, artifact, screen.is_terminal()).await?,
        None if result.is_empty() => {}
        None => screen.content(result)?,
    }
    for artifact in task.artifacts.iter().filter(|artifact| artifact.is_of_reply() && !is_quiet) {
        if !is_whole(artifact) {
            let Artifact { sha256, name, size, .. } = artifact;
            note(&format!("artifact {name} ({size} bytes): baton artifact get {sha256} -o {name}"));
        }
    }
    Ok(())
}

fn is_whole(artifact: &Artifact) -> bool {
    artifact.is_of_reply() && artifact.description.as_deref() == Some(WHOLE_RESULT)
}

async fn fetch(client: &Client, task: &Task, artifact: &Artifact, is_terminal: bool) -> Result<(), Failure> {
    let download = Download::new(client, Some(&task.network_id), &artifact.sha256);
    let mut output = Output { is_terminal };
    let written = download.write_to(&mut output, &mut Away::default()).await;
    written.map(drop).map_err(|error| error.of("the whole result"))
}

/// Standard output: bytes as they are into a file or a pipe, made harmless for a terminal.
struct Output {
    is_terminal: bool,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.is_terminal {
            true => io::stdout().write_all(plain::block(&String::from_utf8_lossy(bytes)).as_bytes())?,
            false => io::stdout().write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}
