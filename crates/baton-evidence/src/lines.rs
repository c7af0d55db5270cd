//! Lines of bounded length from a stream. A line inside the read buffer is handed out in place; only one that
//! straddles it is put together. Memory is the buffer and one line, whatever the input.

use crate::limits::BUFFER_BYTES;
use std::io::{self, BufRead, BufReader, Read};

/// Reads lines of at most `bound` bytes, the line feed not counted.
#[derive(Debug)]
pub struct Lines<R> {
    input: BufReader<R>,
    bound: usize,
    joined: Vec<u8>,
    /// How much of the read buffer the line last handed out holds.
    held: usize,
}

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// The whole line, with its line feed if it had one.
    Whole(&'a [u8]),
    /// A line over the bound; it was skipped.
    TooLong,
}

impl<R: Read> Lines<R> {
    /// Lines of `input`.
    pub fn new(input: R, bound: usize) -> Self {
        Self { input: BufReader::with_capacity(BUFFER_BYTES, input), bound, joined: Vec::new(), held: 0 }
    }

    /// The next line, or `None` at the end.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.input.consume(std::mem::take(&mut self.held));
        let available = self.input.fill_buf()?;
        if available.is_empty() {
            return Ok(None);
        }
        match memchr::memchr(b'\n', available) {
            Some(end) => {
                self.held = end + 1;
                if end > self.bound {
                    return Ok(Some(Line::TooLong));
                }
                Ok(Some(Line::Whole(&self.input.buffer()[..=end])))
            }
            None => self.join(),
        }
    }

    /// A line that does not end in the buffer.
    fn join(&mut self) -> io::Result<Option<Line<'_>>> {
        self.joined.clear();
        let mut too_long = false;
        loop {
            let available = self.input.fill_buf()?;
            let end = memchr::memchr(b'\n', available);
            let taken = end.map_or(available.len(), |end| end + 1);
            let counted = end.unwrap_or(taken);
            too_long |= self.joined.len() + counted > self.bound;
            if !too_long {
                self.joined.extend_from_slice(&available[..taken]);
            }
            self.input.consume(taken);
            if end.is_some() || taken == 0 {
                return Ok(Some(if too_long { Line::TooLong } else { Line::Whole(&self.joined) }));
            }
        }
    }
}
