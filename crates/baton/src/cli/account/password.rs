//! A password: asked for without echo, or the first line of standard input. Never an argument, which every process
//! of the machine may read.

use baton_core::limits;
use std::io::{self, BufRead, IsTerminal, Read};

use crate::cli::failure::Failure;

/// Asks on the terminal.
pub(super) fn ask(prompt: &str) -> Result<String, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(
            "there is no terminal to ask for the password on; pass --password-stdin, or --token",
        ));
    }
    rpassword::prompt_password(prompt).map_err(unread)
}

/// The next line of standard input.
pub(super) fn line() -> Result<String, Failure> {
    let mut line = String::new();
    io::stdin().lock().take(limits::PASSWORD_LINE_MAX_BYTES).read_line(&mut line).map_err(unread)?;
    let password = line.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        return Err(Failure::usage("standard input holds no password"));
    }
    Ok(password.to_owned())
}

pub(super) fn unread(error: io::Error) -> Failure {
    Failure::Read { name: "the password".into(), error }
}
