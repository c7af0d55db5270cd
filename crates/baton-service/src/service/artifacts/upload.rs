//! Uploads an artifact. The bytes are streamed through SHA-256 into an object of their own, with one buffer of fixed size;
//! once the object is durable one transaction adds the artifact. What holds if the hub is killed anywhere here: there is
//! either no artifact or a whole one, and the object of an upload that came to nothing is noted and deleted later.

use baton_core::{
    Action, ArtifactHash, ArtifactName, Caller, MediaType, NetworkId, Principal, Quota, Refusal, limits,
};
use baton_store::rows::{NewArtifact, QuotaSubject};
use baton_store::{Snapshot, Transaction};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use utoipa::{IntoParams, ToSchema};

use super::{ArtifactView, readable};
use crate::hub::{Hub, Identity, QuotaReservation};
use crate::objects::{ObjectWriter, Objects};
use crate::service::Error;
use crate::service::network_ref::NetworkRef;

const IDLE: Duration = Duration::from_secs(limits::UPLOAD_IDLE_MAX_SECONDS as u64);
const GRACE: Duration = Duration::from_secs(limits::UPLOAD_GRACE_SECONDS);

/// Where to, and under which name.
#[derive(Debug, Clone, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// The network; needed unless the token has only one
    pub network_id: Option<String>,
    /// What it is called, 1 to 255 bytes without `/` and `\`; `artifact` by default
    pub name: Option<String>,
    /// What sort of bytes it has; `application/octet-stream` by default
    pub media_type: Option<String>,
    /// The SHA-256 of the bytes, if it is known: other bytes are refused, and those of an artifact that the caller may read
    /// need no room in the quota
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(pattern = "^[0-9a-f]{64}$")]
    pub sha256: Option<String>,
}

/// The artifact.
#[derive(Debug, Serialize, ToSchema)]
pub struct ArtifactUploaded {
    ok: bool,
    artifact: ArtifactView,
}

/// Why an upload came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum Unfinished {
    #[error(transparent)]
    Failed(#[from] Error),
    /// The rest did not come in time.
    #[error("the upload was too slow")]
    Late,
    /// It ended before its end.
    #[error("the upload was cut off")]
    Cut,
    /// The hub stops.
    #[error("the hub is stopping")]
    Stopping,
}

impl From<Refusal> for Unfinished {
    fn from(refusal: Refusal) -> Self {
        Self::Failed(refusal.into())
    }
}

