//! `baton hub backup`: everything a hub keeps, as it was at one moment, in one file. A running hub makes the copy of
//! SQLite database itself, between its writes; one on PostgreSQL is read here, in one state, into the same form. The
//! copy is checked, packed and given its name once the disk has it.

use baton_evidence::whole_file::WholeFile;
use baton_store::{CopyFacts, CopyProgress};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tempfile::NamedTempFile;

use super::Trouble;
use super::folder::{self, Folder};
use super::store_option::{StoreOption, StorePlace};
use crate::backup::{Contents, Manifest, artifacts_of, look_over, pack};
use crate::cli::failure::Failure;
use crate::cli::plain;
use crate::cli::screen::note;
use crate::control::{Answer, Command, Control, ControlError};
use crate::data_folder::DataFolder;
use crate::hub::Clock;
use crate::service::WireTime;

/// Write everything a hub keeps to one file, also while it runs
///
/// FILE holds the database as it was at one moment, the bytes of its artifacts if they lie in the hub's folder, and the key
/// that signs the evidence: whoever has it can sign as
/// this hub, and has the hashes of passwords and tokens. It is made for its owner alone, and appears under its name
/// only when it is whole and on the disk. Beside it there must be room for the database once more while it is made.
///
/// A backup has the same form whichever database the hub uses, and can be restored to either: this is also the way from
/// SQLite to PostgreSQL and back.
#[derive(Debug, Args)]
pub(crate) struct Backup {
    #[command(flatten)]
    folder: Folder,
    #[command(flatten)]
    store: StoreOption,
    /// Where to write it
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Replace FILE if it is there
    #[arg(long)]
    force: bool,
}

