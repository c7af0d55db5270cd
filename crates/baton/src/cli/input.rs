//! A file, or standard input as `-`; with a progress bar on a terminal when the file is long.

use baton_core::limits;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::failure::Failure;

/// What a command reads.
pub(crate) struct Input {
    pub(crate) name: String,
    reader: Box<dyn Read>,
    bar: ProgressBar,
}

impl Input {
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            let reader = Box::new(io::stdin().lock());
            return Ok(Self { name: "standard input".into(), reader, bar: ProgressBar::hidden() });
        }
        let name = path.display().to_string();
        let open = || -> io::Result<(File, u64)> {
            let file = File::open(path)?;
            let found = file.metadata()?;
            if found.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            Ok((file, found.len()))
        };
        let (file, length) = open().map_err(|error| Failure::Read { name: name.clone(), error })?;
        let bar = if length >= limits::PROGRESS_BAR_MIN_BYTES { bar(length) } else { ProgressBar::hidden() };
        Ok(Self { name, reader: Box::new(file), bar })
    }

    pub(crate) fn failed(&self, error: io::Error) -> Failure {
        Failure::Read { name: self.name.clone(), error }
    }
}

/// Draws on stderr, and only if that is a terminal.
fn bar(length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {percent:>3}% {bytes}/{total_bytes}, {eta} left");
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr_with_hz(5));
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.bar.inc(count as u64);
        Ok(count)
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
