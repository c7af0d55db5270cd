//! Rows by noun: for each a struct, the reads ([`Snapshot`]) and the writes ([`Transaction`]). A read inside a
//! transaction sees what it wrote. Nothing here decides anything.

mod accounts;
mod agents;
mod aliases;
mod artifacts;
mod attempts;
mod check;
mod deliveries;
mod edges;
mod ends;
mod evidence;
mod figures;
mod invitations;
mod oauth;
mod page;
mod pushes;
mod quotas;
mod remotes;
mod removals;
mod retention;
mod sessions;
mod tasks;
mod trees;
mod workers;

pub use accounts::{
    AccountReads, AccountWrites, AuditRow, BROWSER_TOKEN_NAME, InvitePosition, InviteRow, MemberPosition,
    MemberRow, MembershipRow, NetworkRow, NodeTokenRow, TokenRow, UserRow,
};
pub use agents::{AgentFigures, AgentReads, AgentRow, WorkedTask};
pub use aliases::{AliasProfile, AliasReads, AliasRow, AliasWrites};
pub use artifacts::{
    ArtifactReads, ArtifactRefRow, ArtifactRow, ArtifactStorage, ArtifactWrites, NewArtifact, NewArtifactRef,
};
pub use attempts::{AttemptKey, AttemptKind, AttemptReads, AttemptWrites, AttemptsRow};
pub use check::{
    ArtifactState, BundleDamage, CheckReads, EventState, LeafState, LogPart, RecordedEvent, RecordedPart,
    See, Stray, TaskState, WrongCount,
};
pub use deliveries::{
    DeliveryKind, DeliveryReads, DeliveryRow, DeliveryWrites, FeedRow, InboxPosition, MessageFilter,
    MessagePosition, NewDelivery,
};
pub use edges::{EdgeCounts, EdgeReads, EdgeRow, EdgeWrites, Edges, hour_begins, hour_of};
pub use ends::Ends;
pub use evidence::{
    CheckpointRow, EvidenceReads, EvidenceWrites, LeafPage, LeafRow, NewLeaf, TailEntries, TileRow,
};
pub use figures::{
    End, FigureReads, FigureWrites, MinuteCounts, TaskSearch, TaskSummaryRow, minute_begins, minute_of,
};
pub use invitations::{InvitationReads, InvitationRow, InvitationWrites};
pub use oauth::{OauthClientRow, OauthCodeRow, OauthGrantRow, OauthReads, OauthWrites};
pub use page::{Page, PageBounds, text_bytes};
pub(crate) use page::{PageInProgress, Weight};
pub use pushes::{PushConfigRow, PushFailures, PushReads, PushSecrets, PushWrites};
pub use quotas::{QuotaReads, QuotaRow, QuotaSubject, QuotaWrites, TaskQuotas};
pub use remotes::{RemoteCredential, RemoteReads, RemoteRow, RemoteTaskRow, RemoteWrites};
pub use removals::{RemovalReads, RemovalWrites};
pub use retention::{RetentionReads, RetentionRow, RetentionWrites};
pub use sessions::{
    CompletionFilter, CompletionPosition, CompletionRow, NewCompletion, SessionReads, SessionRow,
    SessionSummaryRow, SessionWrites,
};
pub(crate) use tasks::kind_of;
pub use tasks::{
    ChangedFilter, ChangedPage, CourseRow, DueLease, EventFilter, EventRow, IdempotentSend, InboxState,
    LeaseChange, LeaseRow, NewEvent, NewTaskMessage, NewTaskRow, OutputRow, ProgressChange, ProgressRow,
    Redelivery, TaskChange, TaskFilter, TaskMessageRow, TaskReads, TaskRow, TaskTexts, TaskWrites,
};
pub use trees::{LevelFilter, TreeLevel, TreeReads, TreeTaskRow};
pub use workers::{WorkerReads, WorkerRow, WorkerSummaryRow, WorkerWrites};

use crate::clock::ClockReading;
use crate::hint::Ring;

/// One consistent state of the database.
pub trait Snapshot:
    AccountReads
    + AliasReads
    + ArtifactReads
    + AttemptReads
    + InvitationReads
    + TaskReads
    + DeliveryReads
    + SessionReads
    + EvidenceReads
    + PushReads
    + RemoteReads
    + FigureReads
    + EdgeReads
    + RetentionReads
    + RemovalReads
    + QuotaReads
    + TreeReads
    + WorkerReads
    + AgentReads
    + OauthReads
{
}

/// A use case's part of a transaction.
pub trait Transaction:
    Snapshot
    + AccountWrites
    + AliasWrites
    + ArtifactWrites
    + AttemptWrites
    + InvitationWrites
    + TaskWrites
    + DeliveryWrites
    + SessionWrites
    + EvidenceWrites
    + PushWrites
    + RemoteWrites
    + FigureWrites
    + EdgeWrites
    + RetentionWrites
    + RemovalWrites
    + QuotaWrites
    + WorkerWrites
    + OauthWrites
{
    /// The time of the batch this is part of: the same for all its use cases, and never one from before an earlier
    /// batch's. Whatever is decided or written here has this time.
    fn time(&self) -> ClockReading;
    /// Rings once this is committed.
    fn ring(&mut self, ring: Ring);
    /// What is known of callers must be learnt again once this is committed.
    fn touch_access(&mut self);
    /// This, to be read from.
    fn as_snapshot(&self) -> &dyn Snapshot;
}
