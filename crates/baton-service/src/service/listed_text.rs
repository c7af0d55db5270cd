//! A text as a list shows it: its beginning, and whether there is more. Stores read one character more than is shown.

/// The beginning of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ListedText {
    pub text: String,
    pub is_cut: bool,
}

impl ListedText {
    /// At most so many characters of a text.
    pub(super) fn new(mut text: String, chars: usize) -> Self {
        // A text with no more bytes than characters are shown needs no counting.
        let end = if text.len() > chars { text.char_indices().nth(chars).map(|(at, _)| at) } else { None };
        if let Some(end) = end {
            text.truncate(end);
        }
        Self { text, is_cut: end.is_some() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_after_so_many_characters_and_says_so() {
        for (text, shown, is_cut) in [
            ("", "", false),
            ("abc", "abc", false),
            ("abcd", "abc", true),
            ("üüü", "üüü", false),
            ("üüüa", "üüü", true),
        ] {
            let listed = ListedText::new(text.into(), 3);
            assert_eq!((listed.text.as_str(), listed.is_cut), (shown, is_cut), "{text}");
        }
    }
}
