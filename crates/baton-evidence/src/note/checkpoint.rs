//! A checkpoint: whose log, how many leaves, which root. Three lines, signed.

use crate::limits::NOTE_BYTES;
use signed_note::{Note, Signature};
use std::fmt;

use super::key::{SigningKey, VerifierKey};
use crate::log::Hash;

/// What every origin of ours begins with; the network's id follows.
pub const ORIGIN_PREFIX: &str = "baton/";

/// A log at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which log: `baton/` and the network's id.
    pub origin: String,
    /// Its leaves.
    pub size: u64,
    /// Its root.
    pub root: Hash,
}

/// Why there is no note, or no checkpoint in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// The note is longer than [`NOTE_BYTES`].
    #[error("the note is too long")]
    TooLong,
    /// There is not one signature line.
    #[error("the note is not signed")]
    Unsigned,
    /// Not a text, a blank line and signature lines.
    #[error("not a signed note")]
    Malformed,
    /// Signed, but not by the key it was to be opened with.
    #[error("the note is not signed by this key")]
    OtherKey,
    /// A signature under the key's name and hash that is not one of this text.
    #[error("the signature is not one of this text by this key")]
    Signature,
    /// Signed, but the text is not origin, size and root.
    #[error("the note's text is not a checkpoint")]
    NotACheckpoint,
    /// An origin that no checkpoint could carry.
    #[error("an origin is not empty and has no space, no control character and no '+'")]
    Origin,
}

impl Checkpoint {
    /// The id of the network whose log this is, unless the origin is not one of ours.
    #[must_use]
    pub fn network_id(&self) -> Option<&str> {
        self.origin.strip_prefix(ORIGIN_PREFIX).filter(|id| !id.is_empty())
    }

    /// The signed note.
    pub fn sign(&self, key: &SigningKey) -> Result<String, NoteError> {
        check_origin(&self.origin)?;
        let mut note = Note::new(self.to_string().as_bytes(), &[]).map_err(|_| NoteError::Malformed)?;
        note.add_sigs(&[key.signer()]).map_err(|_| NoteError::Signature)?;
        String::from_utf8(note.to_bytes()).map_err(|_| NoteError::Malformed)
    }

    /// Opens a note signed by this key. Signatures of other keys are passed over, and every one of this key must be one
    /// of this text (c2sp.org/signed-note, "Signatures").
    pub fn open(note: &str, key: &VerifierKey) -> Result<Self, NoteError> {
        if note.len() > NOTE_BYTES {
            return Err(NoteError::TooLong);
        }
        if !note.contains("\n\n\u{2014} ") {
            return Err(NoteError::Unsigned);
        }
        let lines = note.rsplit_once("\n\n").map_or("", |(_, lines)| lines);
        let note = Note::from_bytes(note.as_bytes()).map_err(|_| NoteError::Malformed)?;
        let mut is_signed = false;
        for line in lines.lines() {
            let signature = Signature::from_bytes(line.as_bytes()).map_err(|_| NoteError::Malformed)?;
            match key.signed(note.text(), &signature) {
                Some(true) => is_signed = true,
                Some(false) => return Err(NoteError::Signature),
                None => {}
            }
        }
        if !is_signed {
            return Err(NoteError::OtherKey);
        }
        let text = std::str::from_utf8(note.text()).map_err(|_| NoteError::NotACheckpoint)?;
        Self::parse(text)
    }

    /// Reads the text of an opened note. Lines after the third are extensions, for readers who know them.
    fn parse(text: &str) -> Result<Self, NoteError> {
        let mut lines = text.strip_suffix('\n').ok_or(NoteError::NotACheckpoint)?.split('\n');
        let mut line = || lines.next().ok_or(NoteError::NotACheckpoint);
        let (origin, size_text, root) = (line()?, line()?, line()?);
        let size: u64 = size_text.parse().map_err(|_| NoteError::NotACheckpoint)?;
        if size_text != itoa::Buffer::new().format(size) || lines.any(str::is_empty) {
            return Err(NoteError::NotACheckpoint); // a sign, leading zeros, or an empty extension line
        }
        check_origin(origin)?;
        let root = root.parse().map_err(|_| NoteError::NotACheckpoint)?;
        Ok(Self { origin: origin.to_owned(), size, root })
    }
}

impl fmt::Display for Checkpoint {
    /// The text that is signed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}\n{}", self.origin, self.size, self.root)
    }
}

fn check_origin(origin: &str) -> Result<(), NoteError> {
    let plain = signed_note::is_key_name_valid(origin) && !origin.contains(char::is_control);
    plain.then_some(()).ok_or(NoteError::Origin)
}
