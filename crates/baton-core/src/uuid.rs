//! Task and message ids: UUIDs of version 7 (RFC 9562), made of a given time and given random bytes.
//! They have no order: order comes from sequence numbers, never from ids or clocks.

use crate::hex;
use crate::time::UnixMillis;
use crate::wire::wire_text;

/// Random bytes a UUID takes beside its time.
pub const UUID_RANDOM_BYTES: usize = 10; // not a limit: the format of a UUID

/// How long a UUID is as text.
const UUID_CHARS: usize = 36; // not a limit: the format of a UUID

/// Where the dashes stand in it.
const DASHES: [usize; 4] = [8, 13, 18, 23];

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
    let mut bytes = [0; 16];
    // RFC 9562 section 5.7: 48 bits of time, big-endian, then version, variant and randomness.
    bytes[..6].copy_from_slice(&now.get().max(0).to_be_bytes()[2..]);
    bytes[6..].copy_from_slice(&random);
    bytes[6] = 0x70 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    let mut text = String::with_capacity(UUID_CHARS);
    for byte in bytes {
        if DASHES.contains(&text.len()) {
            text.push('-');
        }
        hex::push(&mut text, byte);
    }
    text
}

fn canonical(text: &str) -> Option<String> {
    let fits = |(at, byte): (usize, u8)| {
        if DASHES.contains(&at) { byte == b'-' } else { byte.is_ascii_hexdigit() }
    };
    (text.len() == UUID_CHARS && text.bytes().enumerate().all(fits)).then(|| text.to_ascii_lowercase())
}
