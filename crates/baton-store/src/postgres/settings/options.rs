//! Options of a connection string, by name: those that tokio-postgres does not know, or reads otherwise than a hub needs, are
//! read here; it reads the rest.

use baton_core::limits;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::{ChannelBinding, Host, SslMode, TargetSessionAttrs};

use super::pairs::Pair;
use super::{Endpoint, SettingsError};

/// Where Debian's and Red Hat's servers have their socket.
const LOCAL_SOCKETS: &str = "/var/run/postgresql";

/// What is asked of the server's certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Check {
    /// Nothing: whoever is between hub and server can read along.
    #[default]
    Nothing,
    /// It is signed by an authority that is known.
    Authority,
    /// It is also made out to the host.
    Host,
}

/// TLS as it was asked for.
#[derive(Debug, Default)]
pub(super) struct Tls {
    pub(super) check: Check,
    /// Authorities; none: those the system knows.
    pub(super) authorities: Option<PathBuf>,
    /// The client's own certificate and its key.
    pub(super) certificate: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
}

pub(super) struct Options {
    pub(super) base: Config,
    hosts: Vec<String>,
    addresses: Vec<String>,
    ports: Vec<String>,
    pub(super) password: Option<String>,
    pub(super) password_file: Option<PathBuf>,
    pub(super) tls: Tls,
    pub(super) connect_timeout: Option<Duration>,
}

impl Options {
    pub(super) fn read(pairs: Vec<Pair>) -> Result<Self, SettingsError> {
        let mut options = Self {
            base: Config::new(),
            hosts: Vec::new(),
            addresses: Vec::new(),
            ports: Vec::new(),
            password: None,
            password_file: None,
            tls: Tls::default(),
            connect_timeout: None,
        };
        // Whoever does not say otherwise is a hub, and a hub writes.
        options.base.application_name("baton").target_session_attrs(TargetSessionAttrs::ReadWrite);
        for (key, value) in pairs {
            options.set(&key, value)?;
        }
        // As libpq does: whoever names authorities wants them to be asked.
        if options.tls.authorities.is_some()
            && options.tls.check == Check::Nothing
            && options.base.get_ssl_mode() == SslMode::Require
        {
            options.tls.check = Check::Authority;
        }
        Ok(options)
    }

    fn set(&mut self, key: &str, value: String) -> Result<(), SettingsError> {
        match key {
            "host" => self.hosts = list(&value),
            "hostaddr" => self.addresses = list(&value),
            "port" => self.ports = list(&value),
            "user" => {
                self.base.user(value);
            }
            "password" => self.password = Some(value),
            "passfile" => self.password_file = Some(value.into()),
            "dbname" => {
                self.base.dbname(value);
            }
            "application_name" => {
                self.base.application_name(value);
            }
            "options" => {
                self.base.options(value);
            }
            "sslmode" => self.set_tls_mode(&value)?,
            // Those of the system are asked anyway if no others are named.
            "sslrootcert" if value == "system" => self.tls.check = self.tls.check.max_with(Check::Authority),
            "sslrootcert" => self.tls.authorities = Some(value.into()),
            "sslcert" => self.tls.certificate = Some(value.into()),
            "sslkey" => self.tls.key = Some(value.into()),
            "target_session_attrs" => self.set_session(&value)?,
            "channel_binding" => self.set_channel_binding(&value)?,
            "connect_timeout" => self.connect_timeout = Some(seconds("connect_timeout", &value)?),
            "keepalives" => {
                let keeps = flag("keepalives", &value)?;
                self.base.keepalives(keeps);
            }
            "keepalives_idle" => {
                self.base.keepalives_idle(seconds("keepalives_idle", &value)?);
            }
            "keepalives_interval" => {
                self.base.keepalives_interval(seconds("keepalives_interval", &value)?);
            }
            "tcp_user_timeout" => {
                let expected =
                    SettingsError::Value { option: "tcp_user_timeout", expected: "a number of milliseconds" };
                let millis = value.parse().map_err(|_| expected)?;
                self.base.tcp_user_timeout(Duration::from_millis(millis));
            }
            key => return Err(SettingsError::UnknownOption(key.to_owned())),
        }
        Ok(())
    }

