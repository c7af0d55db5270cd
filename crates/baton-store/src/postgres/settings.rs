//! How a PostgreSQL server is reached: hosts, database, user, password and TLS, from a URL or from `key=value` pairs as libpq
//! reads them. The password is in no error, no log line and no `Debug` output.

mod options;
mod pairs;
mod password;
mod tls;

use baton_core::limits;
use std::fmt::{self, Write};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio_postgres::config::{Host, TargetSessionAttrs};
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::fault;
use crate::error::Error;
use options::Options;
use password::Password;

/// Why a connection string is refused. It never repeats the string itself, which may contain a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// Neither of the two forms.
    #[error(
        "the connection string must be a URL such as postgres://user@host:5432/database, or key=value pairs such as \
         `host=… dbname=…`: {0}"
    )]
    Form(&'static str),
    /// An option nobody knows.
    #[error("unknown option `{0}` in the connection string")]
    UnknownOption(String),
    /// An option with a value it cannot have.
    #[error("option `{option}` of the connection string must be {expected}")]
    Value {
        /// The option.
        option: &'static str,
        /// What it may be.
        expected: &'static str,
    },
    /// More or fewer ports than hosts.
    #[error("the connection string has {hosts} hosts and {ports} ports; give one port, or one for each host")]
    Ports {
        /// How many hosts.
        hosts: usize,
        /// How many ports.
        ports: usize,
    },
    /// A file that is named cannot be used.
    #[error("cannot use {} ({option}): {why}", file.display())]
    File {
        /// What names it.
        option: &'static str,
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Two passwords.
    #[error("there is a password in the connection string and a password file; give one of them")]
    TwoPasswords,
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}

/// Where passwords come from beside the connection string.
#[derive(Clone, Copy)]
pub struct PasswordSources<'a> {
    /// A file that contains nothing but the password.
    pub file: Option<&'a Path>,
    /// The environment: `PGPASSWORD`, `PGPASSFILE` and `HOME` are read.
    pub environment: &'a dyn Fn(&str) -> Option<String>,
}

/// How a PostgreSQL server is reached.
#[derive(Clone)]
pub struct ConnectionSettings {
    /// Everything but host, port and password.
    base: Config,
    hosts: Vec<Endpoint>,
    password: Password,
    tls: MakeRustlsConnect,
    connect_timeout: Duration,
    /// The host that was connected to last, which is tried first.
    last: Arc<AtomicUsize>,
    /// Whether a replica will do where no host accepts writes.
    may_be_replica: bool,
}

/// Why no host accepts a connection.
struct NoHost {
    error: Error,
    /// One of them is starting up or recovering.
    is_starting: bool,
}

impl From<Error> for NoHost {
    fn from(error: Error) -> Self {
        Self { error, is_starting: false }
    }
}

/// One of the hosts.
#[derive(Clone, Debug)]
struct Endpoint {
    host: Host,
    hostaddr: Option<std::net::IpAddr>,
    port: u16,
}

/// A connection, with the part that has to be polled.
pub(crate) type Connected =
    (Client, Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>);

impl ConnectionSettings {
    /// Reads a connection string; the password may come from the environment of this process or from a file.
    pub fn from_environment(text: &str, password_file: Option<&Path>) -> Result<Self, SettingsError> {
        let environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self::parse(text, PasswordSources { file: password_file, environment: &environment })
    }

    /// Reads a connection string.
    pub fn parse(text: &str, passwords: PasswordSources<'_>) -> Result<Self, SettingsError> {
        let mut options = Options::read(pairs::read(text)?)?;
        let hosts = options.endpoints()?;
        let user = options.base.get_user().unwrap_or_default().to_owned();
        let database = options.base.get_dbname().unwrap_or(&user).to_owned();
        let password = Password::find(&mut options, passwords, &hosts, &user, &database)?;
        let tls = tls::connector(&options.tls)?;
        Ok(Self {
            base: options.base,
            hosts,
            password,
            tls,
            connect_timeout: options.connect_timeout.unwrap_or(limits::POSTGRES_CONNECT_MAX),
            last: Arc::default(),
            may_be_replica: false,
        })
    }

    /// Whether the password is part of the connection string.
    pub const fn has_password_in_string(&self) -> bool {
        matches!(self.password, Password::Given(_))
    }

    /// The same for whoever only reads: a replica will do if there is no primary. It may lack what was just acknowledged, and it
    /// ends a read that lasts longer than it may fall behind.
    #[must_use]
    pub(crate) fn for_reading(&self) -> Self {
        let mut settings = self.clone();
        settings.base.target_session_attrs(TargetSessionAttrs::ReadWrite);
        settings.may_be_replica = true;
        settings
    }

