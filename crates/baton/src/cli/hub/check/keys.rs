//! The keys checkpoints are opened with: the one the database knows and the public half of the file beside it. They
//! must be the same; where they are not, each checkpoint is tried with both.

use baton_evidence::note::VerifierKey;
use baton_store::Error;
use baton_store::rows::CheckReads;

use super::findings::{Findings, Name, Place};
use crate::data_folder::{DataFolder, EvidenceKeyError};

/// What checkpoints must open with.
#[derive(Debug, Default)]
pub(super) struct Keys {
    pub(super) known: Option<VerifierKey>,
    /// Why the file was not read, if it was not.
    pub(super) unread: Option<String>,
}

impl Keys {
    /// Reads both. The database is read first: what it knows was in the file before.
    pub(super) fn find(
        rows: &dyn CheckReads,
        folder: &DataFolder,
        findings: &mut Findings,
    ) -> Result<Self, Error> {
        let mut keys = Self::default();
        let mut differ = |what: String| findings.add(Name::Key, Place::default(), what);
        let known = rows.evidence_key()?;
        match known.as_deref().map(VerifierKey::parse) {
            Some(Ok(key)) => keys.known = Some(key),
            Some(Err(error)) => differ(format!("the database knows a public key that is none: {error}")),
            None => {}
        }
        match folder.evidence_public_key(known.as_deref()) {
            Ok(_) => {}
            Err(EvidenceKeyError::Io(error)) => keys.unread = Some(error.to_string()),
            Err(error) => differ(format!("evidence.key: {error}")),
        }
        Ok(keys)
    }
}
