//! One call: built, sent, and sent again where that is safe. The caller says which calls are.

use baton_core::{TraceParent, limits};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName};
use reqwest::{Body, Method, RequestBuilder, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

use super::{Backoff, Client, Error, HubResponse, response, token_expiry};

/// When a call may be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeat {
    /// It changes nothing, or carries a key by which the hub knows it again.
    Always,
    /// Only if the connection never stood, so that the hub cannot have seen it.
    Unsent,
}

/// A call before it is sent.
#[derive(Debug)]
pub(super) struct Call<'a> {
    client: &'a Client,
    request: RequestBuilder,
    repeat: Repeat,
    timeout: Duration,
}

impl<'a> Call<'a> {
    pub(super) fn new(client: &'a Client, method: Method, path: &[&str]) -> Self {
        let mut request = client.http.request(method, client.hub.route(path));
        if let Some(token) = &client.token {
            request = request.bearer_auth(token.expose());
        }
        Self { client, request, repeat: Repeat::Unsent, timeout: client.answer_timeout }
    }

    /// Parameters; those that are `None` are left out.
    pub(super) fn query(mut self, query: &(impl Serialize + ?Sized)) -> Self {
        self.request = self.request.query(query);
        self
    }

    pub(super) fn body(mut self, body: &(impl Serialize + ?Sized)) -> Self {
        self.request = self.request.json(body);
        self
    }

    /// Part of this trace.
    pub(super) fn traced(mut self, traceparent: Option<TraceParent>) -> Self {
        if let Some(trace) = traceparent {
            self.request = self.request.header("traceparent", trace.to_string());
        }
        self
    }

    /// A body that is passed on as it is.
    pub(super) fn bytes(mut self, media_type: &'static str, bytes: &[u8]) -> Self {
        self.request = self.request.header(CONTENT_TYPE, media_type).body(bytes.to_vec());
        self
    }

    pub(super) fn header(mut self, name: HeaderName, value: String) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    /// A body that is sent as it is read: the call has no copy, and `run_once` sends it.
    pub(super) fn stream(mut self, body: Body) -> Self {
        self.request = self.request.body(body);
        self
    }

    pub(super) fn repeat(mut self, repeat: Repeat) -> Self {
        self.repeat = repeat;
        self
    }

    /// The call itself asks the hub to wait this long.
    pub(super) fn waiting(mut self, wait: Duration) -> Self {
        self.timeout += wait;
        self
    }

    /// Sends the call and reads its answer.
    pub(super) async fn run<T: DeserializeOwned>(self) -> Result<HubResponse<T>, Error> {
        let hub = self.client.hub();
        response::read(hub, self.text().await?)
    }

    /// The same for a call that is sent once, whatever becomes of it.
    pub(super) async fn run_once<T: DeserializeOwned>(self) -> Result<HubResponse<T>, Error> {
        let sent = self.request.timeout(self.timeout).send().await;
        let hub = self.client.hub();
        let response = sent.map_err(|error| Error::unreachable(hub, &error))?;
        response::read(hub, response::plain(self.client, response).await?)
    }

    /// Sends the call and reads an answer that is plain text.
    pub(super) async fn text(self) -> Result<String, Error> {
        let mut backoff = Backoff::default();
        let (mut tries, mut may_be_seen) = (1, false);
        loop {
            let outcome = match self.once().await {
                Ok(response) => response::plain(self.client, response).await,
                Err(error) => Err(error),
            };
            match outcome {
                Err(error) if tries < limits::CALL_TRIES && self.may_repeat(&error) => {
                    tries += 1;
                    may_be_seen |= !matches!(error, Error::Unreachable { is_unsent: true, .. });
                    tokio::time::sleep(backoff.next_wait()).await;
                }
                // The hub may have seen an earlier try, whatever became of this one.
                Err(Error::Unreachable { hub, cause, is_unsent }) => {
                    return Err(Error::Unreachable { hub, cause, is_unsent: is_unsent && !may_be_seen });
                }
                outcome => return outcome,
            }
        }
    }

    fn may_repeat(&self, error: &Error) -> bool {
        match error {
            Error::Unreachable { is_unsent, .. } => *is_unsent || self.repeat == Repeat::Always,
            _ => false,
        }
    }

    async fn once(&self) -> Result<Response, Error> {
        // Bodies are bytes here, never streams, so there is always a copy.
        let hub = self.client.hub();
        let request = self.request.try_clone().ok_or_else(|| Error::protocol(hub, "the call has no copy"))?;
        let response = request.timeout(self.timeout).send().await;
        let response = response.map_err(|error| Error::unreachable(hub, &error))?;
        token_expiry::note(response.headers());
        Ok(response)
    }

    /// Sends the call and gives back its answer's head; the body is the caller's.
    pub(super) async fn open(self, last_event_id: Option<&str>) -> Result<Response, Error> {
        let mut request = self.request.header(ACCEPT, "text/event-stream");
        if let Some(id) = last_event_id {
            request = request.header("last-event-id", id);
        }
        head(self.client, request, self.timeout).await
    }

    /// The same for a file, however long.
    pub(super) async fn open_file(self) -> Result<Response, Error> {
        head(self.client, self.request, self.timeout).await
    }
}

/// The head of an answer that is a success.
async fn head(client: &Client, request: RequestBuilder, patience: Duration) -> Result<Response, Error> {
    let hub = client.hub();
    let head = tokio::time::timeout(patience, request.send()).await;
    let response = head.map_err(|_| Error::silent(hub))?.map_err(|error| Error::unreachable(hub, &error))?;
    let status = response.status();
    token_expiry::note(response.headers());
    if status.is_success() {
        return Ok(response);
    }
    Err(Error::of_answer(client, status, &response::text(hub, response).await?))
}
