//! Files on their way to a hub and back, through a hub that restarts. What arrives is checked against its SHA-256.

use baton_core::{ArtifactHash, limits};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use tokio::time::sleep;

use super::failure::Failure;
use super::tasks::HubOutage;
use crate::client::artifacts::{Artifact, NotUploaded};
use crate::client::{Client, Error};
use crate::service::artifacts::RefArgs;
use crate::service::artifacts::upload::QueryArgs;

/// How the reply of a worker calls the artifact that is its whole result.
pub(crate) const WHOLE_RESULT: &str = "the whole result";

/// A file that is uploaded: under which name, and what sort of bytes it has.
#[derive(Debug, Clone)]
pub(crate) struct NamedFile {
    pub(crate) name: String,
    pub(crate) media_type: String,
}

impl NamedFile {
    /// A file under its own name.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        let name = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        let name = name.ok_or_else(|| {
            Failure::usage(format!("the name of {} is not UTF-8; rename the file", path.display()))
        })?;
        Ok(Self { media_type: media_type_of(&name).to_owned(), name })
    }
}

/// The media type that the end of a name stands for, of the most usual ones.
pub(crate) fn media_type_of(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    match &*ending {
        "txt" | "log" => "text/plain; charset=utf-8",
        "md" => "text/markdown; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        "html" | "htm" => "text/html; charset=utf-8",
        "xml" => "application/xml",
        "json" => "application/json",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "zip" => "application/zip",
        "gz" | "tgz" => "application/gzip",
        "tar" => "application/x-tar",
        _ => "application/octet-stream",
    }
}

/// Opens a file to be uploaded; a folder is none.
pub(crate) fn open(path: &Path) -> Result<File, Failure> {
    let opened = || -> io::Result<File> {
        let file = File::open(path)?;
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::other("it is not a regular file")),
        }
    };
    let file = opened().map_err(|error| Failure::Read { name: path.display().to_string(), error })?;
    let size = file.metadata().map(|found| found.len()).unwrap_or_default();
    if size > limits::ARTIFACT_MAX_BYTES {
        let most = limits::ARTIFACT_MAX_BYTES;
        return Err(Failure::usage(format!(
            "{} has {size} bytes; an artifact must be at most {most} bytes",
            path.display()
        )));
    }
    Ok(file)
}

/// What an upload asks for.
pub(crate) fn upload_args(network_id: Option<&str>, named: &NamedFile) -> QueryArgs {
    QueryArgs {
        network_id: network_id.map(str::to_owned),
        name: Some(named.name.clone()),
        media_type: Some(named.media_type.clone()),
        sha256: None,
    }
}

/// Uploads a file, also to a hub that is away for a while.
pub(crate) async fn upload(
    client: &Client,
    network_id: Option<&str>,
    file: &File,
    named: &NamedFile,
    away: &mut HubOutage,
) -> Result<Artifact, Failure> {
    let args = upload_args(network_id, named);
    loop {
        let uploaded = match client.put_artifact(&args, file).await {
            Ok(uploaded) => Ok(uploaded),
            Err(NotUploaded::Hub(error)) => Err(error),
            Err(NotUploaded::File(error)) => return Err(Failure::Read { name: named.name.clone(), error }),
        };
        match away.met(uploaded)? {
            Some(uploaded) => return Ok(uploaded.into_value().artifact),
            None => sleep(limits::HUB_AWAY_RETRY_AFTER).await,
        }
    }
}

