//! The machine and the versions of what ran on it, for the page.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A row of the table: what, and which.
pub(crate) type Fact = (&'static str, String);

const UNKNOWN: &str = "unknown";

/// All that is known of the machine, and of the programs at these places.
pub(crate) fn facts(baton: &Path, commit: Option<&str>, nats: &Path, postgres: &Path) -> Vec<Fact> {
    let cores = std::thread::available_parallelism().map_or(UNKNOWN.to_owned(), |cores| cores.to_string());
    let head = || said("git", &["rev-parse", "--short", "HEAD"]);
    let commit = commit.map_or_else(head, ToOwned::to_owned);
    vec![
        ("measured", said("date", &["-u", "+%Y-%m-%d"])),
        ("processor", format!("{}, {cores} cores", field("/proc/cpuinfo", "model name"))),
        ("memory", field("/proc/meminfo", "MemTotal")),
        ("kernel", said("uname", &["-sr"])),
        ("hub", format!("{}, commit {commit}", said(baton, &["--version"]))),
        ("NATS", said(nats, &["--version"])),
        ("PostgreSQL", said(postgres.join("postgres"), &["--version"])),
        ("SQLite alone", rusqlite::version().to_owned()),
        (
            "clients",
            "async-nats 0.51, tokio-postgres 0.7, and a plain one of our own over HTTP/1.1; one thread for all"
                .to_owned(),
        ),
    ]
}

/// The first line a program prints.
fn said(program: impl AsRef<OsStr>, words: &[&str]) -> String {
    let output = Command::new(program).args(words).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().filter(|line| !line.is_empty()).unwrap_or(UNKNOWN).to_owned()
}

/// The value behind a name in one of the kernel's lists.
fn field(file: &str, name: &str) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.map_or(UNKNOWN.to_owned(), |line| line.trim().trim_start_matches(':').trim().to_owned())
}
