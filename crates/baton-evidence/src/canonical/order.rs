//! The order of names: RFC 8785 section 3.2.3 compares UTF-16 code units. It differs from the order of UTF-8
//! bytes only where a character beyond U+FFFF (a surrogate pair) meets one of U+E000–U+FFFF.

use std::cmp::Ordering;

/// Compares two UTF-8 texts as their UTF-16 code units would compare.
#[inline]
pub(super) fn utf16(a: &[u8], b: &[u8]) -> Ordering {
    match a.iter().zip(b).find(|(x, y)| x != y) {
        Some((&x, &y)) => rank(x).cmp(&rank(y)),
        None => a.len().cmp(&b.len()),
    }
}

/// Lead bytes EE and EF begin U+E000–U+FFFF, which UTF-16 puts after every surrogate pair (lead bytes F0–F4).
/// Two texts that differ first in a continuation byte share their lead byte, and there the orders agree.
fn rank(byte: u8) -> u8 {
    if matches!(byte, 0xEE | 0xEF) { byte + 0x10 } else { byte }
}

/// A name's first eight bytes as one number, in the order of the names; names that share it need comparing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Prefix(u64);

impl Prefix {
    #[inline]
    pub(super) fn of(name: &str) -> Self {
        let name = name.as_bytes();
        let mut bytes = match name.first_chunk::<8>() {
            Some(first) => *first,
            None => short(name),
        };
        if !bytes.is_ascii() {
            bytes = bytes.map(rank);
        }
        Self(u64::from_be_bytes(bytes))
    }
}

/// Fewer than eight bytes, filled up with zeros; in words, because byte by byte is what takes the time.
#[inline]
fn short(name: &[u8]) -> [u8; 8] {
    let mut bytes = [0; 8];
    if let (Some(first), Some(last)) = (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        bytes[name.len() - 4..name.len()].copy_from_slice(last);
        bytes[..4].copy_from_slice(first);
    } else {
        for (to, from) in bytes.iter_mut().zip(name) {
            *to = *from;
        }
    }
    bytes
}
