//! Small C libraries that stand between one process of a test and the system's (`LD_PRELOAD`).

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a library into a folder.
pub(crate) fn make(folder: &Path, name: &str, source: &str) -> PathBuf {
    let (file, library) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.so")));
    std::fs::write(&file, source).unwrap();
    let made = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&file).status();
    assert!(made.unwrap().success());
    library
}
