//! The command a worker runs for each task: its words with `{task}` filled in, and the task in its environment.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use tokio::process::Command;

/// Where the task's text goes in an argument.
const PLACE: &[u8] = b"{task}";
/// Programs that take a word after `-c` for a script.
const SHELLS: [&str; 19] = [
    "sh", "bash", "rbash", "dash", "ash", "zsh", "rzsh", "ksh", "ksh93", "rksh", "mksh", "lksh", "oksh",
    "pdksh", "yash", "csh", "tcsh", "fish", "elvish",
];

/// A command line that can be run.
#[derive(Debug, Clone)]
pub(super) struct Program {
    words: Vec<OsString>,
}

/// Why a command line cannot be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unfit {
    #[error("there is no program {0:?} to run: install it, or give its path")]
    NotFound(OsString),
    #[error(
        "{{task}} inside a shell's script would run whatever a sender writes: \
         read the text from standard input, or name it as \"$1\" with {{task}} as a word of its own after the script"
    )]
    TaskInScript,
    #[error(
        "there is no command: give it after --, for example baton work --alias coder -- claude -p {{task}}"
    )]
    Missing,
}

impl Program {
    /// Takes the words after `--`. A program that is not there is found out here, not by the first task.
    pub(super) fn new(words: &[OsString]) -> Result<Self, Unfit> {
        let program = words.first().ok_or(Unfit::Missing)?;
        if !is_there(program) {
            return Err(Unfit::NotFound(program.clone()));
        }
        if has_task_in_script(words) {
            return Err(Unfit::TaskInScript);
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

/// Whether a shell among the words is given the text inside a script. The shell may come after `env` or `timeout 5`.
fn has_task_in_script(words: &[OsString]) -> bool {
    let is_shell = |word: &OsString| {
        let name = Path::new(word).file_name().and_then(OsStr::to_str);
        name.is_some_and(|name| SHELLS.contains(&name))
    };
    let shells = words.iter().enumerate().filter(|(_, word)| is_shell(word));
    shells.into_iter().any(|(at, _)| takes_task_for_script(&words[at + 1..]))
}

/// What a shell makes of its arguments: options, `c` among them (`-c`, `-ec`, `-ce`, `-c -e`, `--command`), then the
/// script, which is the first word that is no option. What comes after it is the script's own. In doubt it is a
/// script: a command line that is refused for nothing can be written otherwise.
fn takes_task_for_script(arguments: &[OsString]) -> bool {
    let mut is_script_next = false;
    let mut arguments = arguments.iter().map(|word| word.as_bytes());
    while let Some(word) = arguments.next() {
        let is_option = word.len() > 1 && (word.starts_with(b"-") || word.starts_with(b"+"));
        if !is_option {
            if !is_script_next || has_place(word) {
                return is_script_next;
            }
            is_script_next = false; // fish takes a second -c after the first one's script
            continue;
        }
        // fish takes `-cSCRIPT` and `--command=SCRIPT` too, and `-C` for a script that runs first.
        if has_place(word) {
            return true;
        }
        let takes_word = match word.strip_prefix(b"--") {
            Some(long) => {
                is_script_next |= matches!(long, b"command" | b"init-command");
                matches!(long, b"rcfile" | b"init-file")
            }
            None => {
                is_script_next |= word.contains(&b'c') || word.contains(&b'C');
                word.contains(&b'o') || word.contains(&b'O') // -o pipefail
            }
        };
        if takes_word && arguments.next().is_some_and(has_place) {
            return true;
        }
    }
    false
}

fn has_place(word: &[u8]) -> bool {
    word.windows(PLACE.len()).any(|window| window == PLACE)
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
        let unfit = Program::new(&words(&["no-such-program-anywhere"])).unwrap_err();
        assert_eq!(unfit, Unfit::NotFound("no-such-program-anywhere".into()));
        assert_eq!(Program::new(&[]).unwrap_err(), Unfit::Missing);
        assert!(Program::new(&words(&["/bin/sh"])).is_ok());
        assert!(Program::new(&words(&["sh"])).is_ok());
    }

    #[test]
    fn a_text_never_becomes_part_of_a_script() {
        for line in [
            vec!["sh", "-c", "echo {task}"],
            vec!["/bin/bash", "-ec", "say '{task}'"],
            vec!["env", "A=1", "sh", "-c", "{task}"],
            vec!["sh", "-ce", "echo {task}"],
            vec!["bash", "-cx", "echo {task}"],
            vec!["bash", "-c", "-e", "echo {task}"],
            vec!["bash", "-c", "+x", "--", "echo {task}"],
            vec!["bash", "-o", "pipefail", "-c", "echo {task}"],
            vec!["bash", "-euo", "pipefail", "-c", "echo {task}"],
            vec!["bash", "-c", "-o", "pipefail", "echo {task}"],
            vec!["bash", "--rcfile", "x", "-c", "echo {task}"],
            vec!["nice", "sh", "run.sh", "bash", "-c", "echo {task}"],
            vec!["csh", "-fc", "echo {task}"],
            vec!["/usr/bin/tcsh", "-c", "echo {task}"],
            vec!["mksh", "-c", "echo {task}"],
            vec!["rbash", "-c", "echo {task}"],
            vec!["fish", "--command=echo {task}"],
            vec!["fish", "--command", "echo {task}"],
            vec!["fish", "-cecho {task}"],
            vec!["fish", "-C", "echo {task}", "-c", "true"],
            vec!["fish", "-c", "true", "-c", "echo {task}"],
        ] {
            assert!(has_task_in_script(&words(&line)), "{line:?}");
        }
        for line in [
            vec!["sh", "-c", "echo \"$1\"", "sh", "{task}"],
            vec!["sh", "-ce", "echo \"$1\"", "sh", "{task}"],
            vec!["bash", "-euo", "pipefail", "-c", "echo \"$1\"", "sh", "--", "{task}"],
            vec!["bash", "run.sh", "-c", "{task}"],
            vec!["echo", "-c", "{task}"],
            vec!["claude", "-p", "{task}"],
        ] {
            assert!(!has_task_in_script(&words(&line)), "{line:?}");
        }
        let refused = Program::new(&words(&["sh", "-c", "echo {task}"])).unwrap_err();
        assert_eq!(refused, Unfit::TaskInScript);
    }
}
