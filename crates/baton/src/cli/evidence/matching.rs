//! `baton evidence match`: whether a file, or a text, is one whose salted digest the evidence of a task records. With a hub,
//! or offline with a bundle and the task's salt.

use baton_core::limits::EVIDENCE_PAGE_MAX;
use baton_core::{ArtifactHash, hex, limits};
use baton_evidence::bundle::{verify, verify_each};
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::EventLine;
use clap::Args;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::findings::GUARDRAIL;
use super::reading;
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::plain;
use crate::cli::runtime::block_on;
use crate::cli::screen::Screen;
use crate::cli::tasks::task_id;
use crate::client::evidence::PageArgs;
use crate::service::evidence::{Digested, DigestedPart, Salt};

/// No event recorded these bytes.
const NOT_RECORDED: u8 = 1;

/// Check whether the evidence of a task records a file
///
/// Computes the salted digest of the file and compares it with those in the events of the task: of its text, result and
/// reason, and of every part and artifact. Exit code 0 if one is the same, 1 if none is. With --bundle and --salt nothing
/// is asked of a hub; the salt is `evidence_salt` of `baton task show --json`.
#[derive(Debug, Args)]
pub(crate) struct Match {
    /// The file; - reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The task, by its id or the beginning of it
    #[arg(long, value_name = "TASK")]
    task: String,
    /// Read the events from this bundle
    #[arg(long, value_name = "FILE", requires = "salt")]
    bundle: Option<PathBuf>,
    /// The task's salt, in hex
    #[arg(long, value_name = "HEX", requires = "bundle")]
    salt: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Match {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let file = Fingerprint::of(&self.file)?;
        let mut seen = Seen { task: self.task.clone(), file, found: Vec::new(), same_size: Vec::new() };
        match (&self.bundle, &self.salt) {
            (Some(bundle), Some(salt)) => {
                let salt = salt_of(salt)?;
                seen.read_bundle(bundle, &salt)?;
            }
            _ => block_on(async {
                let link = self.connection.open()?;
                seen.task = task_id::find(&link, &self.task).await?;
                seen.read_hub(&link).await?;
                Ok(ExitCode::SUCCESS)
            })
            .map(drop)?,
        }
        self.print(&seen)
    }

    fn print(&self, seen: &Seen) -> Result<ExitCode, Failure> {
        let screen = Screen::stdout();
        if self.connection.is_json() {
            let place = |place: &DigestLocation| json!({"index": place.index, "event": place.event, "as": place.role});
            screen.json(&json!({
                "ok": !seen.found.is_empty(), "task_id": seen.task, "sha256": seen.file.hash.to_string(),
                "size_bytes": seen.file.size, "recorded": seen.found.iter().map(place).collect::<Vec<_>>(),
                "same_size": seen.same_size.iter().map(place).collect::<Vec<_>>(),
            }))?;
        } else {
            for place in &seen.found {
                screen.print(&format!(
                    "recorded: {place} has the salted digest and size of {}",
                    self.file.display()
                ))?;
            }
            if seen.found.is_empty() {
                screen.print(&format!(
                    "not recorded: no event of task {} has the digest of {}",
                    seen.task,
                    self.file.display()
                ))?;
            }
            for place in seen.same_size.iter().filter(|_| seen.found.is_empty()) {
                screen.print(&format!("{place} has the same size and another digest: some byte differs"))?;
            }
            screen.print(GUARDRAIL)?;
        }
        Ok(ExitCode::from(if seen.found.is_empty() { NOT_RECORDED } else { 0 }))
    }
}

fn salt_of(text: &str) -> Result<Salt, Failure> {
    let wrong = || Failure::usage("--salt must be 32 hex digits");
    let bytes = hex::decode(text).filter(|bytes| bytes.len() == 16).ok_or_else(wrong)?;
    Ok(Salt::of_row(bytes))
}

/// What is known of the file.
struct Fingerprint {
    hash: ArtifactHash,
    size: u64,
    /// The bytes, if they may be a text.
    text: Option<Vec<u8>>,
}

impl Fingerprint {
    fn of(path: &Path) -> Result<Self, Failure> {
        let read = || -> io::Result<Self> {
            match path == Path::new("-") {
                true => Self::read(io::stdin().lock()),
                false => Self::read(File::open(path)?),
            }
        };
        read().map_err(|error| Failure::Read { name: path.display().to_string(), error })
    }

