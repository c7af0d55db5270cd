//! Reads a side file: the head first, then one entry at a time. Memory is a buffer and one entry, whatever the
//! file.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::Deserialize;
use std::borrow::Cow;
use std::io::{self, Read};

use super::limits;
use super::tokens::Tokens;
use crate::log::Hash;
use crate::text::Text;

/// A side file being read.
#[derive(Debug)]
pub struct SideFileReader<R> {
    tokens: Tokens<R>,
    checkpoint: String,
    key: String,
    state: State,
    packet: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    First,
    Later,
    Ended,
}

/// What the side file says of one event.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The event's index in the log.
    pub index: u64,
    /// Its inclusion proof.
    pub proof: Vec<Hash>,
    /// The packet it was made from.
    pub packet: &'a [u8],
}

/// Why a side file cannot be read on.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not of the form.
    #[error("not a side file: a member is unknown, missing, repeated, out of order or of the wrong type")]
    Form,
    /// It ends before the form does.
    #[error("the side file is cut short")]
    Truncated,
    /// The file, the note, the key, an entry, a packet or a proof is longer than allowed.
    #[error("longer than a side file, or this part of it, may be")]
    TooLong,
    /// It could not be read; nothing was learnt about it.
    #[error("the side file cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// An entry as it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw<'a> {
    index: u64,
    proof: Vec<Hash>,
    #[serde(borrow)]
    packet: Cow<'a, str>,
}

impl<R: Read> SideFileReader<R> {
    /// Reads the head of a side file: the checkpoint and the key.
    pub fn new(input: R) -> Result<Self, ReadError> {
        let mut tokens = Tokens::new(input);
        tokens.mark(b'{')?;
        let checkpoint = text_member(&mut tokens, "checkpoint")?;
        tokens.mark(b',')?;
        let key = text_member(&mut tokens, "key")?;
        tokens.mark(b',')?;
        name(&mut tokens, "events")?;
        tokens.mark(b'[')?;
        Ok(Self { tokens, checkpoint, key, state: State::First, packet: Vec::new() })
    }

    /// The signed note, as it stands.
    #[must_use]
    pub fn checkpoint(&self) -> &str {
        &self.checkpoint
    }

    /// The verifier key that came along, as it stands.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The next entry; `None` once the file ended as it should.
    pub fn next_entry(&mut self) -> Result<Option<Entry<'_>>, ReadError> {
        if self.state == State::Ended {
            return Ok(None);
        }
        if self.tokens.peek()? == Some(b']') {
            self.tokens.mark(b']')?;
            self.tokens.mark(b'}')?;
            self.tokens.end()?;
            self.state = State::Ended;
            return Ok(None);
        }
        if self.state == State::Later {
            self.tokens.mark(b',')?;
        }
        self.state = State::Later;
        let raw: Raw<'_> = serde_json::from_slice(self.tokens.object()?).map_err(|_| ReadError::Form)?;
        if raw.proof.len() > limits::PROOF_HASHES {
            return Err(ReadError::TooLong);
        }
        self.packet.clear();
        let decoded = BASE64_STANDARD.decode_vec(&*raw.packet, &mut self.packet);
        decoded.map_err(|_| ReadError::Form)?;
        if self.packet.len() > limits::PACKET_BYTES {
            return Err(ReadError::TooLong);
        }
        Ok(Some(Entry { index: raw.index, proof: raw.proof, packet: &self.packet }))
    }
}

fn text_member<R: Read>(tokens: &mut Tokens<R>, expected: &str) -> Result<String, ReadError> {
    name(tokens, expected)?;
    serde_json::from_slice(tokens.string()?).map_err(|_| ReadError::Form)
}

fn name<R: Read>(tokens: &mut Tokens<R>, expected: &str) -> Result<(), ReadError> {
    let Text(found) = serde_json::from_slice(tokens.string()?).map_err(|_| ReadError::Form)?;
    if found != expected {
        return Err(ReadError::Form);
    }
    tokens.mark(b':')
}
