//! Artifacts against the files that hold their bytes: each is there and has as many bytes, and with `--deep` the right ones.
//! A hub that runs may delete an artifact and then its file between the two looks, so what is missing is looked up again.

use baton_core::hex;
use baton_store::Error;
use baton_store::rows::{ArtifactState, CheckReads};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::findings::{Findings, Name, Place};

/// How artifacts are checked.
pub(super) struct Objects {
    /// The folder with their files; none if they lie in a bucket.
    folder: Option<PathBuf>,
    is_deep: bool,
}

impl Objects {
    pub(super) fn of(folder: &Path, is_deep: bool) -> Self {
        Self { folder: folder.is_dir().then(|| folder.to_owned()), is_deep }
    }

    /// Whether no folder was there to look into.
    pub(super) fn lie_elsewhere(&self) -> bool {
        self.folder.is_none()
    }

    /// Looks at all; gives the artifacts that differ, with what is wrong, and how many were looked at.
    pub(super) fn look(&self, rows: &dyn CheckReads) -> Result<(Vec<(ArtifactState, String)>, u64), Error> {
        let (mut differ, mut count) = (Vec::new(), 0);
        rows.each_artifact(&mut |artifact| {
            count += 1;
            let wrong = self.folder.as_ref().and_then(|folder| self.differs(folder, &artifact));
            differ.extend(wrong.map(|wrong| (artifact, wrong)));
            Ok(())
        })?;
        Ok((differ, count))
    }

    fn differs(&self, folder: &Path, artifact: &ArtifactState) -> Option<String> {
        let ArtifactState { object, size, sha256, .. } = artifact;
        let path = folder.join(object);
        let bytes = match path.symlink_metadata() {
            Ok(found) if found.is_file() => found.len(),
            Ok(_) => return Some(format!("its file {object} is no file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Some(format!("its file {object} is missing"));
            }
            Err(error) => return Some(format!("its file {object} cannot be read: {error}")),
        };
        if bytes != *size {
            return Some(format!("its file {object} has {bytes} bytes and not {size}"));
        }
        if !self.is_deep {
            return None;
        }
        match digest(&path) {
            Ok(found) if found == *sha256 => None,
            Ok(_) => Some(format!("its file {object} has other bytes")),
            Err(error) => Some(format!("its file {object} cannot be read: {error}")),
        }
    }
}

fn digest(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok(hex::encode(&hasher.finalize()))
}

/// Those of the artifacts that differ that still have the same row.
pub(super) fn those_that_stay(
    rows: &dyn CheckReads,
    differ: &[(ArtifactState, String)],
) -> Result<Vec<usize>, Error> {
    let mut stay = Vec::new();
    rows.each_artifact(&mut |artifact| {
        stay.extend(differ.iter().position(|(seen, _)| *seen == artifact));
        Ok(())
    })?;
    Ok(stay)
}

/// Names what is wrong with an artifact.
pub(super) fn name((artifact, wrong): &(ArtifactState, String), findings: &mut Findings) {
    let what = format!("artifact {}: {wrong}", artifact.sha256);
    findings.add(Name::ArtifactBytes, Place::network(&artifact.network_id), what);
}
