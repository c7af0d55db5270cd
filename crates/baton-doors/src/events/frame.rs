//! The bytes of a stream, exactly as section 5 of the wire contract prints them: `id: <n>` and `data: {json}`, never
//! an `event:` line.

use baton_core::{NetworkId, Principal, Status, TaskId};
use baton_store::rows::FeedRow;
use bytes::Bytes;
use serde::Serialize;
use std::fmt::Write;

/// Keeps a quiet stream open.
pub(super) const COMMENT: &[u8] = b": still here\n\n";
/// The last words of a hub that stops; the client comes back with its last id.
pub(super) const FAREWELL: &[u8] = b": the hub is stopping\n\n";

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum FrameBody<'a> {
    Connected { session: &'a str, network_id: &'a NetworkId, inbox_count: i64 },
    Reset,
    TaskChanged { task_id: &'a TaskId, status: Status },
}

/// The first frame. It has no number: nothing happened.
pub(super) fn connected(session: &Principal, network_id: &NetworkId, inbox_count: i64) -> Bytes {
    unnumbered(&json(&FrameBody::Connected { session: session.name(), network_id, inbox_count }))
}

/// What came before `newest` is no longer kept. Its number lets the client resume from here.
pub(super) fn reset(newest: i64) -> String {
    format!("id: {newest}\ndata: {}\n\n", json(&FrameBody::Reset))
}

/// One thing that happened and cannot be asked for again.
pub(super) fn unnumbered(json: &str) -> Bytes {
    format!("data: {json}\n\n").into()
}

/// Tasks that changed, a frame each: which, and as what. It cannot be asked for again, and the rows say the same.
pub(super) fn task_changed(tasks: &[(TaskId, Status)]) -> Bytes {
    let mut frames = String::with_capacity(tasks.len() * 128);
    for (task_id, status) in tasks {
        // Writing to a string cannot fail.
        let _ = write!(frames, "data: {}\n\n", json(&FrameBody::TaskChanged { task_id, status: *status }));
    }
    frames.into()
}

/// More tasks changed than this stream can report. It has no number: the feed itself has no gap.
pub(super) fn missed() -> Bytes {
    unnumbered(&json(&FrameBody::Reset))
}

/// Rows of the feed, one frame each.
pub(super) fn numbered(rows: &[FeedRow]) -> String {
    let mut frames = String::with_capacity(rows.iter().map(|row| row.body.len() + 32).sum());
    for row in rows {
        // Writing to a string cannot fail.
        let _ = write!(frames, "id: {}\ndata: {}\n\n", row.n, row.body);
    }
    frames
}

fn json(said: &FrameBody<'_>) -> String {
    // Plain words and numbers: there is nothing in it that JSON cannot say.
    serde_json::to_string(said).unwrap_or_default()
}
