//! What a request is called in the log and in its answer: as its caller called it if that is short and plain, else
//! by its number in this run, `#7`, which no caller can call its own.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use baton_core::limits;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// A request's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestId(String);

impl RequestId {
    /// The caller's, or the next number.
    pub(super) fn of(headers: &HeaderMap, numbers: &AtomicU64) -> Self {
        let given = headers.get(X_REQUEST_ID).and_then(|given| given.to_str().ok());
        match given.filter(|given| is_plain(given.as_bytes())) {
            Some(given) => Self(given.to_owned()),
            None => Self(format!("#{}", numbers.fetch_add(1, Ordering::Relaxed))),
        }
    }

    /// None is never answered: both kinds are made of what a header may hold.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Nothing a log line could be forged with, nor the hub's own numbers.
fn is_plain(name: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    !name.is_empty() && name.len() <= limits::REQUEST_ID_MAX_CHARS && name.iter().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_plain_name_is_kept_and_any_other_gives_way_to_a_number() {
        let numbers = AtomicU64::new(7);
        let named = |name: &str| {
            let headers = HeaderMap::from_iter([(X_REQUEST_ID, HeaderValue::from_str(name).unwrap())]);
            RequestId::of(&headers, &numbers).to_string()
        };
        for name in ["a", "7f3c-22_b.1", &"x".repeat(limits::REQUEST_ID_MAX_CHARS)] {
            assert_eq!(named(name), name);
        }
        assert_eq!(numbers.load(Ordering::Relaxed), 7);
        for (name, number) in [
            ("", "#7"),
            ("two words", "#8"),
            ("a=b", "#9"),
            (&"x".repeat(65), "#10"),
            ("ä", "#11"),
            ("#3", "#12"),
        ] {
            assert_eq!(named(name), number, "{name:?}");
        }
        let own = RequestId::of(&HeaderMap::new(), &numbers);
        assert_eq!(own.header().unwrap(), "#13");
    }
}
