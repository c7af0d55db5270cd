//! Server-sent events, from bytes to frames: `id:` and `data:` lines up to an empty one. Comments and fields the
//! hub does not send are passed over. What is kept between two reads is bounded: by a line of an event stream, or by
//! what the reader says.
//!
//! No crate bounds that. `eventsource-stream` 0.2.3 also searches a growing frame again with every read (1 MiB in pieces of
//! 8 KiB: 3.2 s, 512 KiB: 0.8 s) and panics at a byte order mark; `sse-stream` 0.2.6 fails at a field it does not know.

use baton_core::limits::STREAM_LINE_MAX_BYTES;

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) id: Option<String>,
    pub(crate) data: String,
}

/// A stream that sends more than a frame may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// What was read and makes no frame yet.
#[derive(Debug)]
pub(crate) struct Parser {
    max_bytes: usize,
    unread: Vec<u8>,
    /// So much of it has no line end, so that a long line is looked through once.
    searched: usize,
    id: Option<String>,
    data: Option<String>,
}

impl Default for Parser {
    fn default() -> Self {
        Self::of_at_most(STREAM_LINE_MAX_BYTES)
    }
}

impl Parser {
    /// A parser of frames that have at most so many bytes.
    pub(crate) const fn of_at_most(max_bytes: usize) -> Self {
        Self { max_bytes, unread: Vec::new(), searched: 0, id: None, data: None }
    }

    /// Takes bytes as they come.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.unread.extend_from_slice(bytes);
    }

    /// The next whole frame, if there is one.
    pub(crate) fn next(&mut self) -> Result<Option<Frame>, TooLong> {
        while let Some(end) = self.unread[self.searched..].iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=self.searched + end).collect();
            self.searched = 0;
            let line = String::from_utf8_lossy(&line);
            if let Some(frame) = self.line(line.trim_end_matches(['\r', '\n'])) {
                return Ok(Some(frame));
            }
            self.bounded()?;
        }
        self.searched = self.unread.len();
        self.bounded()?;
        Ok(None)
    }

    fn line(&mut self, line: &str) -> Option<Frame> {
        if line.is_empty() {
            let id = self.id.take();
            return self.data.take().map(|data| Frame { id, data });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match (field, &mut self.data) {
            ("id", _) => self.id = Some(value.to_owned()),
            ("data", None) => self.data = Some(value.to_owned()),
            ("data", Some(data)) => {
                data.push('\n');
                data.push_str(value);
            }
            _ => {}
        }
        None
    }

    fn bounded(&self) -> Result<(), TooLong> {
        let kept = self.unread.len().max(self.data.as_ref().map_or(0, String::len));
        if kept > self.max_bytes { Err(TooLong) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(parser: &mut Parser) -> Vec<(Option<String>, String)> {
        let mut all = Vec::new();
        while let Some(frame) = parser.next().unwrap() {
            all.push((frame.id, frame.data));
        }
        all
    }

    #[test]
    fn frames_come_out_whole_however_the_bytes_are_cut() {
        let bytes =
            b": hello\n\nid: 7\ndata: {\"a\":1}\n\ndata: x\r\ndata:y\r\n\r\nevent: z\n\nid: 8\n\ndata: w\n\n";
        let some = |id: &str, data: &str| (Some(id.to_owned()), data.to_owned());
        let none = |data: &str| (None, data.to_owned());
        let expected = [some("7", "{\"a\":1}"), none("x\ny"), none("w")];
        for size in 1..bytes.len() {
            let mut parser = Parser::default();
            let mut all = Vec::new();
            for chunk in bytes.chunks(size) {
                parser.push(chunk);
                all.extend(frames(&mut parser));
            }
            assert_eq!(all, expected, "cut at {size}");
        }
    }

    #[test]
    fn a_frame_that_does_not_end_is_refused_in_bounded_memory() {
        let mut parser = Parser::default();
        parser.push(&vec![b'x'; STREAM_LINE_MAX_BYTES + 1]);
        assert_eq!(parser.next(), Err(TooLong));
        let mut parser = Parser::default();
        let line = format!("data: {}\n", "y".repeat(STREAM_LINE_MAX_BYTES / 2));
        for _ in 0..3 {
            parser.push(line.as_bytes());
        }
        assert_eq!(parser.next(), Err(TooLong));
    }

    #[test]
    fn a_reader_that_takes_more_gets_more() {
        let long = "z".repeat(3 * STREAM_LINE_MAX_BYTES);
        let mut parser = Parser::of_at_most(4 * STREAM_LINE_MAX_BYTES);
        let bytes = format!("data: {long}\n\ndata: next\n\n");
        let mut all = Vec::new();
        for chunk in bytes.as_bytes().chunks(100_000) {
            parser.push(chunk);
            all.extend(frames(&mut parser));
        }
        assert_eq!(all, [(None, long), (None, "next".to_owned())]);
    }
}
