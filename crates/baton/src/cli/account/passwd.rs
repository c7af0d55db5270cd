//! `baton passwd`: a new password. All logins of the user end but this one, which gets a new token. It goes into the
//! profile that the call was made with; where there is none, it is printed, or nobody would have it.

use clap::Args;
use serde_json::json;
use std::process::ExitCode;

use super::password;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::screen::note;
use crate::client::Token;
use crate::service::accounts::passwords::PasswordChange;

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
            (password::line()?, password::line()?)
        } else {
            (password::ask("Old password: ")?, ask_twice()?)
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
            return self.connection.tell(&json!({"ok": true}), words);
        }
        note(&format!("{words} The token of this one is new and in no profile:"));
        self.connection.tell(&json!({"ok": true, "token": text}), text)
    }
}

fn ask_twice() -> Result<String, Failure> {
    let new = password::ask("New password: ")?;
    if password::ask("New password again: ")? == new {
        return Ok(new);
    }
    Err(Failure::usage("the two new passwords differ; nothing was changed"))
}
