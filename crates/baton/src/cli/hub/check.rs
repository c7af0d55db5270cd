//! `baton hub check`: whether a hub's tables, its history and its logs of evidence agree with each other. It reads
//! one state of the database, on either engine, takes no lock and writes nothing; hubs may run meanwhile.

mod findings;
mod keys;
mod leaf;
mod log;
mod objects;
mod parts;
mod report;
mod tables;
mod tree;

use baton_store::rows::{ArtifactState, ArtifactStorage, CheckReads};
use baton_store::{ConnectionSettings, Error};
use clap::Args;
use std::io::{self, Write};
use std::process::ExitCode;

use super::Trouble;
use super::folder::Folder;
use super::store_option::{StoreOption, StorePlace};
use crate::cli::failure::{Failure, REFUSED};
use crate::data_folder::DataFolder;
use findings::{Findings, Name, Place};
use keys::Keys;
use objects::Objects;
use report::{Report, Unread};

/// Check that a hub's tables and its logs of evidence agree
///
/// Reads only, in one state of the database, also while a hub runs. Exits with 0 if everything agrees, with 1 and a
/// line for each difference if not, with 2 if the database cannot be read. It shows that the folder agrees with
/// itself; it does not show that what was recorded is so, nor that the folder was never put back to an earlier state.
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    folder: Folder,
    #[command(flatten)]
    store: StoreOption,
    /// Also read every artifact and compare its bytes with its SHA-256
    #[arg(long)]
    deep: bool,
    /// Answer one JSON object
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let folder = self.folder.find()?;
        let report = match self.store.find()? {
            StorePlace::Folder => look_at_folder(&folder, self.deep)?,
            StorePlace::Postgres(settings) => look_at_postgres(&settings, &folder, self.deep)?,
        };
        let text = if self.json { report.to_json() } else { report.to_string() };
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)?;
        Ok(if report.agrees() { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) })
    }
}

/// What one state of a database shows, and where the bytes of its artifacts are.
struct Looked {
    report: Report,
    place: Option<ArtifactStorage>,
    has_no_artifacts: bool,
}

fn look_at_folder(folder: &DataFolder, is_deep: bool) -> Result<Report, Trouble> {
    let database = folder.database();
    if let Err(error) = std::fs::metadata(&database) {
        let no_hub = error.kind() == io::ErrorKind::NotFound && folder.path().is_dir();
        let error = if no_hub { io::Error::other("there is no hub in it") } else { error };
        return Err(Trouble::Folder { folder: folder.path().into(), error });
    }
    let looked = baton_store::inspect(&database, |rows| look_at(rows, folder));
    let read = |after, limit| baton_store::glance(&database, |rows| rows.artifact_states(after, limit));
    let report = looked.and_then(|looked| with_objects(looked, folder, is_deep, read));
    report.map_err(|error| match error {
        Error::Damaged(damage) => Trouble::Damaged { database, damage },
        error => Trouble::Database { database, error },
    })
}

fn look_at_postgres(
    settings: &ConnectionSettings,
    folder: &DataFolder,
    is_deep: bool,
) -> Result<Report, Trouble> {
    let looked = baton_store::inspect_postgres(settings, |rows| look_at(rows, folder));
    let read =
        |after, limit| baton_store::inspect_postgres(settings, |rows| rows.artifact_states(after, limit));
    let report = looked.and_then(|looked| with_objects(looked, folder, is_deep, read));
    report.map_err(|error| Trouble::Postgres { database: settings.to_string(), error })
}

/// Adds what the bytes of artifacts show. `read` gives artifacts as they are at that time.
fn with_objects(
    looked: Looked,
    folder: &DataFolder,
    is_deep: bool,
    read: impl FnMut(i64, usize) -> Result<Vec<ArtifactState>, Error>,
) -> Result<Report, Error> {
    let Looked { mut report, place, has_no_artifacts } = looked;
    match place {
        Some(ArtifactStorage::Folder) => {
            let objects = Objects::of(folder.artifacts(), is_deep);
            report.counts.artifacts = objects.look(&mut report.findings, read)?;
        }
        _ if has_no_artifacts => {}
        Some(ArtifactStorage::Bucket(bucket)) => report.unread_artifacts = Some(Unread::InBucket(bucket)),
        None => report.unread_artifacts = Some(Unread::PlaceNotKnown),
    }
    Ok(report)
}

fn look_at(rows: &dyn CheckReads, folder: &DataFolder) -> Result<Looked, Error> {
    let mut findings = Findings::default();
    for difference in rows.schema_differences()? {
        findings.add(Name::Schema, Place::default(), difference);
    }
    let keys = Keys::find(rows, folder, &mut findings)?;
    let mut counts = report::Counts { networks: rows.network_count()?, ..report::Counts::default() };
    // The logs first: one entry bundle that is lost makes many rows of history differ, and should stand above them.
    let found = log::look_at_all(rows, &keys, &mut findings, &mut counts)?;
    let links = tables::look(rows, &mut findings, &mut counts)?;
    tables::name_unmatched(rows, &links, &found, &mut findings)?;
    let report = Report { counts, findings, unread_key: keys.unread, unread_artifacts: None };
    let has_no_artifacts = rows.artifact_states(0, 1)?.is_empty();
    Ok(Looked { report, place: rows.artifact_place()?, has_no_artifacts })
}
