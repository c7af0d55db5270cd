//! Checks a bundle in one pass over its stream. What is checked is that the bytes agree with each other:
//! hashes, numbers, order, shape. Whether what the events say is so, no bundle can show.

use flate2::bufread::GzDecoder;
use sha2::{Digest as _, Sha256};
use std::io::{self, BufReader, Read};

use super::archive::{self, File};
use super::manifest::{Manifest, SCHEMA_VERSION};
use super::meter::{Reason, Source, Stop, Unpacked};
use super::refusal::{Code, Place, Refusal};
use super::{EVENTS, limits};
use crate::canonical::{self, TextError, Violation, Writer};
use crate::digest::{Digest, RunRoot};
use crate::event::SPEC_VERSION;
use crate::event_line::{EventLine, LineError, STRICTNESS};
use crate::lines::{Line, Lines};

/// A bundle whose bytes agree with each other.
#[derive(Debug, Clone)]
pub struct Checked {
    /// Its manifest.
    pub manifest: Manifest,
    /// How many events it holds.
    pub event_count: u64,
    /// The run root, computed.
    pub run_root: Digest,
}

/// Why there is no [`Checked`] bundle.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The bundle breaks a rule.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The bundle could not be read; nothing was learnt about it.
    #[error("the bundle cannot be read: {0}")]
    Unreadable(io::Error),
}

/// Checks a bundle.
pub fn verify(bundle: impl Read) -> Result<Checked, VerifyError> {
    verify_each(bundle, |_| {})
}

