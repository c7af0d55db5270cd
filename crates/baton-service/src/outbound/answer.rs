//! What was answered, read up to a bound.

use reqwest::{Response, StatusCode};
use serde::de::DeserializeOwned;

use super::error::Error;

/// A whole answer.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: StatusCode,
    pub body: Vec<u8>,
}

impl Answer {
    /// Stops as soon as there are more bytes than these.
    pub(super) async fn read(mut response: Response, most_bytes: usize) -> Result<Self, Error> {
        let status = response.status();
        let mut body = Vec::new();
        while let Some(bytes) = response.chunk().await? {
            if body.len() + bytes.len() > most_bytes {
                return Err(Error::TooLong);
            }
            body.extend_from_slice(&bytes);
        }
        Ok(Self { status, body })
    }

    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body).map_err(|error| Error::Unreadable(error.to_string()))
    }
}
