//! Pieces of a file that follow each other, put together in memory.

/// So many bytes at most are kept back; a larger commit is written in several parts. SQLite's own file system takes less
/// than 128 KiB at once: it cuts the length of a write to 17 bits.
const MAX_BYTES: usize = 124 << 10; // not a limit: SQLite's, not ours

/// What was written and is not in the file yet: one stretch of it.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    at: i64,
    bytes: Vec<u8>,
}

impl Gathered {
    /// Adds a piece if it follows what is there and there is room; false if it has to wait until that is written.
    pub(crate) fn add(&mut self, piece: &[u8], at: i64) -> bool {
        if self.bytes.is_empty() {
            self.at = at;
        }
        let follows = self.at + self.bytes.len() as i64 == at;
        let fits = follows && self.bytes.len() + piece.len() <= MAX_BYTES;
        if fits {
            self.bytes.extend_from_slice(piece);
        }
        fits
    }

    /// Where it belongs, and the bytes; none if there is nothing.
    pub(crate) fn stretch(&self) -> Option<(i64, &[u8])> {
        (!self.bytes.is_empty()).then_some((self.at, self.bytes.as_slice()))
    }

    /// Starts again with nothing; the memory is kept for the next commit.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_that_follow_each_other_become_one_stretch_and_others_wait() {
        let mut gathered = Gathered::default();
        assert_eq!(gathered.stretch(), None);
        assert!(gathered.add(b"ab", 32) && gathered.add(b"cde", 34));
        for at in [0, 32, 33, 36, 38] {
            assert!(!gathered.add(b"x", at), "{at} does not follow");
        }
        assert_eq!(gathered.stretch(), Some((32, b"abcde".as_slice())));
        gathered.clear();
        assert!(gathered.add(b"x", 0), "nothing is there to follow");
    }

    #[test]
    fn what_is_kept_back_is_bounded() {
        let mut gathered = Gathered::default();
        let half = vec![7; MAX_BYTES / 2];
        assert!(gathered.add(&half, 0) && gathered.add(&half, half.len() as i64));
        assert!(!gathered.add(b"x", MAX_BYTES as i64));
        gathered.clear();
        assert!(!gathered.add(&vec![7; MAX_BYTES + 1], 0), "it is written as it is");
    }
}
