//! The collector spans are posted to, and the client that calls it: the operator's own address, so none of the policy for
//! calls outside; no redirects and no proxy anyway.

use baton_core::limits;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, StatusCode, redirect};
use std::error::Error;

use super::{OtlpEndpoint, Sampler};
use crate::outbound::Authorities;

/// Where spans go, ready to be called.
#[derive(Debug, Clone)]
pub struct Collector {
    endpoint: OtlpEndpoint,
    client: Client,
    pub export: Export,
}

/// What is exported, and how.
#[derive(Debug, Clone)]
pub struct Export {
    /// Sent with every call; may hold a key of the collector.
    pub headers: HeaderMap,
    /// `service.name` of the spans.
    pub service_name: String,
    pub sampler: Sampler,
}

impl Default for Export {
    fn default() -> Self {
        Self { headers: HeaderMap::new(), service_name: "baton".into(), sampler: Sampler::default() }
    }
}

/// Why spans were not taken.
pub enum Refused {
    /// Perhaps later.
    ForNow(String),
    Finally(String),
}

impl Collector {
    /// Nothing is called yet; what fails is the system's certificates.
    pub fn new(endpoint: OtlpEndpoint, authorities: &Authorities, export: Export) -> Result<Self, String> {
        // The process's one TLS engine; a second call finds it there, which is all that is asked.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder()
            .user_agent(concat!("baton/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .no_proxy()
            .timeout(limits::COLLECTOR_ANSWER_MAX);
        let builder = match endpoint.is_https() {
            true => builder.tls_certs_merge(authorities.certificates()),
            false => builder.tls_certs_only(Vec::new()), // and so needs no certificates of the system
        };
        let client = builder.build().map_err(|error| with_causes(&error))?;
        Ok(Self { endpoint, client, export })
    }

    pub async fn post(&self, body: Vec<u8>) -> Result<(), Refused> {
        let request = self.client.post(self.endpoint.url().clone());
        let request = request.headers(self.export.headers.clone());
        let sent = request.header(CONTENT_TYPE, "application/json").body(body).send().await;
        // The address may hold a password, and the log is no place for it.
        let answer = sent.map_err(|error| Refused::ForNow(with_causes(&error.without_url())))?;
        match answer.status() {
            status if status.is_success() => Ok(()),
            // OTLP/HTTP: these and no others may be tried again.
            status @ (StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT) => {
                Err(Refused::ForNow(format!("the collector answered {status}")))
            }
            status => Err(Refused::Finally(format!("the collector answered {status}"))),
        }
    }
}

/// What was being done, and down to what happened.
fn with_causes(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| (*error).source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
