//! A network's tree over the store: tiles as rows, and those a sealing is about to write laid over them.

use baton_core::NetworkId;
use baton_evidence::log::{Hash, Tile, Tiles, TreeError};
use baton_store::Snapshot;
use baton_store::rows::TileRow;

use crate::service::Error;

/// The tiles a log has.
pub(super) struct LogTiles<'a> {
    rows: &'a dyn Snapshot,
    network: &'a NetworkId,
    /// New ones, not written yet.
    new: &'a [Tile],
}

impl<'a> LogTiles<'a> {
    pub(super) fn new(rows: &'a dyn Snapshot, network: &'a NetworkId) -> Self {
        Self { rows, network, new: &[] }
    }

    /// The same as they will stand once these are written.
    pub(super) fn with(&self, new: &'a [Tile]) -> Self {
        Self { new, ..*self }
    }
}

impl Tiles for LogTiles<'_> {
    type Error = baton_store::Error;

    fn tile(&self, level: u8, index: u64) -> Result<Vec<Hash>, Self::Error> {
        if let Some(tile) = self.new.iter().find(|tile| tile.level == level && tile.index == index) {
            return Ok(tile.hashes.clone());
        }
        let hashes = self.rows.tile(self.network, level, index)?;
        let (hashes, rest) = hashes.as_chunks::<32>();
        if !rest.is_empty() {
            return Err(baton_store::Error::Corrupt(format!("tile {index} of level {level}")));
        }
        Ok(hashes.iter().copied().map(Hash).collect())
    }
}

/// A tile as it is written.
pub(super) fn row_of(tile: &Tile) -> TileRow {
    let hashes = tile.hashes.iter().flat_map(|hash| hash.0).collect();
    TileRow { level: tile.level, index: tile.index, hashes }
}

/// A tree that cannot be read from its tiles is a damaged one.
pub(super) fn damaged(error: TreeError<baton_store::Error>) -> Error {
    match error {
        TreeError::Tiles(error) => error.into(),
        other => baton_store::Error::Corrupt(format!("the log's tree: {other}")).into(),
    }
}
