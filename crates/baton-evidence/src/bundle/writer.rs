//! Packs events into a bundle. Events are restamped, compressed and spooled as they come, because the manifest, which
//! stands first, needs their hashes; then the manifest is put in front of the spool. Memory does not grow with the
//! count, and how large the bundle has become is known at every event. The same events give the same bytes.

use crate::limits::BUNDLE_OTHER_MAX_BYTES;
use sha2::{Digest as _, Sha256};
use std::io::{self, Read, Seek, Write};

use super::manifest::Manifest;
use super::refusal::{Code, Place, Refusal};
use super::spool::Spool;
use super::{EVENTS, MANIFEST, archive, limits};
use crate::canonical::{self, Writer};
use crate::digest::{Digest, RunRoot};
use crate::event_line::{EventLine, Stamp};

/// A line, its line feed, and what deflate adds to bytes that it cannot compress.
const LINE_MAX_BYTES: u64 = limits::LINE_BYTES as u64 + (16 << 10);

/// A bundle being put together.
#[derive(Debug)]
pub struct BundleWriter<S: Write> {
    spool: Spool<S>,
    line: Writer,
    run: Option<Run>,
    file_hash: Sha256,
    run_root: RunRoot,
    bytes: u64,
    count: u64,
    run_id: Option<String>,
}

/// What the first event settles for all.
#[derive(Debug)]
struct Run {
    id: String,
    source: String,
}

/// What was packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// The run id all events carry now.
    pub run_id: String,
    /// How many events.
    pub event_count: u64,
    /// Their run root.
    pub run_root: Digest,
}

/// Why a bundle was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// An event that has no place in this bundle.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The spool or the bundle could not be written.
    #[error("the bundle cannot be written: {0}")]
    Io(#[from] io::Error),
}

impl<S: Read + Write + Seek> BundleWriter<S> {
    /// A bundle whose events wait in `spool`, an empty file. Without a run id one is made from the first event,
    /// so that the same events make the same bundle.
    pub fn new(spool: S, run_id: Option<String>) -> Result<Self, WriteError> {
        if run_id.as_ref().is_some_and(|id| id.is_empty() || id.contains(':')) {
            return Err(refuse(Code::InvalidEvent, 0, "a run id is not empty and has no colon").into());
        }
        Ok(Self {
            spool: Spool::new(spool),
            line: Writer::new(),
            run: None,
            file_hash: Sha256::new(),
            run_root: RunRoot::default(),
            bytes: 0,
            count: 0,
            run_id,
        })
    }

    /// Whether another event of at most [`limits::LINE_BYTES`] fits into what readers accept, whatever is in it.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.count < limits::EVENTS
            && self.bytes + LINE_MAX_BYTES <= limits::EVENTS_BYTES
            && self.spool.packed_max_bytes() + LINE_MAX_BYTES + BUNDLE_OTHER_MAX_BYTES <= limits::PACKED_BYTES
    }

    /// Adds the next event under this run's numbers. Its content, and so its content hash, stays as it is.
    pub fn add(&mut self, event: &EventLine<'_>) -> Result<(), WriteError> {
        let content_hash = event.compute_content_hash();
        self.check(event, &content_hash)?;
        let run = self.run.get_or_insert_with(|| Run {
            id: self.run_id.take().unwrap_or_else(|| format!("run-{}", &content_hash.hex()[..16])),
            source: event.source.clone().into_owned(),
        });
        if event.source != run.source {
            return Err(
                refuse(Code::InvalidEvent, self.count, "the source is not that of the first event").into()
            );
        }
        self.line.clear();
        event.write_restamped(&mut self.line, Stamp { run_id: &run.id, seq: self.count }, &content_hash);
        if self.line.bytes().len() > limits::LINE_BYTES {
            let message = format!("longer than {} bytes", limits::LINE_BYTES);
            return Err(refuse(Code::LineBytes, self.count, &message).into());
        }
        self.line.canonical(b"\n");
        self.bytes += self.line.bytes().len() as u64;
        if self.bytes > limits::EVENTS_BYTES {
            let message = format!("more than {} bytes of events", limits::EVENTS_BYTES);
            return Err(refuse(Code::FileBytes, self.count, &message).into());
        }
        self.spool.write_all(self.line.bytes())?;
        self.file_hash.update(self.line.bytes());
        self.run_root.add(&content_hash);
        self.count += 1;
        Ok(())
    }

    fn check(&self, event: &EventLine<'_>, content_hash: &Digest) -> Result<(), Refusal> {
        let refuse = |code, message: &str| Err(refuse(code, self.count, message));
        if self.count == limits::EVENTS {
            return refuse(Code::Events, &format!("more than {} events", limits::EVENTS));
        }
        if event.specversion != crate::event::SPEC_VERSION {
            return refuse(Code::SchemaVersion, "specversion is not 1.0");
        }
        if event.content_hash.as_ref().is_some_and(|claimed| *claimed != content_hash.tagged().as_str()) {
            return refuse(Code::EventHash, "the content hash is not that of the content");
        }
        if !event.source.contains(':') || event.source.starts_with(':') {
            return refuse(Code::InvalidEvent, "the source is not a URI");
        }
        Ok(())
    }

    /// Packs what was added into `out`.
    pub fn finish<W: Write>(self, out: W) -> Result<(Packed, W), WriteError> {
        let Some(run) = self.run else {
            return Err(Refusal::new(Code::InvalidEvent, Place::Events, "there are no events").into());
        };
        let run_root = self.run_root.finish();
        let manifest =
            Manifest::new(run.id.clone(), self.count, &run_root, &self.file_hash.into(), self.bytes);
        let manifest = canonical::to_vec(&manifest).map_err(io::Error::other)?;

        let mut head = Vec::new();
        archive::write_header(&mut head, MANIFEST, manifest.len() as u64)?;
        head.extend_from_slice(&manifest);
        archive::write_padding(&mut head, manifest.len() as u64)?;
        archive::write_header(&mut head, EVENTS, self.bytes)?;
        let mut spool = self.spool;
        archive::write_padding(&mut spool, self.bytes)?;
        archive::write_end(&mut spool)?;
        let mut out = Bounded { out, left: limits::PACKED_BYTES };
        spool.finish(&head, &mut out)?;
        let Bounded { mut out, .. } = out;
        out.flush()?;
        Ok((Packed { run_id: run.id, event_count: self.count, run_root }, out))
    }
}

/// A refusal of the event with this number, from 0.
fn refuse(code: Code, number: u64, message: &str) -> Refusal {
    Refusal::new(code, Place::Line(number + 1), message)
}

/// Stops a bundle that no reader would take.
#[derive(Debug)]
struct Bounded<W> {
    out: W,
    left: u64,
}

impl<W: Write> Write for Bounded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            io::Error::new(io::ErrorKind::FileTooLarge, format!("over {} bytes packed", limits::PACKED_BYTES))
        })?;
        Ok(count)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
