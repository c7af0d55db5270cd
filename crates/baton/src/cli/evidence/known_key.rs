//! `--key`: a verifier key as text, or the name of a file that holds one: alone, or as the `key` of a JSON object, which
//! is how a hub and `audit --json` answer.

use baton_core::limits;
use baton_evidence::note::VerifierKey;
use serde::Deserialize;
use std::fs::File;
use std::io::Read;

use crate::cli::failure::Failure;

/// What was given.
#[derive(Debug, Clone)]
pub(crate) struct KnownKey(String);

/// A JSON answer that names a key.
#[derive(Deserialize)]
struct Named {
    key: String,
}

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
                Some(text) => match serde_json::from_str::<Named>(&text) {
                    Ok(named) => VerifierKey::parse(&named.key).map_err(wrong),
                    Err(_) => VerifierKey::parse(text.trim_end()).map_err(wrong),
                },
                None => Err(wrong(error)),
            },
        }
    }

    fn read_file(&self) -> Option<String> {
        let mut text = String::new();
        File::open(&self.0).ok()?.take(limits::KEY_FILE_MAX_BYTES).read_to_string(&mut text).ok()?;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const KEY: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";

    fn read(contents: &str) -> Result<String, Failure> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(contents.as_bytes()).unwrap();
        KnownKey::from(file.path().to_str().unwrap()).read().map(|key| key.to_string())
    }

    #[test]
    fn a_key_is_read_alone_and_out_of_a_hubs_answer() {
        assert_eq!(KnownKey::from(KEY).read().unwrap().to_string(), KEY);
        let answer = format!("{{\"ok\":true,\"key\":\"{KEY}\"}}\n");
        for contents in [KEY, &format!("{KEY}\n"), &answer] {
            assert_eq!(read(contents).unwrap(), KEY, "{contents}");
        }
        for contents in ["", "{}", "{\"ok\":true,\"key\":\"no key\"}", "[]"] {
            assert!(read(contents).is_err(), "{contents}");
        }
    }
}