/// Uploads files that go along with a call, each under its own name.
pub(crate) async fn upload_all(
    client: &Client,
    network_id: Option<&str>,
    files: &[std::path::PathBuf],
) -> Result<Option<Vec<RefArgs>>, Failure> {
    if files.len() > limits::ARTIFACT_REFS_MAX_COUNT {
        return Err(Failure::usage(format!(
            "a task can have at most {} files",
            limits::ARTIFACT_REFS_MAX_COUNT
        )));
    }
    let mut opened = Vec::new();
    // All are there before the first is uploaded.
    for path in files {
        opened.push((NamedFile::of(path)?, open(path)?));
    }
    let mut refs = Vec::new();
    for (named, file) in &opened {
        let artifact = upload(client, network_id, file, named, &mut HubOutage::default()).await?;
        refs.push(RefArgs {
            sha256: artifact.sha256,
            name: Some(named.name.clone()),
            media_type: Some(named.media_type.clone()),
            description: None,
        });
    }
    Ok((!refs.is_empty()).then_some(refs))
}

/// The same for files that go along with a call about a task, into its network.
pub(crate) async fn upload_for(
    client: &Client,
    task_id: &str,
    files: &[std::path::PathBuf],
) -> Result<Option<Vec<RefArgs>>, Failure> {
    if files.is_empty() {
        return Ok(None);
    }
    let task = client.task(task_id).await?.into_value().task;
    upload_all(client, Some(&task.network_id), files).await
}

/// A download that continues where it was cut off.
pub(crate) struct Download<'a> {
    client: &'a Client,
    network_id: Option<&'a str>,
    sha256: &'a str,
    digest: Sha256,
    got: u64,
}

/// Why a download came to nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotDownloaded {
    #[error("{0}")]
    Hub(#[from] Error),
    #[error("cannot write it: {0}")]
    Write(io::Error),
    #[error("the {got} bytes that came are not those of sha256 {sha256}; nothing was kept")]
    OtherBytes { sha256: String, got: u64 },
}

impl NotDownloaded {
    pub(crate) fn of(self, name: &str) -> Failure {
        match self {
            Self::Hub(error) => error.into(),
            Self::Write(error) => Failure::Write { name: name.into(), error },
            other @ Self::OtherBytes { .. } => {
                Failure::Read { name: name.into(), error: io::Error::other(other) }
            }
        }
    }
}

impl<'a> Download<'a> {
    pub(crate) fn new(client: &'a Client, network_id: Option<&'a str>, sha256: &'a str) -> Self {
        Self { client, network_id, sha256, digest: Sha256::new(), got: 0 }
    }

    /// How many bytes have come.
    pub(crate) fn got(&self) -> u64 {
        self.got
    }

    /// Writes all of it, and says how many bytes that were once they are known to be the right ones.
    pub(crate) async fn write_to(
        mut self,
        to: &mut impl Write,
        away: &mut HubOutage,
    ) -> Result<u64, NotDownloaded> {
        loop {
            match self.go_on(to).await {
                Ok(()) => break,
                Err(NotDownloaded::Hub(error)) => {
                    away.met::<()>(Err(error))?;
                    sleep(limits::HUB_AWAY_RETRY_AFTER).await;
                }
                Err(other) => return Err(other),
            }
        }
        to.flush().map_err(NotDownloaded::Write)?;
        self.finish()
    }

    /// Reads from where it was cut off to the end, or until it is cut off again.
    pub(crate) async fn go_on(&mut self, to: &mut impl Write) -> Result<(), NotDownloaded> {
        let mut response = self.client.artifact(self.network_id, self.sha256, self.got).await?;
        while let Some(piece) = self.client.next_piece(&mut response).await? {
            to.write_all(&piece).map_err(NotDownloaded::Write)?;
            self.digest.update(&piece);
            self.got += piece.len() as u64;
        }
        Ok(())
    }

    /// How many bytes came, if they are the right ones.
    pub(crate) fn finish(self) -> Result<u64, NotDownloaded> {
        let hash = ArtifactHash::new(self.digest.finalize().into());
        match ArtifactHash::parse(self.sha256) == Some(hash) {
            true => Ok(self.got),
            false => Err(NotDownloaded::OtherBytes { sha256: self.sha256.to_owned(), got: self.got }),
        }
    }
}
