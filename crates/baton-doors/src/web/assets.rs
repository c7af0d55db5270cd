//! The dashboard's files. They are in the binary, a line of `FILES` each; only `facts.js` is made. An `ETag` makes
//! asking again cheap, so browsers ask each time and a new hub shows its new pages at once.

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, LazyLock};

use super::{facts, headers};
use crate::hub::Hub;
use crate::rest::{DoorError, ErrorBody, is_known};

macro_rules! file {
    ($name:literal) => {
        ($name, include_bytes!(concat!("assets/", $name)))
    };
}

/// Every file that is served.
const FILES: &[(&str, &[u8])] = &[
    file!("agents.js"),
    file!("api.js"),
    file!("app.css"),
    file!("app.js"),
    file!("artifacts.js"),
    file!("check.js"),
    file!("consent.html"),
    file!("consent.js"),
    file!("entries.js"),
    file!("evidence.js"),
    file!("favicon.svg"),
    file!("filters.js"),
    file!("flow.js"),
    file!("graph.js"),
    file!("icons.svg"),
    file!("index.html"),
    file!("invitations.js"),
    file!("invite.js"),
    file!("licenses.txt"),
    file!("live.js"),
    file!("network.js"),
    file!("overview.js"),
    file!("parts.js"),
    file!("plot.js"),
    file!("send.js"),
    file!("shell.js"),
    file!("sign-in.js"),
    file!("task.js"),
    file!("tasks.js"),
    file!("theme.js"),
    file!("time.js"),
    file!("tokens.js"),
    file!("tree.js"),
    file!("vendor.js"),
];

/// The one file that the hub makes itself.
const FACTS: &str = "facts.js";

/// The page of every address of the dashboard; its script shows what the address says.
const PAGE: &str = "index.html";

/// The page on which a user allows an OAuth client to act.
const CONSENT: &str = "consent.html";

pub(super) fn routes() -> Router<Arc<Hub>> {
    Router::new()
        .route("/", get(page))
        .route("/n/{*path}", get(page))
        .route("/oauth/authorize", get(consent))
        .route("/assets/{name}", get(file))
        .layer(middleware::map_response(headers::of_page))
}

async fn page(asked: HeaderMap) -> Response {
    serve(PAGE, &asked)
}

/// What an OAuth client asks for; its script reads the request from the address.
async fn consent(asked: HeaderMap) -> Response {
    serve(CONSENT, &asked)
}

async fn file(Path(name): Path<String>, asked: HeaderMap) -> Response {
    serve(&name, &asked)
}

fn serve(name: &str, asked: &HeaderMap) -> Response {
    #[cfg(debug_assertions)]
    if let Some(asset) = from_folder(name) {
        return asset.answer(asked);
    }
    match ASSETS.get(name) {
        Some(asset) => asset.answer(asked),
        None => (StatusCode::NOT_FOUND, axum::Json(ErrorBody::bare(DoorError::NotFound))).into_response(),
    }
}

/// The files, each compressed and hashed when the first of them is asked for.
static ASSETS: LazyLock<HashMap<&str, Asset>> = LazyLock::new(|| {
    let files = FILES.iter().map(|(name, bytes)| (*name, Bytes::from_static(bytes)));
    let all = files.chain([(FACTS, facts::script().into())]);
    all.map(|(name, bytes)| (name, Asset::new(name, bytes))).collect()
});

/// For work on the pages: in debug builds a folder may stand in for the files of the binary.
#[cfg(debug_assertions)]
fn from_folder(name: &str) -> Option<Asset> {
    let folder = std::env::var_os("BATON_WEB_ASSETS")?;
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    let bytes = is_plain.then(|| std::fs::read(std::path::Path::new(&folder).join(name)).ok()).flatten()?;
    Some(Asset::new(name, bytes.into()))
}

/// A file, ready to go out.
#[derive(Debug)]
struct Asset {
    content_type: &'static str,
    plain: Form,
    /// Where that is shorter.
    gzip: Option<Form>,
}

/// A file as it is, or compressed.
#[derive(Debug)]
struct Form {
    bytes: Bytes,
    tag: String,
}

impl Asset {
    fn new(name: &str, bytes: Bytes) -> Self {
        let digest = Sha256::digest(&bytes);
        let hash = digest[..16].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let gzip = gzip(&bytes).filter(|shorter| shorter.len() < bytes.len());
        Self {
            content_type: content_type(name),
            plain: Form { bytes, tag: format!("\"{hash}\"") },
            gzip: gzip.map(|shorter| Form { bytes: shorter.into(), tag: format!("\"{hash}-gzip\"") }),
        }
    }

    fn answer(&self, asked: &HeaderMap) -> Response {
        let gzip = self.gzip.as_ref().filter(|_| takes_gzip(asked));
        let form = gzip.unwrap_or(&self.plain);
        let common = [
            (header::ETAG, form.tag.as_str()),
            (header::CACHE_CONTROL, "no-cache"),
            (header::VARY, "accept-encoding"),
        ];
        if is_known(asked, &form.tag) {
            return (StatusCode::NOT_MODIFIED, common).into_response();
        }
        let own = [(header::CONTENT_TYPE, self.content_type)];
        let mut response = (common, own, form.bytes.clone()).into_response();
        if gzip.is_some() {
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}

/// None if it cannot be compressed, which a `Vec` never refuses.
fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn takes_gzip(asked: &HeaderMap) -> bool {
    list(asked, &header::ACCEPT_ENCODING).into_iter().any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let is_refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}

/// The members of a header that is a list.
fn list<'h>(asked: &'h HeaderMap, name: &header::HeaderName) -> Vec<&'h str> {
    let lines = asked.get_all(name).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim).collect()
}
