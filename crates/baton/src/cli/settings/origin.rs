//! Where the value of a setting came from.

use std::fmt;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// On the command line.
    Flag,
    /// In this environment variable.
    Environment(String),
    File {
        path: PathBuf,
        line: usize,
    },
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("flag"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::File { path, line } => write!(f, "file {} line {line}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}
