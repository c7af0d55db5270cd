//! Where the first admin's password comes from: the option, the environment or standard input, so that it need
//! not show in the list of processes.

use baton_core::limits;
use std::io::{self, BufRead, Read};

use super::Trouble;

/// The password, if one was given; `-` reads a line from standard input.
pub(super) fn read(option: Option<&str>) -> Result<Option<String>, Trouble> {
    match option.filter(|given| !given.is_empty()) {
        Some("-") => line().map(Some).map_err(Trouble::Password),
        given => Ok(given.map(str::to_owned)),
    }
}

fn line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().take(limits::PASSWORD_LINE_MAX_BYTES).read_line(&mut line)?;
    let password = line.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "standard input is empty"));
    }
    Ok(password.to_owned())
}
