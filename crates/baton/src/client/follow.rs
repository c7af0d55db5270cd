//! Following a channel of events through everything that happens to a connection. A task of its own reads the
//! stream, so a caller may wait for it among other things and drop the wait: nothing is lost. When the connection
//! ends it comes back with the last id it received; only a hub that refuses ends it. A response that is not a hub's (a proxy's
//! page, a frame cut in two) passes, like a hub that is away.

use baton_core::limits;
use futures_util::Stream;
use serde::Serialize;
use serde_json::value::RawValue;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::sse::{Frame, Parser};
use super::{Backoff, Client, Error, HubEvent};

const SILENCE: Duration = Duration::from_secs(limits::STREAM_SILENT_MAX_SECONDS as u64);

/// What to follow.
#[derive(Debug, Clone)]
pub(crate) enum Channel {
    /// What is for the user of a user token, in one of their networks.
    Me { network_id: Option<String> },
    /// What is for an agent; the token is that agent's.
    Alias(String),
    /// Everything in a network.
    Network(String),
}

/// What a follower receives.
#[derive(Debug, Clone)]
pub(crate) enum StreamEvent {
    /// Something happened, with the JSON that describes it.
    HubEvent { news: HubEvent, json: Box<RawValue> },
    /// The connection is gone; it is tried again by itself.
    Lost(Error),
}

/// An open channel. Dropping it ends the reading.
#[derive(Debug)]
pub(crate) struct Follower {
    heard: Receiver<Result<StreamEvent, Error>>,
    reading: AbortHandle,
}

impl Follower {
    pub(super) fn start(client: Client, channel: Channel, last_event_id: Option<String>) -> Self {
        let (tell, heard) = self::channel(limits::CLIENT_FRAMES_WAITING_COUNT);
        let backoff = Backoff::default();
        let reading = ReadLoop { client, channel, last_event_id, tell, backoff, has_heard: false };
        Self { heard, reading: tokio::spawn(reading.run()).abort_handle() }
    }

    /// The next event; an error is a refusal of the hub and the last item. May be dropped while it waits.
    pub(crate) async fn next(&mut self) -> Option<Result<StreamEvent, Error>> {
        self.heard.recv().await
    }
}

impl Stream for Follower {
    type Item = Result<StreamEvent, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.heard.poll_recv(context)
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

/// The task that reads.
struct ReadLoop {
    client: Client,
    channel: Channel,
    last_event_id: Option<String>,
    tell: Sender<Result<StreamEvent, Error>>,
    backoff: Backoff,
    /// Whether this connection brought something.
    has_heard: bool,
}

/// The query of a stream.
#[derive(Serialize)]
struct Named<'a> {
    network_id: Option<&'a str>,
}

/// Nobody listens any more.
struct ReceiverGone;

impl ReadLoop {
    async fn run(mut self) {
        loop {
            let error = match self.read().await {
                Ok(ReceiverGone) => return,
                Err(error) => error,
            };
            // A hub that speaks is there. One that cannot be understood may stay so: then the waits grow.
            if std::mem::take(&mut self.has_heard) && !matches!(error, Error::Protocol { .. }) {
                self.backoff.reset();
            }
            let is_final = error.is_final();
            let told = if is_final { Err(error) } else { Ok(StreamEvent::Lost(error)) };
            if self.tell.send(told).await.is_err() || is_final {
                return;
            }
            sleep(self.backoff.next_wait()).await;
        }
    }

    /// One connection, from its first byte to its last.
    async fn read(&mut self) -> Result<ReceiverGone, Error> {
        let mut response = self.open().await?;
        let hub = self.client.hub().clone();
        let mut parser = Parser::default();
        loop {
            let chunk = timeout(SILENCE, response.chunk()).await.map_err(|_| Error::silent(&hub))?;
            let chunk = chunk.map_err(|error| Error::unreachable(&hub, &error))?;
            parser.push(&chunk.ok_or_else(|| Error::away(&hub, "the stream ended"))?);
            let too_long = |_| Error::protocol(&hub, "a frame of its stream does not end");
            while let Some(frame) = parser.next().map_err(too_long)? {
                if self.pass_on(frame).await?.is_some() {
                    return Ok(ReceiverGone);
                }
            }
        }
    }

    async fn open(&self) -> Result<reqwest::Response, Error> {
        let (path, network_id): (&[&str], _) = match &self.channel {
            Channel::Me { network_id } => (&["events", "me"], network_id.as_deref()),
            Channel::Alias(alias) => (&["events", alias], None),
            Channel::Network(id) => (&["events", "network", id], None),
        };
        self.client.get_stream(path, &Named { network_id }, self.last_event_id.as_deref()).await
    }

    async fn pass_on(&mut self, frame: Frame) -> Result<Option<ReceiverGone>, Error> {
        let misread = |error| Error::protocol(self.client.hub(), format!("a frame cannot be read ({error})"));
        let read = serde_json::from_str::<HubEvent>(&frame.data)
            .and_then(|news| Ok((news, RawValue::from_string(frame.data)?)))
            .map_err(misread);
        let heard = match read {
            Ok((news, json)) => self.tell.send(Ok(StreamEvent::HubEvent { news, json })).await,
            Err(error) => {
                // It would come again, and be read no better.
                self.last_event_id = frame.id.or(self.last_event_id.take());
                return Err(error);
            }
        };
        self.has_heard = true;
        // Only events that were passed on count as received.
        self.last_event_id = frame.id.or(self.last_event_id.take());
        Ok(heard.is_err().then_some(ReceiverGone))
    }
}
