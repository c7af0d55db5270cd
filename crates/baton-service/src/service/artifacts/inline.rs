//! The bytes of small artifacts, for a door that shows them in place, as A2A does; of larger ones it shows where they are.
//! Which are small enough is settled with the rows; the bytes are read after that, beside the store.

use baton_core::{ArtifactHash, NetworkId, limits};
use baton_store::Snapshot;
use baton_store::rows::{ArtifactRefRow, ArtifactRow};
use bytes::Bytes;
use futures_util::TryStreamExt;
use std::collections::HashMap;

use crate::hub::Hub;
use crate::service::Error;

/// What of a task's files is at hand.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// What is to be read.
    wanted: Vec<ArtifactRow>,
    bytes: HashMap<ArtifactHash, Bytes>,
    /// Where the network's artifacts are, up to the hash, and what follows it.
    place: (String, String),
}

impl Files {
    /// Finds the small ones among these, the newest first, as many as an answer has room for.
    pub fn find<'a>(
        rows: &dyn Snapshot,
        network: &NetworkId,
        refs: impl DoubleEndedIterator<Item = &'a ArtifactRefRow>,
    ) -> Result<Self, Error> {
        let (mut wanted, mut room): (Vec<ArtifactRow>, _) = (Vec::new(), limits::FILES_IN_PLACE_MAX_BYTES);
        for found in refs.rev().map(|row| &row.reference) {
            let is_small = found.size <= limits::FILE_IN_PLACE_MAX_BYTES && found.size <= room;
            if found.part.is_some() || !is_small || wanted.iter().any(|row| row.hash == found.hash) {
                continue;
            }
            if let Some(row) = rows.artifact(network, &found.hash)? {
                room -= row.size.min(room);
                wanted.push(row);
            }
        }
        Ok(Self { wanted, ..Self::default() })
    }

    /// About how many bytes they have in an answer.
    pub fn bytes_shown(&self) -> usize {
        let bytes: u64 = self.wanted.iter().map(|row| row.size).sum();
        usize::try_from(bytes * 4 / 3).unwrap_or(usize::MAX)
    }

    /// Reads them. One that cannot be read is shown by where it is.
    pub async fn load(&mut self, hub: &Hub, network: &NetworkId) {
        let place = &hub.settings.public_url;
        self.place = (format!("{place}/api/artifacts/"), format!("?network_id={network}"));
        for row in std::mem::take(&mut self.wanted) {
            match read(hub, &row).await {
                Ok(bytes) => drop(self.bytes.insert(row.hash, bytes)),
                Err(error) => {
                    tracing::warn!(%error, object = row.object, "an artifact cannot be shown in place");
                }
            }
        }
    }

    pub fn bytes_of(&self, hash: &ArtifactHash) -> Option<&Bytes> {
        self.bytes.get(hash)
    }

    /// Where the bytes are, for readers of the task.
    pub fn url_of(&self, hash: &ArtifactHash) -> String {
        format!("{}{hash}{}", self.place.0, self.place.1)
    }
}

async fn read(hub: &Hub, row: &ArtifactRow) -> std::io::Result<Bytes> {
    let opened = hub.objects.read(&row.object, row.size, 0..row.size).await;
    let pieces: Vec<Bytes> = opened.map_err(std::io::Error::other)?.try_collect().await?;
    Ok(pieces.concat().into())
}
