//! The hub's MCP door, as a client sees it: every message is a request of its own, so nothing has to be set up again
//! after a restart of the hub.

use baton_core::limits;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{RequestBuilder, Response, StatusCode};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep_until, timeout};

use super::message::{Message, agreed_version};
use crate::client::{Backoff, Client, Error, SseParser};
use crate::trace;

/// How long a message may take.
#[derive(Debug, Clone, Copy)]
struct Timeouts {
    /// A hub that restarts is back within this time; a message that never left is sent again until then.
    unsent: Duration,
    /// From the first try to the end of the answer: the longest a tool of the hub waits, and some.
    answer: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { unsent: limits::MCP_UNSENT_MAX, answer: limits::MCP_ANSWER_MAX }
    }
}

/// The way in, and what was agreed on there.
#[derive(Debug)]
pub(crate) struct Door {
    client: Client,
    version: Mutex<Option<String>>,
    patience: Timeouts,
}

impl Door {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, version: Mutex::default(), patience: Timeouts::default() }
    }

    /// Passes a message on, and its answers back, in whatever number they come. A failure is an answer too.
    pub(crate) async fn pass(&self, message: &Message, answers: &Sender<String>) {
        let call = async {
            let response = self.send(message).await?;
            self.read(message, response, answers).await
        };
        let patience = if message.is_subscription() { Duration::MAX } else { self.patience.answer };
        let words = match timeout(patience, call).await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the hub did not answer in time".into(),
        };
        if let Some(failed) = message.failed(&words) {
            send_line(answers, failed).await;
        }
    }

    /// Sends the message; again, for a while, as long as the hub cannot have got it. One that left is waited for and
    /// never sent twice: it may be a task.
    async fn send(&self, message: &Message) -> Result<Response, Error> {
        let mut backoff = Backoff::default();
        let last_try = Instant::now() + self.patience.unsent;
        loop {
            match self.request(message).send().await {
                Err(error) if error.is_connect() && Instant::now() < last_try => {
                    sleep_until(last_try.min(Instant::now() + backoff.next_wait())).await;
                }
                outcome => return outcome.map_err(|error| Error::unreachable(self.client.hub(), &error)),
            }
        }
    }

    fn request(&self, message: &Message) -> RequestBuilder {
        let http = self.client.http().post(self.client.hub().mcp());
        let mut request = http
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .body(message.line.clone());
        // A tool call that names no trace of its own belongs to the one this program runs in.
        if let Some(trace) = trace::of_environment() {
            request = request.header("traceparent", trace.to_string());
        }
        if let Some(token) = self.client.token() {
            request = request.bearer_auth(token.expose());
        }
        let agreed = self.version.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let version = message.version().or(agreed.as_deref().filter(|_| !message.is_initialize()));
        let headers = [
            ("mcp-protocol-version", version),
            ("mcp-method", message.method()),
            ("mcp-name", message.name()),
        ];
        for (name, value) in headers {
            if let Some(value) = value.filter(|value| value.bytes().all(|byte| byte.is_ascii_graphic())) {
                request = request.header(name, value);
            }
        }
        request
    }

    async fn read(
        &self,
        message: &Message,
        mut response: Response,
        answers: &Sender<String>,
    ) -> Result<(), Error> {
        let is_stream = response.status().is_success()
            && response
                .headers()
                .get(CONTENT_TYPE)
                .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        if !is_stream {
            return self.read_whole(message, response, answers).await;
        }
        let mut parser = SseParser::of_at_most(limits::CLIENT_ANSWER_MAX_BYTES);
        let mut is_answered = false;
        let broken = |error| Error::unreachable(self.client.hub(), &error);
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            parser.push(&chunk);
            let too_long = |_| Error::protocol(self.client.hub(), "an answer that does not end");
            while let Some(frame) = parser.next().map_err(too_long)? {
                self.note_version(message, &frame.data);
                send_line(answers, frame.data).await;
                is_answered = true;
            }
        }
        if is_answered || message.awaited_id().is_none() {
            return Ok(());
        }
        Err(Error::away(self.client.hub(), "the connection ended before the answer"))
    }

    /// A response that is not a stream: none to a notification, one document, or an error.
    async fn read_whole(
        &self,
        message: &Message,
        mut response: Response,
        answers: &Sender<String>,
    ) -> Result<(), Error> {
        let (hub, status) = (self.client.hub(), response.status());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| Error::unreachable(hub, &error))? {
            body.extend_from_slice(&chunk);
            if body.len() > limits::CLIENT_ANSWER_MAX_BYTES {
                return Err(Error::protocol(hub, "an answer that does not end"));
            }
        }
        let text = String::from_utf8_lossy(&body);
        if let Some(said) = answered(&text, message.awaited_id()) {
            self.note_version(message, &said);
            send_line(answers, said).await;
            return Ok(());
        }
        match status {
            StatusCode::ACCEPTED if message.awaited_id().is_none() => Ok(()),
            status if status.is_success() => Err(Error::protocol(hub, "no JSON-RPC in its answer")),
            status => Err(Error::of_answer(&self.client, status, &text)),
        }
    }

    fn note_version(&self, message: &Message, answer: &str) {
        if message.is_initialize()
            && let Some(version) = agreed_version(answer)
        {
            *self.version.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
        }
    }
}

