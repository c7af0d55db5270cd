//! The header `Range` (RFC 9110, section 14): one range of bytes. Several, or what is no range, count as none.

use std::ops::Range;

/// Which bytes are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ByteRange {
    /// All of them.
    Whole,
    /// Some; never empty.
    Part(Range<u64>),
    /// None that are there.
    Unsatisfiable,
}

impl ByteRange {
    /// Reads the header for something of this size.
    pub(super) fn read(header: &str, size: u64) -> Self {
        let Some((first, last)) = header.strip_prefix("bytes=").and_then(|range| range.split_once('-'))
        else {
            return Self::Whole;
        };
        let number = |text: &str| match text.bytes().all(|byte| byte.is_ascii_digit()) {
            // A number that is too large is behind the end anyway.
            true => Some(text.parse().unwrap_or(u64::MAX)),
            false => None,
        };
        let range = match (first.trim(), last.trim()) {
            ("", "") => None,
            ("", last) => number(last).map(|count| size.saturating_sub(count)..size),
            (first, "") => number(first).map(|first| first..size),
            (first, last) => number(first)
                .zip(number(last))
                .and_then(|(first, last)| (first <= last).then(|| first..last.saturating_add(1).min(size))),
        };
        match range {
            None => Self::Whole,
            Some(range) if range.start >= range.end => Self::Unsatisfiable,
            Some(range) => Self::Part(range),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_range_is_read_as_the_table_says() {
        use ByteRange::{Part, Unsatisfiable, Whole};
        for (header, size, expected) in [
            ("bytes=0-9", 100, Part(0..10)),
            ("bytes=90-", 100, Part(90..100)),
            ("bytes=90-1000", 100, Part(90..100)),
            ("bytes=-5", 100, Part(95..100)),
            ("bytes=-500", 100, Part(0..100)),
            ("bytes=-0", 100, Unsatisfiable),
            ("bytes=100-", 100, Unsatisfiable),
            ("bytes=0-0", 0, Unsatisfiable),
            ("bytes=99999999999999999999-", 100, Unsatisfiable),
            ("bytes=9-0", 100, Whole),
            ("bytes=0-1,5-6", 100, Whole),
            ("bytes=-", 100, Whole),
            ("bytes=a-b", 100, Whole),
            ("rows=0-9", 100, Whole),
        ] {
            assert_eq!(ByteRange::read(header, size), expected, "{header} of {size}");
        }
    }
}
