//! What a command prints on stdout, on its way to being a result: short ones in memory, long ones in a file.
//! However much is printed, memory holds no more than a reply's worth.

use baton_core::limits;
use std::io;
use std::path::{Path, PathBuf};

use super::attachment::{Attachment, Spool};

/// So many bytes can be a reply of the longest kind.
const HEAD_MAX_BYTES: usize = limits::REPLY_MAX_CHARS * 4;

/// Where a command's output goes and how much of it there may be.
#[derive(Debug, Clone)]
pub(super) struct Room {
    pub(super) attachments: PathBuf,
    pub(super) max_bytes: u64,
}

/// What was printed so far.
#[derive(Debug)]
pub(super) struct Output {
    head: Vec<u8>,
    spool: Option<Spool>,
    room: Room,
}

/// All of an output.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Whole {
    /// Its beginning, or all of it.
    pub(super) head: String,
    /// Where all of it is, if the head is not all.
    pub(super) attachment: Option<Attachment>,
}

/// Why no more is taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum Full {
    #[error("it printed more than {max_bytes} bytes")]
    TooMuch { max_bytes: u64 },
    #[error("its output cannot be kept in {}: {error}", folder.display())]
    Disk { folder: PathBuf, error: io::Error },
}

impl Output {
    pub(super) fn new(room: Room) -> Self {
        Self { head: Vec::new(), spool: None, room }
    }

    pub(super) fn push(&mut self, chunk: &[u8]) -> Result<(), Full> {
        let wanted = HEAD_MAX_BYTES - self.head.len();
        self.head.extend_from_slice(&chunk[..chunk.len().min(wanted)]);
        if self.spool.is_none() && chunk.len() <= wanted {
            return Ok(());
        }
        let folder = self.room.attachments.clone();
        self.spool(chunk, chunk.len().min(wanted)).map_err(|error| Full::Disk { folder, error })?;
        match &self.spool {
            Some(spool) if spool.size_bytes() > self.room.max_bytes => {
                Err(Full::TooMuch { max_bytes: self.room.max_bytes })
            }
            _ => Ok(()),
        }
    }

    /// Writes a chunk to the file, of which the head has so much already.
    fn spool(&mut self, chunk: &[u8], in_head: usize) -> io::Result<()> {
        if let Some(spool) = &mut self.spool {
            return spool.write(chunk);
        }
        let mut spool = Spool::create(&self.room.attachments)?;
        spool.write(&self.head)?;
        spool.write(&chunk[in_head..])?;
        self.spool = Some(spool);
        Ok(())
    }

    /// The end of it. An output that is no UTF-8, or has more characters than a reply takes, is kept in a file too.
    pub(super) fn finish(self) -> Result<Whole, Full> {
        let folder = self.room.attachments;
        let failed = |error| Full::Disk { folder: folder.clone(), error };
        let is_whole = match std::str::from_utf8(&self.head) {
            Ok(text) => self.spool.is_none() && text.chars().nth(limits::REPLY_MAX_CHARS).is_none(),
            Err(_) => false,
        };
        let attachment = match self.spool {
            Some(spool) => Some(spool.finish().map_err(failed)?),
            None if is_whole => None,
            None => Some(keep(&folder, &self.head).map_err(failed)?),
        };
        Ok(Whole { head: String::from_utf8_lossy(&self.head).into_owned(), attachment })
    }
}

fn keep(folder: &Path, bytes: &[u8]) -> io::Result<Attachment> {
    let mut spool = Spool::create(folder)?;
    spool.write(bytes)?;
    spool.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(folder: &Path, chunks: &[&[u8]]) -> Whole {
        let mut output = Output::new(Room { attachments: folder.to_owned(), max_bytes: 1 << 20 });
        chunks.iter().for_each(|chunk| output.push(chunk).unwrap());
        output.finish().unwrap()
    }

    #[test]
    fn an_output_that_fits_a_reply_makes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let whole = of(folder.path(), &[b"a", "€".repeat(9_999).as_bytes()]);
        assert_eq!(whole.head.chars().count(), 10_000);
        assert_eq!(whole.attachment, None);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_longer_one_is_kept_whole_wherever_it_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        for sizes in [vec![10_001], vec![40_001], vec![39_999, 5, 7], vec![40_000, 1], vec![100_000, 1]] {
            let all: Vec<u8> = (0..sizes.iter().sum()).map(|n: usize| b'a' + (n % 26) as u8).collect();
            let mut rest = all.as_slice();
            let chunks: Vec<&[u8]> = sizes.iter().map(|size| rest.split_off(..*size).unwrap()).collect();
            let attachment = of(folder.path(), &chunks).attachment.unwrap();
            assert_eq!(attachment.size_bytes, all.len() as u64);
            assert_eq!(std::fs::read(attachment.path).unwrap(), all, "{sizes:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_kept_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let whole = of(folder.path(), &[b"\xFFok"]);
        assert_eq!(whole.head, "\u{FFFD}ok");
        assert_eq!(std::fs::read(whole.attachment.unwrap().path).unwrap(), b"\xFFok");
    }

    #[test]
    fn more_than_the_room_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut output = Output::new(Room { attachments: folder.path().to_owned(), max_bytes: 50_000 });
        output.push(&[b'a'; 50_000]).unwrap();
        assert!(matches!(output.push(b"a"), Err(Full::TooMuch { max_bytes: 50_000 })));
    }
}
