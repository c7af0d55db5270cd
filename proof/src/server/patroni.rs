//! Three PostgreSQL servers under Patroni, each commit on two of them: `scripts/patroni.sh run`.

use rustix::process::Signal;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::{Process, command, first_address};
use crate::failure::Failure;

const NAME: &str = "Patroni";
const READY: &str = "baton hub start --store ";
/// Three databases are made and copied first.
const READY_MAX: std::time::Duration = std::time::Duration::from_secs(150);

/// A running cluster.
pub(crate) struct Patroni {
    _process: Process,
    /// Where hubs find it.
    pub(crate) url: String,
}

impl Patroni {
    pub(crate) fn start(script: &Path, folder: &Path) -> Result<Self, Failure> {
        // Root runs it as a user who has to come into the folder.
        fs::set_permissions(folder, Permissions::from_mode(0o755))
            .map_err(Failure::file(folder.display()))?;
        let cluster: PathBuf = folder.join("cluster");
        let mut run = command(script.as_os_str(), Signal::TERM, &[]);
        run.arg("run").arg(&cluster).env("SHARED_BUFFERS", "512MB").env("MAX_WAL_SIZE", "4GB");
        // What went wrong is on its stderr, and belongs to whoever runs this.
        run.stdout(Stdio::piped());
        let mut process = Process::start(NAME, &mut run, Signal::TERM)?;
        let output = process.child().stdout.take().ok_or_else(|| Failure::of(NAME)("no output"))?;
        let url = first_address(output, READY).recv_timeout(READY_MAX);
        let url =
            url.map_err(|_| Failure::of(NAME)(format!("not ready within {} s", READY_MAX.as_secs())))?;
        Ok(Self { _process: process, url: url.trim_matches('\'').to_owned() })
    }
}
