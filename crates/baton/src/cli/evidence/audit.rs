//! `baton evidence audit`: the whole log read and checked against its checkpoint, and against the last checkpoint
//! this machine saw. What agrees is remembered; a contradiction is reported loudly and never overwrites what was seen.

mod finding;
mod memory;
mod report;
mod walk;

use baton_evidence::log::check_consistency;
use baton_evidence::note::{Checkpoint, ORIGIN_PREFIX, VerifierKey};
use clap::Args;
use std::io::{self, Write};
use std::process::ExitCode;

use super::known_key::KnownKey;
use super::reading;
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use finding::Finding;
use memory::{Memory, Seen};
use report::{KeyFrom, Report};
use walk::{Walk, Walked};

/// What does not agree.
const DIFFERS: u8 = 1;

/// Check a network's whole log, and that it only grew since the last audit
///
/// Reads every event the newest checkpoint signs for and checks the signature, each event, the tree's root, and that
/// the log continues from the last checkpoint this machine saw; then remembers the new one in ~/.baton/checkpoints.
/// Without --key the key is the one remembered, or the hub's own on the first audit. Without an outside witness the
/// log shows consistency, not honesty. Exits with 0 in agreement, 1 if history was rewritten, truncated or forked or
/// the key changed, 2 for a usage or I/O error, 5 if the hub cannot be reached, 6 if it refuses.
#[derive(Debug, Args)]
pub(crate) struct Audit {
    #[command(flatten)]
    connection: Connection,
    /// The key the checkpoint must be signed with: name+hash+base64, or a file that holds it
    #[arg(long, value_name = "KEY")]
    key: Option<KnownKey>,
}

impl Audit {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let given = self.key.as_ref().map(KnownKey::read).transpose()?;
        block_on(async {
            let link = self.connection.open()?;
            let network = link.the_network().await?;
            let memory = Memory::open(link.client.hub(), &network)?;
            let report = Auditing { link: &link, network: &network, memory: &memory }.run(given).await?;
            self.print(&report)
        })
    }

    fn print(&self, report: &Report) -> Result<ExitCode, Failure> {
        if self.connection.is_json() {
            io::stdout().write_all(report.to_json().as_bytes()).map_err(Failure::stdout)?;
        } else if report.agrees() {
            io::stdout().write_all(report.to_string().as_bytes()).map_err(Failure::stdout)?;
        } else {
            // If stderr is gone, the exit code still says it.
            let _ = io::stderr().write_all(report.to_string().as_bytes());
        }
        Ok(if report.agrees() { ExitCode::SUCCESS } else { ExitCode::from(DIFFERS) })
    }
}

/// One audit of one log.
struct Auditing<'a> {
    link: &'a Link,
    network: &'a str,
    memory: &'a Memory,
}

/// The key to believe, and what was shown instead.
struct Keys {
    believed: VerifierKey,
    from: KeyFrom,
    shown: VerifierKey,
}

/// A checkpoint, and the key that signed it.
struct Opened {
    checkpoint: Checkpoint,
    key: VerifierKey,
}

