//! How the demo speaks: numbered steps with lines below them, as they happen.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::Instant;

use crate::cli::failure::Failure;

/// The voice, and when it began.
#[derive(Debug)]
pub(super) struct Narrator {
    begun: Instant,
    steps: Cell<u32>,
    is_terminal: bool,
}

impl Narrator {
    pub(super) fn begin() -> Result<Self, Failure> {
        let narrator =
            Self { begun: Instant::now(), steps: Cell::new(0), is_terminal: io::stdout().is_terminal() };
        narrator.print("Baton: a hub and three agents on this machine. No network, no model.\n")?;
        Ok(narrator)
    }

    /// A new step.
    pub(super) fn step(&self, title: &str) -> Result<(), Failure> {
        let number = self.steps.get() + 1;
        self.steps.set(number);
        let (bold, plain) = if self.is_terminal { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        self.print(&format!("\n{bold}{number}. {title}{plain}\n"))
    }

    /// Something that happened, and when.
    pub(super) fn line(&self, words: &str) -> Result<(), Failure> {
        let (dim, plain) = if self.is_terminal { ("\x1b[2m", "\x1b[0m") } else { ("", "") };
        self.print(&format!("   {dim}{:>5.1} s{plain}  {words}\n", self.begun.elapsed().as_secs_f64()))
    }

    /// A line without a time.
    pub(super) fn plain(&self, words: &str) -> Result<(), Failure> {
        self.print(&format!("   {words}\n"))
    }

    pub(super) fn end(&self) -> Result<(), Failure> {
        let seconds = self.begun.elapsed().as_secs_f64();
        // As it was called, so that the lines work where the reader stands: after `make demo` it is not on the PATH.
        let baton = std::env::args().next().unwrap_or_else(|| "baton".into());
        self.print(&format!(
            "\nDone in {seconds:.1} s; hub, workers and folder are gone.\n\n\
             Your own hub:\n   {baton} hub start\n\
             In a second terminal, with the password the hub has shown:\n   {baton} login --username admin\n   \
             {baton} work --alias shouter -- tr a-z A-Z\n\
             In a third:\n   {baton} send shouter \"hello\" --wait\n"
        ))
    }

    fn print(&self, words: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(words.as_bytes()).and_then(|()| out.flush()).map_err(Failure::stdout)
    }
}
