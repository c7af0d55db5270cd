//! What a request is called in the log and in its answer: as its caller called it if that is short and plain, else
//! a random id, `#5f2c…`, which no caller can use and which does not show how many requests there were before it.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use baton_core::limits;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Gives out ids: the requests of this run are numbered, and the number is hidden by a keyed hash.
#[derive(Debug, Default)]
pub(super) struct RequestIds {
    key: RandomState,
    next: AtomicU64,
}

/// A request's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestId(String);

impl RequestId {
    /// The caller's, or one of the hub's own.
    pub(super) fn of(headers: &HeaderMap, ids: &RequestIds) -> Self {
        let given = headers.get(X_REQUEST_ID).and_then(|given| given.to_str().ok());
        match given.filter(|given| is_plain(given.as_bytes())) {
            Some(given) => Self(given.to_owned()),
            None => Self(format!("#{:016x}", ids.key.hash_one(ids.next.fetch_add(1, Ordering::Relaxed)))),
        }
    }

    /// None is never answered: both kinds are made of what a header may hold.
    pub(super) fn into_header(self) -> Option<HeaderValue> {
        HeaderValue::try_from(self.0).ok()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Nothing a log line could be forged with, nor the hub's own ids.
fn is_plain(name: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    !name.is_empty() && name.len() <= limits::REQUEST_ID_MAX_CHARS && name.iter().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_plain_name_is_kept_and_any_other_gives_way_to_an_id_that_tells_nothing() {
        let ids = RequestIds::default();
        let named = |name: &str| {
            let headers = HeaderMap::from_iter([(X_REQUEST_ID, HeaderValue::from_str(name).unwrap())]);
            RequestId::of(&headers, &ids).to_string()
        };
        for name in ["a", "7f3c-22_b.1", &"x".repeat(limits::REQUEST_ID_MAX_CHARS)] {
            assert_eq!(named(name), name);
        }
        let mut seen = Vec::new();
        for name in ["", "two words", "a=b", &"x".repeat(65), "ä", "#3"] {
            seen.push(named(name));
        }
        seen.push(RequestId::of(&HeaderMap::new(), &ids).to_string());
        assert!(seen.iter().all(|id| id.len() == 17 && id.starts_with('#')), "{seen:?}");
        let again = RequestIds::default();
        assert_ne!(RequestId::of(&HeaderMap::new(), &again).to_string(), seen[0], "another run, other ids");
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 7);
    }
}
