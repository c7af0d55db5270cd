//! What is wrong with the file of profiles, in one line that says what to do.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ProfileError {
    #[error("there is no home folder to keep profiles in; set HOME, or BATON_HUB and BATON_TOKEN")]
    NoHome,
    #[error("cannot read {file}: {error}", file = .file.display())]
    Read { file: PathBuf, error: io::Error },
    #[error("cannot write {file}: {error}", file = .file.display())]
    Write { file: PathBuf, error: io::Error },
    #[error("{file} holds tokens and others may read it; run `chmod 600 {file}`", file = .0.display())]
    Open(PathBuf),
    #[error("{file} is no file of profiles ({cause}); mend it, or remove it and run `baton login`", file = .file.display())]
    Unreadable { file: PathBuf, cause: String },
    #[error("{file} is larger than a file of profiles may be", file = .0.display())]
    TooLarge(PathBuf),
}