/// A JSON-RPC answer as one line; one that has no id because its request could not be read gets the one that is awaited.
/// Its content is not parsed: it may nest deeper than the parser accepts.
fn answered(text: &str, awaited_id: Option<&Value>) -> Option<String> {
    let mut members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).ok()?;
    members.get("jsonrpc")?;
    if let (Some("null"), Some(id)) = (members.get("id").map(|id| id.get()), awaited_id) {
        members.insert("id".to_owned(), to_raw_value(id).ok()?);
    }
    // A line break in JSON stands between two values, never in a text.
    serde_json::to_string(&members).ok().map(|line| line.replace(['\n', '\r'], " "))
}

/// Hands an answer over. A client that has gone wants none.
pub(super) async fn send_line(answers: &Sender<String>, answer: String) {
    let _ = answers.send(answer).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_one_line_with_the_awaited_id_however_deep_it_nests() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let text = format!("{{\"jsonrpc\": \"2.0\",\n\"id\": null, \"result\": {{\"a\\n\": {deep}}}}}");
        let line = answered(&text, Some(&Value::from(7))).unwrap();
        assert_eq!(line, format!("{{\"id\":7,\"jsonrpc\":\"2.0\",\"result\":{{\"a\\n\": {deep}}}}}"));
        assert_eq!(answered("{\"ok\": false}", None), None);
    }

    use crate::client::fake_hub::{Fake, stream};
    use serde_json::json;
    use tokio::sync::mpsc::channel;

    fn message() -> Message {
        Message::read(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.into()).unwrap()
    }

    async fn answer(door: &Door) -> Value {
        let (tell, mut answers) = channel(4);
        door.pass(&message(), &tell).await;
        let answer = serde_json::from_str(&answers.try_recv().unwrap()).unwrap();
        assert!(answers.try_recv().is_err(), "one call, one answer");
        answer
    }

    #[tokio::test]
    async fn a_message_that_left_is_sent_once_and_waited_for_with_an_end() {
        let hub = Fake::silent().await;
        let mut door = Door::new(hub.client());
        // The answer is awaited for longer than a message that never left is tried again.
        door.patience = Timeouts { unsent: Duration::from_millis(20), answer: Duration::from_millis(400) };
        let answer = answer(&door).await;
        assert_eq!(answer["error"]["message"], "the hub did not answer in time");
        assert_eq!(hub.received().len(), 1, "{:?}", hub.received());
    }

    #[tokio::test]
    async fn a_hub_that_is_away_is_an_error_after_a_while() {
        let hub = Fake::start(&[]).await;
        hub.is_gone().await;
        let mut door = Door::new(hub.client());
        door.patience.unsent = Duration::from_millis(300);
        let begun = Instant::now();
        let answer = answer(&door).await;
        assert!(answer["error"]["message"].to_string().contains("cannot be reached"), "{answer}");
        assert!(begun.elapsed() >= door.patience.unsent, "it was tried for a while");
    }

    #[tokio::test]
    async fn a_long_answer_comes_through_a_stream_as_it_does_whole() {
        let long = "x".repeat(3 << 20);
        let said = json!({"jsonrpc": "2.0", "id": 1, "result": {"long": long}});
        let hub = Fake::start(&[&stream(&format!("data: {said}\n\n"))]).await;
        assert_eq!(answer(&Door::new(hub.client())).await, said);
    }
}
