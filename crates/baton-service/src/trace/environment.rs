//! The trace a program runs in, as OpenTelemetry's tools and `baton work` hand it on: the variable `TRACEPARENT`.

use baton_core::TraceParent;

/// What the environment says.
pub fn of_environment() -> Option<TraceParent> {
    TraceParent::parse(&std::env::var("TRACEPARENT").ok()?)
}
