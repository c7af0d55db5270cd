//! `baton evidence bundle`: events, one a line, into a bundle.

use baton_evidence::bundle::{BundleWriter, WriteError, limits};
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::{EventLine, LineError};
use baton_evidence::lines::{Line, Lines};
use baton_evidence::whole_file::WholeFile;
use clap::Args;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::failure::Failure;
use crate::cli::input::Input;

/// Pack events into a bundle
///
/// Run id, sequence number and id of each event are given again; its content and so its content hash stay. Lines
/// of `baton adapt` are taken as they are.
#[derive(Debug, Args)]
pub(crate) struct Bundle {
    /// The events, one JSON object a line, - for standard input
    #[arg(value_name = "IN.ndjson")]
    input: PathBuf,
    /// Where to write the bundle
    #[arg(short, long, value_name = "OUT.tar.gz")]
    output: PathBuf,
    /// The run id all events get, without a colon; by default made from the first event
    #[arg(long, value_name = "ID")]
    run_id: Option<String>,
}

impl Bundle {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let input = Input::open(&self.input)?;
        let names = Names { input: input.name.clone(), output: self.output.display().to_string() };
        let out = WholeFile::create(&self.output).map_err(|error| names.unwritten(error))?;
        let spool = spool(&self.output).map_err(|error| names.unwritten(error))?;
        let bundle = BundleWriter::new(spool, self.run_id.clone());
        let mut bundle = bundle.map_err(|error| names.pack(error))?;
        self.add_each(input, &mut bundle, &names)?;
        let (packed, out) = bundle.finish(out).map_err(|error| names.pack(error))?;
        out.commit().map_err(|error| names.unwritten(error))?;
        let line = format!("{} events packed, run root {}\n", packed.event_count, packed.run_root);
        io::stdout().write_all(line.as_bytes()).map_err(Failure::stdout)?;
        Ok(ExitCode::SUCCESS)
    }

    fn add_each(&self, input: Input, bundle: &mut BundleWriter<File>, names: &Names) -> Result<(), Failure> {
        // A line of `baton adapt` is an event and a report around it.
        let mut lines = Lines::new(input, 2 * limits::LINE_BYTES);
        let mut writer = Writer::new();
        let mut number = 0;
        loop {
            number += 1;
            let line = lines.next_line();
            match line.map_err(|error| Failure::Read { name: names.input.clone(), error })? {
                None => return Ok(()),
                Some(Line::TooLong) => {
                    return Err(names.line(number, format!("longer than {} bytes", limits::LINE_BYTES)));
                }
                Some(Line::Whole(line)) => {
                    let text =
                        std::str::from_utf8(line).map_err(|_| names.line(number, "not UTF-8".into()))?;
                    let text = event_text(text).map_err(|message| names.line(number, message.into()))?;
                    let event = EventLine::read(&mut writer, text);
                    let event = event.map_err(|error: LineError| names.line(number, error.to_string()))?;
                    bundle.add(&event).map_err(|error| match error {
                        // The input's line may not be the bundle's.
                        WriteError::Refused(refusal) => {
                            names.line(number, format!("{}: {}", refusal.code, refusal.message))
                        }
                        error @ WriteError::Io(_) => names.pack(error),
                    })?;
                }
            }
        }
    }
}

/// The event in a line: the line itself, or what `baton adapt` answered with.
fn event_text(line: &str) -> Result<&str, &'static str> {
    #[derive(Deserialize)]
    struct AdaptLine<'a> {
        ok: bool,
        #[serde(borrow)]
        event: Option<&'a RawValue>,
    }
    match serde_json::from_str::<AdaptLine<'_>>(line) {
        Ok(AdaptLine { ok: true, event: Some(event) }) => Ok(event.get()),
        Ok(AdaptLine { ok: false, .. }) => {
            Err("a packet that was refused; leave the line out to pack the rest")
        }
        _ => Ok(line),
    }
}

/// An unnamed file beside the bundle, gone with this process.
fn spool(output: &Path) -> io::Result<File> {
    match output.parent() {
        Some(folder) if folder != Path::new("") => tempfile::tempfile_in(folder),
        _ => tempfile::tempfile_in("."),
    }
}

struct Names {
    input: String,
    output: String,
}

impl Names {
    fn unwritten(&self, error: io::Error) -> Failure {
        Failure::Write { name: self.output.clone(), error }
    }

    fn pack(&self, error: WriteError) -> Failure {
        Failure::pack(&self.input, &self.output, error)
    }

    fn line(&self, line: u64, message: String) -> Failure {
        Failure::Line { name: self.input.clone(), line, message }
    }
}
