//! The writes of one commit, whatever the engine: what was taken from those who wait, and the claims that were parked
//! meanwhile. If the commit fails, all of them go back to where they were before it.

use std::time::Duration;

use crate::copy::CopyJob;
use crate::job::WriteJob;
use crate::parked::{Inbox, Parked, ParkedClaim, Ticket};
use crate::share::Share;

/// A write in a batch, and how long it ran.
pub(crate) struct Taken {
    pub(crate) share: Share,
    pub(crate) job: Box<dyn WriteJob>,
    pub(crate) took: Duration,
    pub(crate) source: Source,
}

/// Where a write of a batch came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Taken from the queue, which does not know yet that it ran.
    Queue,
    /// The same, and it has.
    QueueDone,
    /// A claim that was parked.
    Parked,
}

/// What the writer has taken from those who wait.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) writes: Vec<Taken>,
    /// Claims that found nothing in this batch and were parked.
    pub(crate) parked: Vec<Ticket>,
    /// Inboxes with a task that was opened and that no parked claim has taken.
    pub(crate) opened: Vec<Inbox>,
    /// Whether somebody waits for a probe.
    pub(crate) probes: bool,
    /// The copy that was asked for in between; nothing more is taken then.
    pub(crate) asked: Option<CopyJob>,
}

impl Batch {
    /// Parks a claim that found nothing, or lets it be answered so.
    pub(crate) fn park(&mut self, taken: Taken, parked: &Parked) {
        let Taken { share, job, took, source } = taken;
        match parked.put(ParkedClaim { share, job }) {
            // One that was parked before this batch stays so, whatever becomes of the batch.
            Ok(_) if source == Source::Parked => {}
            Ok(ticket) => self.parked.push(ticket),
            Err(ParkedClaim { share, job }) => self.writes.push(Taken { share, job, took, source }),
        }
    }

    /// Takes the claims of a batch that is undone back to where they were before it: those that were parked to their
    /// place, those that this batch parked into the batch. The latter may have looked without success only because of a write
    /// that is undone.
    pub(crate) fn unpark(&mut self, parked: &Parked) {
        let (handed, mut writes): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.writes).into_iter().partition(|taken| taken.source == Source::Parked);
        let own = |ParkedClaim { share, job }: ParkedClaim| Taken {
            share,
            job,
            took: Duration::ZERO,
            source: Source::QueueDone,
        };
        let unplaced = handed
            .into_iter()
            .filter_map(|Taken { share, job, .. }| parked.put(ParkedClaim { share, job }).err());
        writes.extend(unplaced.map(own));
        writes.extend(self.parked.drain(..).filter_map(|ticket| parked.take(&ticket)).map(own));
        self.writes = writes;
    }
}
