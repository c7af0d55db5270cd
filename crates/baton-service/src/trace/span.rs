//! A span: what was done from when to when, as part of which trace. It names ids, never aliases, users or texts.

use baton_core::TraceParent;
use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Sampler;

/// What a span says beside its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text(String),
    Number(i64),
}

/// What it is to who asked, by OTLP's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Internal = 1,
    Server = 2,
}

/// A finished span.
#[derive(Debug, Clone)]
pub struct Span {
    pub trace_id: [u8; 16],
    pub span_id: [u8; 8],
    pub parent: Option<[u8; 8]>,
    pub name: Cow<'static, str>,
    pub kind: Kind,
    /// Nanoseconds since 1970.
    pub start: u128,
    pub end: u128,
    pub attributes: Vec<(&'static str, Value)>,
    pub has_failed: bool,
}

/// Where a new span belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanParent {
    pub trace_id: [u8; 16],
    pub parent: Option<[u8; 8]>,
}

impl SpanParent {
    /// Below its parent, if there is one; none if the trace is not recorded.
    pub fn below(
        parent: Option<TraceParent>,
        sampler: Sampler,
        new_trace_id: impl FnOnce() -> [u8; 16],
    ) -> Option<Self> {
        let place = match parent {
            Some(parent) => Self { trace_id: parent.trace_id(), parent: Some(parent.span_id()) },
            None => Self { trace_id: new_trace_id(), parent: None },
        };
        sampler.records(parent.map(|parent| parent.is_sampled()), &place.trace_id).then_some(place)
    }
}

/// The wall clock for spans.
pub fn nanos_now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos()
}
