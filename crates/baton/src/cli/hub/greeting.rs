//! What a hub says on stdout when it is up: where, how to get in, and what to type next.

use std::fmt::{self, Display};
use std::io::{self, Write};
use std::path::Path;

use crate::service::accounts::registration::FirstAdmin;

pub(super) struct Greeting<'a> {
    pub(super) url: &'a str,
    pub(super) folder: &'a Path,
    pub(super) username: &'a str,
    /// Whether a username or a password for the first admin was given.
    pub(super) has_credentials: bool,
    pub(super) admin: &'a FirstAdmin,
}

impl Greeting<'_> {
    /// A hub whose output nobody reads is up anyway.
    pub(super) fn print(&self) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(self.to_string().as_bytes()).and_then(|()| out.flush());
    }

    fn account(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.admin {
            FirstAdmin::Created { generated_password: None } => {
                writeln!(f, "admin: {}, with the password you gave", self.username)
            }
            FirstAdmin::Created { generated_password: Some(password) } => {
                writeln!(f, "admin: {}", self.username)?;
                writeln!(f, "admin password: {}  (shown once; change it at first sign-in)", password.expose())
            }
            FirstAdmin::Exists => match self.has_credentials {
                true => writeln!(
                    f,
                    "users already exist in this folder: the username and password given were not used"
                ),
                false => Ok(()),
            },
        }
    }
}

impl Display for Greeting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, username, .. } = self;
        writeln!(f, "Baton hub listening on {url}")?;
        writeln!(f, "data: {}", self.folder.display())?;
        self.account(f)?;
        writeln!(
            f,
            "\nOpen {url} in a browser, or continue in a second terminal: log in and start an agent."
        )?;
        writeln!(f, "Any command can be one; it reads the task and prints the reply.\n")?;
        writeln!(f, "  baton login --hub {url} --username {username}")?;
        writeln!(f, "  baton work --alias shouter -- tr a-z A-Z")?;
        writeln!(f, "\nThen, in a third terminal, send the agent a task and wait for its reply:\n")?;
        writeln!(f, "  baton send shouter \"hello\" --wait")
    }
}
