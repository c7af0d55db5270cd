//! The check of proofs, step by step as RFC 9162 writes it (sections 2.1.3.2 and 2.1.4.2): no tree is needed,
//! only the proof and the roots.

use super::hash::{Hash, empty_root, node_hash};

/// What a proof does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// The index is not below the size, or the smaller tree is not the smaller one.
    #[error("the index or size lies outside the tree")]
    Outside,
    /// More or fewer hashes than a proof between these numbers has.
    #[error("the proof has another length than these numbers ask for")]
    Length,
    /// The hashes lead to another root.
    #[error("the proof leads to another root")]
    Root,
    /// The hashes lead to another root of the smaller tree.
    #[error("the proof leads to another root of the smaller tree")]
    SmallerRoot,
}

/// Checks that `leaf` stands at `index` in the tree of `size` with this root.
pub fn check_inclusion(
    leaf: &Hash,
    index: u64,
    size: u64,
    proof: &[Hash],
    root: &Hash,
) -> Result<(), ProofError> {
    if index >= size {
        return Err(ProofError::Outside);
    }
    let mut way = LeafPath { node: index, last: size - 1 };
    let mut hash = *leaf;
    for step in proof {
        hash = match way.step().ok_or(ProofError::Length)? {
            Side::Left => node_hash(step, &hash),
            Side::Right => node_hash(&hash, step),
        };
    }
    way.ended().then_some(()).ok_or(ProofError::Length)?;
    (hash == *root).then_some(()).ok_or(ProofError::Root)
}

/// Checks that the tree of size `to` begins with the tree of size `from`.
pub fn check_consistency(
    from: u64,
    from_root: &Hash,
    to: u64,
    to_root: &Hash,
    proof: &[Hash],
) -> Result<(), ProofError> {
    if from > to {
        return Err(ProofError::Outside);
    }
    if from == to || from == 0 {
        return check_trivial(from, from_root, to, to_root, proof);
    }
    // A smaller tree that is complete is its own first step; the proof leaves it out.
    let (mut smaller, steps) = if from.is_power_of_two() {
        (*from_root, proof)
    } else {
        let (first, rest) = proof.split_first().ok_or(ProofError::Length)?;
        (*first, rest)
    };
    let shift = (from - 1).trailing_ones();
    let mut way = LeafPath { node: (from - 1) >> shift, last: (to - 1) >> shift };
    let mut larger = smaller;
    for step in steps {
        match way.step().ok_or(ProofError::Length)? {
            Side::Left => {
                smaller = node_hash(step, &smaller);
                larger = node_hash(step, &larger);
            }
            Side::Right => larger = node_hash(&larger, step),
        }
    }
    way.ended().then_some(()).ok_or(ProofError::Length)?;
    (smaller == *from_root).then_some(()).ok_or(ProofError::SmallerRoot)?;
    (larger == *to_root).then_some(()).ok_or(ProofError::Root)
}

/// Equal sizes have equal roots; every tree begins with the empty one.
fn check_trivial(
    from: u64,
    from_root: &Hash,
    to: u64,
    to_root: &Hash,
    proof: &[Hash],
) -> Result<(), ProofError> {
    if !proof.is_empty() {
        return Err(ProofError::Length);
    }
    if from == 0 && *from_root != empty_root() {
        return Err(ProofError::SmallerRoot);
    }
    if from == to && from_root != to_root {
        return Err(ProofError::Root);
    }
    Ok(())
}

/// On which side of what we have the next hash is put.
enum Side {
    Left,
    Right,
}

/// The way from a leaf to the root: the node we stand on and the last one of its row (`fn` and `sn` in the RFC).
struct LeafPath {
    node: u64,
    last: u64,
}

impl LeafPath {
    /// One step up; `None` at the root.
    fn step(&mut self) -> Option<Side> {
        if self.last == 0 {
            return None;
        }
        let side = if self.node & 1 == 1 || self.node == self.last {
            // A last node without a right neighbour rises unchanged until it has a left one. It is not node 0,
            // because the last is not.
            self.up(self.node.trailing_zeros());
            Side::Left
        } else {
            Side::Right
        };
        self.up(1);
        Some(side)
    }

    fn up(&mut self, rows: u32) {
        self.node >>= rows;
        self.last >>= rows;
    }

    fn ended(&self) -> bool {
        self.last == 0
    }
}
