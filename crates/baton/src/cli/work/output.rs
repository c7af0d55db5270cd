//! What a command prints on stdout, on its way to being a result: short ones in memory, long ones in a file.
//! However much is printed, memory holds no more than a reply's worth and a chunk on its way. The disk is written to on
//! threads for that: a slow one must not hold up the leases, which are kept on the same runtime.

use baton_core::limits;
use std::io;
use std::path::PathBuf;
use tokio::task::{JoinHandle, spawn_blocking};

use super::spool::{Spool, Spooled};

/// So many bytes can be a reply of the longest kind.
const HEAD_MAX_BYTES: usize = limits::TEXT_MAX_BYTES;

/// Where a command's output goes and how much of it there may be.
#[derive(Debug, Clone)]
pub(super) struct OutputRoom {
    pub(super) folder: PathBuf,
    pub(super) max_bytes: u64,
}

/// What was printed so far.
#[derive(Debug)]
pub(super) struct Output {
    head: Vec<u8>,
    /// The file with all that was printed, if the head has not all, and what is written to it right now.
    file: Option<JoinHandle<io::Result<Spool>>>,
    /// How much was handed to the file.
    filed_bytes: u64,
    room: OutputRoom,
}

/// All of an output.
#[derive(Debug)]
pub(super) struct FullOutput {
    /// Its beginning, or all of it.
    pub(super) head: String,
    /// All of it, if the head is not.
    pub(super) spooled: Option<Spooled>,
}

/// Why no more is taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum OutputError {
    #[error("it printed more than {max_bytes} bytes")]
    TooMuch { max_bytes: u64 },
    #[error("its output cannot be kept in {}: {error}", folder.display())]
    Disk { folder: PathBuf, error: io::Error },
}

impl Output {
    pub(super) fn new(room: OutputRoom) -> Self {
        Self { head: Vec::new(), file: None, filed_bytes: 0, room }
    }

    /// Takes a chunk. It waits for the chunk before it to be written, not for this one.
    pub(super) async fn push(&mut self, chunk: &[u8]) -> Result<(), OutputError> {
        let in_head = chunk.len().min(HEAD_MAX_BYTES - self.head.len());
        self.head.extend_from_slice(&chunk[..in_head]);
        if self.file.is_none() && in_head == chunk.len() {
            return Ok(());
        }
        let (before, bytes) = match self.file.is_some() {
            true => (self.written().await?, chunk.to_vec()),
            false => (None, [&self.head, &chunk[in_head..]].concat()),
        };
        self.filed_bytes += bytes.len() as u64;
        if self.filed_bytes > self.room.max_bytes {
            return Err(OutputError::TooMuch { max_bytes: self.room.max_bytes });
        }
        self.file = Some(write(before, self.room.folder.clone(), bytes));
        Ok(())
    }

    /// The file, when everything handed to it is written. A caller that does not wait to the end loses nothing.
    async fn written(&mut self) -> Result<Option<Spool>, OutputError> {
        let Some(writing) = &mut self.file else { return Ok(None) };
        let written = writing.await;
        self.file = None;
        written.map_err(io::Error::other).flatten().map(Some).map_err(|error| self.failed(error))
    }

    /// The end of it. An output that is not UTF-8 is kept in a file too.
    pub(super) async fn finish(mut self) -> Result<FullOutput, OutputError> {
        if self.file.is_none() && std::str::from_utf8(&self.head).is_err() {
            self.file = Some(write(None, self.room.folder.clone(), self.head.clone()));
        }
        let spooled = match self.written().await? {
            Some(spool) => {
                let whole = spawn_blocking(|| spool.finish()).await.map_err(io::Error::other).flatten();
                Some(whole.map_err(|error| self.failed(error))?)
            }
            None => None,
        };
        Ok(FullOutput { head: String::from_utf8_lossy(&self.head).into_owned(), spooled })
    }

    fn failed(&self, error: io::Error) -> OutputError {
        OutputError::Disk { folder: self.room.folder.clone(), error }
    }
}

