//! What stops a command: printed once, on stderr, then the exit code.

use baton_adapter::AdapterError;
use baton_evidence::bundle::{Refusal, VerifyError, WriteError};
use baton_evidence::export::{self, ExportError};
use baton_evidence::note::KeyError;
use std::io::{self, Write};
use std::process::ExitCode;

use super::hub::Trouble;
use super::plain;
use super::settings::Problem;
use crate::client::{self, CaError, HubAddress, login_command};
use crate::profile;

/// A usage or I/O error, or a refused bundle.
const TROUBLE: u8 = 2;
/// Error that may pass by itself; the systemd unit tries again after it, and not after `TROUBLE`.
const NOT_NOW: u8 = 1;
/// The hub refused a call.
pub(crate) const REFUSED: u8 = 1;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("cannot read {name}: {error}")]
    Read { name: String, error: io::Error },
    #[error("cannot write {name}: {error}")]
    Write { name: String, error: io::Error },
    #[error("{name} is refused: {refusal}")]
    Refused { name: String, refusal: Refusal },
    #[error("{name} is refused: {refusal}")]
    ExportRefused { name: String, refusal: export::Refusal },
    #[error("--key {name}: {error}")]
    Key { name: String, error: KeyError },
    #[error("--key needs a side file, and {name} has none; pass it with --proof FILE")]
    NoSideFile { name: String },
    #[error("{0}")]
    Adapter(#[from] AdapterError),
    #[error("{name} line {line}: {message}")]
    Line { name: String, line: u64, message: String },
    #[error("{0}")]
    Hub(#[from] Trouble),
    /// A hub that could not start, and later perhaps can.
    #[error("{0}")]
    NotNow(Trouble),
    #[error("{0}")]
    Client(#[from] client::Error),
    #[error("{error}; {advice}")]
    Advised { error: Box<client::Error>, advice: &'static str },
    #[error("{0}")]
    Ca(#[from] CaError),
    #[error("{0}")]
    Profile(#[from] profile::ProfileError),
    #[error(
        "you are not logged in to {hub}; run `{}`, or pass --token or set BATON_TOKEN",
        login_command(.hub, .profile)
    )]
    NotLoggedIn { hub: HubAddress, profile: String },
    #[error("the hub closed the stream of events without a reason; try again")]
    StreamEnded,
    #[error("{0}")]
    Usage(String),
    /// Settings in the environment or the configuration file, a line each.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Settings(Vec<Problem>),
    #[error("cannot start: {0}")]
    System(io::Error),
}

impl Failure {
    pub(crate) fn stdout(error: io::Error) -> Self {
        Self::Write { name: "the output".into(), error }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn verify(name: &str, error: VerifyError) -> Self {
        match error {
            VerifyError::Refused(refusal) => Self::Refused { name: name.into(), refusal },
            VerifyError::Unreadable(error) => Self::Read { name: name.into(), error },
        }
    }

    pub(crate) fn export(bundle: &str, side_file: &str, error: ExportError) -> Self {
        match error {
            ExportError::Bundle(error) => Self::verify(bundle, error),
            ExportError::Refused(refusal) => Self::ExportRefused { name: bundle.into(), refusal },
            ExportError::Unreadable(error) => Self::Read { name: side_file.into(), error },
        }
    }

    pub(crate) fn pack(input: &str, output: &str, error: WriteError) -> Self {
        match error {
            WriteError::Refused(refusal) => Self::Refused { name: input.into(), refusal },
            WriteError::Io(error) => Self::Write { name: output.into(), error },
        }
    }

    pub(crate) fn print(&self) -> ExitCode {
        // A reader that went away (`| head`) is not an error, and if stderr is gone too nobody can read it.
        if !matches!(self, Self::Write { error, .. } if error.kind() == io::ErrorKind::BrokenPipe) {
            for line in self.lines() {
                // It may hold a hub's words, and a hub's words may hold anything.
                let _ = writeln!(io::stderr(), "baton: {}{}", plain::line(&line), self.advice());
            }
        }
        ExitCode::from(self.exit_code())
    }

    fn lines(&self) -> Vec<String> {
        match self {
            Self::Settings(problems) => problems.iter().map(ToString::to_string).collect(),
            one => vec![one.to_string()],
        }
    }

    /// What to do about a refusal, in the words of the command line.
    fn advice(&self) -> &'static str {
        match self {
            Self::Client(error) => match error.code() {
                Some("network_id_required") => "; pass --network, or choose one with `baton network use`",
                Some("alias_not_found") => {
                    "; `baton status` lists the agents, `baton node create` creates one"
                }
                Some("task_not_found") => "; `baton tasks` lists tasks",
                Some("user_token_required") => "; log in as a user with `baton login`",
                Some("registration is closed") => {
                    ", who can also open it with `baton hub start --open-registration true`"
                }
                Some("username already taken") => "; if it is yours, log in with `baton login`",
                Some("conflict") => "; the task has already ended, see `baton task show`",
                _ => "",
            },
            _ => "",
        }
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::NotNow(_) => NOT_NOW,
            Self::Client(error) => error.exit_code(),
            Self::Advised { error, .. } => error.exit_code(),
            _ => TROUBLE,
        }
    }
}
