//! A remote agent, spoken to over A2A 1.0: its card, and the three calls the hub makes. Everything goes through
//! `outbound`, and the credential to the card's own origin only.

mod card;
mod card_signature;
mod error;
mod key_rule;

pub use error::PeerError;
pub use key_rule::KeyRule;

use a2a_types::{
    GetTaskRequest, Message, SendMessageConfiguration, SendMessageRequest, SendMessageResponse, Task, methods,
};
use baton_core::{TraceParent, limits};
use reqwest::header::HeaderValue;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

use crate::outbound::{ANSWER, Answer, Calls, Target};
use card::Card;
use card_signature::{SignatureParts, SignedCard};

/// An agent may work before it answers a message.
const SEND: Duration = Duration::from_secs(limits::REMOTE_SEND_SECONDS as u64);

/// How its calls are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Binding {
    JsonRpc,
    HttpJson,
}

/// What an answer is read as when a call went wrong.
#[derive(Debug, serde::Deserialize)]
struct RpcResponse {
    result: Option<Value>,
    error: Option<RpcError>,
}

#[derive(Debug, serde::Deserialize)]
struct RpcError {
    code: i64,
    #[serde(default)]
    message: String,
}

/// An agent whose card was read.
#[derive(Debug, Clone)]
pub struct Peer {
    base: Target,
    binding: Binding,
    credential: Option<HeaderValue>,
    /// What it is called on its card.
    pub name: String,
    /// The thumbprint of the key that signed its card, if it is signed.
    pub key: Option<String>,
}

impl Peer {
    /// Reads an agent's card, which has to be signed as the rule says, and picks how to speak to it.
    pub async fn find(
        calls: Calls<'_>,
        card_url: &str,
        credential: Option<&str>,
        rule: KeyRule<'_>,
    ) -> Result<Self, PeerError> {
        let place = calls.target(card_url)?;
        let place = match place.url().path().ends_with(".json") {
            true => place,
            false => place.join(&[".well-known", "agent-card.json"]),
        };
        let credential = credential.map(bearer).transpose()?;
        let request = with_credential(calls.request(Method::GET, &place)?, credential.as_ref());
        let answer = calls.send(request).await?;
        if !answer.status.is_success() {
            return Err(PeerError::of_card(answer.status));
        }
        let unreadable = |error: &dyn std::fmt::Display| PeerError::Final(format!("its card: {error}"));
        let text: Value = answer.json().map_err(|error| unreadable(&error))?;
        let card = Card::deserialize(&text).map_err(|error| unreadable(&error))?;
        let (binding, url) = card.interface()?;
        let base = calls.target(&url)?;
        if credential.is_some() && base.origin() != place.origin() {
            let elsewhere = "its card leads to another host, where its credential is not shown";
            return Err(PeerError::Final(elsewhere.into()));
        }
        let key = rule.choose(signers(calls, &place, text).await)?;
        Ok(Self { base, binding, credential, name: card.name, key })
    }

    /// Sends a message; the answer is the task as it stands, or a message that is all there is. The key lets a hub
    /// like this one know the same message again.
    pub async fn send(
        &self,
        calls: Calls<'_>,
        message: Message,
        key: &str,
        traceparent: Option<TraceParent>,
    ) -> Result<SendMessageResponse, PeerError> {
        let request = SendMessageRequest {
            message,
            configuration: Some(SendMessageConfiguration {
                accepted_output_modes: None,
                task_push_notification_config: None,
                history_length: Some(1),
                return_immediately: Some(true),
            }),
            metadata: None,
            tenant: None,
        };
        let call = match self.binding {
            Binding::JsonRpc => self.rpc(calls, methods::SEND_MESSAGE, &request)?,
            Binding::HttpJson => {
                calls.request(Method::POST, &self.base.join(&["message:send"]))?.json(&request)
            }
        };
        let call = call.header("Idempotency-Key", key);
        let call = match traceparent {
            Some(trace) => call.header("traceparent", trace.to_string()),
            None => call,
        };
        self.answer_within(calls, call, SEND).await
    }

    /// A task as it stands.
    pub async fn task(&self, calls: Calls<'_>, id: &str) -> Result<Task, PeerError> {
        let call = match self.binding {
            Binding::JsonRpc => {
                let request = GetTaskRequest { id: id.into(), history_length: Some(1), tenant: None };
                self.rpc(calls, methods::GET_TASK, &request)?
            }
            Binding::HttpJson => {
                let call = calls.request(Method::GET, &self.base.join(&["tasks", id]))?;
                call.query(&[("historyLength", "1")])
            }
        };
        self.answer(calls, call).await
    }

