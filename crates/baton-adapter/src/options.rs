//! How a packet is to be taken: strict or lenient, and within which bounds.

use crate::error::AdapterError;

/// What to do about a packet that lacks something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Refuse it.
    #[default]
    Strict,
    /// Substitute, count and note what was missing.
    Lenient,
}

/// The host's settings. A bound that is `None` does not bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Strict or lenient.
    pub mode: Mode,
    /// Bytes in a packet.
    pub max_payload_bytes: Option<u64>,
    /// Values inside one another: the root has depth 1, scalars count.
    pub max_json_depth: Option<usize>,
    /// Items in an array.
    pub max_array_length: Option<usize>,
}

impl Options {
    pub(crate) fn check_size(&self, packet: &[u8]) -> Result<(), AdapterError> {
        match self.max_payload_bytes {
            Some(bound) if packet.len() as u64 > bound => Err(Self::too_many_bytes(bound)),
            _ => Ok(()),
        }
    }

    /// The refusal of a packet over `bound` bytes, for hosts that stop reading there.
    #[must_use]
    pub fn too_many_bytes(bound: u64) -> AdapterError {
        AdapterError::measurement(format!("payload exceeds max_payload_bytes ({bound})"))
    }
}
