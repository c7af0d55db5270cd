//! `baton evidence export`: a network's or a task's evidence as files. Every file is written beside its place first
//! and gets its name when all are there: an export that breaks off on the way leaves nothing. Naming them is one rename
//! after the other, the side file before its bundle; stopped there, the first ones have their names.

use baton_evidence::whole_file::WholeFile;
use clap::Args;
use reqwest::Response;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::reading;
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::shell_word;
use crate::cli::tasks::task_id;
use crate::client::evidence::{ExportArgs, ExportFile, PageArgs};
use crate::rest::{LOG_FROM, LOG_TO};

/// Write a network's or a task's evidence to files anyone can check offline
///
/// Writes the bundle FILE and its side file FILE.proof.json with the signed checkpoint, the proofs and the raw
/// packets. A bundle holds at most 100 000 events; a longer log continues in NAME.2.tar.gz, NAME.3.tar.gz and so on,
/// each with its own side file. No file gets its name before all have been fetched. Files that are already there are
/// replaced only with --force.
#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    connection: Connection,
    /// Only events about this task, by its id or the beginning of it
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    /// Only events from this index in the log on
    #[arg(long, value_name = "INDEX")]
    from: Option<u64>,
    /// Only events before this index in the log
    #[arg(long, value_name = "INDEX")]
    to: Option<u64>,
    /// Where to write the bundle
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Replace files that are already there
    #[arg(long)]
    force: bool,
}

/// What is exported, and from where.
#[derive(Clone, Copy)]
struct ExportSource<'a> {
    link: &'a Link,
    network: &'a str,
    task: Option<&'a str>,
}

/// A bundle and its side file, written but not yet named.
struct Part {
    bundle: Written,
    side_file: Written,
    stretch: IndexRange,
}

struct Written {
    file: WholeFile,
    path: PathBuf,
    bytes: u64,
}

/// A stretch of the log, without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct IndexRange {
    from: u64,
    to: u64,
}

/// What is reported about a part.
#[derive(Debug, Serialize)]
struct ExportedPart {
    bundle: String,
    bundle_bytes: u64,
    side_file: String,
    side_file_bytes: u64,
    #[serde(flatten)]
    stretch: IndexRange,
}

impl Export {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        if self.output == Path::new("-") {
            return Err(Failure::usage("an export is two files; pass the name of the first with -o FILE"));
        }
        self.must_be_new(&self.output)?;
        block_on(async {
            let link = self.connection.open()?;
            let network = link.the_network().await?;
            let task = task_id::find_if_named(&link, self.task.as_deref()).await?;
            let of = ExportSource { link: &link, network: &network, task: task.as_deref() };
            let parts = self.fetch(of).await?;
            let told =
                parts.into_iter().map(|part| part.commit(self.force)).collect::<Result<Vec<_>, _>>()?;
            self.print(of, &told)
        })
    }

    /// Neither the bundle nor its side file is there, or both may be replaced.
    fn must_be_new(&self, bundle: &Path) -> Result<(), Failure> {
        if self.force {
            return Ok(());
        }
        match [bundle, &side_path(bundle)].into_iter().find(|path| path.symlink_metadata().is_ok()) {
            Some(path) => Err(already_there(path)),
            None => Ok(()),
        }
    }

    /// Bundle after bundle, each as long as the hub makes it, up to an end that is fixed before the first, however the
    /// log grows meanwhile.
    async fn fetch(&self, of: ExportSource<'_>) -> Result<Vec<Part>, Failure> {
        let to = self.end(of).await?;
        let mut from = self.from.unwrap_or(0);
        let mut parts = Vec::new();
        for number in 1.. {
            let part = match self.part(of, number, IndexRange { from, to }).await {
                // Nothing more is about the task in what is left.
                Err(Failure::Client(error)) if error.code() == Some("no_evidence") && number > 1 => break,
                part => part?,
            };
            let stretch = part.stretch;
            if stretch.from != from || stretch.to <= from {
                return Err(of
                    .link
                    .client
                    .unexpected_response("an export covers other events than were asked for")
                    .into());
            }
            parts.push(part);
            from = stretch.to;
            if from >= to {
                break;
            }
        }
        Ok(parts)
    }

    /// The end of the range: as given, or where the log ends now.
    async fn end(&self, of: ExportSource<'_>) -> Result<u64, Failure> {
        if let Some(to) = self.to {
            return Ok(to);
        }
        let args = PageArgs { network_id: of.network, task_id: of.task, after: None, limit: 1 };
        Ok(of.link.client.evidence(&args).await.map_err(reading::failed)?.size)
    }

    async fn part(&self, of: ExportSource<'_>, number: u32, asked: IndexRange) -> Result<Part, Failure> {
        let ExportSource { link, network, task } = of;
        let path = part_path(&self.output, number);
        self.must_be_new(&path)?;
        let (from, to) = (Some(asked.from), Some(asked.to));
        let args = ExportArgs { network_id: network, task_id: task, from, to };
        let answer = link.client.export(ExportFile::Bundle, &args).await.map_err(reading::failed)?;
        let stretch = IndexRange::of(link, &answer)?;
        let bundle = write(link, answer, path.clone()).await?;
        // The same events, however many there are by now.
        let args = ExportArgs { from: Some(stretch.from), to: Some(stretch.to), ..args };
        let answer = link.client.export(ExportFile::SideFile, &args).await.map_err(reading::failed)?;
        if IndexRange::of(link, &answer)? != stretch {
            return Err(link
                .client
                .unexpected_response("the side file covers other events than its bundle")
                .into());
        }
        let side_file = write(link, answer, side_path(&path)).await?;
        Ok(Part { bundle, side_file, stretch })
    }

    fn print(&self, of: ExportSource<'_>, parts: &[ExportedPart]) -> Result<ExitCode, Failure> {
        let network = of.network;
        let text = if self.connection.is_json() {
            format!(
                "{}\n",
                serde_json::json!({"ok": true, "network_id": network, "task_id": of.task, "files": parts})
            )
        } else {
            parts.iter().map(|part| part.lines(of)).collect()
        };
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)?;
        Ok(ExitCode::SUCCESS)
    }
}

