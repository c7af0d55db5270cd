//! Where `{task}` may stand in a worker's command line. The text comes from somebody else, so it must never be run: not
//! by a shell, not by an interpreter, not as the program itself.
//!
//! Programs are known by the last part of their path, without a version at its end (`python3.12` is `python`). Every
//! word before `{task}` is checked, so that a shell behind `env`, `timeout 5` or `docker exec` is found too. In doubt
//! a command line is refused: it can read the text from standard input instead.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Where the task's text goes.
pub(super) const PLACE: &[u8] = b"{task}";

/// Shells, and programs that hand their arguments to one or run them as commands.
const RUNNERS: [&str; 69] = [
    "sh",
    "bash",
    "rbash",
    "dash",
    "ash",
    "zsh",
    "rzsh",
    "ksh",
    "rksh",
    "mksh",
    "lksh",
    "oksh",
    "pdksh",
    "yash",
    "csh",
    "tcsh",
    "fish",
    "elvish",
    "nu",
    "xonsh",
    "pwsh",
    "powershell",
    "cmd",
    "busybox",
    "toybox",
    "eval",
    "ssh",
    "autossh",
    "mosh",
    "rsh",
    "su",
    "runuser",
    "sg",
    "newgrp",
    "script",
    "tmux",
    "screen",
    "zellij",
    "watch",
    "entr",
    "xargs",
    "parallel",
    "find",
    "fd",
    "at",
    "batch",
    "crontab",
    "make",
    "gmake",
    "just",
    "expect",
    "nix-shell",
    "hyperfine",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "sed",
    "gsed",
    "ed",
    "ex",
    "vi",
    "vim",
    "nvim",
    "emacs",
    "gdb",
    "sqlite",
    "psql",
    "mysql",
];

/// Programs that hand their arguments to a shell with these options. Short ones may stand in a cluster (`-iu`), long
/// ones may be cut short (`--split`).
const WITH_OPTIONS: [(&str, &str, &[&str]); 4] = [
    ("env", "S", &["--split-string"]),
    ("flock", "c", &["--command"]),
    ("sudo", "si", &["--shell", "--login"]),
    ("doas", "s", &[]),
];

/// Programs that run code: their short options that take code, and the long ones or commands.
const INTERPRETERS: [(&str, &str, &[&str]); 18] = [
    ("python", "c", &[]),
    ("pypy", "c", &[]),
    ("ipython", "c", &[]),
    ("perl", "eE", &[]),
    ("ruby", "e", &[]),
    ("jruby", "e", &[]),
    ("node", "ep", &["--eval", "--print"]),
    ("nodejs", "ep", &["--eval", "--print"]),
    ("bun", "ep", &["--eval", "--print"]),
    ("deno", "", &["eval"]),
    ("php", "rBRE", &["--run", "--process-begin", "--process-code", "--process-end"]),
    ("lua", "e", &[]),
    ("luajit", "e", &[]),
    ("Rscript", "e", &[]),
    ("julia", "eE", &["--eval", "--print"]),
    ("osascript", "e", &[]),
    ("tclsh", "", &[]),
    ("guile", "c", &[]),
];

/// Programs that run the rest of their arguments as another program: options that take a word of their own, and how many
/// words come before that program.
const WRAPPERS: [(&str, &[&str], usize); 19] = [
    ("env", &["-u", "-C", "--unset", "--chdir"], 0),
    ("nice", &["-n", "--adjustment"], 0),
    ("ionice", &["-c", "-n", "--class", "--classdata"], 0),
    ("chrt", &["-T", "-P", "-D"], 1),
    ("taskset", &[], 1),
    ("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    ("nohup", &[], 0),
    ("setsid", &[], 0),
    ("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    ("time", &["-f", "-o", "--format", "--output"], 0),
    ("chroot", &[], 1),
    ("unshare", &[], 0),
    ("setpriv", &[], 0),
    ("caffeinate", &["-t", "-w"], 0),
    ("exec", &["-a"], 0),
    ("command", &[], 0),
    ("doas", &["-u", "-C"], 0),
    ("flock", &["-w", "-E", "--timeout", "--wait", "--conflict-exit-code"], 1),
    (
        "sudo",
        &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group", "--chdir"],
        0,
    ),
];

/// Why `{task}` may not stand where it does.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PlaceholderError {
    #[error(
        "{{task}} stands inside the longer argument {0:?}: make it an argument of its own, or pass --allow-embedded if no \
         program runs that argument as a script or a command"
    )]
    Embedded(OsString),
    #[error(
        "{{task}} after {0} could run whatever a sender writes, with or without --allow-embedded: let the command read the \
         text from standard input instead, for example baton work --alias counter -- sh -c 'wc -w'"
    )]
    Run(String),
    #[error("{{task}} would be the program that is run: name a program, and give it {{task}} as an argument")]
    Program,
}

