//! Walks a bundle and its side file in step: the bundle's own check shows one event after the other, and each pulls
//! its entry from the side file. Memory is one event and one entry.

use std::io::{self, Read};

use super::origin::Origin;
use super::refusal::{Code, Difference, Place, Refusal};
use super::report::{KeyFrom, Report, Reporter, Span, Tally};
use super::{REPORTER_CHARACTERS, REPORTERS_NAMED};
use crate::bundle::{self, VerifyError};
use crate::canonical::Writer;
use crate::event_line::{EventLine, Stamp};
use crate::log::{check_inclusion, leaf_hash};
use crate::note::{Checkpoint, VerifierKey};
use crate::side_file::{Entry, SideFileReader};

/// Why there is no [`Report`].
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The bundle by itself is refused, or cannot be read.
    #[error(transparent)]
    Bundle(#[from] VerifyError),
    /// The side file, or what it says of the bundle, is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The side file could not be read; nothing was learnt about it.
    #[error("the side file cannot be read: {0}")]
    Unreadable(#[from] io::Error),
}

/// Checks a bundle together with its side file. The checkpoint must be signed by the key that came along, and by
/// `key` if one is given. `rerun` is the adapter: it compares what it makes of a packet with the recorded event.
///
/// A bundle that is refused by itself is refused for that, whatever else is wrong.
pub fn verify(
    bundle: impl Read,
    side_file: impl Read,
    key: Option<&VerifierKey>,
    rerun: impl Fn(&EventLine<'_>, &[u8]) -> Result<(), Difference>,
) -> Result<Report, ExportError> {
    // The bundle is walked to its end even if the side file is refused before: its own refusal says more.
    let mut walk = Walk::open(side_file, key, rerun);
    let bundle = bundle::verify_each(bundle, |event| {
        if let Ok(open) = &mut walk
            && let Err(trouble) = open.event(event)
        {
            walk = Err(trouble);
        }
    })?;
    walk?.finish(bundle)
}

/// The side file, as far as it was read, and what was found.
struct Walk<R, F> {
    side_file: SideFileReader<R>,
    rerun: F,
    checkpoint: Checkpoint,
    network_id: String,
    key: VerifierKey,
    key_from: KeyFrom,
    leaf: Writer,
    span: Option<Span>,
    hub: Tally,
    reported: Tally,
    unmarked: u64,
    reporters: Vec<Reporter>,
    reported_by_others: u64,
}

impl<R, F> Walk<R, F>
where
    R: Read,
    F: Fn(&EventLine<'_>, &[u8]) -> Result<(), Difference>,
{
    fn open(side_file: R, key: Option<&VerifierKey>, rerun: F) -> Result<Self, ExportError> {
        let side_file = SideFileReader::new(side_file).map_err(|error| trouble(error, Place::Head))?;
        let own = VerifierKey::parse(side_file.key()).map_err(Refusal::of_key)?;
        let (key, key_from) = match key {
            Some(key) => (key.clone(), KeyFrom::Caller),
            None => (own.clone(), KeyFrom::SideFile),
        };
        let checkpoint = Checkpoint::open(side_file.checkpoint(), &key).map_err(Refusal::of_note)?;
        // The caller's key may be a witness's; the key the side file names has signed in any case.
        if own != key {
            Checkpoint::open(side_file.checkpoint(), &own).map_err(Refusal::of_note)?;
        }
        // A run id has no colon, so a network's id has none either.
        let network_id = checkpoint.network_id().filter(|id| !id.contains(':')).map(str::to_owned);
        let network_id = network_id.ok_or_else(|| {
            Refusal::new(Code::Origin, Place::Checkpoint, "the origin is not baton/ and a network's id")
        })?;
        Ok(Self {
            side_file,
            rerun,
            checkpoint,
            network_id,
            key,
            key_from,
            leaf: Writer::new(),
            span: None,
            hub: Tally::default(),
            reported: Tally::default(),
            unmarked: 0,
            reporters: Vec::new(),
            reported_by_others: 0,
        })
    }

    /// The bundle's next event.
    fn event(&mut self, event: &EventLine<'_>) -> Result<(), ExportError> {
        let place = Place::Event(event.seq + 1);
        let entry = self.side_file.next_entry().map_err(|error| trouble(error, place))?;
        let Some(entry) = entry else {
            return Err(
                Refusal::new(Code::Missing, place, "the side file has no entry for this event").into()
            );
        };
        self.span = Some(advance(self.span, entry.index, place)?);
        self.leaf.clear();
        let stamp = Stamp { run_id: &self.network_id, seq: entry.index };
        event.write_restamped(&mut self.leaf, stamp, &event.compute_content_hash());
        check_entry(&entry, &self.leaf, &self.checkpoint, place)?;
        (self.rerun)(event, entry.packet)
            .map_err(|difference| Refusal::new(difference.part.into(), place, difference.message))?;
        self.count(event);
        Ok(())
    }

    fn count(&mut self, event: &EventLine<'_>) {
        let visible = event.handoff_visible() == Some(true);
        match Origin::of(event) {
            Origin::Hub => self.hub.add(visible),
            Origin::Unmarked => self.unmarked += 1,
            Origin::Reported { by } => {
                self.reported.add(visible);
                match by.and_then(|by| self.reporter(&by)) {
                    Some(reporter) => reporter.events += 1,
                    None => self.reported_by_others += 1,
                }
            }
        }
    }

    /// The reporter of this name, unless there are too many to name.
    fn reporter(&mut self, name: &str) -> Option<&mut Reporter> {
        let end = name.char_indices().nth(REPORTER_CHARACTERS).map_or(name.len(), |(end, _)| end);
        let name = &name[..end];
        match self.reporters.iter().position(|reporter| reporter.name == name) {
            Some(at) => self.reporters.get_mut(at),
            None if self.reporters.len() < REPORTERS_NAMED => {
                self.reporters.push(Reporter { name: name.to_owned(), events: 0 });
                self.reporters.last_mut()
            }
            None => None,
        }
    }

    fn finish(mut self, bundle: bundle::Checked) -> Result<Report, ExportError> {
        let place = Place::Event(bundle.event_count + 1);
        if self.side_file.next_entry().map_err(|error| trouble(error, place))?.is_some() {
            return Err(
                Refusal::new(Code::Extra, place, "the side file has an entry without an event").into()
            );
        }
        let Some(span) = self.span else {
            return Err(Refusal::new(Code::Missing, place, "there are no events").into());
        };
        Ok(Report {
            bundle,
            checkpoint: self.checkpoint,
            key: self.key,
            key_from: self.key_from,
            span,
            hub: self.hub,
            reported: self.reported,
            unmarked: self.unmarked,
            reporters: self.reporters,
            reported_by_others: self.reported_by_others,
        })
    }
}

impl Tally {
    fn add(&mut self, handoff_visible: bool) {
        self.events += 1;
        self.handoffs_visible += u64::from(handoff_visible);
    }
}

fn trouble(error: crate::side_file::ReadError, place: Place) -> ExportError {
    match Refusal::of_side_file(error, place) {
        Ok(refusal) => refusal.into(),
        Err(error) => error.into(),
    }
}

/// The span with one event more, which must stand after all before it.
fn advance(span: Option<Span>, index: u64, place: Place) -> Result<Span, Refusal> {
    match span {
        None => Ok(Span { first: index, last: index, events: 1 }),
        Some(span) if index > span.last => Ok(Span { last: index, events: span.events + 1, ..span }),
        Some(span) => {
            let message = format!("log index {index} does not come after {}", span.last);
            Err(Refusal::new(Code::IndexOrder, place, message))
        }
    }
}

fn check_entry(
    entry: &Entry<'_>,
    leaf: &Writer,
    checkpoint: &Checkpoint,
    place: Place,
) -> Result<(), Refusal> {
    let leaf = leaf_hash(leaf.bytes());
    check_inclusion(&leaf, entry.index, checkpoint.size, &entry.proof, &checkpoint.root)
        .map_err(|error| Refusal::of_proof(error, place, entry.index))
}
