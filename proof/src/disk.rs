//! What the disk itself can do: a page written and synced, again and again, in the hub's own folder.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

const PAGE: [u8; 4096] = [0x42; 4096];
/// The file restarts after this many pages, as a write-ahead log does.
const PAGES: u64 = 1000;

/// How many `fdatasync`s a second the folder's disk does.
pub(super) fn fdatasyncs_per_second(folder: &Path, length: Duration) -> io::Result<f64> {
    let mut file: File = tempfile::tempfile_in(folder)?;
    // Grown beforehand: a log that is written over again needs no more blocks, and that is the faster case.
    for _ in 0..PAGES {
        file.write_all(&PAGE)?;
    }
    file.sync_all()?;
    let begun = Instant::now();
    let mut synced: u64 = 0;
    while begun.elapsed() < length {
        if synced.is_multiple_of(PAGES) {
            file.seek(SeekFrom::Start(0))?;
        }
        file.write_all(&PAGE)?;
        file.sync_data()?;
        synced += 1;
    }
    Ok(synced as f64 / begun.elapsed().as_secs_f64())
}
