//! Following one task: its statuses, progress and output, one connection at a time. A caller that continues after an error
//! resumes after the last frame it was given.

use baton_core::{Status, limits};
use reqwest::Response;
use serde::Deserialize;
use std::time::Duration;
use tokio::time::timeout;

use super::sse::Parser;
use super::{Client, Error};

const SILENCE: Duration = Duration::from_secs(limits::STREAM_SILENT_MAX_SECONDS as u64);

/// A frame of a task's stream.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum TaskStreamEvent {
    Status {
        status: Status,
    },
    Progress {
        percent: Option<u8>,
        message: Option<String>,
    },
    Output {
        /// How many bytes were printed before the text.
        offset: u64,
        text: String,
    },
    /// Something this client does not know.
    #[serde(other)]
    Other,
}

/// A task that is followed.
#[derive(Debug)]
pub(crate) struct TaskStream {
    client: Client,
    task_id: String,
    last_event_id: Option<String>,
    open: Option<(Response, Parser)>,
}

impl TaskStream {
    pub(super) const fn new(client: Client, task_id: String) -> Self {
        Self { client, task_id, last_event_id: None, open: None }
    }

    /// The next frame. After an error the next call opens the stream again.
    pub(crate) async fn next(&mut self) -> Result<TaskStreamEvent, Error> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => (self.connect().await?, Parser::default()),
        };
        let hub = self.client.hub().clone();
        let (response, parser) = &mut open;
        let frame = loop {
            let too_long = |_| Error::protocol(&hub, "a frame of its stream does not end");
            if let Some(frame) = parser.next().map_err(too_long)? {
                break frame;
            }
            let chunk = timeout(SILENCE, response.chunk()).await.map_err(|_| Error::silent(&hub))?;
            let chunk = chunk.map_err(|error| Error::unreachable(&hub, &error))?;
            parser.push(&chunk.ok_or_else(|| Error::away(&hub, "the stream ended"))?);
        };
        let news = serde_json::from_str(&frame.data)
            .map_err(|error| Error::protocol(&hub, format!("a frame cannot be read ({error})")))?;
        self.last_event_id = frame.id.or(self.last_event_id.take());
        self.open = Some(open);
        Ok(news)
    }

    async fn connect(&self) -> Result<Response, Error> {
        let path = ["events", "task", &self.task_id];
        self.client.get_stream(&path, &[(); 0], self.last_event_id.as_deref()).await
    }
}
