//! What is wrong with the file of profiles, in one line that says what to do.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ProfileError {
    #[error("HOME is not set, so there is no place for profiles; set HOME, or set BATON_HUB and BATON_TOKEN")]
    NoHome,
    #[error("cannot read {file}: {error}", file = .file.display())]
    Read { file: PathBuf, error: io::Error },
    #[error("cannot write {file}: {error}", file = .file.display())]
    Write { file: PathBuf, error: io::Error },
    #[error("{file} holds tokens, and other users can read it; run `chmod 600 {file}`", file = .0.display())]
    Open(PathBuf),
    #[error("{file} is not a file of profiles ({cause}); correct it, or remove it and run `baton login`", file = .file.display())]
    Unreadable { file: PathBuf, cause: String },
    #[error("{file} is too large for a file of profiles; remove it and run `baton login`", file = .0.display())]
    TooLarge(PathBuf),
}
