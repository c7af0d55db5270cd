//! `baton init CLIENT`: the lines that connect an MCP client to the hub, printed, or merged into the client's own files with
//! everything else in them left as it is. What the client needs to run the tools without a user is set too, where a file can; what
//! the user must still confirm is printed. No file contains a token: the stdio form takes it from the profile, the HTTP form
//! from the client's environment.

mod client;
mod entry;
mod json_file;
mod toml_file;

use clap::Args;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use baton_evidence::whole_file::WholeFile;
use client::McpClient;
use entry::{Entry, Transport};

use super::connection::Connection;
use super::failure::Failure;

/// Prints the configuration that connects an MCP client to the hub, or writes it.
///
/// Two forms: `stdio` starts `baton mcp`, which finds hub and token in your profile and comes back after a restart
/// of the hub; `http` calls the hub itself with the token in BATON_TOKEN.
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The client
    #[arg(value_enum)]
    client: McpClient,
    /// The agent that the client acts as
    #[arg(long)]
    alias: Option<String>,
    /// The form that --write writes
    #[arg(long, value_enum, default_value_t = Transport::Stdio)]
    form: Transport,
    /// Merge it into the client's files, atomically; everything else there stays
    #[arg(long)]
    write: bool,
    /// The file to write the server to, if it is not the client's usual one; then no other file is written
    #[arg(long, value_name = "FILE", requires = "write")]
    file: Option<PathBuf>,
    /// Claude Code: wake an idle session when something waits in its inbox. Codex: continue then, when a turn ends
    #[arg(long, requires = "write", conflicts_with = "file")]
    hooks: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Init {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        if self.hooks && self.client.hooks_file()?.is_none() {
            return Err(Failure::usage(
                "--hooks is for Claude Code and Codex: in other clients no command can bring a session back",
            ));
        }
        let profile = self.connection.profile()?;
        let hub = self.connection.hub(profile.as_ref())?;
        // Named in the entry, so that it does not change with the profile.
        let profiles = profile.filter(|profile| profile.hub == hub).and_then(|profile| profile.network);
        let entry = Entry {
            mcp_url: hub.mcp(),
            hub: hub.to_string(),
            alias: self.alias.clone(),
            profile: self.connection.named_profile().map(str::to_owned),
            network: self.connection.named_network().map(str::to_owned).or(profiles),
            ca: self.connection.named_ca().map(|file| file.display().to_string()),
        };
        let said = if self.write { self.write(&entry)? } else { self.print(&entry)? };
        io::stdout().write_all(said.as_bytes()).map_err(Failure::stdout)?;
        Ok(ExitCode::SUCCESS)
    }

    fn write(&self, entry: &Entry) -> Result<String, Failure> {
        let file = match &self.file {
            Some(file) => file.clone(),
            None => self.client.file()?,
        };
        change(&file, |before| self.client.merged(before, entry, self.form))?;
        // Writing to a string cannot fail.
        let mut said = String::new();
        let _ =
            writeln!(said, "wrote the server \"baton\" ({} form) to {}", self.form.word(), file.display());
        if self.file.is_none()
            && let Some(allowed) = self.client.permissions_file()
        {
            change(&allowed, |before| self.client.permitted(before))?;
            let _ = writeln!(said, "allowed its tools in {}", allowed.display());
        }
        if self.hooks
            && let Some(file) = self.client.hooks_file()?
        {
            change(&file, |before| self.client.hooked(before, entry))?;
            let (what, rest) = self.client.hook_words();
            let _ = writeln!(said, "{what} to {}{rest}", file.display());
        }
        if self.form == Transport::Http {
            said.push_str("set BATON_TOKEN to the agent's token where the client starts\n");
        }
        if self.file.is_none() {
            let _ = writeln!(said, "{}", self.client.next_step());
        }
        Ok(said)
    }

    fn print(&self, entry: &Entry) -> Result<String, Failure> {
        let mut said = String::new();
        let file = self.client.file()?;
        for form in [Transport::Stdio, Transport::Http] {
            let lines = self.client.merged("", entry, form).map_err(Failure::usage)?;
            // Writing to a string cannot fail.
            let _ = writeln!(said, "# {} form, in {}:\n{}", form.word(), file.display(), lines.trim_end());
            if self.client == McpClient::Claude {
                let _ = writeln!(said, "# or: {}", entry.claude_command(form));
            }
            said.push('\n');
        }
        if let Some(allowed) = self.client.permissions_file() {
            let lines = self.client.permitted("").map_err(Failure::usage)?;
            let _ =
                writeln!(said, "# so that its tools run, in {}:\n{}\n", allowed.display(), lines.trim_end());
        }
        let _ = writeln!(
            said,
            "# the http form reads the agent's token from BATON_TOKEN; `baton init … --write` writes a form"
        );
        Ok(said)
    }
}

/// Changes a file, or leaves it as it is and says why.
fn change(file: &Path, change: impl FnOnce(&str) -> Result<String, String>) -> Result<(), Failure> {
    let name = file.display().to_string();
    let before = read(file).map_err(|error| Failure::Read { name: name.clone(), error })?;
    let after =
        change(&before).map_err(|what| Failure::usage(format!("{name} was left as it is: {what}")))?;
    replace(file, &after).map_err(|error| Failure::Write { name, error })
}

/// A file that is not there yet is empty.
fn read(file: &Path) -> io::Result<String> {
    match std::fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        outcome => outcome,
    }
}

/// Puts the file in place whole, with the permissions it had.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let mode = file.metadata().map(|found| found.permissions().mode() & 0o777);
    let mut whole = match mode {
        Ok(_) => WholeFile::create_private(file)?,
        Err(_) => WholeFile::create(file)?,
    };
    whole.write_all(text.as_bytes())?;
    whole.commit()?;
    match mode {
        Ok(mode) => std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)),
        Err(_) => Ok(()),
    }
}