    /// Calls a task off.
    pub async fn cancel(&self, calls: Calls<'_>, id: &str) -> Result<Task, PeerError> {
        let call = match self.binding {
            Binding::JsonRpc => self.rpc(calls, methods::CANCEL_TASK, &json!({"id": id}))?,
            Binding::HttpJson => {
                let path = format!("{id}:cancel");
                calls.request(Method::POST, &self.base.join(&["tasks", &path]))?.json(&json!({}))
            }
        };
        self.answer(calls, call).await
    }

    fn rpc(
        &self,
        calls: Calls<'_>,
        method: &str,
        params: &impl serde::Serialize,
    ) -> Result<RequestBuilder, PeerError> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        Ok(calls.request(Method::POST, &self.base)?.json(&body))
    }

    async fn answer<T: DeserializeOwned>(
        &self,
        calls: Calls<'_>,
        call: RequestBuilder,
    ) -> Result<T, PeerError> {
        self.answer_within(calls, call, ANSWER).await
    }

    async fn answer_within<T: DeserializeOwned>(
        &self,
        calls: Calls<'_>,
        call: RequestBuilder,
        patience: Duration,
    ) -> Result<T, PeerError> {
        let call = with_credential(call.header("A2A-Version", "1.0"), self.credential.as_ref());
        let answer = calls.send_and_wait(call, patience).await?;
        let value = match self.binding {
            Binding::JsonRpc => rpc_result(&answer)?,
            Binding::HttpJson => http_result(&answer)?,
        };
        serde_json::from_value(value).map_err(|error| PeerError::Final(format!("its answer: {error}")))
    }
}

/// The keys that signed a card from this place; none if it is unsigned. Of several signatures one that can be checked is enough.
async fn signers(calls: Calls<'_>, place: &Target, card: Value) -> Result<Vec<String>, PeerError> {
    let Some(card) = SignedCard::read(card)? else { return Ok(Vec::new()) };
    let (mut signers, mut unchecked) = (Vec::new(), None);
    for parts in &card.signatures {
        match signer(calls, place, &card, parts).await {
            Ok(key) => signers.push(key),
            Err(error) => unchecked = unchecked.or(Some(error)),
        }
    }
    match unchecked {
        Some(error) if signers.is_empty() => Err(error),
        _ => Ok(signers),
    }
}

/// The key that made a signature, by the key set that it names. The credential is not shown there: key sets are public.
async fn signer(
    calls: Calls<'_>,
    place: &Target,
    card: &SignedCard,
    parts: &SignatureParts,
) -> Result<String, PeerError> {
    let signature = card.signature(parts, place.url())?;
    let key_set = calls.target(signature.key_set.as_str())?;
    let answer = calls.send(calls.request(Method::GET, &key_set)?).await?;
    if answer.status != StatusCode::OK {
        let status = answer.status.as_u16();
        return Err(PeerError::NotTaken(format!("the key set of its card cannot be read (HTTP {status})")));
    }
    Ok(signature.signer(&answer.body)?)
}

fn rpc_result(answer: &Answer) -> Result<Value, PeerError> {
    let said = answer.json::<RpcResponse>();
    if let Ok(RpcResponse { error: Some(error), .. }) = &said {
        return Err(PeerError::of_rpc(error.code, &error.message, answer.status));
    }
    if !answer.status.is_success() {
        return Err(PeerError::of_status(answer.status, "the call failed"));
    }
    let result = said.map_err(|error| PeerError::Final(error.to_string()))?.result;
    result.ok_or_else(|| PeerError::Final("its answer has no result".into()))
}

fn http_result(answer: &Answer) -> Result<Value, PeerError> {
    if answer.status.is_success() {
        return Ok(answer.json()?);
    }
    let said = answer.json::<Value>().unwrap_or_default();
    let message = said["error"]["message"].as_str().unwrap_or("the call failed");
    Err(PeerError::of_status(answer.status, message))
}

fn bearer(credential: &str) -> Result<HeaderValue, PeerError> {
    let value = HeaderValue::from_str(&format!("Bearer {credential}"));
    let mut value = value.map_err(|_| PeerError::Final("its credential makes no header".into()))?;
    value.set_sensitive(true);
    Ok(value)
}

fn with_credential(request: RequestBuilder, credential: Option<&HeaderValue>) -> RequestBuilder {
    match credential {
        Some(credential) => request.header(reqwest::header::AUTHORIZATION, credential),
        None => request,
    }
}
