//! The files of one attempt: what came with the task and its messages, for the command to read, and what the command leaves
//! for its reply. Both folders go with the attempt.

use baton_core::{ArtifactName, limits};
use rustix::fs::OFlags;
use std::collections::HashSet;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::cli::transfer;

/// Where a command finds files and leaves them.
#[derive(Debug)]
pub(super) struct Folders {
    pub(super) input: PathBuf,
    pub(super) output: PathBuf,
}

impl Folders {
    /// Makes both, for nobody but this user.
    pub(super) fn create(within: &Path) -> io::Result<Self> {
        let folders = Self { input: within.join("input"), output: within.join("output") };
        for folder in [&folders.input, &folders.output] {
            DirBuilder::new().mode(0o700).create(folder)?;
        }
        Ok(folders)
    }
}

/// File names in a folder, each once: a name that was given before gets a number before its ending.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    pub(super) fn give(&mut self, name: &str) -> String {
        // A hub gives no other names; a path is not made of what it sends without a look anyway.
        let name = ArtifactName::parse("name", name).unwrap_or_default();
        let (stem, ending) = match name.as_str().rsplit_once('.') {
            Some((stem, ending)) if !stem.is_empty() => (stem, format!(".{ending}")),
            _ => (name.as_str(), String::new()),
        };
        let numbered = (2..).map(|number| format!("{stem}-{number}{ending}"));
        let mut free = std::iter::once(name.to_string()).chain(numbered);
        let chosen = free.find(|name| !self.0.contains(name)).unwrap_or_default();
        self.0.insert(chosen.clone());
        chosen
    }
}

/// A file a command left.
#[derive(Debug)]
pub(super) struct OutputFile {
    pub(super) named: transfer::NamedFile,
    pub(super) file: File,
}

/// Why what a command left cannot be sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum OutputFileError {
    #[error("it left more than {most} files and folders in BATON_OUTPUT_DIR")]
    TooMany { most: usize },
    #[error("the name of {path} in BATON_OUTPUT_DIR {rule}")]
    Name { path: String, rule: String },
    #[error(
        "{path} in BATON_OUTPUT_DIR has {size} bytes; an artifact must be at most {}",
        limits::ARTIFACT_MAX_BYTES
    )]
    TooLarge { path: String, size: u64 },
    #[error("{path} in BATON_OUTPUT_DIR cannot be read: {error}")]
    Unreadable { path: String, error: io::Error },
}

/// What a command left, by name: regular files, also in folders, whose names are joined with `-`. Links are not followed,
/// and anything that is not a file is skipped. The number of files is limited.
pub(super) fn left_in(folder: &Path, most: usize) -> Result<Vec<OutputFile>, OutputFileError> {
    let (mut paths, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        let unreadable = |error| OutputFileError::Unreadable { path: next.display().to_string(), error };
        for entry in next.read_dir().map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let kind = entry.file_type().map_err(unreadable)?;
            match (kind.is_file(), kind.is_dir()) {
                (true, _) => paths.push(entry.path()),
                (_, true) => folders.push(entry.path()),
                _ => tracing::warn!(path = %entry.path().display(), "is not a regular file and is not sent"),
            }
            if paths.len() + folders.len() > most {
                return Err(OutputFileError::TooMany { most });
            }
        }
    }
    paths.sort();
    paths.iter().map(|path| open(folder, path)).collect()
}

fn open(folder: &Path, path: &Path) -> Result<OutputFile, OutputFileError> {
    let relative = path.strip_prefix(folder).unwrap_or(path);
    let shown = relative.display().to_string();
    let parts: Option<Vec<&str>> = relative.components().map(|part| part.as_os_str().to_str()).collect();
    let Some(parts) = parts else {
        return Err(OutputFileError::Name { path: shown, rule: "must be UTF-8".into() });
    };
    let name = ArtifactName::parse("name", &parts.join("-")).map_err(|refusal| OutputFileError::Name {
        path: shown.clone(),
        rule: refusal.message().trim_start_matches("name ").to_owned(),
    })?;
    let nofollow = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or_default();
    let opened = OpenOptions::new().read(true).custom_flags(nofollow).open(path);
    let sized = opened.and_then(|file| Ok((file.metadata()?.len(), file)));
    let (size, file) = sized.map_err(|error| OutputFileError::Unreadable { path: shown.clone(), error })?;
    if size > limits::ARTIFACT_MAX_BYTES {
        return Err(OutputFileError::TooLarge { path: shown, size });
    }
    let media_type = transfer::media_type_of(name.as_str()).to_owned();
    Ok(OutputFile { named: transfer::NamedFile { name: name.to_string(), media_type }, file })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_comes_twice_gets_a_number_before_its_ending() {
        let mut names = Names::default();
        let given: Vec<_> = ["a.txt", "a.txt", "a-2.txt", "a.txt", "b", "b", ".x", ".x", "../up", "a/b"]
            .map(|name| names.give(name))
            .to_vec();
        let expected =
            ["a.txt", "a-2.txt", "a-2-2.txt", "a-3.txt", "b", "b-2", ".x", ".x-2", "artifact", "artifact-2"];
        assert_eq!(given, expected);
    }

    #[test]
    fn files_in_folders_are_found_under_joined_names_and_links_are_not() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("deep/er")).unwrap();
        for name in ["deep/er/c.json", "b.txt", "a"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).unwrap();
        let left = left_in(folder.path(), limits::ARTIFACT_REFS_MAX_COUNT).unwrap();
        let names: Vec<_> = left.iter().map(|left| (&*left.named.name, &*left.named.media_type)).collect();
        assert_eq!(
            names,
            [
                ("a", "application/octet-stream"),
                ("b.txt", "text/plain; charset=utf-8"),
                ("deep-er-c.json", "application/json")
            ]
        );
    }

    #[test]
    fn more_files_than_a_reply_takes_and_names_that_play_tricks_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a\nb"), "x").unwrap();
        assert!(matches!(left_in(folder.path(), 100), Err(OutputFileError::Name { .. })));
        for n in 0..=limits::ARTIFACT_REFS_MAX_COUNT {
            std::fs::write(folder.path().join(n.to_string()), "x").unwrap();
        }
        assert!(matches!(left_in(folder.path(), 100), Err(OutputFileError::TooMany { most: 100 })));
    }
}
