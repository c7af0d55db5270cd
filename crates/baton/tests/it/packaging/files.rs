//! The repository's own files, as the tests of packaging read them.

use std::path::{Path, PathBuf};

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(super) fn read(path: &str) -> String {
    let file = root().join(path);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The rest of each line that begins like this.
pub(super) fn after<'a>(text: &'a str, beginning: &str) -> Vec<&'a str> {
    text.lines().filter_map(|line| line.trim_start().strip_prefix(beginning)).collect()
}

/// The options a hub is started with, without those a test gives itself: where the binary and the data are.
pub(super) fn options<'a>(words: &[&'a str], data_dir: &str) -> Vec<&'a str> {
    let beginning = ["hub", "start", "--data-dir", data_dir];
    assert_eq!(words.get(..4), Some(&beginning[..]), "{words:?}");
    words[4..].to_vec()
}
