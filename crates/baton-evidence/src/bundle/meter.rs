//! Readers that count what passes and stop at a bound. The layers between (gzip, tar) wrap errors in their own
//! words, so why the flow stopped is kept beside it, in a [`Stop`] that both ends share.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

/// Why a flow was stopped, if it was.
#[derive(Debug, Clone, Default)]
pub(super) struct Stop(Rc<Cell<Option<Reason>>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    PackedBytes,
    UnpackedBytes,
    /// What was compressed cannot be decompressed.
    Gzip,
    /// The source itself could not be read: nothing was learnt about the bundle.
    Source(io::ErrorKind),
}

impl Stop {
    pub(super) fn reason(&self) -> Option<Reason> {
        self.0.get()
    }

    fn at(&self, reason: Reason) -> io::Error {
        self.0.set(Some(reason));
        io::Error::other("stopped")
    }
}

/// The compressed source.
#[derive(Debug)]
pub(super) struct Source<R> {
    input: R,
    left: u64,
    stop: Stop,
}

impl<R: BufRead> Source<R> {
    pub(super) fn new(input: R, bound: u64, stop: Stop) -> Self {
        Self { input, left: bound, stop }
    }

    /// Whether anything is left unread.
    pub(super) fn has_more(&mut self) -> io::Result<bool> {
        Ok(!self.fill_buf()?.is_empty())
    }
}

impl<R: BufRead> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // `loop { match fill_buf }` would hold the borrow; a first call makes the second one free.
        while let Err(error) = self.input.fill_buf() {
            if error.kind() != io::ErrorKind::Interrupted {
                self.stop.0.set(Some(Reason::Source(error.kind())));
                return Err(error);
            }
        }
        let available = self.input.fill_buf()?;
        if self.left == 0 && !available.is_empty() {
            return Err(self.stop.at(Reason::PackedBytes));
        }
        let taken = available.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        Ok(&available[..taken])
    }

    fn consume(&mut self, count: usize) {
        self.left -= count as u64;
        self.input.consume(count);
    }
}

impl<R: BufRead> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

/// The decompressed flow, out of the gzip decoder.
#[derive(Debug)]
pub(super) struct Unpacked<R> {
    input: R,
    bound: u64,
    left: u64,
    stop: Stop,
}

impl<R: Read> Unpacked<R> {
    pub(super) fn new(input: R, bound: u64, stop: Stop) -> Self {
        Self { input, bound, left: bound, stop }
    }

    /// Bytes that have passed.
    pub(super) fn passed(&self) -> u64 {
        self.bound - self.left
    }

    pub(super) fn into_inner(self) -> R {
        self.input
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer).inspect_err(|_| {
            if self.stop.reason().is_none() {
                self.stop.0.set(Some(Reason::Gzip));
            }
        })?;
        match self.left.checked_sub(count as u64) {
            Some(left) => self.left = left,
            None => return Err(self.stop.at(Reason::UnpackedBytes)),
        }
        Ok(count)
    }
}
