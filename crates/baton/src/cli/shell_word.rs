//! A word of a command line that is shown to be pasted into a shell.

/// The word as a shell takes it: as it is, or in single quotes.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_with_a_space_a_quote_or_a_dollar_is_quoted() {
        for (word, shown) in [
            ("a/b.tar.gz", "a/b.tar.gz"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$x", "'$x'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), shown);
        }
    }
}
