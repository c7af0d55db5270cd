//! A span: what was done from when to when, as part of which trace. It names ids, never aliases, users or texts.

use baton_core::TraceParent;
use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

/// What a span says beside its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    Number(i64),
}

/// What it is to who asked, by OTLP's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Internal = 1,
    Server = 2,
}

/// A finished span.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(crate) trace_id: [u8; 16],
    pub(crate) span_id: [u8; 8],
    pub(crate) parent: Option<[u8; 8]>,
    pub(crate) name: Cow<'static, str>,
    pub(crate) kind: Kind,
    /// Nanoseconds since 1970.
    pub(crate) start: u128,
    pub(crate) end: u128,
    pub(crate) attributes: Vec<(&'static str, Value)>,
    pub(crate) has_failed: bool,
}

/// Where a new span belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) trace_id: [u8; 16],
    pub(crate) parent: Option<[u8; 8]>,
}

impl Place {
    /// Below its parent, if there is one; none if whoever began the trace does not record it.
    pub(crate) fn below(
        parent: Option<TraceParent>,
        new_trace_id: impl FnOnce() -> [u8; 16],
    ) -> Option<Self> {
        match parent {
            Some(parent) if !parent.is_sampled() => None,
            Some(parent) => Some(Self { trace_id: parent.trace_id(), parent: Some(parent.span_id()) }),
            None => Some(Self { trace_id: new_trace_id(), parent: None }),
        }
    }
}

/// The wall clock as spans tell it.
pub(crate) fn nanos_now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos()
}
