//! Passwords: asked for without echo, or a line of standard input, never an argument, which every process of the machine may
//! read. `baton passwd` changes one: all logins of the user end but this one, which gets a new token. It goes into the
//! profile that the call was made with; where there is none, it is printed, or nobody would have it.

use baton_core::limits;
use clap::Args;
use serde_json::json;
use std::io::{self, BufRead, IsTerminal, Read};
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::screen::note;
use crate::client::Token;
use crate::service::accounts::passwords::PasswordChange;

/// What a command takes where it cannot ask.
const INSTEAD: &str = "--password-stdin";

#[derive(Debug, Args)]
pub(crate) struct Passwd {
    /// Read the old and then the new password from standard input, a line each
    #[arg(long)]
    password_stdin: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Passwd {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let (old_password, new_password) = if self.password_stdin {
            (line()?, line()?)
        } else {
            (ask("Old password: ", INSTEAD)?, ask_twice("New password", INSTEAD)?)
        };
        block_on(async {
            let answer = link.client.change_password(&PasswordChange { old_password, new_password }).await?;
            self.keep(&answer.token)
        })
    }

    /// Whatever goes wrong here, the password is changed and the old token has ended.
    fn keep(&self, text: &str) -> Result<ExitCode, Failure> {
        let kept = match Token::parse(text) {
            Some(token) => self.connection.change_profile(|profile| profile.token = Some(token)),
            None => Ok(false),
        };
        let is_kept = kept.unwrap_or_else(|failure| {
            note(&format!("the new token is not in the profile: {failure}"));
            false
        });
        let words = "The password is changed, and every other login of yours has ended.";
        if is_kept {
            return self.connection.print(&json!({"ok": true}), words);
        }
        note(&format!("{words} The token of this one is new and in no profile:"));
        self.connection.print(&json!({"ok": true, "token": text}), text)
    }
}

/// Asks for a password that nobody can look up, so a typing error must show at once.
pub(super) fn ask_twice(what: &str, instead: &str) -> Result<String, Failure> {
    let password = ask(&format!("{what}: "), instead)?;
    if ask(&format!("{what} again: "), instead)? == password {
        return Ok(password);
    }
    Err(Failure::usage("the two passwords differ; nothing was changed"))
}

/// Asks on the terminal; where there is none, the error says what to pass instead.
pub(super) fn ask(prompt: &str, instead: &str) -> Result<String, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(format!("there is no terminal to type the password on; pass {instead}")));
    }
    rpassword::prompt_password(prompt).map_err(unread)
}

/// The next line of standard input.
pub(super) fn line() -> Result<String, Failure> {
    let mut line = String::new();
    io::stdin().lock().take(limits::PASSWORD_LINE_MAX_BYTES).read_line(&mut line).map_err(unread)?;
    let password = line.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        return Err(Failure::usage("standard input is empty; write the password to it"));
    }
    Ok(password.to_owned())
}

pub(super) fn unread(error: io::Error) -> Failure {
    Failure::Read { name: "the password".into(), error }
}
