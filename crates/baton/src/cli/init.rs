//! `baton init claude|codex|cursor`: the lines that connect an MCP client to the hub, printed, or merged into the
//! client's own file with everything else in it left as it is. No file is given a token: the stdio form takes it
//! from the profile, the HTTP form from the client's environment.

mod entry;
mod json_file;
mod toml_file;

use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use baton_evidence::whole_file::WholeFile;
use entry::{Entry, Form};

use super::connection::Connection;
use super::failure::Failure;

/// Which MCP client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Whose {
    /// Claude Code: .mcp.json in this folder
    Claude,
    /// Codex: ~/.codex/config.toml
    Codex,
    /// Cursor: .cursor/mcp.json in this folder
    Cursor,
}

/// Prints the configuration that connects an MCP client to the hub, or writes it.
///
/// Two forms: `stdio` starts `baton mcp`, which finds hub and token in your profile and comes back after a restart
/// of the hub; `http` calls the hub itself with the token in BATON_TOKEN.
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The client
    #[arg(value_enum)]
    client: Whose,
    /// The agent that the client speaks as
    #[arg(long)]
    alias: Option<String>,
    /// The form that --write writes
    #[arg(long, value_enum, default_value_t = Form::Stdio)]
    form: Form,
    /// Merge it into the client's file, atomically; everything else there stays
    #[arg(long)]
    write: bool,
    /// The file to write, if it is not the client's usual one
    #[arg(long, value_name = "FILE", requires = "write")]
    file: Option<PathBuf>,
    #[command(flatten)]
    connection: Connection,
}

impl Init {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let hub = self.connection.hub(self.connection.profile()?.as_ref())?;
        let entry = Entry { mcp_url: hub.mcp(), hub: hub.to_string(), alias: self.alias.clone() };
        let said = if self.write { self.write(&entry)? } else { self.print(&entry)? };
        io::stdout().write_all(said.as_bytes()).map_err(Failure::stdout)?;
        Ok(ExitCode::SUCCESS)
    }

    fn write(&self, entry: &Entry) -> Result<String, Failure> {
        let file = match &self.file {
            Some(file) => file.clone(),
            None => self.client.file()?,
        };
        let name = file.display().to_string();
        let before = read(&file).map_err(|error| Failure::Read { name: name.clone(), error })?;
        let after = self.client.merged(&before, entry, self.form);
        let after = after.map_err(|what| Failure::usage(format!("{name} was left as it is: {what}")))?;
        replace(&file, &after).map_err(|error| Failure::Write { name: name.clone(), error })?;
        let mut said = format!("wrote the server \"baton\" ({} form) to {name}\n", self.form.word());
        if self.form == Form::Http {
            said.push_str("set BATON_TOKEN to the agent's token where the client starts\n");
        }
        Ok(said)
    }

    fn print(&self, entry: &Entry) -> Result<String, Failure> {
        let mut said = String::new();
        let file = self.client.file()?;
        for form in [Form::Stdio, Form::Http] {
            let lines = self.client.merged("", entry, form).map_err(Failure::usage)?;
            // Writing to a string cannot fail.
            let _ = writeln!(said, "# {} form, in {}:\n{}", form.word(), file.display(), lines.trim_end());
            if self.client == Whose::Claude {
                let _ = writeln!(said, "# or: {}", entry.claude_command(form));
            }
            said.push('\n');
        }
        let _ = writeln!(
            said,
            "# the http form reads the agent's token from BATON_TOKEN; `baton init … --write` writes a form"
        );
        Ok(said)
    }
}

impl Whose {
    fn file(self) -> Result<PathBuf, Failure> {
        Ok(match self {
            Self::Claude => ".mcp.json".into(),
            Self::Cursor => ".cursor/mcp.json".into(),
            Self::Codex => match std::env::var_os("CODEX_HOME").filter(|folder| !folder.is_empty()) {
                Some(folder) => PathBuf::from(folder).join("config.toml"),
                None => std::env::home_dir()
                    .ok_or_else(|| Failure::usage("there is no home folder; set HOME or pass --file"))?
                    .join(".codex/config.toml"),
            },
        })
    }

    /// The client's file with the entry in it.
    fn merged(self, before: &str, entry: &Entry, form: Form) -> Result<String, String> {
        match self {
            Self::Claude => json_file::merged(before, &entry.claude(form)),
            Self::Cursor => json_file::merged(before, &entry.cursor(form)),
            Self::Codex => toml_file::merged(before, &entry.codex(form)),
        }
    }
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
