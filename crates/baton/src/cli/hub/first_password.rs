//! The first admin's password, as `baton hub start` is given it: by option, by environment variable, or with `-` typed on
//! the terminal or read from standard input, so that it is neither in the list of processes nor in the shell's history.

use baton_core::limits;
use std::io::{self, BufRead, IsTerminal, Read};

use super::Trouble;

/// The password that was given, if one was.
pub(super) fn read(option: Option<&str>, username: &str) -> Result<Option<String>, Trouble> {
    match option.filter(|given| !given.is_empty()) {
        Some("-") => secret(username).map(Some).map_err(Trouble::Password),
        given => Ok(given.map(str::to_owned)),
    }
}

fn secret(username: &str) -> io::Result<String> {
    let password = match io::stdin().is_terminal() {
        true => typed(username)?,
        false => line()?,
    };
    if password.is_empty() {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it is empty"));
    }
    Ok(password)
}

/// Without echo, and twice: nobody sees a slip of the keys, and there is no other admin yet who could set a new one.
fn typed(username: &str) -> io::Result<String> {
    let password = rpassword::prompt_password(format!("Password for {username}: "))?;
    if rpassword::prompt_password(format!("Password for {username} again: "))? == password {
        return Ok(password);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "the two passwords differ; no hub was started"))
}

fn line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().take(limits::PASSWORD_LINE_MAX_BYTES).read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
