//! Objects in a bucket that speaks S3. Requests go through the hub's own HTTP client, so that there is one TLS stack; keys come
//! from the environment (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and the others), the address from `AWS_ENDPOINT_URL`.

use http_body_util::BodyExt;
use object_store::aws::AmazonS3Builder;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService,
};
use object_store::path::Path as Key;
use object_store::{ClientOptions, RetryConfig};
use reqwest::{Body, Request, Url, redirect};
use std::fmt;
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use super::Objects;
use baton_core::limits;

const CONNECT: Duration = Duration::from_secs(limits::OUTBOUND_CONNECT_SECONDS as u64);
/// A bucket that says nothing for so long is given up.
const SILENCE: Duration = Duration::from_secs(limits::BUCKET_SILENT_MAX_SECONDS as u64);

/// `s3://bucket/prefix`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    name: String,
    prefix: String,
}

impl FromStr for Bucket {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const RULE: &str = "give a bucket such as s3://my-bucket or s3://my-bucket/baton";
        let rest = text.strip_prefix("s3://").ok_or(RULE)?;
        let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '_');
        if name.len() < 3 || !name.chars().all(is_name) {
            return Err(RULE);
        }
        Ok(Self { name: name.to_owned(), prefix: prefix.trim_matches('/').to_owned() })
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.prefix.is_empty() { "" } else { "/" };
        write!(f, "s3://{}{slash}{}", self.name, self.prefix)
    }
}

impl Objects {
    /// Objects in a bucket. Nothing is asked of it yet.
    pub fn in_bucket(bucket: &Bucket) -> Result<Self, super::Error> {
        Self::with_settings(AmazonS3Builder::from_env(), bucket)
    }

    /// Objects in a bucket of a test's server; the environment of a process with many threads cannot be changed.
    #[cfg(any(test, feature = "fixture"))]
    pub fn in_bucket_at(endpoint: &str, bucket: &Bucket) -> Result<Self, super::Error> {
        let settings = AmazonS3Builder::new().with_endpoint(endpoint).with_region("us-east-1");
        Self::with_settings(settings.with_access_key_id("test").with_secret_access_key("test"), bucket)
    }

    fn with_settings(settings: AmazonS3Builder, bucket: &Bucket) -> Result<Self, super::Error> {
        let retry = RetryConfig { max_retries: 3, retry_timeout: SILENCE, ..RetryConfig::default() };
        let store = settings
            .with_bucket_name(&bucket.name)
            .with_http_connector(Connector)
            .with_retry(retry)
            .build()?;
        Ok(Self {
            store: Arc::new(store),
            folder: None,
            prefix: Key::from(&*bucket.prefix),
            piece_bytes: limits::ARTIFACT_PART_BYTES,
        })
    }
}

/// Makes the client of a bucket.
#[derive(Debug)]
struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        // The process's one TLS engine; a second call finds it there, which is all that is asked.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .build();
        match client {
            Ok(client) => Ok(HttpClient::new(Service(client))),
            Err(error) => Err(object_store::Error::Generic { store: "S3", source: Box::new(error) }),
        }
    }
}

#[derive(Debug)]
struct Service(reqwest::Client);

type Called<'a> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl HttpService for Service {
    fn call<'s, 'a>(&'s self, request: HttpRequest) -> Called<'a>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let url = Url::parse(&head.uri.to_string());
            let url = url.map_err(|error| HttpError::new(HttpErrorKind::Request, error))?;
            let mut request = Request::new(head.method, url);
            *request.headers_mut() = head.headers;
            *request.body_mut() = Some(Body::wrap(body));
            let response = self.0.execute(request).await.map_err(failed)?;
            let (head, body) = http::Response::<Body>::from(response).into_parts();
            Ok(HttpResponse::from_parts(head, HttpResponseBody::new(body.map_err(failed))))
        })
    }
}

/// What of a failed request may be tried again.
fn failed(error: reqwest::Error) -> HttpError {
    let kind = if error.is_timeout() {
        HttpErrorKind::Timeout
    } else if error.is_connect() {
        HttpErrorKind::Connect
    } else if error.is_body() || error.is_request() {
        HttpErrorKind::Interrupted
    } else {
        HttpErrorKind::Unknown
    };
    HttpError::new(kind, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_named_with_or_without_a_prefix() {
        for (text, name, prefix) in [
            ("s3://bucket", "bucket", ""),
            ("s3://a-b.c/", "a-b.c", ""),
            ("s3://bucket/x/y/", "bucket", "x/y"),
        ] {
            let bucket: Bucket = text.parse().unwrap();
            assert_eq!((&*bucket.name, &*bucket.prefix), (name, prefix), "{text}");
            assert_eq!(bucket.to_string().parse(), Ok(bucket), "{text}");
        }
        for text in ["", "bucket", "s3://", "s3://a", "https://bucket", "s3://Bucket", "s3://b b/x"] {
            assert!(text.parse::<Bucket>().is_err(), "{text}");
        }
    }
}
