//! The span of a task's life, from its sending to its end, made of its row. A task whose sender named no trace has one
//! of its own, which follows from its id.

use baton_core::{Status, TaskId, UnixMillis};
use baton_store::Snapshot;
use baton_store::rows::TaskRow;
use sha2::{Digest, Sha256};
use std::borrow::Cow;

use super::Sampler;
use super::span::{Kind, Span, SpanParent, Value};
use crate::error::Error;

/// The spans of these tasks, of those that are recorded and still there.
pub fn spans(rows: &dyn Snapshot, tasks: &[TaskId], sampler: Sampler) -> Result<Vec<Span>, Error> {
    let mut spans = Vec::new();
    for id in tasks {
        spans.extend(rows.task(id)?.and_then(|row| span(&row, sampler)));
    }
    Ok(spans)
}

fn span(row: &TaskRow, sampler: Sampler) -> Option<Span> {
    let task = &row.snapshot;
    let digest: [u8; 32] = Sha256::digest(task.id.as_str()).into();
    let own_trace = || std::array::from_fn(|at| digest[at]);
    let place = SpanParent::below(row.traceparent, sampler, own_trace)?;
    let text = |text: &str| Value::Text(text.to_owned());
    Some(Span {
        trace_id: place.trace_id,
        span_id: std::array::from_fn(|at| digest[16 + at]),
        parent: place.parent,
        name: Cow::Borrowed("task"),
        kind: Kind::Internal,
        start: nanos(row.created_at),
        end: nanos(row.completed_at?),
        attributes: vec![
            ("baton.task.id", text(task.id.as_str())),
            ("baton.network.id", text(task.network_id.as_str())),
            ("baton.task.kind", text(task.kind.as_str())),
            ("baton.task.status", text(task.status.as_str())),
            ("baton.task.attempt", Value::Number(task.attempt.into())),
        ],
        has_failed: task.status == Status::Failed,
    })
}

fn nanos(at: UnixMillis) -> u128 {
    u128::try_from(at.get()).unwrap_or_default() * 1_000_000
}
