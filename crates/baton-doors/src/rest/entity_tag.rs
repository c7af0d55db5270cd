//! Entity tags (RFC 9110, 8.8.3): whether a caller has what it asks for already.

use axum::http::{HeaderMap, header};

/// Whether the caller says that it has what this tag names; a weak tag compares like a strong one (13.1.2).
pub(crate) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let lines = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|line| line.to_str().ok());
    let mut named = lines.flat_map(|line| line.split(',')).map(str::trim);
    named.any(|named| named == "*" || named.strip_prefix("W/").unwrap_or(named) == tag)
}
