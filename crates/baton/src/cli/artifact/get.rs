//! `baton artifact get`: downloads an artifact, checks its bytes, and only then gives the file its name.

use baton_core::ArtifactHash;
use clap::Args;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::screen::note;
use crate::cli::tasks::Away;
use crate::cli::transfer::Download;

/// Downloads an artifact. The file is there only once its bytes are known to be the right ones.
#[derive(Debug, Args)]
pub(crate) struct Get {
    /// The SHA-256 of its bytes
    sha256: String,
    /// Where to write it; - writes to standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Get {
    pub(super) async fn get(&self) -> Result<ExitCode, Failure> {
        if ArtifactHash::parse(&self.sha256).is_none() {
            return Err(Failure::usage(
                "give the SHA-256 as 64 lower-case hex digits; `baton artifact ls` shows them",
            ));
        }
        let link = self.connection.open()?;
        let network = link.network().await?;
        match self.output == Path::new("-") {
            true => {
                let download = self.download(&link, network.as_deref());
                let written = download.write_to(&mut io::stdout().lock(), &mut Away::default()).await;
                written.map_err(|error| error.of("the output"))?;
            }
            false => self.save(&link, network.as_deref()).await?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn download<'a>(&'a self, link: &'a Link, network_id: Option<&'a str>) -> Download<'a> {
        Download::new(&link.client, network_id, &self.sha256)
    }

    /// Writes it under a temporary name beside the file, and renames it once it is whole.
    async fn save(&self, link: &Link, network: Option<&str>) -> Result<(), Failure> {
        let name = self.output.display().to_string();
        let failed = |error: io::Error| Failure::Write { name: name.clone(), error };
        if !self.force && self.output.symlink_metadata().is_ok() {
            return Err(Failure::usage(format!("{name} is there already; pass --force to replace it")));
        }
        let folder = self.output.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new().prefix(".baton-").tempfile_in(folder).map_err(failed)?;
        let download = self.download(link, network);
        let size = download.write_to(&mut file, &mut Away::default()).await;
        let size = size.map_err(|error| error.of(&name))?;
        file.flush().and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        let kept = match self.force {
            true => file.persist(&self.output),
            false => file.persist_noclobber(&self.output),
        };
        kept.map_err(|error| failed(error.error))?;
        note(&format!("{name}: {size} bytes"));
        Ok(())
    }
}
