//! Calls about artifacts. Uploads and downloads are streamed: neither side holds more than a piece of a file.

use baton_core::{ArtifactHash, limits};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, RANGE};
use reqwest::{Body, Method, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::call::Call;
use super::{Client, Error, HubResponse};
use crate::service::WireTime;
use crate::service::artifacts::{list, upload};

/// Beside what the bytes take: an upload or a download waits for its turn.
const TURN: Duration = Duration::from_secs(limits::TRANSFER_WAIT_MAX_SECONDS as u64);

/// What the hub says to an upload that does not fit into the network's quota.
const NO_ROOM: &str = "artifact_quota_exceeded";

/// An artifact, or a reference to one.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(crate) struct Artifact {
    pub(crate) sha256: String,
    pub(crate) size: u64,
    pub(crate) name: String,
    pub(crate) media_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) created_at: Option<WireTime>,
    /// What its agent calls the artifact that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) artifact_id: Option<String>,
    /// The part itself, if it is not a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<Value>,
}

impl Artifact {
    /// Whether it came with the task's text.
    pub(crate) fn is_of_task(&self) -> bool {
        self.source.as_deref() == Some("task")
    }

    /// Whether it came with the reply.
    pub(crate) fn is_of_reply(&self) -> bool {
        self.source.as_deref() == Some("reply")
    }
}

/// `{artifact}`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Uploaded {
    pub(crate) artifact: Artifact,
}

/// A page of artifacts, newest first.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Artifacts {
    pub(crate) artifacts: Vec<Artifact>,
    pub(crate) next_cursor: Option<String>,
}

#[derive(Serialize)]
struct Named<'a> {
    network_id: Option<&'a str>,
}

/// Why an upload came to nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotUploaded {
    #[error("{0}")]
    Hub(#[from] Error),
    #[error("it cannot be read: {0}")]
    File(io::Error),
}

/// What was read of a file so far, and why no more was.
#[derive(Debug, Default)]
struct Reading {
    digest: Sha256,
    failed: Option<io::Error>,
}

impl Client {
    /// Uploads a file from its beginning; what the hub has then must be what was read. Uploading it twice does no harm: if the
    /// network has no room for it, its hash is read and sent, for the network may have it already.
    pub(crate) async fn put_artifact(
        &self,
        args: &upload::QueryArgs,
        file: &File,
    ) -> Result<HubResponse<Uploaded>, NotUploaded> {
        match self.put_artifact_once(args, file).await {
            Err(NotUploaded::Hub(error)) if error.code() == Some(NO_ROOM) && args.sha256.is_none() => {
                let file = file.try_clone().map_err(NotUploaded::File)?;
                let hashed =
                    tokio::task::spawn_blocking(move || digest(&file).map(|hash| (hash, file))).await;
                let (hash, file) = hashed.map_err(io::Error::other).flatten().map_err(NotUploaded::File)?;
                let args = upload::QueryArgs { sha256: Some(hash.to_string()), ..args.clone() };
                self.put_artifact_once(&args, &file).await
            }
            uploaded => uploaded,
        }
    }

    async fn put_artifact_once(
        &self,
        args: &upload::QueryArgs,
        file: &File,
    ) -> Result<HubResponse<Uploaded>, NotUploaded> {
        let size = file.metadata().map_err(NotUploaded::File)?.len();
        let reading = Arc::new(Mutex::new(Reading::default()));
        let pieces = pieces(file.try_clone().map_err(NotUploaded::File)?, size, reading.clone());
        // As slow as the hub lets an upload be.
        let time =
            Duration::from_secs(limits::UPLOAD_GRACE_SECONDS + size / limits::UPLOAD_MIN_BYTES_PER_SECOND);
        let call = Call::new(self, Method::PUT, &["api", "artifacts"]).query(args).waiting(TURN + time);
        let call = call
            .header(CONTENT_TYPE, "application/octet-stream".into())
            .header(CONTENT_LENGTH, size.to_string())
            .stream(Body::wrap_stream(pieces));
        let uploaded: Result<HubResponse<Uploaded>, Error> = call.run_once().await;
        let reading = std::mem::take(&mut *reading.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(error) = reading.failed {
            return Err(NotUploaded::File(error));
        }
        let (answer, hash) = (uploaded?, ArtifactHash::new(reading.digest.finalize().into()));
        match ArtifactHash::parse(&answer.artifact.sha256) == Some(hash) {
            true => Ok(answer),
            false => Err(self.unexpected_response("it has other bytes than were uploaded").into()),
        }
    }

    /// Opens an artifact's bytes from an offset on; they are the caller's to read with `next_piece`.
    pub(crate) async fn artifact(
        &self,
        network_id: Option<&str>,
        sha256: &str,
        from: u64,
    ) -> Result<Response, Error> {
        let call = Call::new(self, Method::GET, &["api", "artifacts", sha256]).query(&Named { network_id });
        let call = if from > 0 { call.header(RANGE, format!("bytes={from}-")) } else { call };
        let response = call.waiting(TURN).open_file().await?;
        let is_part = response.status() == reqwest::StatusCode::PARTIAL_CONTENT;
        match is_part == (from > 0) {
            true => Ok(response),
            false => Err(self.unexpected_response("it sends other bytes than were asked for")),
        }
    }

    pub(crate) async fn artifacts(&self, args: &list::QueryArgs) -> Result<HubResponse<Artifacts>, Error> {
        self.get_json(&["api", "artifacts"], args).await
    }
}

/// The SHA-256 of a file from its beginning.
fn digest(mut file: &File) -> io::Result<ArtifactHash> {
    let mut digest = Sha256::new();
    file.seek(SeekFrom::Start(0))?;
    io::copy(&mut file, &mut digest)?;
    Ok(ArtifactHash::new(digest.finalize().into()))
}

/// The bytes of a file, a piece at a time, each added to the digest when it is read.
fn pieces(
    file: File,
    size: u64,
    reading: Arc<Mutex<Reading>>,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    stream::try_unfold((file, 0), move |(file, at)| {
        let reading = reading.clone();
        async move {
            if at == size {
                return Ok(None);
            }
            let read = tokio::task::spawn_blocking(move || read_piece(file, at, size)).await;
            let mut reading = reading.lock().unwrap_or_else(PoisonError::into_inner);
            match read.map_err(io::Error::other).flatten() {
                Ok((bytes, file)) => {
                    reading.digest.update(&bytes);
                    let next = at + bytes.len() as u64;
                    Ok(Some((bytes, (file, next))))
                }
                Err(error) => {
                    let kind = error.kind();
                    reading.failed = Some(error);
                    Err(kind.into())
                }
            }
        }
    })
    .boxed()
}

fn read_piece(mut file: File, at: u64, size: u64) -> io::Result<(Bytes, File)> {
    let piece = (size - at).min(limits::ARTIFACT_READ_BYTES as u64);
    let mut bytes = vec![0; usize::try_from(piece).map_err(io::Error::other)?];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut bytes)?;
    Ok((bytes.into(), file))
}
