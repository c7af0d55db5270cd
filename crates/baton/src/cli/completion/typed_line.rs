//! The line that a shell wants completed, as its script passes it: the words after the first `--`, and in the environment
//! which of them the cursor is in.

use clap::Parser;
use std::ffi::{OsStr, OsString};

use crate::cli::connection::Connection;

#[derive(Debug)]
pub(super) struct TypedLine {
    before: Vec<OsString>,
    current: OsString,
}

/// The options that say which hub is asked.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Asked {
    #[command(flatten)]
    connection: Connection,
}

impl TypedLine {
    pub(super) fn of_arguments() -> Self {
        let words = std::env::args_os().skip_while(|word| word != "--").skip(1);
        let index = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|index| index.parse().ok());
        Self::new(words.collect(), index)
    }

    /// Without an index the cursor is in the last word.
    fn new(mut words: Vec<OsString>, index: Option<usize>) -> Self {
        let index = index.unwrap_or(words.len().saturating_sub(1)).min(words.len());
        let current = words.get(index).cloned().unwrap_or_default();
        words.truncate(index);
        Self { before: words, current }
    }

    /// The word that the cursor is in.
    pub(super) fn current(&self) -> &OsStr {
        &self.current
    }

    /// The hub, user and network of the line, from its options, the environment and the profile.
    pub(super) fn connection(&self) -> Option<Connection> {
        Asked::try_parse_from(self.connection_options()).ok().map(|asked| asked.connection)
    }

    /// The options of a connection with their values; the rest of the line may be half typed.
    fn connection_options(&self) -> Vec<OsString> {
        const OPTIONS: [&str; 5] = ["--hub", "--token", "--network", "--profile", "--ca"];
        let mut options = Vec::new();
        let mut words = self.before.iter().take_while(|word| *word != "--");
        while let Some(word) = words.next() {
            let Some(text) = word.to_str() else { continue };
            match text.split_once('=') {
                None if OPTIONS.contains(&text) => {
                    options.extend(
                        words.next().map(|value| [word.clone(), value.clone()]).into_iter().flatten(),
                    );
                }
                Some((name, _)) if OPTIONS.contains(&name) => options.push(word.clone()),
                _ => {}
            }
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, index: Option<usize>) -> TypedLine {
        TypedLine::new(text.split(' ').map(OsString::from).collect(), index)
    }

    #[test]
    fn the_word_at_the_cursor_is_the_last_unless_the_shell_says_otherwise() {
        assert_eq!(line("baton send co", None).current(), "co");
        assert_eq!(line("baton send co x", Some(2)).current(), "co");
        assert_eq!(line("baton send", Some(2)).current(), "", "the shell leaves out an empty last word");
        assert_eq!(TypedLine::new(Vec::new(), None).current(), "");
    }

    #[test]
    fn the_options_of_the_connection_are_found_in_a_line_that_is_half_typed() {
        let found = |text: &str| line(text, None).connection_options();
        assert_eq!(
            found("baton send --wait --profile bob --hub=http://h x"),
            ["--profile", "bob", "--hub=http://h"]
        );
        assert_eq!(found("baton send --network"), [""; 0]);
        assert_eq!(found("baton work --alias a -- cmd --token x y"), [""; 0]);
    }
}
