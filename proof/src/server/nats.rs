//! NATS with JetStream, every write synced before it is acknowledged.

use rustix::process::Signal;
use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::Stdio;

use super::{Process, command, free_port};
use crate::failure::Failure;

pub(crate) const NAME: &str = "NATS JetStream";

/// A running server.
#[derive(Debug)]
pub(crate) struct Nats {
    _process: Process,
    pub(crate) url: String,
}

impl Nats {
    /// Starts `binary` with its files in `folder`.
    pub(crate) fn start(binary: &Path, folder: &Path) -> Result<Self, Failure> {
        let port = free_port(NAME)?;
        let store = folder.join("store");
        let settings = folder.join("nats.conf");
        let text = format!(
            "listen: \"127.0.0.1:{port}\"\njetstream {{\n  store_dir: \"{}\"\n  sync_interval: always\n}}\n",
            store.display()
        );
        fs::write(&settings, text).map_err(Failure::file(settings.display()))?;
        let log = folder.join("nats.log");
        let log = File::create(&log).map_err(Failure::file(log.display()))?;
        let mut start = command(binary.as_os_str(), Signal::TERM, &[]);
        start.arg("--config").arg(&settings).stdout(Stdio::null()).stderr(log);
        let mut process = Process::start(NAME, &mut start, Signal::TERM)?;
        process.wait_until(|| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok())?;
        Ok(Self { _process: process, url: format!("nats://127.0.0.1:{port}") })
    }
}
