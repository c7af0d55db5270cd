//! A disk of a test's own that can be filled, freed and made read-only while a hub is on it: a tmpfs whose size is
//! changed where it is mounted. Whoever may not mount has none, and limits the hub's files instead (`refuse_growth`).

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

pub(crate) const NO_DISK: &str =
    "this user cannot mount a file system; limits on the hub's files stand in for it";

/// A tmpfs, mounted as long as this lives. A process of its own holds it: however the test ends, its input ends too,
/// and the disk goes.
#[derive(Debug)]
pub(crate) struct SmallDisk {
    folder: TempDir,
    holder: Child,
    size: u64,
}

impl SmallDisk {
    /// A disk of so many bytes; none where the machine does not let us have one.
    pub(crate) fn mount(size: u64) -> Option<Self> {
        const HOLD: &str = "mount -t tmpfs -o size=\"$2\",mode=700 none \"$1\" 2>/dev/null || exit
            echo mounted; cat; umount -l \"$1\"";
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("setsid"); // what ends the test's group must not end this before it has cleaned up
        command.args(["sh", "-c", HOLD, "sh"]).arg(folder.path()).arg(size.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut holder = command.spawn().ok()?;
        let mut line = String::new();
        BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
        if line != "mounted\n" {
            holder.wait().unwrap();
            return None;
        }
        Some(Self { folder, holder, size })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Leaves no room at all, whatever is written meanwhile.
    pub(crate) fn fill(&self) {
        // A size below what is in use is refused; somebody may have written in between.
        let filled = (0..100).any(|_| self.remount(&format!("size={}", self.used().max(4096))));
        assert!(filled, "the disk could not be made small");
    }

    /// Gives the room back.
    pub(crate) fn free(&self) {
        assert!(self.remount(&format!("size={}", self.size)), "the disk could not be made large");
    }

    /// Only while nobody has a file on it open for writing.
    pub(crate) fn make_read_only(&self) {
        assert!(self.remount("ro"), "the disk is in use");
    }

    pub(crate) fn make_writable(&self) {
        assert!(self.remount("rw"));
    }

    fn used(&self) -> u64 {
        let disk = rustix::fs::statvfs(self.path()).unwrap();
        (disk.f_blocks - disk.f_bfree) * disk.f_frsize
    }

    fn remount(&self, options: &str) -> bool {
        let mut command = Command::new("mount");
        command.args(["-o", &format!("remount,{options}")]).arg(self.path()).stderr(Stdio::null());
        command.status().unwrap().success()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(self.holder.stdin.take());
        let _ = self.holder.wait();
    }
}

/// From now on no file of this process grows past so many bytes: a write there fails as on a full disk. With zero
/// every write to a file fails, as on a disk that has become read-only.
pub(crate) fn refuse_growth(pid: u32, bytes: u64) {
    limit(pid, Some(bytes));
}

pub(crate) fn allow_growth(pid: u32) {
    limit(pid, getrlimit(Resource::Fsize).current);
}

fn limit(pid: u32, bytes: Option<u64>) {
    let pid = Pid::from_raw(pid.try_into().unwrap());
    let maximum = getrlimit(Resource::Fsize).maximum;
    prlimit(pid, Resource::Fsize, Rlimit { current: bytes, maximum }).unwrap();
}

/// How large a file is now.
pub(crate) fn size_of(file: &Path) -> u64 {
    File::open(file).and_then(|file| file.metadata()).map_or(0, |file| file.len())
}
