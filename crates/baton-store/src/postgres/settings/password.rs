//! The password, from the first place that has one: the connection string, a file with nothing else in it, `PGPASSWORD`, a
//! password file as libpq has it. A file with nothing else in it is read for every connection, so that a password can be
//! changed while the hub runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tokio_postgres::config::Host;

use super::options::Options;
use super::{Endpoint, PasswordSources, SettingsError, unusable};
use crate::error::Error;

/// Where the password is.
#[derive(Clone)]
pub(super) enum Password {
    None,
    /// In the connection string.
    Given(String),
    /// In the environment or in libpq's password file.
    Known(String),
    InFile(PathBuf),
}

impl Password {
    pub(super) fn find(
        options: &mut Options,
        sources: PasswordSources<'_>,
        hosts: &[Endpoint],
        user: &str,
        database: &str,
    ) -> Result<Self, SettingsError> {
        match (options.password.take(), sources.file) {
            (Some(_), Some(_)) => return Err(SettingsError::TwoPasswords),
            (Some(password), None) => return Ok(Self::Given(password)),
            (None, Some(file)) => {
                read(file).map_err(|why| SettingsError::File {
                    option: "--store-password-file",
                    file: file.to_owned(),
                    why,
                })?;
                return Ok(Self::InFile(file.to_owned()));
            }
            (None, None) => {}
        }
        if let Some(password) = (sources.environment)("PGPASSWORD") {
            return Ok(Self::Known(password));
        }
        let found = in_password_file(options, sources, hosts, user, database)?;
        Ok(found.map_or(Self::None, Self::Known))
    }

    /// The password as it is now.
    pub(super) fn read(&self) -> Result<Option<String>, Error> {
        match self {
            Self::None => Ok(None),
            Self::Given(password) | Self::Known(password) => Ok(Some(password.clone())),
            Self::InFile(file) => read(file)
                .map(Some)
                .map_err(|why| Error::Unavailable(format!("the password file {}: {why}", file.display()))),
        }
    }
}

fn read(file: &Path) -> Result<String, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let password = text.strip_suffix('\n').map_or(&*text, |text| text.strip_suffix('\r').unwrap_or(text));
    match password.is_empty() {
        true => Err("it is empty".into()),
        false => Ok(password.to_owned()),
    }
}

/// Looks for a line of libpq's password file: `host:port:database:user:password`, `*` for any.
fn in_password_file(
    options: &Options,
    sources: PasswordSources<'_>,
    hosts: &[Endpoint],
    user: &str,
    database: &str,
) -> Result<Option<String>, SettingsError> {
    let named = options.password_file.clone().map(|file| ("passfile", file));
    let named = named.or_else(|| (sources.environment)("PGPASSFILE").map(|file| ("PGPASSFILE", file.into())));
    let (option, file) = match named {
        Some(named) => named,
        None => match (sources.environment)("HOME") {
            Some(home) => ("~/.pgpass", Path::new(&home).join(".pgpass")),
            None => return Ok(None),
        },
    };
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && option == "~/.pgpass" => {
            return Ok(None);
        }
        Err(error) => return Err(unusable(option, &file, &error)),
    };
    let mode = fs::metadata(&file).map_err(|error| unusable(option, &file, &error))?.permissions().mode();
    if mode & 0o077 != 0 {
        let why = "other users may read it; `chmod 600` it".into();
        return Err(SettingsError::File { option, file, why });
    }
    let fits = |host: &Endpoint| {
        let name = match &host.host {
            Host::Tcp(host) => host.clone(),
            Host::Unix(_) => "localhost".into(),
        };
        let wanted = [name, host.port.to_string(), database.to_owned(), user.to_owned()];
        text.lines().find_map(|line| password_of(line, &wanted))
    };
    Ok(hosts.iter().find_map(fits))
}

/// The password in a line, if the line is for this server, database and user.
fn password_of(line: &str, wanted: &[String; 4]) -> Option<String> {
    let line = line.trim_end_matches('\r');
    if line.starts_with('#') {
        return None;
    }
    let mut rest = line;
    for wanted in wanted {
        let (field, after) = field(rest)?;
        if field != "*" && field != *wanted {
            return None;
        }
        rest = after;
    }
    Some(field(&format!("{rest}:")).map(|(password, _)| password).unwrap_or_default())
}

/// A field up to a colon that no backslash stands before, and what follows the colon.
fn field(text: &str) -> Option<(String, &str)> {
    let mut field = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            ':' => return Some((field, &text[at + 1..])),
            '\\' => field.extend(chars.next().map(|(_, char)| char)),
            char => field.push(char),
        }
    }
    None
}
