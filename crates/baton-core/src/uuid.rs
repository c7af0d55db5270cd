//! Task and message ids: UUIDs of version 7 (RFC 9562), made of a given time and given random bytes.
//! They have no order: order comes from sequence numbers, never from ids or clocks.

use ::uuid::Builder;
use ::uuid::fmt::Hyphenated;

use crate::time::UnixMillis;
use crate::wire::wire_text;

/// Random bytes a UUID takes beside its time.
pub const UUID_RANDOM_BYTES: usize = 10; // not a limit: the format of a UUID

wire_text!(
    /// One task.
    TaskId
);
wire_text!(
    /// One delivery; a task's first delivery has the task's id.
    MessageId
);

wire_text!(
    /// One conversation: the id of the task that began it.
    ContextId
);

impl TaskId {
    /// Makes an id of the time and the random bytes.
    pub fn new(now: UnixMillis, random: [u8; UUID_RANDOM_BYTES]) -> Self {
        Self(version_7(now, random))
    }

    /// Reads a UUID of any version, in either case; it is kept in lower case.
    pub fn parse(text: &str) -> Option<Self> {
        canonical(text).map(Self)
    }
}

impl MessageId {
    /// Makes an id of the time and the random bytes.
    pub fn new(now: UnixMillis, random: [u8; UUID_RANDOM_BYTES]) -> Self {
        Self(version_7(now, random))
    }

    /// Reads a UUID of any version, in either case; it is kept in lower case.
    pub fn parse(text: &str) -> Option<Self> {
        canonical(text).map(Self)
    }
}

impl ContextId {
    /// Reads a UUID of any version, in either case; it is kept in lower case.
    pub fn parse(text: &str) -> Option<Self> {
        canonical(text).map(Self)
    }
}

impl From<&TaskId> for ContextId {
    fn from(task: &TaskId) -> Self {
        Self(task.0.clone())
    }
}

impl From<&TaskId> for MessageId {
    fn from(task: &TaskId) -> Self {
        Self(task.0.clone())
    }
}

fn version_7(now: UnixMillis, random: [u8; UUID_RANDOM_BYTES]) -> String {
    let millis = u64::try_from(now.get()).unwrap_or_default(); // before 1970 is 0
    text(Builder::from_unix_timestamp_millis(millis, &random).into_uuid().hyphenated())
}

/// Only the form with dashes: the crate also reads others, and one id has one spelling here but for its case.
fn canonical(given: &str) -> Option<String> {
    given.parse().ok().map(text)
}

fn text(uuid: Hyphenated) -> String {
    uuid.encode_lower(&mut [0; Hyphenated::LENGTH]).to_owned()
}
