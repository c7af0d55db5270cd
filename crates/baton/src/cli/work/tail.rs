//! The last part of an output, in memory that does not grow.

use std::collections::VecDeque;

/// The latest bytes of a stream.
#[derive(Debug)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    max_bytes: usize,
}

impl Tail {
    /// Keeps enough bytes for this many characters.
    pub(super) fn of_chars(max_chars: usize) -> Self {
        Self::of_bytes(max_chars * 4)
    }

    /// Keeps this many bytes.
    pub(super) const fn of_bytes(max_bytes: usize) -> Self {
        Self { bytes: VecDeque::new(), max_bytes }
    }

    /// The last so many bytes, or all there are.
    pub(super) fn last_bytes(&self, count: usize) -> Vec<u8> {
        self.bytes.iter().skip(self.bytes.len().saturating_sub(count)).copied().collect()
    }

    pub(super) fn push(&mut self, chunk: &[u8]) {
        let chunk = &chunk[chunk.len().saturating_sub(self.max_bytes)..];
        let excess = (self.bytes.len() + chunk.len()).saturating_sub(self.max_bytes);
        self.bytes.drain(..excess);
        self.bytes.extend(chunk);
    }

    /// The last characters, at most this many; what is not UTF-8 is replaced, and a first character that was cut in
    /// half is left out.
    pub(super) fn last_chars(&self, max_chars: usize) -> String {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        let begins = bytes.iter().position(|byte| byte & 0xC0 != 0x80).unwrap_or(0);
        let text = String::from_utf8_lossy(&bytes[begins..]);
        let skipped = text.chars().count().saturating_sub(max_chars);
        text.chars().skip(skipped).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_keeps_the_last_characters_and_no_half_ones() {
        let mut tail = Tail::of_chars(3);
        for chunk in ["0123456789".as_bytes(), "äöü€".as_bytes()] {
            tail.push(chunk);
        }
        assert_eq!(tail.last_chars(3), "öü€");
        assert_eq!(tail.last_chars(100), "789äöü€");
        tail.push("€€€€€".as_bytes());
        assert_eq!(tail.last_chars(100), "€€€€");
        assert_eq!(tail.bytes.len(), 12);
    }
}