/// Checks a bundle and shows each event as it passes. Nothing shown counts unless the whole is accepted.
pub fn verify_each(bundle: impl Read, each: impl FnMut(&EventLine<'_>)) -> Result<Checked, VerifyError> {
    let stop = Stop::default();
    check_stream(bundle, &stop, each).map_err(|trouble| match (stop.reason(), trouble) {
        (Some(Reason::Source(kind)), VerifyFailure::Refused(_)) => VerifyError::Unreadable(kind.into()),
        (Some(Reason::Source(_)), VerifyFailure::Io(error, _)) => VerifyError::Unreadable(error),
        (Some(reason), trouble) => stopped(reason, trouble.place()).into(),
        (None, VerifyFailure::Refused(refusal)) => refusal.into(),
        (None, VerifyFailure::Io(_, place)) => {
            Refusal::new(Code::Tar, place, "not a complete tar archive").into()
        }
    })
}

fn stopped(reason: Reason, place: Place) -> Refusal {
    let over = |code, bound, how| Refusal::new(code, place, format!("more than {bound} bytes {how}"));
    match reason {
        Reason::PackedBytes => over(Code::PackedBytes, limits::PACKED_BYTES, "packed"),
        Reason::UnpackedBytes => over(Code::UnpackedBytes, limits::UNPACKED_BYTES, "unpacked"),
        Reason::Gzip | Reason::Source(_) => Refusal::new(Code::Gzip, place, "not a whole gzip member"),
    }
}

/// What went wrong inside. An I/O error is the archive's fault unless the meter knows better.
enum VerifyFailure {
    Refused(Refusal),
    Io(io::Error, Place),
}

impl VerifyFailure {
    fn io(place: Place) -> impl Fn(io::Error) -> Self {
        move |error| Self::Io(error, place)
    }

    fn place(&self) -> Place {
        match self {
            Self::Refused(refusal) => refusal.place,
            Self::Io(_, place) => *place,
        }
    }
}

impl From<Refusal> for VerifyFailure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

fn check_stream(
    bundle: impl Read,
    stop: &Stop,
    each: impl FnMut(&EventLine<'_>),
) -> Result<Checked, VerifyFailure> {
    let source = Source::new(BufReader::with_capacity(64 << 10, bundle), limits::PACKED_BYTES, stop.clone());
    let unpacked = Unpacked::new(GzDecoder::new(source), limits::UNPACKED_BYTES, stop.clone());
    let mut archive = tar::Archive::new(unpacked);
    let (checked, end) = check_members(&mut archive, each)?;
    check_end(archive.into_inner(), end)?;
    Ok(checked)
}

fn check_members<R: Read>(
    archive: &mut tar::Archive<R>,
    mut each: impl FnMut(&EventLine<'_>),
) -> Result<(Checked, u64), VerifyFailure> {
    let mut end = 0;
    let mut manifest: Option<Manifest> = None;
    let mut checked: Option<Checked> = None;
    // Raw: no PAX or GNU record is applied, every member is what its own header says.
    let members = archive.entries().map_err(VerifyFailure::io(Place::Bundle))?.raw(true);
    for (index, member) in members.enumerate() {
        let place = Place::Member(index + 1);
        let member = member.map_err(VerifyFailure::io(place))?;
        let (file, size) = archive::read_header(member.header(), place)?;
        end += archive::member_bytes(size);
        let member = archive::Announced::new(member, size);
        match (file, &manifest, &checked) {
            (File::Manifest, None, _) => manifest = Some(read_manifest(member, size)?),
            (File::Events, Some(manifest), None) => {
                checked = Some(EventsCheck::new(manifest, size)?.run(member, &mut each)?);
            }
            (File::Events, None, _) => {
                return Err(Refusal::new(Code::FileOrder, place, "manifest.json comes first").into());
            }
            _ => return Err(Refusal::new(Code::RepeatedFile, place, "this member was there before").into()),
        }
    }
    let missing = if manifest.is_none() { "manifest.json" } else { EVENTS };
    checked
        .map(|checked| (checked, end))
        .ok_or_else(|| Refusal::new(Code::MissingFile, Place::Bundle, format!("{missing} is missing")).into())
}

/// Reads to the end of the gzip member, which checks its CRC, and sees that the archive, whose members end at `end`, is
/// whole and that nothing comes after it.
fn check_end<R: io::BufRead>(
    mut unpacked: Unpacked<GzDecoder<Source<R>>>,
    end: u64,
) -> Result<(), VerifyFailure> {
    let mut rest = [0; 8192];
    loop {
        let count = unpacked.read(&mut rest).map_err(VerifyFailure::io(Place::Bundle))?;
        if count == 0 {
            break;
        }
        if rest[..count].iter().any(|&byte| byte != 0) {
            return Err(Refusal::new(Code::Tar, Place::Bundle, "data after the end of the archive").into());
        }
    }
    if !archive::is_ended(end, unpacked.passed()) {
        return Err(Refusal::new(Code::Tar, Place::Bundle, "the archive has no end").into());
    }
    let mut source = unpacked.into_inner().into_inner();
    if source.has_more().map_err(VerifyFailure::io(Place::Bundle))? {
        return Err(Refusal::new(Code::Gzip, Place::Bundle, "data after the end of the gzip member").into());
    }
    Ok(())
}

fn read_manifest(mut member: impl Read, size: u64) -> Result<Manifest, VerifyFailure> {
    let place = Place::Manifest;
    let mut bytes = Vec::with_capacity(size as usize); // at most MANIFEST_BYTES, by its header
    member.read_to_end(&mut bytes).map_err(VerifyFailure::io(place))?;
    let text =
        std::str::from_utf8(&bytes).map_err(|_| Refusal::new(Code::InvalidJson, place, "not UTF-8"))?;
    canonical::check(text, &STRICTNESS).map_err(|error| text_refusal(&error, place))?;
    let manifest: Manifest = serde_json::from_str(text)
        .map_err(|error| Refusal::new(Code::InvalidJson, place, shape_of(&error)))?;
    if manifest.schema_version != SCHEMA_VERSION {
        return Err(Refusal::new(Code::SchemaVersion, place, "schema_version is not 1").into());
    }
    Ok(manifest)
}

fn text_refusal(error: &TextError, place: Place) -> Refusal {
    match error {
        TextError::Violation(violation @ Violation::Depth(_)) => {
            Refusal::new(Code::JsonDepth, place, violation.to_string())
        }
        TextError::Violation(violation) => Refusal::new(Code::InvalidJson, place, violation.to_string()),
        TextError::Syntax(error) => Refusal::new(Code::InvalidJson, place, shape_of(error)),
    }
}

/// serde's messages may quote the input; only the position and the kind of error are reported here.
fn shape_of(error: &serde_json::Error) -> String {
    let what = if error.is_data() { "a member is missing or of the wrong type" } else { "not one JSON text" };
    format!("{what} (line {}, column {})", error.line(), error.column())
}

/// The pass over `events.ndjson`.
struct EventsCheck<'m> {
    manifest: &'m Manifest,
    file_hash: Sha256,
    run_root: RunRoot,
    count: u64,
    source: String,
}

impl<'m> EventsCheck<'m> {
    fn new(manifest: &'m Manifest, size: u64) -> Result<Self, Refusal> {
        let Some(entry) = manifest.files.get(EVENTS) else {
            return Err(Refusal::new(Code::MissingFile, Place::Manifest, "files has no events.ndjson"));
        };
        if entry.bytes != size {
            let message = format!("the manifest says {} bytes, the archive {size}", entry.bytes);
            return Err(Refusal::new(Code::FileSize, Place::Events, message));
        }
        Ok(Self {
            manifest,
            file_hash: Sha256::new(),
            run_root: RunRoot::default(),
            count: 0,
            source: String::new(),
        })
    }

    fn run(
        mut self,
        member: impl Read,
        each: &mut impl FnMut(&EventLine<'_>),
    ) -> Result<Checked, VerifyFailure> {
        let mut lines = Lines::new(member, limits::LINE_BYTES);
        let mut writer = Writer::new();
        loop {
            let place = Place::Line(self.count + 1);
            let line = match lines.next_line().map_err(VerifyFailure::io(place))? {
                None => break,
                Some(Line::Whole(line)) => line,
                Some(Line::TooLong) => {
                    let message = format!("longer than {} bytes", limits::LINE_BYTES);
                    return Err(Refusal::new(Code::LineBytes, place, message).into());
                }
            };
            self.file_hash.update(line);
            each(&self.check_line(&mut writer, line, place)?);
            self.count += 1;
        }
        Ok(self.finish()?)
    }

    fn check_line<'l>(
        &mut self,
        writer: &'l mut Writer,
        line: &'l [u8],
        place: Place,
    ) -> Result<EventLine<'l>, Refusal> {
        let refuse = |code, message: &str| Err(Refusal::new(code, place, message));
        if self.count == limits::EVENTS {
            return refuse(Code::Events, &format!("more than {} events", limits::EVENTS));
        }
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return refuse(Code::InvalidEvent, "a blank line");
        }
        if self.count == 0 && line.starts_with(b"\xEF\xBB\xBF") {
            return refuse(Code::InvalidJson, "a byte order mark");
        }
        let Ok(text) = std::str::from_utf8(line) else { return refuse(Code::InvalidJson, "not UTF-8") };
        let event = EventLine::read(writer, text).map_err(|error| match error {
            LineError::Text(error) => text_refusal(&error, place),
            error => Refusal::new(Code::InvalidJson, place, error.to_string()),
        })?;
        if event.specversion != SPEC_VERSION {
            return refuse(Code::SchemaVersion, "specversion is not 1.0");
        }
        self.check_hash(&event, place)?;
        self.check_numbers(&event, place)?;
        Ok(event)
    }

    fn check_hash(&mut self, event: &EventLine<'_>, place: Place) -> Result<(), Refusal> {
        let Some(claimed) = &event.content_hash else {
            return Err(Refusal::new(Code::SchemaVersion, place, "assaycontenthash is missing"));
        };
        let computed = event.compute_content_hash();
        if *claimed != computed.tagged().as_str() {
            return Err(Refusal::new(Code::EventHash, place, "the content hash is not that of the content"));
        }
        self.run_root.add(&computed);
        Ok(())
    }

    fn check_numbers(&mut self, event: &EventLine<'_>, place: Place) -> Result<(), Refusal> {
        let refuse = |code, message: &str| Err(Refusal::new(code, place, message));
        if event.seq != self.count {
            return refuse(
                Code::Sequence,
                &format!("sequence number {}, expected {}", event.seq, self.count),
            );
        }
        if event.run_id != self.manifest.run_id {
            return refuse(Code::RunId, "the run id is not the manifest's");
        }
        if event.run_id.contains(':') {
            return refuse(Code::InvalidEvent, "the run id contains a colon");
        }
        if self.count == 0 {
            self.source = event.source.clone().into_owned();
        }
        if event.source != self.source {
            return refuse(Code::InvalidEvent, "the source is not that of the first event");
        }
        if !event.source.contains(':') || event.source.starts_with(':') {
            return refuse(Code::InvalidEvent, "the source is not a URI");
        }
        if !is_id_of(&event.id, &event.run_id, event.seq) {
            return refuse(Code::InvalidEvent, "the id is not run id, colon, sequence number");
        }
        Ok(())
    }

    fn finish(self) -> Result<Checked, Refusal> {
        let refuse = |code, place, message: &str| Err(Refusal::new(code, place, message));
        let entry = &self.manifest.files[EVENTS];
        if !entry.has_hash(&self.file_hash.into()) {
            return refuse(Code::FileHash, Place::Events, "the SHA-256 is not the manifest's");
        }
        if self.count == 0 {
            return refuse(Code::InvalidEvent, Place::Events, "there are no events");
        }
        if self.count != self.manifest.event_count {
            let message = format!("{} events, the manifest says {}", self.count, self.manifest.event_count);
            return refuse(Code::Sequence, Place::Manifest, &message);
        }
        let run_root = self.run_root.finish();
        if self.manifest.run_root != run_root.tagged().as_str() {
            return refuse(Code::RunRoot, Place::Manifest, "the run root is not that of the events");
        }
        if self.manifest.bundle_id != self.manifest.run_root {
            return refuse(Code::BundleId, Place::Manifest, "the bundle id is not the run root");
        }
        Ok(Checked { manifest: self.manifest.clone(), event_count: self.count, run_root })
    }
}

/// Whether an id is run id, colon, sequence number; the run id has no colon, so the parts are plain.
fn is_id_of(id: &str, run_id: &str, seq: u64) -> bool {
    let number = id.strip_prefix(run_id).and_then(|rest| rest.strip_prefix(':'));
    number.is_some_and(|number| number == itoa::Buffer::new().format(seq))
}
