//! Why a packet gave no event.

use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The packet cannot be read as one.
    Measurement,
    /// The packet's protocol version is not spoken here.
    UnsupportedProtocolVersion,
    /// Strict mode would have to lose something.
    StrictLossinessViolation,
    /// The adapter was set up wrongly.
    Config,
    /// The attachment writer failed.
    Infrastructure,
}

impl ErrorKind {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Measurement => "measurement",
            Self::UnsupportedProtocolVersion => "unsupported_protocol_version",
            Self::StrictLossinessViolation => "strict_lossiness_violation",
            Self::Config => "config",
            Self::Infrastructure => "infrastructure",
        }
    }
}

impl Serialize for ErrorKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A packet that gave no event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct AdapterError {
    /// The kind.
    pub kind: ErrorKind,
    /// In words.
    pub message: Cow<'static, str>,
}

impl AdapterError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, message: message.into() }
    }

    /// A packet outside a bound, the adapter's or its host's.
    pub fn measurement(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Measurement, message)
    }

    pub(crate) fn missing(field: &str) -> Self {
        Self::measurement(format!("missing required field: {field}"))
    }

    pub(crate) fn strict(message: &'static str) -> Self {
        Self::new(ErrorKind::StrictLossinessViolation, message)
    }
}
