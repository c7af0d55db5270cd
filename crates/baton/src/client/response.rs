//! An answer: what is read of it, and its text as it came, for tools that pass it on.

use baton_core::limits;
use reqwest::Response;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::ops::Deref;

use super::{Client, Error, HubAddress};

/// What a hub answered.
#[derive(Debug)]
pub(crate) struct HubResponse<T> {
    value: T,
    text: Box<RawValue>,
}

impl<T> HubResponse<T> {
    /// The JSON document, as the hub wrote it.
    pub(crate) fn text(&self) -> &RawValue {
        &self.text
    }

    pub(crate) fn into_text(self) -> Box<RawValue> {
        self.text
    }

    pub(crate) fn into_value(self) -> T {
        self.value
    }
}

impl<T> Deref for HubResponse<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// Reads the JSON document of an answer.
pub(super) fn read<T: DeserializeOwned>(hub: &HubAddress, text: String) -> Result<HubResponse<T>, Error> {
    let misread =
        |error: serde_json::Error| Error::protocol(hub, format!("its answer cannot be read ({error})"));
    let value = serde_json::from_str(&text).map_err(misread)?;
    Ok(HubResponse { value, text: RawValue::from_string(text).map_err(misread)? })
}

/// The text of an answer that is a success.
pub(super) async fn plain(client: &Client, response: Response) -> Result<String, Error> {
    let status = response.status();
    let text = text(client.hub(), response).await?;
    if status.is_success() { Ok(text) } else { Err(Error::of_answer(client, status, &text)) }
}

/// The body of an answer, as far as one may be.
pub(super) async fn text(hub: &HubAddress, mut response: Response) -> Result<String, Error> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| Error::unreachable(hub, &error))? {
        if bytes.len() + chunk.len() > limits::CLIENT_ANSWER_MAX_BYTES {
            return Err(Error::protocol(hub, "its answer does not end"));
        }
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).map_err(|_| Error::protocol(hub, "its response is not text"))
}
