//! Signing in with the operator's OpenID Connect issuer: the browser goes there with a cookie that only this browser has, and comes
//! back with a code. It ends with the session cookie that a password gives, too.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use baton_core::limits;
use serde::Deserialize;
use std::sync::Arc;

use super::cookie::{CALLBACK, Cookie, SignInCookie};
use super::headers;
use crate::hub::{Hub, Settings};
use crate::rest::{ClientAddress, HubState, Query, base_url};
use crate::service::oidc::sign_in::{Answer, Begun, NotSignedIn, begin, complete};

/// The routes, which only browsers follow.
pub(super) fn routes() -> Router<Arc<Hub>> {
    Router::new()
        .route("/oidc/login", get(login))
        .route(CALLBACK, get(callback))
        .layer(middleware::map_response(headers::of_session))
}

/// Whom the sign-in page can offer, if anybody.
pub(super) fn issuer_host(settings: &Settings) -> Option<String> {
    let url = reqwest::Url::parse(&settings.oidc.as_ref()?.issuer).ok()?;
    url.host_str().map(str::to_owned)
}

#[derive(Debug, Deserialize)]
struct Login {
    return_to: Option<String>,
}

/// Sends the browser to the issuer.
async fn login(State(hub): HubState, headers: HeaderMap, Query(args): Query<Login>) -> Response {
    let return_to = args.return_to.as_deref().filter(|path| is_own_path(path)).unwrap_or("/");
    match begin(&hub, &base_url(&hub.settings, &headers)).await {
        Ok((url, begun)) => {
            let place: String = form_urlencoded::byte_serialize(return_to.as_bytes()).collect();
            let keep = |place: &str| {
                let kept = format!("{}.{}.{}.{place}", begun.state, begun.nonce, begun.verifier);
                Cookie::of(&hub.settings).begin_sign_in(&kept)
            };
            let mut line = keep(&place);
            // A browser drops a line that is longer, and the sign-in with it; a long place is the less to lose.
            if line[0].1.len() > limits::COOKIE_LINE_MAX_BYTES {
                line = keep("%2F");
            }
            (line, go(&url)).into_response()
        }
        Err(why) => refused(&hub, &why),
    }
}

#[derive(Debug, Deserialize)]
struct Returned {
    code: Option<String>,
    state: Option<String>,
    iss: Option<String>,
    error: Option<String>,
}

/// Takes the browser back.
async fn callback(
    State(hub): HubState,
    from: ClientAddress,
    headers: HeaderMap,
    kept: Option<Extension<SignInCookie>>,
    Query(returned): Query<Returned>,
) -> Response {
    let (begun, return_to) = kept.and_then(|Extension(kept)| read(&kept.0)).unzip();
    let Returned { code, state, iss, error } = returned;
    let answer = Answer { code, state, iss, error };
    let base = base_url(&hub.settings, &headers);
    let cookie = Cookie::of(&hub.settings);
    match complete(&hub, &base, from.0, begun, answer).await {
        Ok(token) => {
            let mut response = go(return_to.as_deref().unwrap_or("/"));
            for [(name, line)] in [cookie.set(&token), cookie.end_sign_in()] {
                let line = HeaderValue::try_from(line).unwrap_or(HeaderValue::from_static(""));
                response.headers_mut().append(name, line);
            }
            response
        }
        Err(why) => (cookie.end_sign_in(), refused(&hub, &why)).into_response(),
    }
}

/// What a browser kept: the secrets of its sign-in, and where it wanted to go.
fn read(kept: &str) -> Option<(Begun, String)> {
    let mut parts = kept.split('.').map(str::to_owned);
    let begun = Begun { state: parts.next()?, nonce: parts.next()?, verifier: parts.next()? };
    let place = format!("x={}", parts.collect::<Vec<_>>().join("."));
    let (_, place) = form_urlencoded::parse(place.as_bytes()).next()?;
    let place = if is_own_path(&place) { place.into_owned() } else { "/".into() };
    (!begun.state.is_empty()).then_some((begun, place))
}

/// A page of this hub, and of no other: browsers read `//` and `/\\` as the beginning of another host.
fn is_own_path(path: &str) -> bool {
    let is_plain = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    is_plain && path.starts_with('/') && !path.starts_with("//")
}

fn go(to: &str) -> Response {
    match HeaderValue::try_from(to) {
        Ok(to) => (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Back to the sign-in page, which has words for each reason; the log has the cause.
fn refused(hub: &Hub, why: &NotSignedIn) -> Response {
    let word = match why {
        NotSignedIn::NotConfigured => "off",
        NotSignedIn::Issuer(cause) => {
            let issuer = hub.settings.oidc.as_ref().map(|oidc| &*oidc.issuer).unwrap_or_default();
            tracing::warn!(issuer, cause, "a sign-in at the issuer failed");
            "issuer"
        }
        NotSignedIn::Foreign => "again",
        NotSignedIn::Refused => "refused",
        NotSignedIn::Group => "group",
        NotSignedIn::Hub(error) => {
            tracing::warn!(%error, "a sign-in at the issuer could not be finished");
            "hub"
        }
    };
    go(&format!("/?sign-in={word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_returns_to_a_page_of_this_hub_and_to_no_other() {
        for (path, is_own) in [
            ("/", true),
            ("/oauth/authorize?client_id=a&state=b%2F", true),
            ("//evil.example", false),
            ("/\\evil.example", false),
            ("https://evil.example", false),
            ("javascript:alert(1)", false),
            ("", false),
            ("/a b", false),
        ] {
            assert_eq!(is_own_path(path), is_own, "{path}");
        }
        let (begun, place) = read("state.nonce.verifier.%2Fn%2Fnet%2Ftasks%3Fa%3Db.c").unwrap();
        assert_eq!((&*begun.state, &*begun.verifier, &*place), ("state", "verifier", "/n/net/tasks?a=b.c"));
        assert_eq!(read("state.nonce.verifier.%2F%2Fevil.example").unwrap().1, "/");
        assert!(read("state.nonce").is_none() && read("").is_none());
    }
}
