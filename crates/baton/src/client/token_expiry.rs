//! What a hub said of the end of this client's token. The command line warns about it once, when the command has run.

use reqwest::header::HeaderMap;
use std::sync::OnceLock;

/// Seconds the token had left when the hub first said so.
static LEFT: OnceLock<u32> = OnceLock::new();

/// Reads it from an answer's head.
pub(super) fn note(headers: &HeaderMap) {
    let left = headers.get("baton-token-expires-in").and_then(|seconds| seconds.to_str().ok()?.parse().ok());
    if let Some(left) = left {
        LEFT.get_or_init(|| left);
    }
}

/// How many seconds the token has left, if that is soon.
pub(crate) fn left() -> Option<u32> {
    LEFT.get().copied()
}
