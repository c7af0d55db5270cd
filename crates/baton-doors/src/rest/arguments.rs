//! Arguments at the door: a JSON body, a query string or the names in a path become typed values, or an answer that names the field.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::{Json, body};
use baton_core::limits;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::error::ErrorBody;
use super::{DoorError, ErrorResponse};
use crate::json_depth;
use crate::service::Error;

/// A JSON body of at most `MAX` bytes. An absent body counts as `{}`.
#[derive(Debug)]
pub struct Body<T, const MAX: usize = { limits::JSON_BODY_MAX_BYTES }>(pub T);

/// The same, where a member that the call does not know is refused: what it holds would be lost in silence.
#[derive(Debug)]
pub struct Strict<T>(pub T);

/// Who acts is what the token says, and where is what the path says: these are accepted and never used.
const NEVER_USED: [&str; 3] = ["from", "from_session", "network_id"];

/// The names in the path.
#[derive(Debug)]
pub struct Path<T>(pub T);

/// The query string.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned, const MAX: usize> FromRequest<S> for Body<T, MAX> {
    type Rejection = Response;

    async fn from_request(request: Request, _: &S) -> Result<Self, Response> {
        take(request, MAX, read).await.map(Self)
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Strict<T> {
    type Rejection = Response;

    async fn from_request(request: Request, _: &S) -> Result<Self, Response> {
        take(request, limits::JSON_BODY_MAX_BYTES, read_strictly).await.map(Self)
    }
}

async fn take<T>(
    request: Request,
    most: usize,
    read: impl FnOnce(&[u8]) -> Result<T, BodyError>,
) -> Result<T, Response> {
    let is_json = media_type(&request).is_some_and(|named| named.eq_ignore_ascii_case("application/json"));
    let bytes = body::to_bytes(request.into_body(), most).await;
    let Ok(bytes) = bytes else {
        return Err(refuse(DoorError::BodyTooLarge));
    };
    let body = if bytes.is_empty() { &b"{}"[..] } else { &bytes };
    if !bytes.is_empty() && !is_json {
        return Err(refuse(DoorError::NotCalledJson));
    }
    read(body).map_err(|unread| match unread {
        BodyError::NotJson => refuse(DoorError::NotJson),
        BodyError::TooDeep => (DoorError::NotJson.status(), Json(ErrorBody::too_deep())).into_response(),
        BodyError::Field(error) => ErrorResponse(error).into_response(),
    })
}

/// The content type, in lower case and without parameters.
pub(super) fn media_type(request: &Request) -> Option<&str> {
    let named = request.headers().get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(named.split(';').next().unwrap_or_default().trim())
}

/// Why a body gave no arguments.
enum BodyError {
    NotJson,
    TooDeep,
    Field(Error),
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, BodyError> {
    // As text: a reader of bytes does not look at the ones of fields it passes over.
    let text = std::str::from_utf8(bytes).map_err(|_| BodyError::NotJson)?;
    if json_depth::is_exceeded(bytes) {
        return Err(BodyError::TooDeep);
    }
    serde_json::from_str(text).or_else(|_| {
        // A wrong field is only worth naming in a body that is JSON to its end.
        serde_json::from_str::<IgnoredAny>(text).map_err(|_| BodyError::NotJson)?;
        // Read again, because a reader that can name a field is slower.
        let value = serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(text));
        value.map_err(|error| BodyError::Field(Error::of_schema(error)))
    })
}

/// The same, and no member is passed over.
fn read_strictly<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, BodyError> {
    let text = std::str::from_utf8(bytes).map_err(|_| BodyError::NotJson)?;
    if json_depth::is_exceeded(bytes) {
        return Err(BodyError::TooDeep);
    }
    let mut unknown = None;
    let mut json = serde_json::Deserializer::from_str(text);
    let arguments = serde_ignored::deserialize(&mut json, |path| {
        let name = path.to_string();
        if !NEVER_USED.contains(&&*name) {
            unknown.get_or_insert(name);
        }
    });
    match (arguments, json.end(), unknown) {
        (Ok(arguments), Ok(()), None) => Ok(arguments),
        (Ok(_), Ok(()), Some(name)) => {
            Err(BodyError::Field(Error::argument(name, "is not a field of this call")))
        }
        // What is wrong with it is named there.
        _ => read(bytes),
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        match axum::extract::Query::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Query(query)) => Ok(Self(query)),
            Err(error) => Err(ErrorResponse(Error::argument("query", error.body_text())).into_response()),
        }
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        match axum::extract::Path::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(names)) => Ok(Self(names)),
            Err(_) => Err(ErrorResponse(Error::argument("path", "must be text in UTF-8")).into_response()),
        }
    }
}

pub(super) fn refuse(why: DoorError) -> Response {
    (why.status(), Json(ErrorBody::bare(why))).into_response()
}
