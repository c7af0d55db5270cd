//! Lines of bounded length, wherever they fall on the read buffer.

use baton_evidence::lines::{Line, Lines};
use proptest::prelude::*;
use std::io::Read;

fn read_all(input: impl Read, bound: usize) -> Vec<Option<Vec<u8>>> {
    let mut lines = Lines::new(input, bound);
    let mut all = Vec::new();
    while let Some(line) = lines.next_line().unwrap() {
        all.push(match line {
            Line::Whole(line) => Some(line.to_vec()),
            Line::TooLong => None,
        });
    }
    all
}

/// Gives its bytes in pieces, as a pipe does.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(buffer.len()).min(self.0.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

#[test]
fn the_bound_does_not_count_the_line_feed() {
    assert_eq!(read_all(&b"abc\nabcd\nab"[..], 3), [Some(b"abc\n".to_vec()), None, Some(b"ab".to_vec())]);
}

#[test]
fn an_empty_input_has_no_line_and_an_empty_line_is_one() {
    assert!(read_all(&b""[..], 3).is_empty());
    assert_eq!(read_all(&b"\n"[..], 3), [Some(b"\n".to_vec())]);
}

#[test]
fn a_long_line_is_skipped_whole_and_the_next_one_read() {
    let input = [&[b'x'; 700_000][..], b"\nnext\n"].concat();
    assert_eq!(read_all(&*input, 10), [None, Some(b"next\n".to_vec())]);
    assert_eq!(read_all(&*input, 700_000), [Some(input[..700_001].to_vec()), Some(b"next\n".to_vec())]);
}

proptest! {
    #[test]
    fn pieces_make_no_difference(
        lines in prop::collection::vec(prop::collection::vec(b'a'..=b'z', 0..20), 0..20),
        piece in 1usize..9,
        bound in 0usize..20,
    ) {
        let input = lines.join(&b'\n');
        let expected: Vec<Option<Vec<u8>>> = input
            .split_inclusive(|byte| *byte == b'\n')
            .map(|line| (line.strip_suffix(b"\n").unwrap_or(line).len() <= bound).then(|| line.to_vec()))
            .collect();
        prop_assert_eq!(read_all(Pieces(&input, piece), bound), expected);
    }
}
