//! A log's tree, made again from its events. Only the right edge is kept: one unfinished tile a level, which is all
//! that the next events and the root need.

use baton_evidence::log::{self, Hash, TILE_WIDTH, Tile, Tiles, TreeError};
use std::convert::Infallible;

/// A tree that grows leaf by leaf.
#[derive(Debug, Default)]
pub(super) struct Tree {
    edge: Edge,
    size: u64,
    /// Leaves of the tile that is being filled.
    waiting: Vec<Hash>,
}

/// By level, the last tile as far as it is filled.
#[derive(Debug, Default)]
struct Edge(Vec<Option<Tile>>);

impl Tiles for Edge {
    type Error = Infallible;

    fn tile(&self, level: u8, index: u64) -> Result<Vec<Hash>, Infallible> {
        let tile = self.0.get(usize::from(level)).and_then(Option::as_ref);
        Ok(tile.filter(|tile| tile.index == index).map_or_else(Vec::new, |tile| tile.hashes.clone()))
    }
}

impl Tree {
    /// Adds the next leaf. Answers the tiles that are full now, if it filled one.
    pub(super) fn add(&mut self, leaf: Hash) -> Result<Vec<Tile>, TreeError<Infallible>> {
        self.waiting.push(leaf);
        if self.waiting.len() as u64 == TILE_WIDTH { self.grow() } else { Ok(Vec::new()) }
    }

    /// Answers what is left: the unfinished tiles, and the root.
    pub(super) fn finish(mut self) -> Result<(Vec<Tile>, Hash), TreeError<Infallible>> {
        self.grow()?;
        let root = log::root(&self.edge, self.size)?;
        Ok((self.edge.0.into_iter().flatten().collect(), root))
    }

    fn grow(&mut self) -> Result<Vec<Tile>, TreeError<Infallible>> {
        let grown = log::grow(&self.edge, self.size, &self.waiting)?;
        self.size += self.waiting.len() as u64;
        self.waiting.clear();
        let mut full = Vec::new();
        for tile in grown {
            let level = usize::from(tile.level);
            self.edge.0.resize(self.edge.0.len().max(level + 1), None);
            if tile.hashes.len() as u64 == TILE_WIDTH {
                self.edge.0[level] = None;
                full.push(tile);
            } else {
                self.edge.0[level] = Some(tile);
            }
        }
        Ok(full)
    }
}

/// How many tiles a tree of this size has.
pub(super) fn tile_count(size: u64) -> u64 {
    let levels = std::iter::successors(Some(size), |hashes| Some(hashes / TILE_WIDTH));
    levels.take_while(|hashes| *hashes > 0).map(|hashes| hashes.div_ceil(TILE_WIDTH)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every tile of a tree, kept.
    #[derive(Default)]
    struct Whole(Vec<Tile>);

    impl Tiles for Whole {
        type Error = Infallible;

        fn tile(&self, level: u8, index: u64) -> Result<Vec<Hash>, Infallible> {
            let tile = self.0.iter().find(|tile| tile.level == level && tile.index == index);
            Ok(tile.map_or_else(Vec::new, |tile| tile.hashes.clone()))
        }
    }

    #[test]
    fn a_tree_of_its_edge_has_the_tiles_and_the_root_of_the_whole() {
        for size in [0, 1, 2, 255, 256, 257, 511, 512, 1000, 65_535, 65_536, 65_537, 66_000] {
            let leaves: Vec<Hash> = (0..size).map(|n: u64| log::leaf_hash(&n.to_be_bytes())).collect();
            let whole = Whole(log::grow(&Whole::default(), 0, &leaves).unwrap());
            let mut tree = Tree::default();
            let mut tiles = Vec::new();
            for leaf in leaves {
                tiles.extend(tree.add(leaf).unwrap());
            }
            let (unfinished, root) = tree.finish().unwrap();
            tiles.extend(unfinished);
            assert_eq!(root, log::root(&whole, size).unwrap(), "{size}");
            assert_eq!(tiles.len() as u64, tile_count(size), "{size}");
            tiles.sort_by_key(|tile| (tile.level, tile.index));
            let mut expected = whole.0;
            expected.sort_by_key(|tile| (tile.level, tile.index));
            assert_eq!(tiles, expected, "{size}");
        }
    }
}
