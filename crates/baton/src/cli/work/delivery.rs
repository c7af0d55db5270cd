//! Files on their way between the hub and one attempt: what came with the task is fetched before the command starts, what the
//! command left is uploaded before the reply. A hub that is away is waited for, as it is with a reply.

use baton_core::limits;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use tokio::time::sleep;

use super::files::{self, Names, OutputFile};
use super::outage::Outage;
use super::task_outcome::{TaskOutcome, WholeResult};
use crate::cli::transfer::{self, Download, NamedFile, NotDownloaded, WHOLE_RESULT};
use crate::client::artifacts::{Artifact, NotUploaded};
use crate::client::{Client, Error};
use crate::service::artifacts::RefArgs;

/// Fetches artifacts into a folder, each under a name of its own; an answer instead if one cannot be had.
pub(super) async fn fetch_all(
    client: &Client,
    artifacts: &[&Artifact],
    folder: &Path,
) -> Result<(), TaskOutcome> {
    let mut names = Names::default();
    for artifact in artifacts {
        let path = folder.join(names.give(&artifact.name));
        fetch(client, artifact, &path)
            .await
            .map_err(|error| TaskOutcome::no_input(&artifact.name, &error))?;
    }
    Ok(())
}

async fn fetch(client: &Client, artifact: &Artifact, path: &Path) -> Result<(), NotDownloaded> {
    let open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let mut file = open.map_err(NotDownloaded::Write)?;
    let (mut download, mut outage) = (Download::new(client, None, &artifact.sha256), Outage::default());
    let mut in_vain = 0;
    loop {
        let before = download.got();
        let error = match download.go_on(&mut file).await {
            Ok(()) => break,
            Err(NotDownloaded::Hub(error)) if !error.is_final() => error,
            Err(error) => return Err(error),
        };
        // A hub that is away is waited for. One that answers, and never with more of the file, has lost it.
        let is_away = matches!(error, Error::Unreachable { is_unsent: true, .. });
        in_vain = if is_away || download.got() > before { 0 } else { in_vain + 1 };
        if in_vain >= limits::DOWNLOAD_TRIES_IN_VAIN {
            return Err(NotDownloaded::Hub(error));
        }
        sleep(outage.wait_after(&error)).await;
    }
    file.flush().map_err(NotDownloaded::Write)?;
    download.finish().map(drop)
}

/// Uploads what a command left and a result too long for a reply. An answer that cannot be sent whole is a failure.
pub(super) async fn send_all(
    client: &Client,
    answer: &mut TaskOutcome,
    folder: &Path,
) -> Option<Vec<RefArgs>> {
    let mut refs = Vec::new();
    match upload_all(client, answer.whole.take(), folder, &mut refs).await {
        Ok(()) if !refs.is_empty() && answer.is_silent() => answer.text.clear(),
        Ok(()) => {}
        Err(words) if answer.ending == baton_core::Ending::Failed => {
            answer.add(&format!("not all files could be uploaded: {words}"));
        }
        Err(words) => *answer = TaskOutcome::unsent(&words),
    }
    (!refs.is_empty()).then_some(refs)
}

async fn upload_all(
    client: &Client,
    whole: Option<WholeResult>,
    folder: &Path,
    refs: &mut Vec<RefArgs>,
) -> Result<(), String> {
    if let Some(WholeResult { spooled, named }) = &whole {
        let mut reference = upload(client, &spooled.file, named).await?;
        reference.description = Some(WHOLE_RESULT.into());
        refs.push(reference);
    }
    let left = folder.to_owned();
    // The whole result is one of the artifacts that a reply may have.
    let most = limits::ARTIFACT_REFS_MAX_COUNT - refs.len();
    let left = tokio::task::spawn_blocking(move || files::left_in(&left, most)).await;
    let left = left.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    for OutputFile { named, file } in &left {
        refs.push(upload(client, file, named).await?);
    }
    Ok(())
}

async fn upload(client: &Client, file: &std::fs::File, named: &NamedFile) -> Result<RefArgs, String> {
    let (args, mut outage) = (transfer::upload_args(None, named), Outage::default());
    loop {
        match client.put_artifact(&args, file).await {
            Ok(uploaded) => {
                return Ok(RefArgs {
                    sha256: uploaded.into_value().artifact.sha256,
                    name: Some(named.name.clone()),
                    media_type: Some(named.media_type.clone()),
                    description: None,
                });
            }
            Err(NotUploaded::Hub(error)) if !error.is_final() => sleep(outage.wait_after(&error)).await,
            Err(error) => return Err(format!("{}: {error}", named.name)),
        }
    }
}
