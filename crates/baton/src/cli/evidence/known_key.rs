//! `--key`: a verifier key as text, or the name of a file that holds one.

use baton_evidence::note::VerifierKey;
use std::fs::File;
use std::io::Read;

use crate::cli::failure::Failure;

/// Longer files are not keys.
const FILE_BYTES: u64 = 4096;

/// What was given.
#[derive(Debug, Clone)]
pub(crate) struct KnownKey(String);

impl From<&str> for KnownKey {
    fn from(given: &str) -> Self {
        Self(given.to_owned())
    }
}

impl KnownKey {
    /// The key. A text that is one is never looked for among files.
    pub(crate) fn read(&self) -> Result<VerifierKey, Failure> {
        let wrong = |error| Failure::Key { name: self.0.clone(), error };
        match VerifierKey::parse(&self.0) {
            Ok(key) => Ok(key),
            Err(error) => match self.read_file() {
                Some(text) => VerifierKey::parse(text.trim_end()).map_err(wrong),
                None => Err(wrong(error)),
            },
        }
    }

    fn read_file(&self) -> Option<String> {
        let mut text = String::new();
        File::open(&self.0).ok()?.take(FILE_BYTES).read_to_string(&mut text).ok()?;
        Some(text)
    }
}