impl Auditing<'_> {
    async fn run(&self, given: Option<VerifierKey>) -> Result<Report, Failure> {
        let client = &self.link.client;
        let seen = self.memory.seen()?;
        let shown = client.evidence_key().await?.into_value().key;
        let shown = VerifierKey::parse(&shown)
            .map_err(|error| client.unexpected_response(format!("its key cannot be read ({error})")))?;
        let note = client.checkpoint(self.network).await.map_err(reading::failed)?;
        let (keys, mut findings) = Keys::choose(given, seen.as_ref(), shown);
        let opened = self.open(&note, &keys, &mut findings);
        let mut report = Report {
            hub: client.hub().to_string(),
            network: self.network.to_owned(),
            key: keys.believed.clone(),
            key_from: keys.from,
            checkpoint: opened.as_ref().map(|opened| opened.checkpoint.clone()),
            walked: None,
            seen: seen.clone(),
            findings,
            kept: self.memory.path(),
            conflict: None,
        };
        // A note that nobody known signed proves nothing, and names no log to walk.
        let Some(Opened { checkpoint, key }) = opened else { return Ok(report) };
        let leaves = seen.as_ref().map(|seen| self.memory.leaves(seen)).transpose()?.flatten();
        let seen_size = seen.as_ref().map(|seen| seen.checkpoint.size);
        let walk = Walk::new(self.network, seen_size, leaves, self.memory.new_leaves()?);
        let (walked, new_leaves) = walk.run(self.link, checkpoint.size).await?;
        let about_keys = report.findings.len();
        report.findings.extend(walked.findings(checkpoint.size, checkpoint.root));
        if let Some(seen) = &seen {
            self.compare(seen, &checkpoint, &walked, &mut report.findings).await?;
        }
        report.walked = Some(walked);
        if report.agrees() {
            self.memory.remember(&keys.believed, &note, new_leaves)?;
        } else if let Some(seen) = &seen
            && (report.findings.len() > about_keys || key != seen.key)
        {
            // It contradicts what was seen; that somebody gave another key alone does not.
            report.conflict = Some(self.memory.keep_conflict(&key, &note)?);
        }
        Ok(report)
    }

    /// The checkpoint in a note. One that only the hub's new key signed is still looked at, to say what else differs.
    fn open(&self, note: &str, keys: &Keys, findings: &mut Vec<Finding>) -> Option<Opened> {
        let by = |key: &VerifierKey| {
            Checkpoint::open(note, key).map(|checkpoint| Opened { checkpoint, key: key.clone() })
        };
        let opened = by(&keys.believed).or_else(|error| {
            findings.push(Finding::Signature(error));
            by(&keys.shown)
        });
        let opened = opened.ok()?;
        if opened.checkpoint.origin != format!("{ORIGIN_PREFIX}{}", self.network) {
            findings.push(Finding::OtherLog { origin: opened.checkpoint.origin });
            return None;
        }
        Some(opened)
    }

    /// What does not agree with the checkpoint seen last: by the events themselves, and by the hub's own proof.
    async fn compare(
        &self,
        seen: &Seen,
        now: &Checkpoint,
        walked: &Walked,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Failure> {
        let before = &seen.checkpoint;
        let first = walked.first_difference;
        if now.size < before.size {
            findings.push(Finding::Truncated { before: before.size, now: now.size, first });
            return Ok(());
        }
        if now.size == before.size && now.root != before.root {
            let (before, now) = (before.root, now.root);
            findings.push(Finding::Forked { size: seen.checkpoint.size, before, now });
        }
        if walked.seen_root.is_some_and(|root| root != before.root) {
            findings.push(Finding::Rewritten { size: before.size, first });
        }
        if now.size == before.size {
            return Ok(());
        }
        let proof = match self.link.client.consistency(self.network, before.size, now.size).await {
            Ok(proof) => proof,
            // A log that is known to be broken may well have no proof.
            Err(_) if !findings.is_empty() => return Ok(()),
            Err(error) => return Err(reading::failed(error)),
        };
        let checked = check_consistency(before.size, &before.root, now.size, &now.root, &proof.hashes);
        if let Err(error) = checked {
            findings.push(Finding::Proof { from: before.size, to: now.size, error });
        }
        Ok(())
    }
}

impl Keys {
    /// The key you gave comes before the one remembered, and that before the one the hub shows.
    fn choose(given: Option<VerifierKey>, seen: Option<&Seen>, shown: VerifierKey) -> (Self, Vec<Finding>) {
        let mut findings = Vec::new();
        let is_given = given.is_some();
        if let (Some(given), Some(seen)) = (&given, seen)
            && *given != seen.key
        {
            findings.push(Finding::OtherKeyRemembered { remembered: seen.key.to_string() });
        }
        let known = match (given, seen) {
            (Some(given), _) => Some((given, KeyFrom::Caller)),
            (None, Some(seen)) => Some((seen.key.clone(), KeyFrom::Memory)),
            (None, None) => None,
        };
        let (believed, from) = known.unwrap_or_else(|| (shown.clone(), KeyFrom::FirstUse));
        if believed != shown {
            let (before, now) = (believed.to_string(), shown.to_string());
            findings.push(Finding::KeyChanged { before, now, is_given });
        }
        (Self { believed, from, shown }, findings)
    }
}
