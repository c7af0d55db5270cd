//! What an operator keeps: backups and what becomes of them, old tasks that leave, folders of earlier releases.

mod backup;
mod clock;
mod engines;
mod restore;
mod retention;
mod upgrade;

use std::path::Path;

use super::program::{self, Ran};

/// `baton hub restore` of a backup into a folder.
fn restore(backup: &Path, into: &Path) -> Ran {
    program::baton([
        "hub".as_ref(),
        "restore".as_ref(),
        backup.as_os_str(),
        "--data-dir".as_ref(),
        into.as_os_str(),
    ])
}

/// `baton hub backup` of a folder, with a hub or without.
fn back_up(folder: &Path, to: &Path) -> Ran {
    back_up_with(folder, to, &[])
}

fn back_up_with(folder: &Path, to: &Path, options: &[&str]) -> Ran {
    let arguments = ["hub", "backup", "--data-dir", folder.to_str().unwrap(), "-o", to.to_str().unwrap()];
    program::baton(arguments.iter().chain(options))
}

#[track_caller]
fn assert_agrees(folder: &Path) -> String {
    let ran = program::baton(["hub", "check", "--data-dir", folder.to_str().unwrap()]).exited(0);
    assert!(ran.stdout.starts_with("agree: "), "{ran:?}");
    ran.stdout
}