impl Backup {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let folder = self.folder.find()?;
        if !self.force && self.output.symlink_metadata().is_ok() {
            return Err(Failure::usage(format!(
                "{} already exists; pass another -o FILE, or --force to replace it",
                self.output.display()
            )));
        }
        // From before the copy: whatever the copy names is there until it is packed.
        let held = hold_objects(&folder)?;
        let copy = self.copy(&folder, &self.store.find()?)?;
        let facts = baton_store::look_at_copy(copy.path()).map_err(Trouble::Copy)?;
        let manifest = self.write(&folder, copy, &facts)?;
        drop(held);
        self.tell(&manifest)
    }

    fn failed(&self, error: io::Error) -> Failure {
        Failure::Write { name: self.output.display().to_string(), error }
    }

    /// A copy of the database, under a name of its own beside the file to be.
    fn copy(&self, folder: &DataFolder, place: &StorePlace) -> Result<NamedTempFile, Failure> {
        let beside = match self.output.parent() {
            Some(parent) if parent != Path::new("") => parent.canonicalize(),
            _ => std::env::current_dir(),
        };
        let copy = beside.and_then(|beside| {
            tempfile::Builder::new().prefix(".baton-").suffix(".db.tmp").tempfile_in(beside)
        });
        let copy = copy.map_err(|error| self.failed(error))?;
        let bar = progress_bar();
        match place {
            StorePlace::Folder => match Control::connect(&folder.socket()).map_err(Trouble::from)? {
                Some(control) => ask(control, copy.path(), &bar)?,
                None => copy_closed(folder, copy.path(), &bar)?,
            },
            StorePlace::Postgres(settings) => {
                let copied =
                    baton_store::copy_postgres(settings, copy.path(), |progress| show(&bar, progress));
                copied.map_err(|error| place.trouble(folder, error))?;
                // It was made here, and nobody has synced it.
                copy.as_file().sync_all().map_err(|error| self.failed(error))?;
            }
        }
        bar.finish_and_clear();
        Ok(copy)
    }

    fn write(
        &self,
        folder: &DataFolder,
        mut copy: NamedTempFile,
        facts: &CopyFacts,
    ) -> Result<Manifest, Failure> {
        let key = read_key(folder, facts)?;
        let made_at = WireTime(Clock::start().now()).to_string();
        let out = WholeFile::create_private(&self.output);
        let mut out = out.map_err(|error| self.failed(error))?;
        let artifacts = artifacts_of(copy.path()).map_err(Trouble::Copy)?;
        let (evidence_key, folder) = (key.as_deref(), &folder.artifacts());
        let contents = Contents { evidence_key, artifacts: &artifacts, folder };
        let manifest = pack(&mut out, copy.as_file_mut(), &contents, facts.schema, made_at);
        let (manifest, packed) = manifest.map_err(|error| self.failed(error))?;
        let missing = (artifacts.len() as u64).saturating_sub(packed);
        if missing > 0 {
            let all = artifacts.len();
            note(&format!(
                "{missing} of {all} artifacts are not in it: their bytes do not lie in {}",
                folder.display()
            ));
        }
        // Read back before it gets its name: whoever needs it has nothing else.
        let written = out.reopen().map_err(|error| self.failed(error))?;
        look_over(BufReader::new(written), &artifacts)
            .map_err(|error| Trouble::Written { file: self.output.clone(), error })?;
        let named = if self.force { out.commit() } else { out.commit_new() };
        named.map_err(|error| self.failed(error))?;
        Ok(manifest)
    }

    fn tell(&self, manifest: &Manifest) -> Result<ExitCode, Failure> {
        let file = self.output.display().to_string();
        let bytes = std::fs::metadata(&self.output).map_err(|error| self.failed(error))?.len();
        let said = writeln!(
            io::stdout(),
            "wrote {}: {bytes} bytes, schema {}, {} UTC\n\
             It holds the key that signs this hub's evidence, and the hashes of passwords and tokens: keep it as you \
             keep the hub's folder.",
            plain::exact(&file),
            manifest.schema,
            manifest.made_at,
        );
        said.map_err(Failure::stdout)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Keeps a running hub from deleting bytes of artifacts, for as long as this is held.
fn hold_objects(folder: &DataFolder) -> Result<Option<Control>, Trouble> {
    let Some(mut control) = Control::connect(&folder.socket())? else { return Ok(None) };
    match control.ask(&Command::HoldObjects) {
        Ok(Answer::ObjectsHeld) => Ok(Some(control)),
        // A hub from before there were artifacts has none to delete.
        Err(ControlError::Refused(_)) => Ok(None),
        Ok(_) => Err(ControlError::Unexpected.into()),
        Err(error) => Err(error.into()),
    }
}

/// The running hub makes the copy.
fn ask(mut control: Control, to: &Path, bar: &ProgressBar) -> Result<(), Trouble> {
    let mut answer = control.ask(&Command::Copy { to: to.to_owned() })?;
    loop {
        match answer {
            Answer::Copying { pages, of } => show(bar, CopyProgress { pages, of }),
            Answer::Copied => return Ok(()),
            _ => return Err(ControlError::Unexpected.into()),
        }
        answer = control.hear()?;
    }
}

/// No hub runs, and with the lock held none can start meanwhile.
fn copy_closed(folder: &DataFolder, to: &Path, bar: &ProgressBar) -> Result<(), Trouble> {
    folder::must_hold_a_hub(folder)?;
    let _lock = folder::take(folder)?;
    let copied = baton_store::copy_closed(&folder.database(), to, |progress| show(bar, progress));
    copied.map_err(Trouble::Copy)
}

/// The key file, if it is the one the copy's checkpoints are signed with.
fn read_key(folder: &DataFolder, facts: &CopyFacts) -> Result<Option<Vec<u8>>, Failure> {
    let file = folder.evidence_key();
    let wrong = |error| Trouble::EvidenceKey { file: file.clone(), error };
    if folder.evidence_public_key(facts.evidence_key.as_deref()).map_err(wrong)?.is_none() {
        return Ok(None);
    }
    let read = std::fs::read(&file);
    let key = read.map_err(|error| Failure::Read { name: file.display().to_string(), error })?;
    Ok(Some(key))
}

/// On a terminal; nothing elsewhere.
fn progress_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("copying {wide_bar} {percent} %");
    ProgressBar::new(1).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn show(bar: &ProgressBar, progress: CopyProgress) {
    bar.set_length(progress.of);
    bar.set_position(progress.pages);
}
