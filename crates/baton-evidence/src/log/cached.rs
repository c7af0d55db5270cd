//! Tiles kept for many proofs in a row, with their inner nodes hashed once. Bounded: the tile not asked for
//! longest goes first. It is made for one piece of work on a tree of one size: what it keeps it never fetches
//! again, so it is not to outlive a growth of the log.

use crate::limits::KEPT_TILES;
use std::cell::RefCell;

use super::hash::{Hash, node_hash};
use super::tiles::{NodePosition, Tiles, TreeError};

/// A bounded cache before `T`.
#[derive(Debug)]
pub struct CachedTiles<T> {
    tiles: T,
    /// The most recently used first.
    kept: RefCell<Vec<CachedTile>>,
}

#[derive(Debug)]
struct CachedTile {
    level: u8,
    index: u64,
    width: usize,
    /// The tile's own hashes, then the complete nodes above them, row by row.
    rows: Vec<Hash>,
}

impl<T: Tiles> CachedTiles<T> {
    /// A cache before these tiles.
    pub fn new(tiles: T) -> Self {
        Self { tiles, kept: RefCell::default() }
    }

    /// Answers from a tile, fetching it if need be.
    fn with<A>(&self, level: u8, index: u64, answer: impl FnOnce(&CachedTile) -> A) -> Result<A, T::Error> {
        let mut kept = self.kept.borrow_mut();
        match kept.iter().position(|tile| tile.level == level && tile.index == index) {
            Some(place) => kept[..=place].rotate_right(1),
            None => {
                let tile = CachedTile::new(level, index, self.tiles.tile(level, index)?);
                kept.truncate(KEPT_TILES - 1);
                kept.insert(0, tile);
            }
        }
        Ok(answer(&kept[0]))
    }
}

impl<T: Tiles> Tiles for CachedTiles<T> {
    type Error = T::Error;

    fn tile(&self, level: u8, index: u64) -> Result<Vec<Hash>, Self::Error> {
        self.with(level, index, |tile| tile.rows[..tile.width].to_vec())
    }

    fn node(&self, height: u8, index: u64) -> Result<Hash, TreeError<Self::Error>> {
        let place = NodePosition::of(height, index);
        let node = self.with(place.level, place.tile, |tile| tile.node(place)).map_err(TreeError::Tiles)?;
        node.ok_or(place.missing())
    }
}

impl CachedTile {
    fn new(level: u8, index: u64, hashes: Vec<Hash>) -> Self {
        let width = hashes.len();
        let mut rows = hashes;
        rows.reserve_exact(width);
        let (mut start, mut row) = (0, width);
        while row > 1 {
            for pair in 0..row / 2 {
                rows.push(node_hash(&rows[start + 2 * pair], &rows[start + 2 * pair + 1]));
            }
            start += row;
            row /= 2;
        }
        Self { level, index, width, rows }
    }

    fn node(&self, place: NodePosition) -> Option<Hash> {
        let row_start: usize = (0..place.rows).map(|row| self.width >> row).sum();
        let within = place.first >> place.rows;
        let in_row = within < self.width >> place.rows;
        in_row.then(|| self.rows[row_start + within])
    }
}
