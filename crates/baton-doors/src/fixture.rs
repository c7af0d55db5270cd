//! For tests of the doors: the hub that the service's tests have too, and how it is asked.

pub(crate) use baton_service::fixture::*;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use axum::response::Response;
use serde_json::Value;

/// A request with a token.
pub(crate) fn request(method: &str, path: &str, token: &str, body: impl Into<Body>) -> Request<Body> {
    let request = Request::builder().method(method).uri(path);
    request.header(header::AUTHORIZATION, format!("Bearer {token}")).body(body.into()).unwrap()
}

/// The status and the whole body of an answer that ends.
pub(crate) async fn whole(response: Response) -> (StatusCode, String) {
    let status = response.status();
    let bytes = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
    (status, String::from_utf8(bytes.into()).unwrap())
}

/// The same, read as JSON.
pub(crate) async fn json(response: Response) -> (StatusCode, Value) {
    let (status, text) = whole(response).await;
    (status, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

/// Compares a page of docs/ with what the code makes of it now, or writes it with `BATON_BLESS`.
pub(crate) fn hold_page(name: &str, made: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("BATON_BLESS").is_some() {
        std::fs::write(&path, made).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page == made, "docs/{name} is not what the code says; BATON_BLESS=1 writes it");
}
