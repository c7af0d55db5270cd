//! What the hub's A2A door can do beyond the protocol, declared on every card. A client that names one of them in
//! `A2A-Extensions` gets it back as active; none of them is required.

use a2a_types::AgentExtension;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;

const A2A_EXTENSIONS: HeaderName = HeaderName::from_static("a2a-extensions");

/// An extension, and what it is.
const ALL: [(&str, &str); 2] = [
    (
        "urn:baton:a2a:resumable-streams:1",
        "Every frame of a stream has an id, in the order of the task's events; Last-Event-ID resumes after it without a gap",
    ),
    (
        "urn:baton:a2a:idempotency-key:1",
        "A send with an Idempotency-Key header that was used before gives the first send's task and sends nothing",
    ),
];

/// As a card lists them.
pub(super) fn declared() -> Vec<AgentExtension> {
    let of = |(uri, description): (&str, &str)| AgentExtension {
        uri: uri.to_owned(),
        description: Some(description.to_owned()),
        required: None,
        params: None,
    };
    ALL.map(of).into()
}

/// The answer, with those of the named extensions that are in use.
pub(super) fn named_in(asked: Option<HeaderValue>, mut response: Response) -> Response {
    name_in(asked, response.headers_mut());
    response
}

/// The same, in the head of an answer that is put together elsewhere.
pub(super) fn name_in(asked: Option<HeaderValue>, headers: &mut HeaderMap) {
    if let Some(asked) = asked {
        headers.insert(A2A_EXTENSIONS, asked);
    }
}

/// Those of ours that a request names, as they are named back.
pub(super) fn asked_for(headers: &HeaderMap) -> Option<HeaderValue> {
    let lines = headers.get_all(A2A_EXTENSIONS).iter().filter_map(|line| line.to_str().ok());
    let named: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
    let ours: Vec<&str> = ALL.iter().map(|(uri, _)| *uri).filter(|uri| named.contains(uri)).collect();
    (!ours.is_empty()).then(|| HeaderValue::try_from(ours.join(", ")).ok()).flatten()
}
