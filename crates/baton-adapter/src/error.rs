//! Why a packet gave no event.

use serde::Serialize;
use std::borrow::Cow;

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
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

    pub(crate) fn measurement(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Measurement, message)
    }

    pub(crate) fn missing(field: &str) -> Self {
        Self::measurement(format!("missing required field: {field}"))
    }

    pub(crate) fn strict(message: &'static str) -> Self {
        Self::new(ErrorKind::StrictLossinessViolation, message)
    }
}
