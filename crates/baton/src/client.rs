//! The one client of the hub that every command-line tool uses: typed calls for the REST routes, raw ones for
//! routes to come, and event streams that resume. Every wait has an end, connections are reused, redirects are
//! never followed (a token goes to the hub it is for and nowhere else).

pub(crate) mod accounts;
mod address;
pub(crate) mod agents;
pub(crate) mod artifacts;
mod backoff;
mod call;
mod error;
pub(crate) mod evidence;
#[cfg(test)]
pub(crate) mod fake_hub;
mod follow;
mod hub_event;
pub(crate) mod invite_link;
mod options;
mod pages;
pub(crate) mod quotas;
pub(crate) mod remotes;
mod response;
mod sse;
mod task_stream;
pub(crate) mod tasks;
#[cfg(test)]
mod tests;
pub(crate) mod token_expiry;
mod token_source;

pub(crate) use accounts::{Invitation, Network};
pub(crate) use address::HubAddress;
pub(crate) use backoff::Backoff;
pub(crate) use error::{Error, REFUSED};
pub(crate) use follow::{Channel, Follower, StreamEvent};
pub(crate) use hub_event::HubEvent;
pub(crate) use options::{CaError, Options};
pub(crate) use response::HubResponse;
pub(crate) use sse::Parser as SseParser;
pub(crate) use task_stream::{TaskStream, TaskStreamEvent};
pub(crate) use token_source::{TokenSource, login_command};

/// What a caller shows the hub; prints redacted.
pub(crate) use baton_core::BearerToken as Token;

use reqwest::{Method, Response, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

use call::{Call, Repeat};

/// A hub, and who speaks to it. Cheap to clone; clones share connections.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    hub: HubAddress,
    token: Option<Token>,
    token_source: TokenSource,
    answer_timeout: Duration,
}

impl Client {
    /// A client of this hub. Nothing is sent yet.
    pub(crate) fn new(hub: HubAddress, token: Option<Token>, options: &Options) -> Result<Self, Error> {
        // The process's one TLS engine; a second call finds it there, which is all that is asked.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("baton/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never()) // each call says whether it may be sent twice
            .connect_timeout(options.connect_timeout)
            .tcp_nodelay(true);
        if let Some(roots) = options.roots(&hub) {
            builder = builder.tls_certs_only(roots);
        }
        if hub.is_loopback() {
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(|error| Error::unreachable(&hub, &error))?;
        Ok(Self { http, hub, token, token_source: TokenSource::Run, answer_timeout: options.answer_timeout })
    }

    /// The same hub and the same connections, spoken to by somebody else.
    pub(crate) fn with_token(&self, token: Token, token_source: TokenSource) -> Self {
        Self { token: Some(token), token_source, ..self.clone() }
    }

    pub(crate) fn hub(&self) -> &HubAddress {
        &self.hub
    }

    pub(crate) fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// Where the token came from.
    pub(crate) fn token_source(&self) -> &TokenSource {
        &self.token_source
    }

    /// The same connections for another protocol (MCP). It knows no token.
    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Reads. Sent again, a few times, when the hub could not be reached.
    pub(crate) async fn get_json<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &(impl Serialize + ?Sized),
    ) -> Result<HubResponse<T>, Error> {
        Call::new(self, Method::GET, path).query(query).repeat(Repeat::Always).run().await
    }

    /// Changes something. Sent again only if the hub cannot have got it.
    pub(crate) async fn post_json<T: DeserializeOwned>(
        &self,
        path: &[&str],
        body: &(impl Serialize + ?Sized),
    ) -> Result<HubResponse<T>, Error> {
        Call::new(self, Method::POST, path).body(body).run().await
    }

    /// Opens a stream and leaves its bytes to the caller. The head comes in time, the body takes as long as it takes.
    pub(crate) async fn get_stream(
        &self,
        path: &[&str],
        query: &(impl Serialize + ?Sized),
        last_event_id: Option<&str>,
    ) -> Result<Response, Error> {
        Call::new(self, Method::GET, path).query(query).open(last_event_id).await
    }

    /// Follows a channel of events from now on, or from after an event, through restarts of the hub.
    pub(crate) fn follow(&self, channel: Channel, last_event_id: Option<String>) -> Follower {
        Follower::start(self.clone(), channel, last_event_id)
    }

    /// Follows one task.
    pub(crate) fn follow_task(&self, task_id: String) -> TaskStream {
        TaskStream::new(self.clone(), task_id)
    }
}
