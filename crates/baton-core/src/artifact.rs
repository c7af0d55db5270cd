//! Artifacts: bytes with a name that tasks, messages and replies refer to. Here is what names them: the SHA-256 of the
//! bytes, the name and the media type people see, and a reference to one. Where the bytes lie is not known here.

use std::fmt;

use crate::bounded::Text;
use crate::hex;
use crate::limits;
use crate::refusal::Refusal;
use crate::wire::{wire_text, wire_words};

/// What the sender of an artifact says about it.
pub type ArtifactDescription = Text<0, { limits::ARTIFACT_DESCRIPTION_MAX_BYTES }, true>;

/// The SHA-256 of an artifact's bytes, which is what it is called by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArtifactHash([u8; 32]);

impl ArtifactHash {
    /// A digest that was computed.
    pub const fn new(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    /// Reads 64 lower-case hex digits.
    pub fn parse(text: &str) -> Option<Self> {
        Some(Self(hex::decode(text)?.try_into().ok()?))
    }

    /// The 32 bytes.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ArtifactHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
    }
}

impl fmt::Debug for ArtifactHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArtifactHash({self})")
    }
}

impl serde::Serialize for ArtifactHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

wire_text!(
    /// The name of an artifact: a valid file name on any system.
    ArtifactName
);

impl ArtifactName {
    /// Takes 1–255 bytes of UTF-8 that are a plain file name. A name that breaks a rule is refused, never changed.
    pub fn parse(field: &'static str, text: &str) -> Result<Self, Refusal> {
        match broken_by(text) {
            None => Ok(Self(text.to_owned())),
            Some(rule) => Err(Refusal::invalid(field, rule)),
        }
    }
}

impl Default for ArtifactName {
    fn default() -> Self {
        Self("artifact".into())
    }
}

/// The rule that a name breaks, if it breaks one.
fn broken_by(name: &str) -> Option<String> {
    let most = limits::ARTIFACT_NAME_MAX_BYTES;
    let rule = if name.is_empty() || name.len() > most {
        return Some(format!("must be 1 to {most} bytes of UTF-8"));
    } else if name.contains(['/', '\\']) {
        "must not contain '/' or '\\'"
    } else if name == "." || name == ".." {
        "must not be '.' or '..'"
    } else if name.chars().any(char::is_control) {
        "must not contain control characters"
    } else if name.chars().any(changes_direction) {
        "must not contain characters that change the direction of text"
    } else if name.trim() != name {
        "must not begin or end with a space"
    } else {
        return None;
    };
    Some(rule.into())
}

/// Unicode's bidirectional controls: with them a name reads other than it is.
const fn changes_direction(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

wire_text!(
    /// What sort of bytes an artifact has: `type/subtype`, with parameters if there are any (RFC 9110, section 8.3.1).
    MediaType
);

impl MediaType {
    /// Takes ASCII of at most 255 bytes: a type, a subtype and parameters.
    pub fn parse(field: &'static str, text: &str) -> Result<Self, Refusal> {
        let most = limits::MEDIA_TYPE_MAX_BYTES;
        let rule = if text.len() > most {
            format!("must be at most {most} bytes")
        } else if !is_media_type(text) {
            "must be a media type such as text/plain or text/html; charset=utf-8".into()
        } else {
            return Ok(Self(text.to_owned()));
        };
        Err(Refusal::invalid(field, rule))
    }
}

impl Default for MediaType {
    fn default() -> Self {
        Self("application/octet-stream".into())
    }
}

fn is_media_type(text: &str) -> bool {
    let (range, parameters) = text.split_once(';').map_or((text, None), |(range, rest)| (range, Some(rest)));
    let Some((kind, subtype)) = range.trim_end_matches(' ').split_once('/') else { return false };
    // Parameters are kept as they are: visible ASCII and spaces can stand in a header.
    let are_plain = |text: &str| text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    is_token(kind) && is_token(subtype) && parameters.is_none_or(are_plain)
}

fn is_token(text: &str) -> bool {
    let is_tchar = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_tchar)
}

wire_words!(
    /// What a reference to an artifact came with.
    ArtifactSource {
        /// The task's text.
        Task = "task",
        /// A message on the task.
        Message = "message",
        /// The reply that ended it.
        Reply = "reply",
        /// The agent's work, before the end.
        Work = "work",
    }
);

/// A reference to an artifact, as a caller gives it. What it leaves out is as it was uploaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactRef {
    /// Which one.
    pub hash: ArtifactHash,
    /// What it is called here.
    pub name: Option<ArtifactName>,
    /// What sort of bytes it has.
    pub media_type: Option<MediaType>,
    /// What the sender says about it.
    pub description: Option<ArtifactDescription>,
}
