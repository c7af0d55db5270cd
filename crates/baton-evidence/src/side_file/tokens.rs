//! Cuts a side file into its few tokens without parsing what is inside: marks, strings, and whole entries, each of
//! bounded length. What an entry holds is the JSON parser's business.

use crate::limits::BUFFER_BYTES;
use std::io::{self, BufRead, BufReader, Read};

use super::limits;
use super::reader::ReadError;

/// The tokens of a side file.
#[derive(Debug)]
pub(super) struct Tokens<R> {
    input: BufReader<io::Take<R>>,
    /// The token last handed out, if it is a string or an entry.
    token: Vec<u8>,
}

impl<R: Read> Tokens<R> {
    pub(super) fn new(input: R) -> Self {
        let input = BufReader::with_capacity(BUFFER_BYTES, input.take(limits::FILE_BYTES));
        Self { input, token: Vec::new() }
    }

    /// The next byte that is not white space, not consumed; `None` at the end.
    pub(super) fn peek(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            let available = self.input.fill_buf()?;
            if available.is_empty() {
                return Ok(None);
            }
            match available.iter().position(|byte| !b" \t\r\n".contains(byte)) {
                Some(at) => {
                    let byte = available[at];
                    self.input.consume(at);
                    return Ok(Some(byte));
                }
                None => {
                    let blank = available.len();
                    self.input.consume(blank);
                }
            }
        }
    }

    /// Consumes this mark, which must come next.
    pub(super) fn mark(&mut self, mark: u8) -> Result<(), ReadError> {
        match self.peek()? {
            Some(byte) if byte == mark => {
                self.input.consume(1);
                Ok(())
            }
            Some(_) => Err(ReadError::Form),
            None => Err(self.ended()),
        }
    }

    /// A string, as it stands, quotes and all.
    pub(super) fn string(&mut self) -> Result<&[u8], ReadError> {
        self.mark(b'"')?;
        self.collect(b'"', Scan { inside: Inside::String, open: 0 }, limits::TEXT_BYTES)
    }

    /// An object, as it stands, braces and all.
    pub(super) fn object(&mut self) -> Result<&[u8], ReadError> {
        self.mark(b'{')?;
        self.collect(b'{', Scan { inside: Inside::Object, open: 1 }, limits::ENTRY_BYTES)
    }

    /// Collects a token whose first byte was read, up to its end.
    fn collect(&mut self, first: u8, mut scan: Scan, bound: usize) -> Result<&[u8], ReadError> {
        self.token.clear();
        self.token.push(first);
        loop {
            let available = self.input.fill_buf()?;
            if available.is_empty() {
                return Err(self.ended());
            }
            let (taken, done) = scan.step(available);
            if self.token.len() + taken > bound {
                return Err(ReadError::TooLong);
            }
            self.token.extend_from_slice(&available[..taken]);
            self.input.consume(taken);
            if done {
                return Ok(&self.token);
            }
        }
    }

    /// That nothing but white space is left.
    pub(super) fn end(&mut self) -> Result<(), ReadError> {
        match self.peek()? {
            Some(_) => Err(ReadError::Form),
            None if self.at_bound() => Err(ReadError::TooLong),
            None => Ok(()),
        }
    }

    /// The input ended where the form continues: it was cut short, or it is longer than we read.
    fn ended(&self) -> ReadError {
        if self.at_bound() { ReadError::TooLong } else { ReadError::Truncated }
    }

    fn at_bound(&self) -> bool {
        self.input.get_ref().limit() == 0
    }
}

/// The look for a token's end: braces count outside strings only, quotes only without a backslash before them.
struct Scan {
    inside: Inside,
    /// Objects that are open.
    open: u32,
}

#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Object,
    String,
    /// After a backslash in a string.
    Escape,
}

impl Scan {
    /// How many of these bytes belong to the token, and whether it ends with them.
    fn step(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut at = 0;
        while let Some(found) = self.find(&bytes[at..]) {
            let byte = bytes[at + found];
            at += found + 1;
            self.inside = match (self.inside, byte) {
                (Inside::String, b'\\') => Inside::Escape,
                (Inside::Escape, _) | (Inside::Object, b'"') => Inside::String,
                (Inside::String, _) => Inside::Object,
                (Inside::Object, byte) => {
                    // At least one is open while we are inside one.
                    self.open = if byte == b'{' { self.open.saturating_add(1) } else { self.open - 1 };
                    Inside::Object
                }
            };
            if self.inside == Inside::Object && self.open == 0 {
                return (at, true);
            }
        }
        (bytes.len(), false)
    }

    /// The next byte that matters.
    fn find(&self, bytes: &[u8]) -> Option<usize> {
        match self.inside {
            Inside::Object => memchr::memchr3(b'"', b'{', b'}', bytes),
            Inside::String => memchr::memchr2(b'"', b'\\', bytes),
            Inside::Escape => (!bytes.is_empty()).then_some(0),
        }
    }
}