    fn set_tls_mode(&mut self, mode: &str) -> Result<(), SettingsError> {
        let (mode, check) = match mode {
            "disable" => (SslMode::Disable, Check::Nothing),
            "prefer" => (SslMode::Prefer, Check::Nothing),
            "require" => (SslMode::Require, Check::Nothing),
            "verify-ca" => (SslMode::Require, Check::Authority),
            "verify-full" => (SslMode::Require, Check::Host),
            _ => {
                return Err(SettingsError::Value {
                    option: "sslmode",
                    expected: "disable, prefer, require, verify-ca or verify-full",
                });
            }
        };
        self.base.ssl_mode(mode);
        self.tls.check = self.tls.check.max_with(check);
        Ok(())
    }

    fn set_session(&mut self, kind: &str) -> Result<(), SettingsError> {
        let kind = match kind {
            "read-write" | "primary" => TargetSessionAttrs::ReadWrite,
            "any" => TargetSessionAttrs::Any,
            _ => {
                return Err(SettingsError::Value {
                    option: "target_session_attrs",
                    expected: "read-write or any; a hub writes",
                });
            }
        };
        self.base.target_session_attrs(kind);
        Ok(())
    }

    fn set_channel_binding(&mut self, binding: &str) -> Result<(), SettingsError> {
        let binding = match binding {
            "disable" => ChannelBinding::Disable,
            "prefer" => ChannelBinding::Prefer,
            "require" => ChannelBinding::Require,
            _ => {
                return Err(SettingsError::Value {
                    option: "channel_binding",
                    expected: "disable, prefer or require",
                });
            }
        };
        self.base.channel_binding(binding);
        Ok(())
    }

    /// The hosts, each with its port.
    pub(super) fn endpoints(&self) -> Result<Vec<Endpoint>, SettingsError> {
        let addresses: Vec<IpAddr> =
            self.addresses.iter().map(|address| address.parse()).collect::<Result<_, _>>().map_err(|_| {
                SettingsError::Value { option: "hostaddr", expected: "IP addresses separated by commas" }
            })?;
        let hosts = match (&*self.hosts, &*addresses) {
            ([], []) => vec![LOCAL_SOCKETS.to_owned()],
            ([], addresses) => addresses.iter().map(ToString::to_string).collect(),
            (hosts, _) => hosts.to_vec(),
        };
        if !addresses.is_empty() && addresses.len() != hosts.len() {
            return Err(SettingsError::Value {
                option: "hostaddr",
                expected: "one IP address for each host",
            });
        }
        if hosts.len() > limits::POSTGRES_HOSTS_MAX_COUNT {
            return Err(SettingsError::Value { option: "host", expected: "a list of fewer hosts" });
        }
        if self.ports.len() > 1 && self.ports.len() != hosts.len() {
            return Err(SettingsError::Ports { hosts: hosts.len(), ports: self.ports.len() });
        }
        let port = |at: usize| match self.ports.get(at).or_else(|| self.ports.first()).map(String::as_str) {
            None | Some("") => Ok(5432), // not a limit: PostgreSQL's port
            Some(port) => port
                .parse()
                .ok()
                .filter(|port| *port > 0)
                .ok_or(SettingsError::Value { option: "port", expected: "a number from 1 to 65535" }),
        };
        let endpoint = |(at, host): (usize, String)| {
            let host = match host.starts_with('/') {
                true => Host::Unix(host.into()),
                false => Host::Tcp(host),
            };
            Ok(Endpoint { host, hostaddr: addresses.get(at).copied(), port: port(at)? })
        };
        hosts.into_iter().enumerate().map(endpoint).collect()
    }
}

impl Check {
    fn max_with(self, other: Self) -> Self {
        if self as u8 >= other as u8 { self } else { other }
    }
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(|part| part.trim().to_owned()).collect()
}

fn seconds(option: &'static str, value: &str) -> Result<Duration, SettingsError> {
    let expected = SettingsError::Value { option, expected: "a number of seconds, at least 1" };
    value.parse().ok().filter(|seconds| *seconds > 0).map(Duration::from_secs).ok_or(expected)
}

fn flag(option: &'static str, value: &str) -> Result<bool, SettingsError> {
    match value {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(SettingsError::Value { option, expected: "0 or 1" }),
    }
}
