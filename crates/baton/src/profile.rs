//! Profiles: which hub a user talks to, as which user, and in which network. They live in `~/.baton/config.toml`, which
//! only its owner may read, beside whatever a hub keeps in that folder. What a flag or an environment variable says
//! comes first; that order is `cli/connection.rs`.

mod error;
mod file;

pub(crate) use error::ProfileError;
pub(crate) use file::ProfileFile;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::client::{HubAddress, Token};

/// One way to a hub.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Profile {
    #[serde(serialize_with = "address_out", deserialize_with = "address_in")]
    pub(crate) hub: HubAddress,
    #[serde(default, serialize_with = "token_out", deserialize_with = "token_in")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<Token>,
    /// The network's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) network: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) username: Option<String>,
    /// The hub's private CA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ca: Option<PathBuf>,
}

/// What a profile is called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct ProfileName(String);

impl Default for ProfileName {
    fn default() -> Self {
        Self("default".into())
    }
}

impl FromStr for ProfileName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        if (1..=64).contains(&text.len()) && text.bytes().all(fits) {
            return Ok(Self(text.into()));
        }
        Err("a profile's name is 1 to 64 letters, digits, '.', '_' and '-'")
    }
}

impl<'de> Deserialize<'de> for ProfileName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn address_out<S: Serializer>(hub: &HubAddress, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(hub)
}

fn address_in<'de, D: Deserializer<'de>>(deserializer: D) -> Result<HubAddress, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

fn token_out<S: Serializer>(token: &Option<Token>, serializer: S) -> Result<S::Ok, S::Error> {
    token.as_ref().map(Token::expose).serialize(serializer)
}

fn token_in<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Token>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    // The text itself is a secret, and stays out of the message.
    let read = |text: String| Token::parse(&text).ok_or_else(|| D::Error::custom("token is not a token"));
    text.map(read).transpose()
}
