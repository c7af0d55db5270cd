//! PostgreSQL's texts cannot contain U+0000, and what agents send each other may. It is stored as U+10FFFE followed by `0`,
//! and a U+10FFFE as itself twice: a noncharacter that no text for people contains.

use std::borrow::Cow;

const MARK: char = '\u{10FFFE}';

/// A text as it is stored.
pub(crate) fn write(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', MARK]) {
        return Cow::Borrowed(text);
    }
    let mut stored = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        match char {
            '\0' => stored.extend([MARK, '0']),
            MARK => stored.extend([MARK, MARK]),
            char => stored.push(char),
        }
    }
    Cow::Owned(stored)
}

/// A stored text as it was.
pub(crate) fn read(stored: &str) -> Cow<'_, str> {
    if !stored.contains(MARK) {
        return Cow::Borrowed(stored);
    }
    let mut text = String::with_capacity(stored.len());
    let mut chars = stored.chars();
    while let Some(char) = chars.next() {
        match char {
            MARK => text.push(if chars.next() == Some('0') { '\0' } else { MARK }),
            char => text.push(char),
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::{MARK, read, write};

    #[test]
    fn every_text_reads_back_and_is_stored_without_nul() {
        let mark = MARK.to_string();
        for text in ["", "plain", "\0", "a\0b\0", &mark, &format!("{mark}0\0{mark}{mark}"), "0\0"] {
            let stored = write(text);
            assert!(!stored.contains('\0'), "{text:?}");
            assert_eq!(read(&stored), text, "{stored:?}");
        }
    }
}
