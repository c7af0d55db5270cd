//! `baton evidence show`: what a bundle holds. The bundle is checked first; a refused one is not listed.

use baton_evidence::bundle::{VerifyError, verify, verify_each};
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::EventLine;
use clap::Args;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use super::findings::GUARDRAIL;
use crate::cli::failure::Failure;
use crate::cli::plain;

/// List the contents of a bundle, after checking it
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The bundle
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The events themselves, one JSON object a line
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let name = self.file.display().to_string();
        let unread = |error| Failure::Read { name: name.clone(), error };
        let refused = |error: VerifyError| Failure::verify(&name, error);
        let mut file = File::open(&self.file).map_err(unread)?;
        let checked = verify(&mut file).map_err(refused)?;
        file.rewind().map_err(unread)?;

        let mut list = List { out: BufWriter::new(io::stdout().lock()), line: Writer::new(), trouble: None };
        if !self.json {
            list.print(format_args!(
                "{} events of run {}, run root {}\n\n{:>6}  {:<24}  {:<19}  {:<14}  subject\n",
                checked.event_count,
                plain::exact(&checked.manifest.run_id),
                checked.run_root,
                "seq",
                "time",
                "event",
                "handoff"
            ));
        }
        verify_each(&mut file, |event| if self.json { list.json(event) } else { list.row(event) })
            .map_err(refused)?;
        if !self.json {
            list.print(format_args!("\n{GUARDRAIL}\n"));
        }
        list.finish().map_err(Failure::stdout)?;
        Ok(ExitCode::SUCCESS)
    }
}

struct List {
    out: BufWriter<io::StdoutLock<'static>>,
    line: Writer,
    /// The first failed write; the walk over the bundle cannot be stopped from inside.
    trouble: Option<io::Error>,
}

impl List {
    fn print(&mut self, text: std::fmt::Arguments<'_>) {
        if self.trouble.is_none() {
            self.trouble = self.out.write_fmt(text).err();
        }
    }

    fn json(&mut self, event: &EventLine<'_>) {
        self.line.clear();
        event.write(&mut self.line);
        let line = String::from_utf8_lossy(self.line.bytes()).into_owned();
        self.print(format_args!("{line}\n"));
    }

    fn row(&mut self, event: &EventLine<'_>) {
        let kind = event.kind.strip_prefix("assay.adapter.a2a.").unwrap_or(&event.kind);
        let subject = plain::exact(event.subject.as_deref().unwrap_or("-"));
        let (seq, time, handoff) = (event.seq, event.time.to_string(), handoff_of(event));
        self.print(format_args!(
            "{seq:>6}  {time:<24}  {:<19}  {handoff:<14}  {subject}\n",
            plain::exact(kind)
        ));
    }

    fn finish(mut self) -> io::Result<()> {
        match self.trouble {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }
}

/// The handoff flags in a word or two; events of other makers may have none.
fn handoff_of(event: &EventLine<'_>) -> &'static str {
    match event.handoff_visible() {
        Some(true) => "visible",
        Some(false) => "not visible",
        None => "-",
    }
}
