//! Where the tree's hashes lie: in tiles of up to 256, level upon level, each level 256 times coarser than the
//! one below (as C2SP tlog-tiles lays them out). Inner nodes inside a tile are computed, not kept.

use super::hash::{Hash, node_hash};

/// Hashes in a full tile.
pub const TILE_WIDTH: u64 = 1 << TILE_HEIGHT; // not a limit: the format of tiles
/// Levels of the binary tree that one tile spans.
pub(super) const TILE_HEIGHT: u8 = 8;

/// The tree's hashes, wherever the host keeps them.
pub trait Tiles {
    /// Why a tile could not be fetched.
    type Error;

    /// Tile `index` of `level`: the hashes known there, in order, at most 256; fewer at the right edge, none
    /// beyond it. Level 0 holds leaf hashes; hash n of level L is the root of the complete subtree over the
    /// leaves from n · 256^L up to, not including, (n + 1) · 256^L.
    fn tile(&self, level: u8, index: u64) -> Result<Vec<Hash>, Self::Error>;

    /// The root of a complete subtree: the one with number `index` of those over 2^`height` leaves.
    fn node(&self, height: u8, index: u64) -> Result<Hash, TreeError<Self::Error>> {
        let place = NodePosition::of(height, index);
        let tile = self.tile(place.level, place.tile).map_err(TreeError::Tiles)?;
        let hashes = tile.get(place.first..place.first + place.count()).ok_or(place.missing())?;
        Ok(complete_root(hashes))
    }
}

impl<T: Tiles + ?Sized> Tiles for &T {
    type Error = T::Error;

    fn tile(&self, level: u8, index: u64) -> Result<Vec<Hash>, Self::Error> {
        (**self).tile(level, index)
    }

    fn node(&self, height: u8, index: u64) -> Result<Hash, TreeError<Self::Error>> {
        (**self).node(height, index)
    }
}

/// A tile's contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// From 0, the leaves' level.
    pub level: u8,
    /// Its number on that level, from 0.
    pub index: u64,
    /// All its hashes, 1 to 256.
    pub hashes: Vec<Hash>,
}

/// Why there is no root or proof.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeError<E> {
    /// A tile could not be fetched.
    #[error("a tile cannot be read: {0}")]
    Tiles(#[source] E),
    /// A tile has fewer hashes than a tree of the asked size must have there.
    #[error("tile {index} of level {level} lacks hashes the tree must have")]
    Missing {
        /// The tile's level.
        level: u8,
        /// Its number.
        index: u64,
    },
    /// An index that is not below the size, a smaller tree that is not smaller, or a size past 2^64 - 1.
    #[error("outside the tree")]
    Outside,
}

/// Where an inner node is found: `2^rows` neighbours of one tile lie under it.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodePosition {
    pub(super) level: u8,
    pub(super) tile: u64,
    /// The first neighbour, counted within the tile.
    pub(super) first: usize,
    /// How far the node stands above the tile's own hashes, 0 to 7.
    pub(super) rows: u8,
}

impl NodePosition {
    pub(super) fn of(height: u8, index: u64) -> Self {
        let (level, rows) = (height / TILE_HEIGHT, height % TILE_HEIGHT);
        let first = index << rows;
        // The remainder is below 256.
        Self { level, tile: first / TILE_WIDTH, first: (first % TILE_WIDTH) as usize, rows }
    }

    pub(super) fn count(self) -> usize {
        1 << self.rows
    }

    pub(super) fn missing<E>(self) -> TreeError<E> {
        TreeError::Missing { level: self.level, index: self.tile }
    }
}

/// The root over a power of two of hashes.
pub(super) fn complete_root(hashes: &[Hash]) -> Hash {
    match hashes {
        [hash] => *hash,
        _ => {
            let (left, right) = hashes.split_at(hashes.len() / 2);
            node_hash(&complete_root(left), &complete_root(right))
        }
    }
}
