//! A WAL as SQLite sees it: our methods, which gather what is written, around the file of SQLite's own file system.

use rusqlite::ffi;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::gathered::Gathered;

/// What lies in the room that SQLite gives a file; its own file follows.
#[repr(C)]
struct WalFile {
    /// First, because SQLite sees nothing else.
    methods: *const ffi::sqlite3_io_methods,
    gathered: Gathered,
}

/// Where SQLite's own file begins: after ours, aligned for anything.
const OWN_AT: usize = size_of::<WalFile>().next_multiple_of(16); // not a limit: a layout in memory

/// Bytes that reached SQLite's own files, of all WALs of this process.
pub(crate) static WRITTEN_BYTES: AtomicU64 = AtomicU64::new(0);

/// How much room a file needs whose own part needs so much.
pub(crate) const fn bytes_for(own: c_int) -> c_int {
    OWN_AT as c_int + own
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    // Without shared memory and mapping: those belong to the database file.
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

/// Opens SQLite's own file behind ours.
///
/// # Safety
/// `file` has room for [`bytes_for`] what SQLite's own file system asks for.
pub(crate) unsafe fn open(
    file: *mut ffi::sqlite3_file,
    open_own: impl FnOnce(*mut ffi::sqlite3_file) -> c_int,
) -> c_int {
    // SAFETY: the room is large enough.
    let own = unsafe { file.cast::<u8>().add(OWN_AT) }.cast::<ffi::sqlite3_file>();
    // A file that could not be opened must say so: SQLite closes one that has methods.
    // SAFETY: both begin with the pointer to their methods.
    unsafe {
        (*own).pMethods = std::ptr::null();
        (*file).pMethods = std::ptr::null();
    }
    let code = open_own(own);
    // SAFETY: the file system sets the methods of a file that is to be closed, also of one that failed to open.
    if !unsafe { (*own).pMethods }.is_null() {
        // SAFETY: the room is large enough, aligned by SQLite for any type, and holds nothing that is to be dropped.
        unsafe { file.cast::<WalFile>().write(WalFile { methods: &METHODS, gathered: Gathered::default() }) };
    }
    code
}

/// A file that [`open`] opened, in the hands of one of its methods.
struct Opened<'a> {
    ours: &'a mut WalFile,
    own: *mut ffi::sqlite3_file,
}

/// Calls a method of SQLite's own file; one that it lacks is an error.
macro_rules! own {
    ($opened:expr, $method:ident $(, $argument:expr)*) => {
        // SAFETY: `own` was opened by its file system, so its methods are there, and the arguments are SQLite's own or
        // point to what lives through the call.
        match unsafe { (*(*$opened.own).pMethods).$method } {
            // SAFETY: the same.
            Some(method) => unsafe { method($opened.own $(, $argument)*) },
            None => ffi::SQLITE_IOERR,
        }
    };
}

impl<'a> Opened<'a> {
    /// # Safety
    /// `file` was opened by [`open`], and SQLite uses it from one thread at a time.
    unsafe fn new(file: *mut ffi::sqlite3_file) -> Self {
        // SAFETY: as asked for above.
        let own = unsafe { file.cast::<u8>().add(OWN_AT) }.cast::<ffi::sqlite3_file>();
        // SAFETY: the same; `own` lies behind what `ours` refers to.
        Self { ours: unsafe { &mut *file.cast::<WalFile>() }, own }
    }

    /// Writes what was gathered. If that fails, SQLite gives the commit up and writes those places again.
    fn write_gathered(&mut self) -> c_int {
        let Some((at, bytes)) = self.ours.gathered.stretch() else { return ffi::SQLITE_OK };
        let (start, length) = (bytes.as_ptr().cast::<c_void>(), bytes.len() as c_int);
        let code = counted(own!(self, xWrite, start, length, at), length);
        self.ours.gathered.clear();
        code
    }

    fn write(&mut self, piece: &[u8], at: i64) -> c_int {
        if self.ours.gathered.add(piece, at) {
            return ffi::SQLITE_OK;
        }
        let code = self.write_gathered();
        if code != ffi::SQLITE_OK || self.ours.gathered.add(piece, at) {
            return code;
        }
        let length = piece.len() as c_int;
        counted(own!(self, xWrite, piece.as_ptr().cast::<c_void>(), length, at), length)
    }
}

/// Counts the bytes of a write that succeeded; gives its code on.
fn counted(code: c_int, length: c_int) -> c_int {
    if code == ffi::SQLITE_OK {
        WRITTEN_BYTES.fetch_add(u64::from(length.unsigned_abs()), Ordering::Relaxed);
    }
    code
}

/// A method that has everything written first, so that SQLite's own file is what it would be without us.
macro_rules! after_writing {
    ($(#[$what:meta])* $name:ident, $method:ident $(, $argument:ident: $type:ty)*) => {
        $(#[$what])*
        unsafe extern "C" fn $name(file: *mut ffi::sqlite3_file $(, $argument: $type)*) -> c_int {
            // SAFETY: SQLite calls this for a file that `open` opened.
            let mut opened = unsafe { Opened::new(file) };
            match opened.write_gathered() {
                ffi::SQLITE_OK => own!(opened, $method $(, $argument)*),
                failed => failed,
            }
        }
    };
}

after_writing!(read, xRead, to: *mut c_void, length: c_int, at: i64);
after_writing!(truncate, xTruncate, to: i64);
after_writing!(
    /// The end of a commit: all of it is written, then synced.
    sync, xSync, flags: c_int
);
after_writing!(file_size, xFileSize, size: *mut i64);
after_writing!(lock, xLock, level: c_int);
after_writing!(unlock, xUnlock, level: c_int);
after_writing!(check_reserved_lock, xCheckReservedLock, is_reserved: *mut c_int);
after_writing!(file_control, xFileControl, which: c_int, argument: *mut c_void);

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    piece: *const c_void,
    length: c_int,
    at: i64,
) -> c_int {
    // SAFETY: SQLite calls this for a file that `open` opened.
    let mut opened = unsafe { Opened::new(file) };
    let Ok(length) = usize::try_from(length) else { return ffi::SQLITE_IOERR_WRITE };
    // SAFETY: SQLite names so many bytes that are there.
    opened.write(unsafe { std::slice::from_raw_parts(piece.cast::<u8>(), length) }, at)
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: SQLite calls this for a file that `open` opened.
    let opened = unsafe { Opened::new(file) };
    // What is gathered still was never synced, so it belongs to no commit.
    let code = own!(opened, xClose);
    // SAFETY: SQLite does not use the file after this.
    unsafe { std::ptr::drop_in_place(&raw mut opened.ours.gathered) };
    code
}

unsafe extern "C" fn sector_size(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: SQLite calls this for a file that `open` opened.
    let opened = unsafe { Opened::new(file) };
    own!(opened, xSectorSize)
}

unsafe extern "C" fn device_characteristics(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: SQLite calls this for a file that `open` opened.
    let opened = unsafe { Opened::new(file) };
    own!(opened, xDeviceCharacteristics)
}
