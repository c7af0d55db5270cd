//! Which responses may be large, derived from a request's method and path: they need a share of the hub's memory before they
//! are built. Every read of the REST API counts, but for the few that are known to be small, so that a new route is
//! bounded from its first day. What a tool or an A2A call answers, its own door knows.

use axum::http::Method;

use crate::hub::in_flight::Cost;

/// Reads of a few rows, and exports, which are sent from the disk.
const SMALL: &[&str] = &[
    "/api/auth/me",
    "/api/session",
    "/api/session/options",
    "/api/evidence/bundle",
    "/api/evidence/checkpoint",
    "/api/evidence/consistency",
    "/api/evidence/key",
    "/api/evidence/proof",
    "/api/evidence/side-file",
];

/// What the answer to such a request may take, if that is much.
pub(super) fn cost(method: &Method, path: &str) -> Option<Cost> {
    let is_read = matches!(*method, Method::GET | Method::HEAD);
    if !is_read || !path.starts_with("/api/") || SMALL.contains(&path) {
        return None;
    }
    // A look at one task may wait, and reserves its share afterwards.
    let is_task = path.strip_prefix("/api/tasks/").is_some_and(|id| !id.contains('/'));
    // The bytes of an artifact are sent as they are read.
    let is_artifact = path.starts_with("/api/artifacts/");
    (!is_task && !is_artifact).then_some(Cost::List)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_read_of_the_api_is_large_unless_it_is_known_to_be_small() {
        for (method, path, expected) in [
            (Method::GET, "/api/tasks", Some(Cost::List)),
            (Method::HEAD, "/api/tasks", Some(Cost::List)),
            (Method::GET, "/api/tasks/0199", None),
            (Method::GET, "/api/tasks/0199/tree", Some(Cost::List)),
            (Method::GET, "/api/networks/net_1/members", Some(Cost::List)),
            (Method::GET, "/api/artifacts", Some(Cost::List)),
            (Method::GET, "/api/artifacts/00ff", None),
            (Method::GET, "/api/evidence", Some(Cost::List)),
            (Method::GET, "/api/evidence/key", None),
            (Method::GET, "/api/evidence/bundle", None),
            (Method::POST, "/api/claim", None),
            (Method::POST, "/api/task", None),
            (Method::GET, "/events/me", None),
            (Method::POST, "/mcp", None),
            (Method::GET, "/health", None),
        ] {
            assert_eq!(cost(&method, path), expected, "{method} {path}");
        }
    }
}
