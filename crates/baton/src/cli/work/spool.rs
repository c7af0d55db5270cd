//! A result too long for a reply, on its way to the hub: a file without a name in the worker's folder, gone with the worker
//! whatever becomes of it.

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use baton_core::ArtifactHash;

/// A result that is being written.
#[derive(Debug)]
pub(super) struct Spool {
    file: BufWriter<File>,
    digest: Sha256,
    size_bytes: u64,
}

/// All of a result.
#[derive(Debug)]
pub(super) struct Spooled {
    pub(super) file: File,
    pub(super) hash: ArtifactHash,
    pub(super) size_bytes: u64,
}

impl Spool {
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        let file = BufWriter::new(tempfile::tempfile_in(folder)?);
        Ok(Self { file, digest: Sha256::new(), size_bytes: 0 })
    }

    pub(super) fn write(&mut self, chunk: &[u8]) -> io::Result<()> {
        self.file.write_all(chunk)?;
        self.digest.update(chunk);
        self.size_bytes += chunk.len() as u64;
        Ok(())
    }

    /// The file with all of it.
    pub(super) fn finish(self) -> io::Result<Spooled> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let hash = ArtifactHash::new(self.digest.finalize().into());
        Ok(Spooled { file, hash, size_bytes: self.size_bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek};

    #[test]
    fn a_spooled_result_is_whole_and_leaves_no_name_behind() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::create(folder.path()).unwrap();
        spool.write(b"a").unwrap();
        spool.write(b"bc").unwrap();
        let mut spooled = spool.finish().unwrap();
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((spooled.size_bytes, spooled.hash.to_string()), (3, hash.to_owned()));
        let mut all = String::new();
        spooled.file.rewind().unwrap();
        spooled.file.read_to_string(&mut all).unwrap();
        assert_eq!((&*all, folder.path().read_dir().unwrap().count()), ("abc", 0));
    }
}
