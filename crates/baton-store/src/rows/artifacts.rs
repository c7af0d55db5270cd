//! Artifacts: which bytes a network has, who uploaded them, what refers to them, and the objects that hold the bytes. The
//! bytes themselves are not in the database.

use baton_core::{
    Alias, ArtifactHash, ArtifactName, ArtifactSource, MediaType, NetworkId, Principal, TaskId, UnixMillis,
};

use crate::error::Error;
use crate::rows::page::{Page, PageBounds, ROW_BYTES, Weight, text_bytes, texts_bytes};

/// An artifact of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactRow {
    /// Its place in the order of artifacts.
    pub seq: i64,
    /// The SHA-256 of its bytes.
    pub hash: ArtifactHash,
    /// How many bytes it has.
    pub size: u64,
    /// The object that holds them.
    pub object: String,
    /// What it was called when it was last uploaded.
    pub name: ArtifactName,
    /// The media type given at the time.
    pub media_type: MediaType,
    /// When it was first uploaded.
    pub created_at: UnixMillis,
}

impl Weight for ArtifactRow {
    fn weight(&self) -> usize {
        ROW_BYTES + text_bytes(self.name.as_str()) + text_bytes(self.media_type.as_str())
    }
}

/// An artifact that was uploaded: its object is durable.
#[derive(Clone, Copy, Debug)]
pub struct NewArtifact<'a> {
    /// The network it is in.
    pub network: &'a NetworkId,
    /// The SHA-256 of its bytes.
    pub hash: ArtifactHash,
    /// How many bytes it has.
    pub size: u64,
    /// The object that holds them, which `begin_object` noted.
    pub object: &'a str,
    /// What it is called.
    pub name: &'a ArtifactName,
    /// What sort of bytes it has.
    pub media_type: &'a MediaType,
    /// Who uploaded it.
    pub uploader: &'a Principal,
    /// When.
    pub at: UnixMillis,
}

/// A reference to an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactRefRow {
    /// Its number within the task, from 1.
    pub n: i64,
    /// The reference as it was added.
    pub reference: NewArtifactRef,
}

impl ArtifactRefRow {
    /// About how many bytes it has in an answer.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let NewArtifactRef { name, description, artifact_id, media_type, .. } = &self.reference;
        let texts = [Some(name.as_str()), description.as_deref(), artifact_id.as_deref()];
        256 + text_bytes(media_type.as_str()) + texts_bytes(texts) + self.reference.bytes()
    }
}

impl Weight for ArtifactRefRow {
    fn weight(&self) -> usize {
        ROW_BYTES + self.bytes()
    }
}

/// A reference to be added. The store numbers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewArtifactRef {
    /// What it comes with.
    pub source: ArtifactSource,
    /// The number of the message it comes with.
    pub message: Option<i64>,
    /// The number of the event it comes with.
    pub event: Option<i64>,
    /// The artifact, which must be there.
    pub hash: ArtifactHash,
    /// How many bytes it has.
    pub size: u64,
    /// What it is called here.
    pub name: ArtifactName,
    /// What sort of bytes it has.
    pub media_type: MediaType,
    /// What its sender says about it.
    pub description: Option<String>,
    /// A2A's own id; several references may be parts of one artifact.
    pub artifact_id: Option<String>,
    /// What comes with it beside, a JSON object.
    pub metadata: Option<String>,
    /// The part itself, a JSON object, where its bytes are not an artifact.
    pub part: Option<String>,
    /// How the parts of its event continue with those before, a JSON object; with the first of them.
    pub chunk: Option<String>,
}

impl NewArtifactRef {
    /// How many bytes stand in it: its part, its chunk and its metadata.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let json = [&self.part, &self.chunk, &self.metadata];
        json.into_iter().flatten().map(String::len).sum()
    }
}

/// Where the bytes of all artifacts lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArtifactStorage {
    /// In the folder beside the database.
    Folder,
    /// In this bucket, such as `s3://bucket/prefix`.
    Bucket(String),
}

/// Reads of artifacts.
pub trait ArtifactReads {
    /// One artifact.
    fn artifact(&self, network: &NetworkId, hash: &ArtifactHash) -> Result<Option<ArtifactRow>, Error>;
    /// A network's artifacts, newest first, before this place: all of them, or those that somebody uploaded.
    fn artifacts(
        &self,
        network: &NetworkId,
        uploader: Option<&Principal>,
        before: Option<i64>,
        bounds: PageBounds,
    ) -> Result<Page<ArtifactRow>, Error>;
    /// Those of a network's artifacts that have these hashes, in no order, each once. For an agent only those that it uploaded,
    /// and those that a task refers to which it sent or was given, among so many of the newest tasks that refer to each.
    fn artifacts_by_hash(
        &self,
        network: &NetworkId,
        hashes: &[ArtifactHash],
        agent: Option<&Alias>,
        examined: usize,
    ) -> Result<Vec<ArtifactRow>, Error>;
    /// What a task, by its place, refers to, in order. A task without references needs no call: its row says how many it has.
    fn artifact_refs(&self, task: i64) -> Result<Vec<ArtifactRefRow>, Error>;
    /// How many bytes stand in what a task, by its place, refers to: parts, chunks and metadata.
    fn artifact_refs_bytes(&self, task: i64) -> Result<usize, Error>;
    /// The same, newest first, before this number.
    fn newest_artifact_refs(
        &self,
        task: i64,
        before: Option<i64>,
        bounds: PageBounds,
    ) -> Result<Page<ArtifactRefRow>, Error>;
    /// Objects that no artifact has and that may be deleted by now, the longest due first.
    fn unused_objects(&self, now: UnixMillis, limit: usize) -> Result<Vec<String>, Error>;
    /// Whether there is an artifact that nothing refers to and that was last uploaded before this.
    fn has_unreferenced_artifacts(&self, before: UnixMillis) -> Result<bool, Error>;
    /// Where the bytes are stored, as of the hub's last start; none if no hub has recorded it yet.
    fn artifact_place(&self) -> Result<Option<ArtifactStorage>, Error>;
}

/// Writes of artifacts.
pub trait ArtifactWrites {
    /// Notes an object that is about to be written; if no artifact has it by then it is deleted after this time.
    fn begin_object(&mut self, object: &str, delete_after: UnixMillis) -> Result<(), Error>;
    /// Adds an artifact with the object that was noted for it. If the network has these bytes already, that artifact counts
    /// as uploaded again and the new object is to be deleted at once. Answers whether it was added.
    fn put_artifact(&mut self, artifact: NewArtifact<'_>) -> Result<bool, Error>;
    /// Gives an artifact, by its place, the object that was noted for a new upload of its bytes; the one it had is to be deleted.
    fn replace_object(&mut self, artifact: i64, object: &str) -> Result<(), Error>;
    /// Adds references to a task that has not ended, in this order, after those it has. Answers how many it has then.
    fn add_artifact_refs(&mut self, task: &TaskId, refs: &[NewArtifactRef]) -> Result<i64, Error>;
    /// Removes artifacts that nothing refers to and that were last uploaded before this, so many at once. Their objects are
    /// unused from then on.
    fn remove_unreferenced_artifacts(&mut self, before: UnixMillis, limit: usize) -> Result<usize, Error>;
    /// Forgets an object that was deleted.
    fn forget_object(&mut self, object: &str) -> Result<(), Error>;
    /// Notes where the bytes lie from now on.
    fn put_artifact_place(&mut self, place: &ArtifactStorage) -> Result<(), Error>;
}
