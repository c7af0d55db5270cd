//! A result too long for a reply, kept whole in a file that is named by its SHA-256 and readable by its owner alone.
//! If the worker dies here, an unnamed rest stays (`.part-…`) and no attachment is half written.

use sha2::{Digest, Sha256};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempPath};

/// A result on its way into its file.
#[derive(Debug)]
pub(super) struct Spool {
    file: BufWriter<NamedTempFile>,
    hash: Sha256,
    size_bytes: u64,
    folder: PathBuf,
}

/// A result in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attachment {
    pub(super) sha256: String,
    pub(super) size_bytes: u64,
    pub(super) path: PathBuf,
}

impl Spool {
    /// An empty file in a folder that is made if it is missing. Both are for their owner alone.
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        make_private(folder)?;
        // tempfile gives the file mode 600.
        let file = tempfile::Builder::new().prefix(".part-").tempfile_in(folder)?;
        let file = BufWriter::new(file);
        Ok(Self { file, hash: Sha256::new(), size_bytes: 0, folder: folder.to_owned() })
    }

    pub(super) fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    pub(super) fn write(&mut self, chunk: &[u8]) -> io::Result<()> {
        self.file.write_all(chunk)?;
        self.hash.update(chunk);
        self.size_bytes += chunk.len() as u64;
        Ok(())
    }

    /// The file under its name, on the disk. The same result twice is one file.
    pub(super) fn finish(self) -> io::Result<Attachment> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        let sha256 = hex(&self.hash.finalize());
        let path = self.folder.join(&sha256);
        let (_, unnamed): (_, TempPath) = file.into_parts();
        unnamed.persist(&path).map_err(|error| error.error)?;
        Ok(Attachment { sha256, size_bytes: self.size_bytes, path })
    }
}

/// Makes a folder that only its owner can look into; one that is there stays as it is.
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn an_attachment_is_named_by_its_hash_and_private() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("attachments");
        for _ in 0..2 {
            let mut spool = Spool::create(&folder).unwrap();
            spool.write(b"a").unwrap();
            spool.write(b"bc").unwrap();
            let attachment = spool.finish().unwrap();
            assert_eq!(attachment.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
            assert_eq!(
                (attachment.size_bytes, std::fs::read(&attachment.path).unwrap()),
                (3, b"abc".to_vec())
            );
            assert_eq!(attachment.path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(folder.read_dir().unwrap().count(), 1, "one file for one result");
    }

    #[test]
    fn a_spool_that_is_given_up_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::create(folder.path()).unwrap();
        spool.write(b"half").unwrap();
        drop(spool);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
