//! The session cookie: its name, and the one decision whether it counts. A browser sends a cookie with whatever
//! makes it call, so a request counts only as far as it shows to come from the hub's own page. That is decided
//! before anything is looked up, and only for `/api` and `/events`: `/mcp` and `/a2a` never see a cookie.

use axum::Json;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use baton_core::limits;

use crate::hub::Settings;
use crate::rest::ErrorBody;
use crate::service::Revealed;

/// A page cannot send this to another origin unless that origin agrees, and the hub never does.
const PAGE: HeaderName = HeaderName::from_static("baton-page");
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Where a browser gets a cookie by a call; it has none yet, and is asked for the same.
const SIGN_INS: [&str; 2] = ["/api/session", "/api/session/register"];

/// Where the issuer sends a browser back to.
pub(super) const CALLBACK: &str = "/oidc/callback";

/// The cookie's name over https.
pub(crate) const COOKIE: &str = "__Host-baton";

/// Where the gate found a request to come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It names no origin, or the hub's own.
    Own,
    /// A page of another origin that may call with a token.
    Other,
}

/// Why a cookie does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ForeignOrigin(pub(super) &'static str);

impl IntoResponse for ForeignOrigin {
    fn into_response(self) -> Response {
        (StatusCode::FORBIDDEN, Json(ErrorBody::not_our_page(self.0))).into_response()
    }
}

/// The header that gives a browser its cookie or takes it away.
pub(super) type SetCookie = [(HeaderName, String); 1];

/// The cookie of this hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cookie {
    name: String,
    is_https: bool,
}

impl Cookie {
    /// Browsers take the prefix `__Host-` over https only, and then hold to what it promises. Cookies know no
    /// ports, so without it the name does: two hubs on one machine keep apart.
    pub(crate) fn of(settings: &Settings) -> Self {
        let is_https = settings.is_https();
        let name = if is_https { COOKIE.into() } else { format!("baton-{}", settings.address.port()) };
        Self { name, is_https }
    }

    /// Lets a request's cookie count as its bearer token, if it has one and needs one. True when it does.
    pub(crate) fn admit(&self, request: &mut Request, from: Origin) -> Result<bool, ForeignOrigin> {
        let path = request.uri().path();
        let signs_in = request.method() == Method::POST && SIGN_INS.contains(&path);
        let bearer = self.bearer(path, request.headers());
        if bearer.is_some() || signs_in {
            self.check(request.method(), request.headers(), from)?;
        }
        if request.uri().path() == CALLBACK
            && let Some(begun) = self.sign_in(request.headers())
        {
            request.extensions_mut().insert(begun);
        }
        let headers = request.headers_mut();
        // No door needs it any more, and what they do not have they cannot log.
        headers.remove(header::COOKIE);
        let Some(mut bearer) = bearer else { return Ok(false) };
        bearer.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, bearer);
        Ok(true)
    }

    /// The cookie as a bearer token, where it opens something and nothing else was shown.
    fn bearer(&self, path: &str, headers: &HeaderMap) -> Option<HeaderValue> {
        let opens = path.starts_with("/api/") || path.starts_with("/events/");
        if !opens || headers.contains_key(header::AUTHORIZATION) {
            return None;
        }
        HeaderValue::try_from(format!("Bearer {}", self.value(headers)?)).ok()
    }

    /// What this browser keeps of a sign-in at the issuer.
    fn sign_in(&self, headers: &HeaderMap) -> Option<SignInCookie> {
        let value = value(headers, &format!("{}-sign-in", self.name))?;
        Some(SignInCookie(value.to_owned()))
    }

    /// The cookie's value.
    fn value<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        value(headers, &self.name)
    }

    /// Gives the browser what it keeps while its user is at the issuer. It has to come along when the issuer sends the browser
    /// back, which is what `Lax` allows and `Strict` does not.
    pub(super) fn begin_sign_in(&self, kept: &str) -> SetCookie {
        self.sign_in_line(kept, limits::OIDC_SIGN_IN_MAX_SECONDS)
    }

    /// Takes it away.
    pub(super) fn end_sign_in(&self) -> SetCookie {
        self.sign_in_line("", 0)
    }

    fn sign_in_line(&self, kept: &str, seconds: u32) -> SetCookie {
        let (name, secure) = (&self.name, if self.is_https { "; Secure" } else { "" });
        let line =
            format!("{name}-sign-in={kept}; HttpOnly; SameSite=Lax; Path=/; Max-Age={seconds}{secure}");
        [(header::SET_COOKIE, line)]
    }
}

/// What a browser brings back to the end of a sign-in at the issuer; taken out of its cookies by the gate.
#[derive(Debug, Clone)]
pub(super) struct SignInCookie(pub(super) String);

/// Of two cookies with a name one was put there by somebody else: neither counts.
fn value<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut ours = pairs.filter(|(found, _)| *found == name).map(|(_, value)| value);
    ours.next().filter(|_| ours.next().is_none())
}

impl Cookie {
    fn check(&self, method: &Method, headers: &HeaderMap, from: Origin) -> Result<(), ForeignOrigin> {
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        let origin = headers.get(header::ORIGIN);
        let is_plain = |origin: &HeaderValue| !origin.as_bytes().starts_with(b"https://");
        if from == Origin::Other || self.is_https && origin.is_some_and(is_plain) {
            return Err(ForeignOrigin("the session cookie is for the hub's own pages"));
        }
        // A browser says `none` when a user typed the address or chose a bookmark.
        let is_ours = |site: &HeaderValue| site == "same-origin" || is_read && site == "none";
        if !headers.get_all(FETCH_SITE).iter().all(is_ours) {
            return Err(ForeignOrigin("the session cookie is for calls from the hub's own pages"));
        }
        if !is_read && origin.is_none() {
            return Err(ForeignOrigin("a change by cookie needs an Origin header"));
        }
        if !is_read && headers.get(PAGE).is_none_or(|page| page != "1") {
            return Err(ForeignOrigin("a change by cookie needs the header baton-page: 1"));
        }
        Ok(())
    }

    /// Gives the browser its token.
    pub(super) fn set(&self, token: &Revealed) -> SetCookie {
        self.line(token.expose(), limits::BROWSER_SESSION_MAX_SECONDS)
    }

    /// Takes it away.
    pub(super) fn clear(&self) -> SetCookie {
        self.line("", 0)
    }

    fn line(&self, value: &str, seconds: u32) -> SetCookie {
        let secure = if self.is_https { "; Secure" } else { "" };
        let name = &self.name;
        let line = format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}{secure}");
        [(header::SET_COOKIE, line)]
    }
}
