//! The key a hub signs its checkpoints with: `evidence.key`, its owner's alone, made once. The database knows the
//! public half, so that a lost or exchanged file is noticed and never replaced in silence.

use baton_evidence::note::{KeyError, SigningKey, VerifierKey};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use crate::random;

/// The name in front of every signature.
const NAME: &str = "baton";

/// Why there is no key to sign with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EvidenceKeyError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("the file holds no signing key: {0}")]
    NotAKey(#[from] KeyError),
    #[error("others than its owner may read it; `chmod 600` it")]
    Open,
    #[error(
        "it is missing, and the hub's checkpoints are signed with it; put it back from your backup, or copy it from another hub \
         on the same database (its public half is {0})"
    )]
    Gone(String),
    #[error(
        "it is not the key that this hub's checkpoints are signed with; put back that key, or copy it from another hub on the \
         same database (its public half is {0})"
    )]
    Another(String),
}

/// Reads the key, or makes it if this folder never had one. `known` is the public half the database knows.
pub(super) fn ensure(path: &Path, known: Option<&str>) -> Result<SigningKey, EvidenceKeyError> {
    let key = match (read(path)?, known) {
        (Some(key), _) => key,
        (None, Some(known)) => return Err(EvidenceKeyError::Gone(known.into())),
        (None, None) => make(path)?,
    };
    match known {
        Some(known) if known != key.verifier_key().to_string() => {
            Err(EvidenceKeyError::Another(known.into()))
        }
        _ => Ok(key),
    }
}

/// The public half of the key in the file, against the one the database knows; none if there never was a key. Makes
/// nothing.
pub(super) fn public_half(path: &Path, known: Option<&str>) -> Result<Option<VerifierKey>, EvidenceKeyError> {
    match (read(path)?.map(|key| key.verifier_key()), known) {
        (None, Some(known)) => Err(EvidenceKeyError::Gone(known.into())),
        (Some(key), Some(known)) if key.to_string() != known => Err(EvidenceKeyError::Another(known.into())),
        (key, _) => Ok(key),
    }
}

fn read(path: &Path) -> Result<Option<SigningKey>, EvidenceKeyError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if std::fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
        return Err(EvidenceKeyError::Open);
    }
    Ok(Some(SigningKey::parse(&text)?))
}

/// Killed in the middle, the file is absent or half written; a half-written one holds no key and signed nothing, so
/// it is written under another name first.
fn make(path: &Path) -> Result<SigningKey, EvidenceKeyError> {
    let key = SigningKey::from_seed(random::bytes(), NAME)?;
    let unfinished = path.with_extension("key.new");
    let _ = std::fs::remove_file(&unfinished); // of a start that was killed
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
    file.write_all(key.to_text().as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    std::fs::rename(&unfinished, path)?;
    if let Some(folder) = path.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(key)
}
