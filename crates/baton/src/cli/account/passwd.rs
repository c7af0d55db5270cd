//! `baton passwd`: a new password. All logins of the user end but this one, which gets a new token.

use clap::Args;
use serde_json::json;
use std::process::ExitCode;

use super::password;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::client::Token;
use crate::profile::ProfileFile;
use crate::service::password::Args as Change;

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
            let answer = link.client.change_password(&Change { old_password, new_password }).await?;
            let token = Token::parse(&answer.token);
            ProfileFile::home()?.update(&self.connection.profile_name()?, |profile| profile.token = token)?;
            let words = "The password is changed, and every other login of yours has ended.";
            self.connection.tell(&json!({"ok": true}), words)
        })
    }
}

fn ask_twice() -> Result<String, Failure> {
    let new = password::ask("New password: ")?;
    if password::ask("New password again: ")? == new {
        return Ok(new);
    }
    Err(Failure::usage("the two new passwords differ; nothing was changed"))
}