impl From<crate::objects::Error> for Unfinished {
    fn from(error: crate::objects::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// What is uploaded, checked.
#[derive(Debug, Clone)]
pub struct Upload {
    place: NetworkRef,
    name: ArtifactName,
    media_type: MediaType,
    /// How many bytes are announced.
    length: Option<u64>,
    /// The hash that is announced.
    hash: Option<ArtifactHash>,
}

impl Upload {
    pub fn read(args: &QueryArgs, length: Option<u64>) -> Result<Self, Error> {
        let named = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let name = named(&args.name).map(|name| ArtifactName::parse("name", &name)).transpose();
        let media_type =
            named(&args.media_type).map(|text| MediaType::parse("media_type", &text)).transpose();
        let no_hash = || Error::argument("sha256", "must be 64 lower-case hex digits");
        let hash =
            named(&args.sha256).map(|text| ArtifactHash::parse(&text).ok_or_else(no_hash)).transpose()?;
        if length.is_some_and(|length| length > limits::ARTIFACT_MAX_BYTES) {
            return Err(Refusal::ArtifactTooLarge.into());
        }
        Ok(Self {
            place: NetworkRef::of_write(args.network_id.as_deref()),
            name: name.map_err(Error::of_argument)?.unwrap_or_default(),
            media_type: media_type.map_err(Error::of_argument)?.unwrap_or_default(),
            length,
            hash,
        })
    }

    /// Refuses bytes that do not have the hash that was announced.
    fn check_hash(&self, written: &Written) -> Result<(), Unfinished> {
        match self.hash {
            Some(hash) if hash != written.hash => Err(other_bytes().into()),
            _ => Ok(()),
        }
    }
}

fn other_bytes() -> Error {
    Error::argument("sha256", "is not that of the bytes")
}

/// Whose upload it is, and what is left of the quota.
struct Admitted {
    network: NetworkId,
    uploader: Principal,
    used: i64,
    max: i64,
    /// How many bytes the artifact has that is uploaded again, if the caller may read it.
    known_size: Option<u64>,
}

/// How many bytes an upload may have.
enum Allowance {
    /// As many as fit into the network's quota.
    Quota(QuotaReservation),
    /// As many as the artifact has that is uploaded again: it is in the quota already. So an upload that is repeated is taken
    /// by a network that has no room for it twice.
    Known(u64),
}

impl Allowance {
    fn grow_to(&mut self, bytes: u64) -> Result<(), Error> {
        match self {
            Self::Quota(room) => Ok(room.grow_to(bytes)?),
            Self::Known(size) if bytes > *size => Err(other_bytes()),
            Self::Known(_) => Ok(()),
        }
    }
}

/// Uploads the body.
pub async fn run<E>(
    hub: &Hub,
    who: &Identity,
    upload: &Upload,
    body: impl Stream<Item = Result<Bytes, E>> + Unpin,
) -> Result<ArtifactUploaded, Unfinished> {
    let (caller, asked, quota) = (who.caller.clone(), upload.clone(), hub.settings.artifact_quota);
    let admitted = hub.store_for(&who.caller).read(move |rows| admit(rows, &caller, &asked, quota)).await?;
    let mut allowance = match admitted.known_size {
        Some(size) => Allowance::Known(size),
        None => Allowance::Quota(hub.transfers.room(&admitted.network, admitted.used, admitted.max)),
    };
    allowance.grow_to(upload.length.unwrap_or_default())?;
    let _turn = hub.transfers.upload(who).await?;
    let object = Objects::new_name(&admitted.network);
    note(hub, who, &object).await?;
    let written = write_object(hub, &object, upload, &mut allowance, body).await;
    let added = match written {
        Ok(bytes) => add_or_restore(hub, who, upload, &object, &bytes, &admitted.network)
            .await
            .map_err(Unfinished::from)
            .map(|is_new| (bytes, is_new)),
        Err(unfinished) => Err(unfinished),
    };
    // An outcome that is not known may be that the artifact has the object.
    let is_unused = match &added {
        Ok((_, is_new)) => !is_new,
        Err(Unfinished::Failed(Error::Store(baton_store::Error::Unknown(_)))) => false,
        Err(_) => true,
    };
    if is_unused {
        discard(hub, &object).await;
    }
    let (Written { hash, size }, _) = added?;
    let artifact = ArtifactView::uploaded(hash, size, upload.name.clone(), upload.media_type.clone());
    Ok(ArtifactUploaded { ok: true, artifact })
}

/// Uploads what is at hand already.
pub async fn bytes(
    hub: &Hub,
    who: &Identity,
    network: &NetworkId,
    name: ArtifactName,
    media_type: MediaType,
    bytes: Bytes,
) -> Result<ArtifactHash, Error> {
    let (length, hash) = (Some(bytes.len() as u64), Some(ArtifactHash::new(Sha256::digest(&bytes).into())));
    let upload =
        Upload { place: NetworkRef::of_write(Some(network.as_str())), name, media_type, length, hash };
    let body = stream::iter([Ok::<_, std::convert::Infallible>(bytes)]);
    match run(hub, who, &upload, body).await {
        Ok(answer) => Ok(answer.artifact.hash()),
        Err(Unfinished::Failed(error)) => Err(error),
        Err(other) => Err(baton_store::Error::Unavailable(other.to_string()).into()),
    }
}

/// Whether the caller may upload, and what the network has and may have.
fn admit(rows: &dyn Snapshot, caller: &Caller, upload: &Upload, hub_quota: i64) -> Result<Admitted, Error> {
    let permitted = upload.place.permit(rows, caller, Action::Send)?;
    let row = rows.quota(QuotaSubject::Network(permitted.network()), Quota::ArtifactBytes)?;
    let uploader = caller.principal()?;
    // If the caller may not read it, nothing is revealed, not even that there is room for it.
    let known = upload.hash.map(|hash| readable(rows, &permitted, &[hash])).transpose()?;
    let known_size = known.into_iter().flatten().next().map(|artifact| artifact.size);
    let network = permitted.into_network();
    Ok(Admitted { network, uploader, used: row.used, max: row.max.unwrap_or(hub_quota), known_size })
}

/// Notes the object before it is begun: if this upload comes to nothing it is deleted a day later.
async fn note(hub: &Hub, who: &Identity, object: &str) -> Result<(), Error> {
    let object = object.to_owned();
    let noted = hub.store_for(&who.caller).write(move |tx| -> Result<(), Error> {
        let delete_after = tx.time().now.plus_seconds(limits::ARTIFACT_UNREFERENCED_KEPT_SECONDS);
        Ok(tx.begin_object(&object, delete_after)?)
    });
    noted.await
}

/// What was written.
#[derive(Debug, Clone, Copy)]
struct Written {
    hash: ArtifactHash,
    size: u64,
}

async fn write_object<E>(
    hub: &Hub,
    object: &str,
    upload: &Upload,
    allowance: &mut Allowance,
    body: impl Stream<Item = Result<Bytes, E>> + Unpin,
) -> Result<Written, Unfinished> {
    let mut writer = hub.objects.begin(object).await?;
    let copied = copy(hub, &mut writer, allowance, body).await;
    match copied.and_then(|written| upload.check_hash(&written).map(|()| written)) {
        Ok(written) => {
            writer.complete().await?;
            Ok(written)
        }
        Err(unfinished) => {
            if let Err(error) = writer.abort().await {
                tracing::warn!(%error, object, "an upload that was given up left something behind");
            }
            Err(unfinished)
        }
    }
}

async fn copy<E>(
    hub: &Hub,
    writer: &mut ObjectWriter,
    allowance: &mut Allowance,
    mut body: impl Stream<Item = Result<Bytes, E>> + Unpin,
) -> Result<Written, Unfinished> {
    let (mut digest, mut size, began) = (Sha256::new(), 0_u64, Instant::now());
    loop {
        let earned = Duration::from_secs(size / limits::UPLOAD_MIN_BYTES_PER_SECOND);
        let latest = (Instant::now() + IDLE).min(began + GRACE + earned);
        let next = tokio::select! {
            next = timeout_at(latest, body.next()) => next.map_err(|_| Unfinished::Late)?,
            () = hub.shutdown.wait() => return Err(Unfinished::Stopping),
        };
        let Some(bytes) = next.transpose().map_err(|_| Unfinished::Cut)? else { break };
        size += bytes.len() as u64;
        if size > limits::ARTIFACT_MAX_BYTES {
            return Err(Refusal::ArtifactTooLarge.into());
        }
        allowance.grow_to(size)?;
        digest.update(&bytes);
        writer.write(&bytes).await?;
    }
    Ok(Written { hash: ArtifactHash::new(digest.finalize().into()), size })
}

/// Adds the artifact. If the network has it already and its bytes are lost, this upload brings them back: what is answered
/// is durable. Answers whether the object is in use from now on.
async fn add_or_restore(
    hub: &Hub,
    who: &Identity,
    upload: &Upload,
    object: &str,
    written: &Written,
    network: &NetworkId,
) -> Result<bool, Error> {
    if add(hub, who, upload, object, written).await? {
        return Ok(true);
    }
    let (network, hash) = (network.clone(), written.hash);
    let known = hub
        .store_for(&who.caller)
        .read(move |rows| -> Result<_, Error> { Ok(rows.artifact(&network, &hash)?) });
    let Some(known) = known.await? else { return Ok(false) };
    if hub.objects.size(&known.object).await? == Some(known.size) {
        return Ok(false);
    }
    tracing::warn!(object = known.object, "the bytes of an artifact were lost; an upload brings them back");
    let new = object.to_owned();
    let restore =
        move |tx: &mut dyn Transaction| -> Result<(), Error> { Ok(tx.replace_object(known.seq, &new)?) };
    hub.store_for(&who.caller).write(restore).await?;
    Ok(true)
}

/// Adds the artifact; answers whether the network did not have these bytes yet. Who may is asked again, and the quota too.
async fn add(
    hub: &Hub,
    who: &Identity,
    upload: &Upload,
    object: &str,
    written: &Written,
) -> Result<bool, Error> {
    let (caller, quota, written) = (who.caller.clone(), hub.settings.artifact_quota, *written);
    let (upload, object) = (upload.clone(), object.to_owned());
    let adding = hub.store_for(&who.caller).write(move |tx: &mut dyn Transaction| -> Result<bool, Error> {
        let admitted = admit(tx.as_snapshot(), &caller, &upload, quota)?;
        let Admitted { network, uploader, used, max, .. } = &admitted;
        let is_known = tx.artifact(network, &written.hash)?.is_some();
        if !is_known && used.saturating_add_unsigned(written.size) > *max {
            return Err(Refusal::ArtifactQuotaExceeded { used: *used, max: *max }.into());
        }
        Ok(tx.put_artifact(NewArtifact {
            network,
            hash: written.hash,
            size: written.size,
            object: &object,
            name: &upload.name,
            media_type: &upload.media_type,
            uploader,
            at: tx.time().now,
        })?)
    });
    adding.await
}

/// Deletes an object that no artifact has. If that fails now, the sweep does it.
async fn discard(hub: &Hub, object: &str) {
    if let Err(error) = hub.objects.delete(object).await {
        tracing::warn!(%error, object, "an unused object is deleted later");
        return;
    }
    let forgotten = object.to_owned();
    let forget = hub.store.write(move |tx| -> Result<(), Error> { Ok(tx.forget_object(&forgotten)?) });
    if let Err(error) = forget.await {
        tracing::debug!(%error, object, "an object that was deleted is forgotten later");
    }
}
