//! A request in the trace it belongs to: its `traceparent` header, and the span the hub records of it.

mod header;
mod method;
mod span;

pub(crate) use header::{Traced, of_headers};
pub(crate) use method::method_name;
pub(crate) use span::RequestSpan;
