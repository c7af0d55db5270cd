//! `baton hub restore`: a backup becomes a data folder again, all of it or nothing. The files are unpacked and checked
//! in a folder inside the new one, and moved into place only then. As long as that inner folder is there no hub starts
//! on the outer one; whoever is stopped in the middle restores again. A database on PostgreSQL is filled from the unpacked
//! one in one transaction, before the other files are moved: if that was cut off after its COMMIT, the next try finds
//! that the database has this backup and goes on with the files.

use baton_store::{ConnectionSettings, Filled};
use clap::Args;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::Trouble;
use super::folder::{self, Folder};
use super::store_option::{StoreOption, StorePlace};
use crate::backup::{Manifest, Unfit, unpack};
use crate::cli::failure::Failure;
use crate::cli::plain;
use crate::cli::screen::note;
use crate::data_folder::DataFolder;

/// Create a data folder from a backup
///
/// The folder must be empty or missing, and with --store the PostgreSQL database must be empty; data is never overwritten. A backup
/// of either kind of database can be restored to either. What happened after the backup is not in it: tasks, users
/// and tokens are as they were then, and the logs of evidence are as short as they were then. Auditors of the
/// longer logs will see that (`baton evidence audit`): tell them why.
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The backup
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    folder: Folder,
    #[command(flatten)]
    store: StoreOption,
}

impl Restore {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let folder = self.folder.find()?;
        let place = self.store.find()?;
        let name = self.file.display().to_string();
        let file = File::open(&self.file).map_err(|error| Failure::Read { name: name.clone(), error })?;
        must_be_free(&folder)?;
        let is_new = !folder.path().exists();
        let _lock = folder::take_to_restore(&folder)?;
        if is_new {
            sync(&folder.path().join("..")).map_err(|error| cannot(&folder, error))?; // its own name
        }
        must_be_free(&folder)?; // seen again, now that nobody else can write to it
        let restored = restore(&folder, &place, file);
        if restored.is_err() {
            clear(&folder).map_err(|error| cannot(&folder, error))?;
        }
        let manifest = restored.map_err(|trouble| match trouble {
            Broke::Backup(error) => Trouble::Backup { file: self.file.clone(), error },
            Broke::Folder(error) => cannot(&folder, error),
            Broke::Store(error) => place.trouble(&folder, error),
        })?;
        self.tell(&folder, &place, &manifest)
    }

    fn tell(
        &self,
        folder: &DataFolder,
        place: &StorePlace,
        manifest: &Manifest,
    ) -> Result<ExitCode, Failure> {
        let shown = plain::exact(&folder.path().display().to_string()).to_string();
        let into = match place {
            StorePlace::Folder => shown,
            StorePlace::Postgres(settings) => format!("{} and {shown}", plain::exact(&settings.to_string())),
        };
        let said = writeln!(
            io::stdout(),
            "restored into {into}: the state of {} UTC, written by baton {}\n\
             What happened after that is not in it, and the logs of evidence end there: whoever audited them later \
             will see that they are shorter now.",
            plain::exact(&manifest.made_at),
            plain::exact(&manifest.version),
        );
        said.map_err(Failure::stdout)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// What stopped a restore.
enum Broke {
    Backup(Unfit),
    Folder(io::Error),
    Store(baton_store::Error),
}

impl From<io::Error> for Broke {
    fn from(error: io::Error) -> Self {
        Self::Folder(error)
    }
}

fn cannot(folder: &DataFolder, error: io::Error) -> Trouble {
    Trouble::Folder { folder: folder.path().into(), error }
}

/// Files of a restore that did not finish are its own to remove; anything else is somebody's.
fn must_be_free(folder: &DataFolder) -> Result<(), Trouble> {
    let names = match fs::read_dir(folder.path()) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(cannot(folder, error)),
    };
    let unfinished = folder.restoring().exists();
    for entry in names {
        let path = entry.map_err(|error| cannot(folder, error))?.path();
        let is_ours = path == folder.lock_file() || unfinished && own(folder).contains(&path);
        if !is_ours {
            return Err(Trouble::NotEmpty { folder: folder.path().into() });
        }
    }
    Ok(())
}

/// What a restore puts into a folder.
fn own(folder: &DataFolder) -> [PathBuf; 4] {
    [folder.restoring(), folder.database(), folder.evidence_key(), folder.artifacts()]
}

/// Whatever happens in here, the inner folder is there until all files are in their places and the disk has that.
fn restore(folder: &DataFolder, place: &StorePlace, file: File) -> Result<Manifest, Broke> {
    clear(folder)?;
    let inner = DataFolder::new(folder.restoring());
    DirBuilder::new().mode(0o700).create(inner.path())?;
    sync(folder.path())?;
    let manifest =
        unpack(io::BufReader::new(file), inner.path(), baton_store::schema()).map_err(Broke::Backup)?;
    look_at(&inner, &manifest).map_err(Broke::Backup)?;
    if let StorePlace::Postgres(settings) = place {
        fill(settings, &inner, &manifest)?;
    }
    for (from, to) in [
        (inner.artifacts(), folder.artifacts()),
        (inner.evidence_key(), folder.evidence_key()),
        (inner.database(), folder.database()),
    ] {
        if from.exists() {
            fs::rename(from, to)?;
        }
    }
    sync(folder.path())?;
    fs::remove_dir(inner.path())?;
    sync(folder.path())?;
    Ok(manifest)
}

/// Fills an empty database on PostgreSQL with the rows of the unpacked one, which is not needed any more then.
fn fill(settings: &ConnectionSettings, inner: &DataFolder, manifest: &Manifest) -> Result<(), Broke> {
    let database = inner.database();
    let filled = baton_store::fill_postgres(settings, &database, &manifest.mark(), |_| {});
    if filled.map_err(Broke::Store)? == Filled::Before {
        note("the database has this backup already; only the files in the data folder are restored");
    }
    fs::remove_file(database)?;
    Ok(())
}

/// The files against each other: whole pages, the schema that was named, the key its checkpoints are signed with.
fn look_at(inner: &DataFolder, manifest: &Manifest) -> Result<(), Unfit> {
    let facts =
        baton_store::look_at_copy(&inner.database()).map_err(|error| Unfit::Damaged(error.cause()))?;
    if facts.schema != manifest.schema {
        return Err(Unfit::Damaged(format!("its database has schema {}", facts.schema)));
    }
    let key = inner.evidence_public_key(facts.evidence_key.as_deref());
    key.map_err(|error| Unfit::Damaged(format!("evidence.key: {error}")))?;
    Ok(())
}

/// Removes what a restore put there; the inner folder last, which says that it did not finish.
fn clear(folder: &DataFolder) -> io::Result<()> {
    if !folder.restoring().exists() {
        return Ok(());
    }
    for file in [folder.database(), folder.evidence_key()] {
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    match fs::remove_dir_all(folder.artifacts()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    sync(folder.path())?;
    fs::remove_dir_all(folder.restoring())?;
    sync(folder.path())
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
