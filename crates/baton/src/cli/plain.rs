//! Text that is safe to show: whatever others wrote, no control character of it reaches a terminal. Also how wide it
//! is there, and cutting it to a width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text on one line: breaks and tabs become spaces, other controls are written out.
pub(crate) fn line(text: &str) -> String {
    escape(text, |c| c.is_ascii_whitespace().then_some(' '))
}

/// Text of several lines: breaks and tabs stay, other controls are written out.
pub(crate) fn block(text: &str) -> String {
    escape(text, |c| matches!(c, '\n' | '\t').then_some(c))
}

fn escape(text: &str, keep: impl Fn(char) -> Option<char>) -> String {
    let mut plain = String::with_capacity(text.len());
    // A break of two characters is one break.
    for c in text.replace("\r\n", "\n").chars() {
        match keep(c) {
            Some(kept) => plain.push(kept),
            None if is_control(c) => plain.extend(c.escape_default()),
            None => plain.push(c),
        }
    }
    plain
}

/// JSON that is safe to show: what JSON allows raw in a string and a terminal obeys is written as an escape, which
/// means the same.
pub(crate) fn json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if is_control(c) && !matches!(c, '\n' | '\r' | '\t') {
            safe.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Controls, and the marks that turn the direction of what follows. All of them are below U+10000.
fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Columns a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text, or as much of it as fits and an ellipsis.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let mut kept = String::new();
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if wide > left {
            break;
        }
        left -= wide;
        kept.push(c);
    }
    if columns > 0 {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_comes_through() {
        let hostile = "a\u{1b}[31mred\u{7}\u{9b}2J\r\nnext\tline\u{202e}x\u{7f}";
        assert_eq!(line(hostile), "a\\u{1b}[31mred\\u{7}\\u{9b}2J next line\\u{202e}x\\u{7f}");
        assert_eq!(block(hostile), "a\\u{1b}[31mred\\u{7}\\u{9b}2J\nnext\tline\\u{202e}x\\u{7f}");
    }

    #[test]
    fn json_means_the_same_after_it_was_made_safe() {
        let text = "{\"a\":\"x\u{9b}\u{7f}\u{202e}é\"}";
        let safe = json(text);
        assert_eq!(safe, "{\"a\":\"x\\u009b\\u007f\\u202eé\"}");
        let read = |text| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&safe), read(text));
    }

    #[test]
    fn wide_characters_are_cut_where_they_end() {
        assert_eq!((width("漢字"), width("a😀")), (4, 3));
        assert_eq!(cut("漢字漢字", 8), "漢字漢字");
        assert_eq!(cut("漢字漢字", 7), "漢字漢…");
        assert_eq!(cut("漢字漢字", 6), "漢字…");
        assert_eq!(cut("abc", 2), "a…");
        assert_eq!(cut("abc", 0), "");
    }
}
