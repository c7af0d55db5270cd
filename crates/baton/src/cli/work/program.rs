//! The command a worker runs for each task: its words with `{task}` filled in, and the task in its environment.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use tokio::process::Command;

use super::placeholder::{self, PLACE, PlaceholderError};

/// A command line that can be run.
#[derive(Debug, Clone)]
pub(super) struct Program {
    words: Vec<OsString>,
}

/// Why a command line cannot be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CommandLineError {
    #[error("there is no program {0:?} to run: install it, or give its path")]
    NotFound(OsString),
    #[error(transparent)]
    PlaceholderError(#[from] PlaceholderError),
    #[error(
        "there is no command: give it after --, for example baton work --alias coder -- claude -p {{task}}"
    )]
    Missing,
}

impl Program {
    /// Takes the words after `--`. A program that is not there is found out here, not by the first task.
    pub(super) fn new(words: &[OsString], allow_embedded: bool) -> Result<Self, CommandLineError> {
        let program = words.first().ok_or(CommandLineError::Missing)?;
        placeholder::check(words, allow_embedded)?;
        if !is_there(program) {
            return Err(CommandLineError::NotFound(program.clone()));
        }
        Ok(Self { words: words.to_vec() })
    }

    /// The command for a text and its environment.
    pub(super) fn command(&self, text: &str, environment: &[(&str, &str)]) -> Command {
        let mut words = self.words.iter().map(|word| filled(word, text));
        let mut command = Command::new(words.next().unwrap_or_default());
        // The worker's own trace is not the task's.
        command.args(words).env_remove("TRACEPARENT").envs(environment.iter().copied());
        command
    }
}

/// A word with the text in its place; the text itself is taken as it is.
fn filled(word: &OsStr, text: &str) -> OsString {
    let (mut left, mut done) = (word.as_bytes(), Vec::new());
    while let Some(at) = left.windows(PLACE.len()).position(|window| window == PLACE) {
        done.extend_from_slice(&left[..at]);
        done.extend_from_slice(text.as_bytes());
        left = &left[at + PLACE.len()..];
    }
    done.extend_from_slice(left);
    OsString::from_vec(done)
}

fn is_there(program: &OsStr) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let can_run = |path: PathBuf| {
        path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    if program.as_bytes().contains(&b'/') {
        return can_run(program.into());
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    !program.is_empty() && std::env::split_paths(&folders).any(|folder| can_run(folder.join(program)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &[&str]) -> Vec<OsString> {
        line.iter().map(Into::into).collect()
    }

    #[test]
    fn the_text_is_filled_in_once_and_as_it_is() {
        assert_eq!(filled("--prompt={task}".as_ref(), "a {task} b"), "--prompt=a {task} b");
        assert_eq!(filled("{task}{task}".as_ref(), "x"), "xx");
        assert_eq!(filled("plain".as_ref(), "x"), "plain");
    }

    #[test]
    fn a_program_that_is_not_there_is_found_out_at_once() {
        let unfit = Program::new(&words(&["no-such-program-anywhere"]), false).unwrap_err();
        assert_eq!(unfit, CommandLineError::NotFound("no-such-program-anywhere".into()));
        assert_eq!(Program::new(&[], false).unwrap_err(), CommandLineError::Missing);
        assert!(Program::new(&words(&["/bin/sh"]), false).is_ok());
        assert!(Program::new(&words(&["sh"]), false).is_ok());
    }
}
