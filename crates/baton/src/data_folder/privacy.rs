//! What a hub keeps is its owner's alone. A folder that was there before the hub, or was opened since, is closed at the
//! start; that is logged, because somebody may have read it meanwhile.

use std::fs::{Permissions, set_permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const OTHERS: u32 = 0o077; // not a limit: bits of a file mode
/// Set on folders that everybody shares, such as /tmp.
const STICKY: u32 = 0o1000; // not a limit: bits of a file mode

pub(super) fn close_folder(path: &Path) -> io::Result<()> {
    let mode = path.metadata()?.permissions().mode();
    if mode & STICKY != 0 {
        return Err(io::Error::other("other users can write to it; choose a folder that only the hub uses"));
    }
    close(path, mode, 0o700)
}

/// A missing file is fine: nobody can read it.
pub(super) fn close_file(path: &Path) -> io::Result<()> {
    match path.metadata() {
        Ok(found) => close(path, found.permissions().mode(), 0o600),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn close(path: &Path, mode: u32, private: u32) -> io::Result<()> {
    if mode & OTHERS == 0 {
        return Ok(());
    }
    let (was, path_shown) = (mode & 0o7777, path.display());
    set_permissions(path, Permissions::from_mode(private)).map_err(|error| {
        let what = format!("{path_shown} has mode {was:o} and cannot be closed to other users: {error}");
        io::Error::new(error.kind(), what)
    })?;
    tracing::warn!(
        path = %path_shown, was = format!("{was:o}"), now = format!("{private:o}"),
        "it could be read by other users and is now closed to them"
    );
    Ok(())
}
