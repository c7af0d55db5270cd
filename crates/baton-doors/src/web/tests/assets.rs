//! The dashboard's files: how they come, and what comes with them.

use axum::body::to_bytes;
use axum::http::{StatusCode, header};
use baton_core::{Status, limits};
use flate2::read::GzDecoder;
use std::io::Read;

use super::browser::Browser;

#[tokio::test]
async fn the_page_and_its_files_come_with_their_types_and_what_browsers_must_hold_to() {
    let browser = Browser::new();
    let cases = [
        ("/", "text/html; charset=utf-8"),
        ("/n/net_1/tasks", "text/html; charset=utf-8"),
        ("/assets/index.html", "text/html; charset=utf-8"),
        ("/assets/app.js", "text/javascript; charset=utf-8"),
        ("/assets/app.css", "text/css; charset=utf-8"),
    ];
    for (path, content_type) in cases {
        for method in ["GET", "HEAD"] {
            let response = browser.send(method, path, &[], None).await;
            assert_eq!(response.status(), StatusCode::OK, "{method} {path}");
            let said = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
            assert_eq!(said("content-type"), content_type);
            assert_eq!(said("cache-control"), "no-cache");
            assert_eq!(
                said("content-security-policy"),
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                 base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            );
            assert_eq!(said("x-content-type-options"), "nosniff");
            assert_eq!(said("referrer-policy"), "no-referrer");
            assert_eq!(said("cross-origin-opener-policy"), "same-origin");
            assert_eq!(said("cross-origin-resource-policy"), "same-origin");
            let length: usize = said("content-length").parse().unwrap();
            assert!(length > 0);
            let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
            assert_eq!(body.len(), if method == "GET" { length } else { 0 });
        }
    }
}

#[tokio::test]
async fn the_pages_take_statuses_and_limits_from_the_rules() {
    let response = Browser::new().send("GET", "/assets/facts.js", &[], None).await;
    assert_eq!(response.headers()["content-type"], "text/javascript; charset=utf-8");
    let facts = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    let facts = std::str::from_utf8(&facts).unwrap();
    let ends: Vec<_> = Status::terminal().map(|status| format!("\"{status}\"")).collect();
    assert!(facts.contains(&format!("export const ENDS = [{}];", ends.join(","))), "{facts}");
    assert!(facts.contains(&format!("\"TEXT_MAX_BYTES\":{}", limits::TEXT_MAX_BYTES)), "{facts}");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/web/assets");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|end| end != "js") {
            continue;
        }
        let script = std::fs::read_to_string(&path).unwrap();
        for used in script.split("LIMITS.").skip(1) {
            let name: String = used.chars().take_while(|c| c.is_ascii_uppercase() || *c == '_').collect();
            assert!(facts.contains(&format!("\"{name}\":")), "{}: {name}", path.display());
        }
        let lists = Status::terminal().filter(|status| script.contains(&format!("'{status}', '"))).count();
        assert!(lists == 0, "{} lists statuses; facts.js has them", path.display());
    }
}

#[test]
fn every_status_has_its_colours() {
    let sheet = include_str!("../assets/app.css");
    for status in Status::ALL {
        for rule in [
            format!("--{status}:"),
            format!("--fill-{status}:"),
            format!(".s-{status} "),
            format!(".f-{status} "),
        ] {
            assert!(sheet.contains(&rule), "app.css has no {rule}");
        }
    }
}

#[tokio::test]
async fn what_is_not_in_the_table_is_not_there() {
    let browser = Browser::new();
    for path in [
        "/assets/none.js",
        "/assets/",
        "/assets/..%2Fassets.rs",
        "/assets/a/b",
        "/n",
        "/index.html",
        "/favicon.ico",
    ] {
        let (status, body) = browser.json("GET", path, &[], None).await;
        assert_eq!((status, body["error"].as_str()), (StatusCode::NOT_FOUND, Some("not found")), "{path}");
    }
    assert_eq!(browser.send("POST", "/", &[], None).await.status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn a_file_that_the_browser_has_is_not_sent_again() {
    let browser = Browser::new();
    for accept in ["identity", "gzip"] {
        let ask = async |tag: &str| {
            let headers = [("accept-encoding", accept), ("if-none-match", tag)];
            browser.send("GET", "/assets/app.js", &headers, None).await
        };
        let tag = ask("\"other\"").await.headers()[header::ETAG].to_str().unwrap().to_owned();
        for same in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".into()] {
            let response = ask(&same).await;
            assert_eq!(response.status(), StatusCode::NOT_MODIFIED, "{same}");
            assert_eq!(response.headers()[header::ETAG].to_str().unwrap(), tag);
            assert!(response.headers().contains_key(header::CONTENT_SECURITY_POLICY));
            assert!(to_bytes(response.into_body(), 1).await.unwrap().is_empty());
        }
        assert_eq!(ask(&tag.replace('"', "")).await.status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn gzip_is_for_those_who_take_it_and_holds_the_same() {
    let browser = Browser::new();
    let ask = async |accept: &str| {
        let response = browser.send("GET", "/assets/app.js", &[("accept-encoding", accept)], None).await;
        assert_eq!(response.headers()[header::VARY], "accept-encoding");
        let is_gzip = response.headers().get(header::CONTENT_ENCODING).is_some_and(|coding| coding == "gzip");
        let tag = response.headers()[header::ETAG].clone();
        (is_gzip, tag, to_bytes(response.into_body(), 1 << 20).await.unwrap())
    };
    let (is_gzip, tag, plain) = ask("").await;
    assert!(!is_gzip);
    for accept in ["gzip", "deflate, GZIP;q=0.5, br"] {
        let (is_gzip, other_tag, bytes) = ask(accept).await;
        let mut unpacked = Vec::new();
        GzDecoder::new(&*bytes).read_to_end(&mut unpacked).unwrap();
        assert!(is_gzip && bytes.len() < plain.len() && unpacked == plain && other_tag != tag, "{accept}");
    }
    for accept in ["br", "gzip;q=0", "gzip; q=0.0", "x-gzip"] {
        let (is_gzip, same_tag, bytes) = ask(accept).await;
        assert!(!is_gzip && same_tag == tag && bytes == plain, "{accept}");
    }
}