    fn read(mut from: impl Read) -> io::Result<Self> {
        let (mut digest, mut size, mut text) = (Sha256::new(), 0_u64, Some(Vec::new()));
        let mut buffer = vec![0; 128 * 1024];
        loop {
            let read = from.read(&mut buffer)?;
            if read == 0 {
                let hash = ArtifactHash::new(digest.finalize().into());
                return Ok(Self { hash, size, text });
            }
            digest.update(&buffer[..read]);
            size += read as u64;
            match &mut text {
                Some(text) if size <= limits::MATCHED_TEXT_MAX_BYTES => {
                    text.extend_from_slice(&buffer[..read]);
                }
                _ => text = None,
            }
        }
    }
}

/// Where the evidence has a digest.
struct DigestLocation {
    index: u64,
    event: u64,
    role: String,
}

impl std::fmt::Display for DigestLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of event {} (log index {})", self.role, self.event, self.index)
    }
}

/// What was found in the events of the task.
struct Seen {
    task: String,
    file: Fingerprint,
    found: Vec<DigestLocation>,
    /// Parts of the same size whose digest is another.
    same_size: Vec<DigestLocation>,
}

/// What is read of an event's data.
#[derive(Deserialize)]
struct Data {
    task: Option<Task>,
    attributes: Option<Attributes>,
}

#[derive(Deserialize)]
struct Task {
    id: Option<String>,
}

#[derive(Deserialize)]
struct Attributes {
    baton: Option<Baton>,
}

#[derive(Deserialize)]
struct Baton {
    event: u64,
    content: Option<Digested>,
    result: Option<Digested>,
    reason: Option<Digested>,
    artifact: Option<Digested>,
    #[serde(default)]
    parts: Vec<DigestedPart>,
}

impl Seen {
    fn read_bundle(&mut self, bundle: &Path, salt: &Salt) -> Result<(), Failure> {
        let name = bundle.display().to_string();
        let unread = |error| Failure::Read { name: name.clone(), error };
        let mut file = File::open(bundle).map_err(unread)?;
        verify(&mut file).map_err(|error| Failure::verify(&name, error))?;
        file.rewind().map_err(unread)?;
        verify_each(&mut file, |event| self.look(event, salt))
            .map_err(|error| Failure::verify(&name, error))?;
        Ok(())
    }

    async fn read_hub(&mut self, link: &Link) -> Result<(), Failure> {
        let task = link.client.task(&self.task).await?.into_value().task;
        let salt = salt_of(&task.evidence_salt)?;
        let (network_id, task_id) = (task.network_id, self.task.clone());
        let mut after = None;
        loop {
            let args = PageArgs {
                network_id: &network_id,
                task_id: Some(&task_id),
                after,
                limit: EVIDENCE_PAGE_MAX,
            };
            let page = link.client.evidence(&args).await.map_err(reading::failed)?.into_value();
            let mut values = Writer::new();
            let before = after;
            for event in &page.events {
                let line = EventLine::read(&mut values, event.get()).map_err(|error| {
                    Failure::usage(format!("the hub's log has an entry that is not an event: {error}"))
                })?;
                after = Some(line.seq);
                self.look(&line, &salt);
            }
            if page.events.len() < EVIDENCE_PAGE_MAX || after == before {
                return Ok(());
            }
        }
    }

    /// Looks at one event.
    fn look(&mut self, line: &EventLine<'_>, salt: &Salt) {
        let Ok(data) = serde_json::from_slice::<Data>(line.data()) else { return };
        let (Some(task), Some(attributes)) = (data.task, data.attributes) else { return };
        let Some(baton) = attributes.baton.filter(|_| task.id.as_deref() == Some(&*self.task)) else {
            return;
        };
        let place =
            |role: &str| DigestLocation { index: line.seq, event: baton.event, role: plain::line(role) };
        let texts = [
            ("the content", &baton.content),
            ("the result", &baton.result),
            ("the reason", &baton.reason),
            ("the artifact", &baton.artifact),
        ];
        for (role, digested) in texts.into_iter().filter_map(|(role, text)| Some((role, text.as_ref()?))) {
            let is_same = self.file.text.as_ref().is_some_and(|text| salt.digest(text) == *digested);
            if is_same {
                self.found.push(place(role));
            }
        }
        for (number, part) in (1..).zip(&baton.parts) {
            let ours = salt.digest_hash(&self.file.hash);
            let is_same_size = part.size_bytes == self.file.size;
            let role = format!("part {number}, {},", part.media_type);
            match is_same_size && ours == part.hmac_sha256 {
                true => self.found.push(place(&role)),
                false if is_same_size => self.same_size.push(place(&role)),
                false => {}
            }
        }
    }
}