impl IndexRange {
    /// Which events an export covers, as its head says.
    fn of(link: &Link, answer: &Response) -> Result<Self, Failure> {
        let number = |name| answer.headers().get(name)?.to_str().ok()?.parse().ok();
        match (number(LOG_FROM), number(LOG_TO)) {
            (Some(from), Some(to)) => Ok(Self { from, to }),
            _ => Err(link.client.unexpected_response("it does not say which events an export covers").into()),
        }
    }
}

impl Part {
    fn commit(self, may_replace: bool) -> Result<ExportedPart, Failure> {
        let told = ExportedPart {
            bundle: self.bundle.path.display().to_string(),
            bundle_bytes: self.bundle.bytes,
            side_file: self.side_file.path.display().to_string(),
            side_file_bytes: self.side_file.bytes,
            stretch: self.stretch,
        };
        // Stopped between the two, a side file is left that proves nothing about an older bundle, and verify reports it.
        self.side_file.commit(may_replace)?;
        self.bundle.commit(may_replace)?;
        Ok(told)
    }
}

impl Written {
    fn commit(self, may_replace: bool) -> Result<(), Failure> {
        let named = if may_replace { self.file.commit() } else { self.file.commit_new() };
        named.map_err(|error| match error.kind() {
            // Somebody wrote it since we looked.
            io::ErrorKind::AlreadyExists => already_there(&self.path),
            _ => Failure::Write { name: self.path.display().to_string(), error },
        })
    }
}

impl ExportedPart {
    fn lines(&self, of: ExportSource<'_>) -> String {
        let Self { bundle, bundle_bytes, side_file, side_file_bytes, stretch } = self;
        let (network, first, last) = (of.network, stretch.from, stretch.to.saturating_sub(1));
        let what = match of.task {
            Some(task) => {
                format!("events about task {task} among those of network {network}, index {first} to {last}")
            }
            None => format!("events of network {network}, index {first} to {last}"),
        };
        format!(
            "wrote {bundle} ({bundle_bytes} bytes): {what}\n\
             wrote {side_file} ({side_file_bytes} bytes): the checkpoint, the proofs and the raw packets\n\
             check them, offline: baton evidence verify {}\n",
            quoted(bundle)
        )
    }
}

fn already_there(path: &Path) -> Failure {
    Failure::usage(format!(
        "{} already exists; pass another -o FILE, or --force to replace the files of an earlier export",
        path.display()
    ))
}

async fn write(link: &Link, mut answer: Response, path: PathBuf) -> Result<Written, Failure> {
    let failed = |error| Failure::Write { name: path.display().to_string(), error };
    let mut file = WholeFile::create(&path).map_err(failed)?;
    let mut bytes = 0;
    while let Some(piece) = link.client.next_piece(&mut answer).await? {
        file.write_all(&piece).map_err(failed)?;
        bytes += piece.len() as u64;
    }
    Ok(Written { file, path, bytes })
}

/// `x.tar.gz`, then `x.2.tar.gz`; any other name gets its number at the end.
fn part_path(output: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return output.to_owned();
    }
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    output.with_file_name(match name.strip_suffix(".tar.gz") {
        Some(stem) => format!("{stem}.{number}.tar.gz"),
        None => format!("{name}.{number}"),
    })
}

fn side_path(bundle: &Path) -> PathBuf {
    let mut path = bundle.to_owned().into_os_string();
    path.push(".proof.json");
    path.into()
}

/// A path as a shell takes it, and no command for an option.
fn quoted(path: &str) -> String {
    if path.starts_with('-') {
        return shell_word::quoted(&format!("./{path}"));
    }
    shell_word::quoted(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_bundles_keep_their_ending() {
        let path = |output: &str, number| part_path(Path::new(output), number).display().to_string();
        assert_eq!(path("a/x.tar.gz", 1), "a/x.tar.gz");
        assert_eq!(path("a/x.tar.gz", 2), "a/x.2.tar.gz");
        assert_eq!(path("x", 3), "x.3");
        assert_eq!(side_path(Path::new("x.2.tar.gz")), Path::new("x.2.tar.gz.proof.json"));
    }

    #[test]
    fn a_path_is_never_read_as_an_option() {
        assert_eq!(quoted("a/b.tar.gz"), "a/b.tar.gz");
        assert_eq!(quoted("-x y"), "'./-x y'");
    }
}