/// Checks every place of the text in a command line.
pub(super) fn check(words: &[OsString], allow_embedded: bool) -> Result<(), PlaceholderError> {
    let places = words.iter().enumerate().filter(|(_, word)| has_place(word));
    places.into_iter().try_for_each(|(at, word)| {
        let is_whole = word.as_bytes() == PLACE;
        if at == 0 || is_whole && program_at(words) == Some(at) {
            return Err(PlaceholderError::Program);
        }
        let runner = (0..at).find(|runner| runs(&words[*runner], &words[runner + 1..at], word, is_whole));
        if let Some(runner) = runner {
            return Err(PlaceholderError::Run(words[runner].display().to_string()));
        }
        if is_whole || allow_embedded { Ok(()) } else { Err(PlaceholderError::Embedded(word.clone())) }
    })
}

/// Whether a program would run the text in `word`, with these words between the two.
fn runs(program: &OsStr, between: &[OsString], word: &OsStr, is_whole: bool) -> bool {
    let name = name_of(program);
    if RUNNERS.contains(&&*name) {
        return true;
    }
    if let Some((_, short, long)) = WITH_OPTIONS.iter().find(|(known, ..)| *known == name) {
        let mut options = between.iter().map(|word| word.as_bytes()).chain([word.as_bytes()]);
        return options.any(|option| is_option_among(option, short, long));
    }
    let Some((_, short, long)) = INTERPRETERS.iter().find(|(known, ..)| *known == name) else { return false };
    // Its own program comes first: a file, or code after an option. What follows that is data.
    let has_program = between.iter().any(|word| !word.as_bytes().starts_with(b"-"));
    let takes_code = between.last().is_some_and(|before| {
        let before = before.as_bytes();
        ends_in_option_among(before, short) || long.iter().any(|known| known.as_bytes() == before)
    });
    !is_whole || !has_program || takes_code
}

/// `-S`, `-vS`, `-Sx`; `--split-string`, `--split`, `--split-string=x`.
fn is_option_among(word: &[u8], short: &str, long: &[&str]) -> bool {
    if word.starts_with(b"--") {
        let name = word.split(|byte| *byte == b'=').next().unwrap_or_default();
        return name.len() > 2 && long.iter().any(|known| known.as_bytes().starts_with(name));
    }
    word.starts_with(b"-") && short.bytes().any(|letter| word[1..].contains(&letter))
}

/// `-c`, `-uc`.
fn ends_in_option_among(word: &[u8], short: &str) -> bool {
    let is_short = word.starts_with(b"-") && !word.starts_with(b"--");
    is_short && word[1..].last().is_some_and(|last| short.as_bytes().contains(last))
}

/// Where the program stands that wrappers at the beginning run; none if there are no wrappers.
fn program_at(words: &[OsString]) -> Option<usize> {
    let mut at = 0;
    while let Some((name, with_value, operands)) =
        words.get(at).and_then(|word| WRAPPERS.iter().find(|(known, ..)| *known == name_of(word)))
    {
        at += 1;
        while let Some(word) = words.get(at) {
            let is_assignment = matches!(*name, "env" | "sudo") && word.as_bytes().contains(&b'=');
            if !word.as_bytes().starts_with(b"-") && !is_assignment {
                break;
            }
            at += 1 + usize::from(with_value.iter().any(|known| word == known));
        }
        at += operands;
    }
    (at > 0).then_some(at)
}

fn name_of(program: &OsStr) -> String {
    let name = Path::new(program).file_name().unwrap_or(program).to_string_lossy();
    let bare =
        name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-');
    if bare.is_empty() { name.into_owned() } else { bare.to_owned() }
}

