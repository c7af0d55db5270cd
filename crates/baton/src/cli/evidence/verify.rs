//! `baton evidence verify`: a bundle's bytes against each other, and with its side file against the log: the
//! signature, the proofs, and the adapter run again.

use baton_evidence::bundle;
use baton_evidence::export;
use clap::Args;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::findings::Findings;
use super::known_key::KnownKey;
use crate::cli::failure::Failure;
use crate::cli::input::Input;

/// Check that a bundle's bytes agree with each other, and with the log they were taken from
///
/// Offline. The bundle alone: container, hashes, numbers, order. With its side file FILE.proof.json also: the
/// checkpoint's signature, the place of each event in the log, and that the adapter makes the same event of each
/// kept packet. It does not show that what the events say is so. Exits with 0, or with 2 and the class, code and
/// place of the first rule that is broken.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The bundle, - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The side file; by default FILE.proof.json, if it is there
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    /// The key the checkpoint must be signed with: name+hash+base64, or a file that holds it
    #[arg(long, value_name = "KEY")]
    key: Option<KnownKey>,
    /// What was found, as one JSON object
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let bundle = Input::open(&self.file)?;
        let findings = match self.side_file()? {
            Some(side_file) => self.check_export(bundle, side_file)?,
            None => self.check_bundle(bundle)?,
        };
        let text = if self.json { findings.to_json() } else { findings.to_string() };
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)?;
        Ok(ExitCode::SUCCESS)
    }

    fn check_bundle(&self, mut bundle: Input) -> Result<Findings, Failure> {
        if self.key.is_some() {
            return Err(Failure::NoSideFile { name: bundle.name.clone() });
        }
        let checked = bundle::verify(&mut bundle).map_err(|error| Failure::verify(&bundle.name, error))?;
        Ok(Findings::bundle(&checked))
    }

    fn check_export(&self, mut bundle: Input, side_file: SideFile) -> Result<Findings, Failure> {
        let key = self.key.as_ref().map(KnownKey::read).transpose()?;
        let report = export::verify(&mut bundle, side_file.file, key.as_ref(), baton_adapter::rerun);
        let report = report.map_err(|error| Failure::export(&bundle.name, &side_file.name, error))?;
        Ok(Findings::export(&report))
    }

    /// The side file that was named, or the one beside the bundle.
    fn side_file(&self) -> Result<Option<SideFile>, Failure> {
        if let Some(path) = &self.proof {
            return open(path).map(Some).map_err(|error| unread(path, error));
        }
        if self.file == Path::new("-") {
            return Ok(None);
        }
        let mut path = self.file.clone().into_os_string();
        path.push(".proof.json");
        let path = PathBuf::from(path);
        match open(&path) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unread(&path, error)),
        }
    }
}

struct SideFile {
    name: String,
    file: File,
}

fn open(path: &Path) -> io::Result<SideFile> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(SideFile { name: path.display().to_string(), file })
}

fn unread(path: &Path, error: io::Error) -> Failure {
    Failure::Read { name: path.display().to_string(), error }
}
