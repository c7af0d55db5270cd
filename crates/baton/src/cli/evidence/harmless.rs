//! Text from a file, with nothing in it that a terminal would obey.

/// The text, controls and marks of direction escaped.
pub(super) fn harmless(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        if c.is_control() || turns_text_around(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
        shown
    })
}

/// Marks and overrides of writing direction, which show a text as another than it is.
fn turns_text_around(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// JSON that means the same: what JSON allows raw in a string and a terminal would obey is written as an escape. All
/// of it is below U+10000, so four digits do.
pub(super) fn harmless_json(text: &str) -> String {
    use std::fmt::Write as _;
    text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        if c.is_control() || turns_text_around(c) {
            let _ = write!(shown, "\\u{:04x}", u32::from(c)); // a String takes everything
        } else {
            shown.push(c);
        }
        shown
    })
}