/// Writes to a file, a new one if there is none yet, where nobody waits for the disk.
fn write(spool: Option<Spool>, folder: PathBuf, bytes: Vec<u8>) -> JoinHandle<io::Result<Spool>> {
    spawn_blocking(move || {
        let mut spool = match spool {
            Some(spool) => spool,
            None => Spool::create(&folder)?,
        };
        spool.write(&bytes)?;
        Ok(spool)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use std::io::{Read, Seek};
    use std::path::Path;

    fn bytes_of(mut spooled: Spooled) -> Vec<u8> {
        let mut bytes = Vec::new();
        spooled.file.rewind().unwrap();
        spooled.file.read_to_end(&mut bytes).unwrap();
        bytes
    }

    async fn of(folder: &Path, chunks: &[&[u8]]) -> FullOutput {
        let mut output = Output::new(OutputRoom { folder: folder.to_owned(), max_bytes: 1 << 22 });
        for chunk in chunks {
            output.push(chunk).await.unwrap();
        }
        output.finish().await.unwrap()
    }

    #[tokio::test]
    async fn an_output_that_fits_a_reply_makes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let whole = of(folder.path(), &[b"a", "€".repeat(HEAD_MAX_BYTES / 3).as_bytes()]).await;
        assert_eq!(whole.head.len(), HEAD_MAX_BYTES);
        assert!(whole.spooled.is_none());
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[tokio::test]
    async fn a_longer_one_is_kept_whole_wherever_it_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        const MAX: usize = HEAD_MAX_BYTES;
        for sizes in [vec![MAX + 1], vec![MAX - 1, 5, 7], vec![MAX, 1], vec![2 * MAX, 1]] {
            let all: Vec<u8> = (0..sizes.iter().sum()).map(|n: usize| b'a' + (n % 26) as u8).collect();
            let mut rest = all.as_slice();
            let chunks: Vec<&[u8]> = sizes.iter().map(|size| rest.split_off(..*size).unwrap()).collect();
            let spooled = of(folder.path(), &chunks).await.spooled.unwrap();
            assert_eq!(spooled.size_bytes, all.len() as u64);
            assert!(bytes_of(spooled) == all, "{sizes:?}");
        }
    }

    #[tokio::test]
    async fn bytes_that_are_no_text_are_kept_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let whole = of(folder.path(), &[b"\xFFok"]).await;
        assert_eq!(whole.head, "\u{FFFD}ok");
        assert_eq!(bytes_of(whole.spooled.unwrap()), b"\xFFok");
    }

    #[tokio::test]
    async fn more_than_the_room_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        const MAX: u64 = 2 * HEAD_MAX_BYTES as u64;
        let mut output = Output::new(OutputRoom { folder: folder.path().to_owned(), max_bytes: MAX });
        output.push(&[b'a'; 2 * HEAD_MAX_BYTES]).await.unwrap();
        assert!(matches!(output.push(b"a").await, Err(OutputError::TooMuch { max_bytes: MAX })));
    }

    #[tokio::test]
    async fn a_disk_that_is_slow_holds_nobody_up_and_a_reader_that_gives_up_loses_nothing_written() {
        let folder = tempfile::tempdir().unwrap();
        let room = OutputRoom { folder: folder.path().to_owned(), max_bytes: 1 << 22 };
        let mut output = Output::new(room);
        let (release, held) = std::sync::mpsc::channel::<()>();
        let first = write(None, folder.path().to_owned(), vec![b'a'; HEAD_MAX_BYTES]);
        output.head = vec![b'a'; HEAD_MAX_BYTES];
        output.file = Some(tokio::spawn(async move {
            let spool = first.await.unwrap()?;
            spawn_blocking(move || held.recv().map(|()| spool).map_err(io::Error::other)).await.unwrap()
        }));
        // On this test's one thread a write that blocked would never come back.
        assert!(output.push(b"never read").now_or_never().is_none());
        release.send(()).unwrap();
        let spooled = output.finish().await.unwrap().spooled.unwrap();
        assert_eq!(spooled.size_bytes, HEAD_MAX_BYTES as u64);
    }
}
