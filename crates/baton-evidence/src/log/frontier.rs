//! A tree that is only grown and asked for its root: the complete subtrees along its right edge, at most 64 hashes.
//! For readers who walk a whole log once and keep none of it.

use super::hash::{Hash, empty_root, node_hash};

/// The right edge of a tree.
#[derive(Debug, Clone, Default)]
pub struct Frontier {
    size: u64,
    /// One root for each bit of the size, the largest subtree first.
    subtrees: Vec<Hash>,
}

impl Frontier {
    /// How many leaves the tree has.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Adds a leaf at the right.
    pub fn push(&mut self, leaf: Hash) {
        let mut hash = leaf;
        // As many subtrees become complete as there are ones at the end of the old size.
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.subtrees.pop() {
                hash = node_hash(&left, &hash);
            }
        }
        self.subtrees.push(hash);
        self.size += 1;
    }

    /// The root over all leaves so far.
    #[must_use]
    pub fn root(&self) -> Hash {
        let from_the_right = self.subtrees.iter().rev().copied();
        from_the_right.reduce(|right, left| node_hash(&left, &right)).unwrap_or_else(empty_root)
    }
}
