//! Differences: each has a name, the place it was found and a sentence. The first hundred are kept; all are counted,
//! by name, so that many of one sort do not hide another.

use baton_core::limits;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

use crate::cli::plain;

/// What sort of thing does not agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Name {
    /// A task or log of a network that is not there.
    NoNetwork,
    /// A task stands elsewhere than its last event says.
    TaskStatus,
    /// A task's events are not numbered from 1 without gaps.
    EventNumbers,
    /// An event leaves another status than the one before it reached.
    EventOrder,
    /// An event of no task, or of a task of another network.
    EventWithoutTask,
    /// A task that ended is not closed, or one that did not has an end.
    TaskEnd,
    /// A lease on a task nobody works on.
    Lease,
    /// A counter of tasks.
    TaskCount,
    /// A counter of an inbox.
    InboxCount,
    /// A counter of what an account or a network has.
    QuotaCount,
    /// A counter of references to artifacts.
    ArtifactCount,
    /// The file of an artifact is missing, or has other bytes.
    ArtifactBytes,
    /// A counter of who sent tasks to whom.
    EdgeCount,
    /// Rows of something that is not there.
    Stray,
    /// The log has nothing where a task's event says its evidence is.
    EvidenceMissing,
    /// What the log has there is the evidence of something else.
    EvidenceOfAnother,
    /// The log tells of a change the task's history does not have.
    NoSuchChange,
    /// The log says something else of a change than the task's history.
    ChangeDiffers,
    /// A task's text is not the one that was digested.
    TextDiffers,
    /// More or fewer events of tasks that are not there than retention removed.
    Retention,
    /// An event's form: not one of ours, not canonical.
    EventForm,
    /// An event's run, number or id is not its place's.
    EventPlace,
    /// An event's content hash is not that of its content.
    ContentHash,
    /// The adapter makes another event of the packet.
    PacketDiffers,
    /// The log lacks events in the middle.
    LogGap,
    /// The log lacks events that were signed.
    LogCutShort,
    /// Entries that are stored together are missing, cannot be read, or are in the tail too.
    EntryBundle,
    /// An event is not the one that was hashed into the tree.
    LeafHash,
    /// A tile of the tree is not what the events make.
    Tile,
    /// The signed root is not what the events make.
    Root,
    /// The checkpoint is not the one that was signed.
    Checkpoint,
    /// The key of the checkpoints.
    Key,
    /// A table, index or trigger is missing or was changed, or a trigger was added.
    Schema,
}

/// Where something was found.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) network_id: Option<String>,
    /// In the network's log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) index: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) task_id: Option<String>,
}

impl Place {
    pub(super) fn network(network_id: &str) -> Self {
        Self { network_id: Some(network_id.to_owned()), ..Self::default() }
    }

    pub(super) fn task(network_id: &str, task_id: &str) -> Self {
        Self { task_id: Some(task_id.to_owned()), ..Self::network(network_id) }
    }

    pub(super) fn index(network_id: &str, index: u64) -> Self {
        Self { index: Some(index), ..Self::network(network_id) }
    }
}

/// One thing that does not agree.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Difference {
    name: Name,
    #[serde(flatten)]
    place: Place,
    what: String,
}

/// Everything that does not agree.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) told: Vec<Difference>,
    pub(super) by_name: BTreeMap<Name, u64>,
}

impl Findings {
    pub(super) fn count(&self) -> u64 {
        self.by_name.values().sum()
    }

    pub(super) fn add(&mut self, name: Name, place: Place, what: impl Into<String>) {
        *self.by_name.entry(name).or_default() += 1;
        if self.told.len() < limits::CHECK_FINDINGS_SHOWN_COUNT {
            self.told.push(Difference { name, place, what: what.into() });
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl fmt::Display for Difference {
    /// One line; ids and words of the database are shown without their control characters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { network_id, index, task_id } = &self.place;
        write!(f, "{}:", self.name)?;
        if let Some(network) = network_id {
            write!(f, " network {},", plain::exact(network))?;
        }
        if let Some(index) = index {
            write!(f, " log event {index},")?;
        }
        if let Some(task) = task_id {
            write!(f, " task {},", plain::exact(task))?;
        }
        write!(f, " {}", plain::exact(&self.what))
    }
}