fn has_place(word: &OsStr) -> bool {
    word.as_bytes().windows(PLACE.len()).any(|window| window == PLACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When a command line is accepted: never, with the flag, or always.
    #[derive(Debug, PartialEq, Eq)]
    enum Taken {
        Never,
        WithFlag,
        Always,
    }

    fn taken(line: &str) -> Taken {
        // Words in single quotes may hold spaces.
        let quoted = line.split('\'').enumerate();
        let words: Vec<OsString> = quoted
            .flat_map(|(number, part)| match number % 2 {
                0 => part.split_whitespace().map(OsString::from).collect::<Vec<_>>(),
                _ => vec![OsString::from(part)],
            })
            .collect();
        match (check(&words, false), check(&words, true)) {
            (Ok(()), Ok(())) => Taken::Always,
            (Err(_), Ok(())) => Taken::WithFlag,
            (Err(_), Err(_)) => Taken::Never,
            (Ok(()), Err(error)) => panic!("the flag refuses {line}: {error}"),
        }
    }

    #[test]
    fn every_command_line_is_taken_or_refused_as_the_table_says() {
        use Taken::{Always, Never, WithFlag};
        let table = [
            (Always, "claude -p {task}"),
            (Always, "tr a-z A-Z"),
            (Always, "sh -c 'wc -w'"),
            (Always, "env A=1 timeout 5 nice -n 5 claude -p {task}"),
            (Always, "timeout 600 claude -p -- {task}"),
            (Always, "sudo -u bob claude -p {task}"),
            (Always, "flock /tmp/lock claude -p {task}"),
            (Always, "./agent.sh {task}"),
            (Always, "python agent.py {task}"),
            (Always, "python3.12 agent.py --prompt {task}"),
            (Always, "python -m agent {task}"),
            (Always, "python -c 'import sys; print(sys.argv[1])' {task}"),
            (Always, "node agent.js {task}"),
            (Always, "perl -e 'print $ARGV[0]' {task}"),
            (Always, "claude -p {task} --add-dir bash"),
            (Always, "claude {task} {task}"),
            (WithFlag, "claude --prompt={task}"),
            (WithFlag, "claude -p 'Answer briefly: {task}'"),
            (WithFlag, "curl -d {task}{task} http://127.0.0.1/"),
            (WithFlag, "env PROMPT={task} ./agent.sh"),
            // Shells, in every place.
            (Never, "sh -c 'echo {task}'"),
            (Never, "sh -c {task}"),
            (Never, "sh -c 'echo $1' sh {task}"),
            (Never, "bash run.sh {task}"),
            (Never, "/bin/bash -ec 'say {task}'"),
            (Never, "bash-5.2 -c {task}"),
            (Never, "ksh93 -c {task}"),
            (Never, "zsh -c {task}"),
            (Never, "dash -c {task}"),
            (Never, "fish --command=echo{task}"),
            (Never, "tcsh -c {task}"),
            (Never, "busybox sh -c {task}"),
            (Never, "env A=1 sh -c {task}"),
            (Never, "timeout 5 nice -n 5 nohup setsid stdbuf -oL ionice -c 3 sh -c {task}"),
            (Never, "sudo sh -c {task}"),
            (Never, "chroot /srv /bin/sh -c {task}"),
            (Never, "docker exec box bash -c 'echo {task}'"),
            // What runs one.
            (Never, "env -S 'sh -c' 'echo {task}'"),
            (Never, "env '-Ssh -c' {task}"),
            (Never, "env -vS 'sh -c' {task}"),
            (Never, "env --split-string 'sh -c' {task}"),
            (Never, "env '--split-string=sh -c' {task}"),
            (Never, "env --split 'sh -c' {task}"),
            (Never, "/usr/bin/env '-Sclaude {task}'"),
            (Never, "script -qc 'echo {task}' /dev/null"),
            (Never, "script -c {task}"),
            (Never, "flock /tmp/lock -c 'echo {task}'"),
            (Never, "flock /tmp/lock --command {task}"),
            (Never, "flock /tmp/lock --comm {task}"),
            (Never, "su -c {task}"),
            (Never, "su bob -c 'echo {task}'"),
            (Never, "runuser -u bob -c {task}"),
            (Never, "ssh host claude -p {task}"),
            (Never, "ssh host 'echo {task}'"),
            (Never, "tmux new-session 'echo {task}'"),
            (Never, "tmux new-session claude {task}"),
            (Never, "screen -dm {task}"),
            (Never, "watch {task}"),
            (Never, "xargs -I X {task}"),
            (Never, "find . -exec {task}"),
            (Never, "eval {task}"),
            (Never, "parallel {task}"),
            (Never, "make X={task}"),
            (Never, "sudo -s {task}"),
            (Never, "sudo -u bob --shell claude {task}"),
            (Never, "sudo -iu bob claude {task}"),
            (Never, "awk 'BEGIN { system(1) } {task}'"),
            (Never, "vim -c {task}"),
            (Never, "sqlite3 hub.db {task}"),
            // Interpreters: as code, or as the file of their program.
            (Never, "python -c {task}"),
            (Never, "python3 -uc {task}"),
            (Never, "python3 -c 'print({task})'"),
            (Never, "python {task}"),
            (Never, "python -u {task}"),
            (Never, "perl -e {task}"),
            (Never, "perl -ne {task}"),
            (Never, "perl -e 1 -e {task}"),
            (Never, "ruby -e {task}"),
            (Never, "node -e {task}"),
            (Never, "node --eval {task}"),
            (Never, "node --eval={task}"),
            (Never, "deno eval {task}"),
            (Never, "php -r {task}"),
            (Never, "lua5.4 -e {task}"),
            (Never, "env python3 -c {task}"),
            // As the program itself.
            (Never, "{task}"),
            (Never, "{task}/bin/x"),
            (Never, "env {task}"),
            (Never, "env A=1 -u B {task}"),
            (Never, "nice -n 5 {task}"),
            (Never, "timeout -k 1 5 {task}"),
            (Never, "sudo -u bob {task}"),
            (Never, "nohup timeout 5 {task}"),
        ];
        for (expected, line) in table {
            assert_eq!(taken(line), expected, "{line}");
        }
    }

    #[test]
    fn a_refusal_says_what_to_do_instead() {
        let said = |line: &[&str]| {
            let words: Vec<OsString> = line.iter().map(Into::into).collect();
            check(&words, false).unwrap_err().to_string()
        };
        assert!(said(&["/bin/sh", "-c", "{task}"]).contains("{task} after /bin/sh"));
        assert!(said(&["sh", "-c", "{task}"]).contains("standard input"));
        assert!(said(&["claude", "--prompt={task}"]).contains("--allow-embedded"));
        assert!(said(&["nice", "{task}"]).contains("name a program"));
    }
}