    /// Connects to the first host that accepts it, each within the time a connection may take. A server that was stopped
    /// still accepts TCP, so the time bounds the whole exchange.
    pub(crate) async fn connect(&self) -> Result<Connected, Error> {
        let refused = match self.try_hosts(&self.base).await {
            Err(_) if self.may_be_replica => {
                let mut any = self.base.clone();
                any.target_session_attrs(TargetSessionAttrs::Any);
                self.try_hosts(&any).await
            }
            tried => tried,
        };
        refused.map_err(|refused| refused.error)
    }

    async fn try_hosts(&self, base: &Config) -> Result<Connected, NoHost> {
        let password = self.password.read()?;
        let mut is_starting = false;
        let first = self.last.load(Ordering::Relaxed);
        let mut errors = Vec::new();
        for step in 0..self.hosts.len() {
            let at = (first + step) % self.hosts.len();
            let host = &self.hosts[at];
            let mut config = base.clone();
            host.enter(&mut config);
            if let Some(password) = &password {
                config.password(password);
            }
            config.connect_timeout(self.connect_timeout);
            match tokio::time::timeout(self.connect_timeout, config.connect(self.tls.clone())).await {
                Ok(Ok(connected)) => {
                    self.last.store(at, Ordering::Relaxed);
                    return Ok(connected);
                }
                Ok(Err(error)) => {
                    is_starting |= error.code() == Some(&SqlState::CANNOT_CONNECT_NOW);
                    errors.push(self.refused(host, &error));
                }
                Err(_) => errors.push(format!(
                    "PostgreSQL at {host} does not answer within {} s",
                    self.connect_timeout.as_secs_f64()
                )),
            }
        }
        Err(NoHost { error: Error::Unavailable(errors.join("; ")), is_starting })
    }

    /// Waits for a server that is starting up or recovering, until then at most. Whether it had to; any other error is one that
    /// the next connection meets too.
    pub(crate) fn wait_until_started(&self, until: Instant) -> Result<bool, Error> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::Unavailable(error.to_string()))?;
        runtime.block_on(async {
            let mut has_waited = false;
            while let Err(NoHost { error, is_starting: true }) = self.try_hosts(&self.base).await {
                if Instant::now() >= until {
                    return Err(error);
                }
                if !has_waited {
                    tracing::info!("{}; waiting for it", error.cause());
                }
                has_waited = true;
                tokio::time::sleep(limits::POSTGRES_RECONNECTED_EVERY).await;
            }
            Ok(has_waited)
        })
    }

    /// Why a host does not accept a connection, and what to do about it.
    fn refused(&self, host: &Endpoint, error: &tokio_postgres::Error) -> String {
        let text = fault::text(error);
        match error.code() {
            Some(&SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION) => format!(
                "PostgreSQL at {host} refused the login: {text}; set the password with --store-password-file, \
                 PGPASSWORD or ~/.pgpass"
            ),
            Some(&SqlState::INVALID_CATALOG_NAME) => {
                format!("PostgreSQL at {host}: {text}; create the database first, with `createdb`")
            }
            Some(&SqlState::TOO_MANY_CONNECTIONS) => {
                format!("PostgreSQL at {host}: {text}; raise its max_connections")
            }
            Some(_) => format!("PostgreSQL at {host}: {text}"),
            None if text.contains("password missing") => format!(
                "PostgreSQL at {host} asks for a password, and none is set; set it with --store-password-file, \
                 PGPASSWORD or ~/.pgpass"
            ),
            None if text.contains("does not allow writes") => {
                format!(
                    "PostgreSQL at {host} is a read-only replica; connect to the primary, or list all servers"
                )
            }
            None => format!("cannot connect to PostgreSQL at {host}: {text}"),
        }
    }
}

impl Endpoint {
    fn enter(&self, config: &mut Config) {
        match &self.host {
            Host::Tcp(host) => config.host(host),
            Host::Unix(path) => config.host_path(path),
        };
        if let Some(address) = self.hostaddr {
            config.hostaddr(address);
        }
        config.port(self.port);
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Tcp(host) if host.contains(':') => write!(f, "[{host}]:{}", self.port),
            Host::Tcp(host) => write!(f, "{host}:{}", self.port),
            Host::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Where it is, without the password: for people.
impl fmt::Display for ConnectionSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        if let Some(user) = self.base.get_user() {
            write!(f, "{user}@")?;
        }
        for (at, host) in self.hosts.iter().enumerate() {
            if at > 0 {
                f.write_char(',')?;
            }
            write!(f, "{host}")?;
        }
        match self.base.get_dbname() {
            Some(database) => write!(f, "/{database}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for ConnectionSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConnectionSettings({self})")
    }
}

fn unusable(option: &'static str, file: &Path, error: &io::Error) -> SettingsError {
    SettingsError::File { option, file: file.to_owned(), why: error.to_string() }
}

#[cfg(test)]
mod tests;
