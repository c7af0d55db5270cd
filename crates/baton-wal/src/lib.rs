//! A way for SQLite to write its WAL with one system call for up to 30 pages of a commit. SQLite writes each page as two
//! pieces, a header of 24 bytes and the page: a commit of 18 pages is 36 calls, and the kernel looks each page of the file
//! up three times. Here the pieces of a commit are put together in memory and written when SQLite asks for the sync that
//! ends it. Measured with `make bench-hub` at one connection: 13 calls a life instead of 108, and half of their time.
//!
//! Nothing is visible later than before. A reader of the WAL learns of a commit from its index, which SQLite changes
//! after the sync; a connection that reads back what it has not committed yet gets it written first. This holds for
//! `synchronous = FULL` only: without a sync at the end of a commit its last pieces would stay here.

mod file;
mod gathered;

use rusqlite::ffi;
use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// The name under which SQLite knows it.
const NAME: &CStr = c"baton-wal";

/// A SQLite that cannot be extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused(
    /// SQLite's code for why.
    pub c_int,
);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SQLite takes no further file system: code {}", self.0)
    }
}

impl std::error::Error for Refused {}

/// Makes it known to SQLite, once in a process, and returns the name to open connections with. Such a connection has to
/// keep `synchronous = FULL`.
pub fn name() -> Result<&'static CStr, Refused> {
    static REGISTERED: OnceLock<Result<(), Refused>> = OnceLock::new();
    (*REGISTERED.get_or_init(register))?;
    Ok(NAME)
}

/// How many bytes this process has written to WALs that were opened with [`name`].
pub fn written_bytes() -> u64 {
    file::WRITTEN_BYTES.load(Ordering::Relaxed)
}

fn register() -> Result<(), Refused> {
    // SAFETY: SQLite initialises itself, and a null name asks for its default file system. What it returns is never freed.
    let default = unsafe { ffi::sqlite3_vfs_find(std::ptr::null()) };
    // SAFETY: it is null or points to a file system that is initialised.
    let Some(system) = (unsafe { default.as_ref() }) else { return Err(Refused(ffi::SQLITE_NOTFOUND)) };
    // Everything else, and what its functions need, is the default one's.
    let ours = ffi::sqlite3_vfs {
        szOsFile: file::bytes_for(system.szOsFile),
        pNext: std::ptr::null_mut(),
        zName: NAME.as_ptr(),
        xOpen: Some(open),
        ..*system
    };
    // It stays registered for as long as the process lives.
    let ours = Box::leak(Box::new(ours));
    // SAFETY: `ours` is complete and lives forever.
    match unsafe { ffi::sqlite3_vfs_register(ours, 0) } {
        ffi::SQLITE_OK => Ok(()),
        code => Err(Refused(code)),
    }
}

/// Opens a file: a WAL with our methods around SQLite's own, any other file as SQLite does.
unsafe extern "C" fn open(
    _: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    // SAFETY: as in `register`.
    let system = unsafe { ffi::sqlite3_vfs_find(std::ptr::null()) };
    // SAFETY: the same.
    let Some(open) = (unsafe { system.as_ref() }).and_then(|system| system.xOpen) else {
        return ffi::SQLITE_ERROR;
    };
    if flags & ffi::SQLITE_OPEN_WAL == 0 {
        // SAFETY: these are SQLite's own arguments, and `file` has more room than the default file system asks for.
        return unsafe { open(system, name, file, flags, flags_out) };
    }
    // SAFETY: SQLite gives `file` the room that `szOsFile` names, which is room for ours and then SQLite's own.
    unsafe { file::open(file, |own| open(system, name, own, flags, flags_out)) }
}
