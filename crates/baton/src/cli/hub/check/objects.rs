//! Artifacts against the files that hold their bytes: each is there and has as many bytes, and with `--deep` the right ones.
//! The list is read in pages, and files are looked at between two of them, so that no state of the database is held while
//! they are read. A hub that runs may delete an artifact and its file meanwhile: what differs is looked up again.

use baton_core::{hex, limits};
use baton_store::Error;
use baton_store::rows::ArtifactState;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::findings::{Findings, Name, Place};

/// How artifacts are checked.
pub(super) struct Objects {
    /// The folder with their files.
    folder: PathBuf,
    is_deep: bool,
    /// How many are read at once.
    page: usize,
}

impl Objects {
    pub(super) fn of(folder: PathBuf, is_deep: bool) -> Self {
        Self { folder, is_deep, page: limits::ARTIFACTS_CHECKED_COUNT }
    }

    /// Looks at all artifacts, which `read` gives after a place, so many at once. Answers how many there are.
    pub(super) fn look(
        &self,
        findings: &mut Findings,
        mut read: impl FnMut(i64, usize) -> Result<Vec<ArtifactState>, Error>,
    ) -> Result<u64, Error> {
        let (mut after, mut count) = (0, 0);
        loop {
            let page = read(after, self.page)?;
            let Some(last) = page.last() else { return Ok(count) };
            let (from, to) = (after, last.seq);
            count += page.len() as u64;
            let wrong = |artifact: ArtifactState| Some((self.differs(&artifact)?, artifact));
            let differ: Vec<_> = page.into_iter().filter_map(wrong).collect();
            if !differ.is_empty() {
                let still_there = read(from, self.page)?;
                for (wrong, artifact) in differ.iter().filter(|(_, seen)| still_there.contains(seen)) {
                    let what = format!("artifact {}: {wrong}", artifact.sha256);
                    findings.add(Name::ArtifactBytes, Place::network(&artifact.network_id), what);
                }
            }
            after = to;
        }
    }

    fn differs(&self, artifact: &ArtifactState) -> Option<String> {
        let ArtifactState { object, size, sha256, .. } = artifact;
        let path = self.folder.join(object);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(seq: i64) -> ArtifactState {
        let object = format!("object-{seq}");
        let sha256 = hex::encode(&Sha256::digest(&object));
        ArtifactState { seq, network_id: "net".into(), sha256, size: object.len() as u64, object }
    }

    fn page_of(all: &[ArtifactState], after: i64, limit: usize) -> Vec<ArtifactState> {
        all.iter().filter(|artifact| artifact.seq > after).take(limit).cloned().collect()
    }

    #[test]
    fn the_list_is_read_in_pages_and_what_comes_and_goes_meanwhile_is_seen_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        for seq in 1..=5 {
            let object = artifact(seq).object;
            std::fs::write(folder.path().join(&object), &object).unwrap();
        }
        let objects = Objects { folder: folder.path().to_owned(), is_deep: true, page: 2 };
        let mut all: Vec<_> = (1..=4).map(artifact).collect();
        let (mut findings, mut reads) = (Findings::default(), Vec::new());
        let count = objects.look(&mut findings, |after, limit| {
            reads.push((after, limit));
            let page = page_of(&all, after, limit);
            match reads.len() {
                // Between two pages one is deleted with its file, and one is added with other bytes.
                1 => {
                    all.retain(|artifact| artifact.seq != 3);
                    std::fs::remove_file(folder.path().join("object-3")).unwrap();
                    all.push(artifact(5));
                    std::fs::write(folder.path().join("object-5"), "OBJECT-5").unwrap();
                }
                // Between a page and the look at its files another one is.
                2 => {
                    all.retain(|artifact| artifact.seq != 4);
                    std::fs::remove_file(folder.path().join("object-4")).unwrap();
                }
                _ => {}
            }
            Ok(page)
        });
        assert_eq!(count.unwrap(), 4);
        assert_eq!(reads, [(0, 2), (2, 2), (2, 2), (5, 2)]);
        let [told] = &findings.told[..] else { panic!("{findings:?}") };
        assert!(told.to_string().contains("object-5 has other bytes"), "{told}");
    }
}
