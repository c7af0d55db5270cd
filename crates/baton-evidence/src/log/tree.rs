//! Roots and proofs of a tree of a given size, RFC 6962, sections 2.1 to 2.1.2. Every tree is made of complete
//! subtrees, one for each bit of its size; those come from the tiles, the rest is hashed together here.

use super::hash::{Hash, empty_root, node_hash};
use super::tiles::{Tiles, TreeError};

/// The root of the tree's first `size` leaves.
pub fn root<T: Tiles>(tiles: &T, size: u64) -> Result<Hash, TreeError<T::Error>> {
    if size == 0 { Ok(empty_root()) } else { range_root(tiles, 0, size) }
}

/// The inclusion proof of leaf `index` in the tree of `size`: what is hashed in on the way up, the lowest first.
pub fn inclusion<T: Tiles>(tiles: &T, index: u64, size: u64) -> Result<Vec<Hash>, TreeError<T::Error>> {
    if index >= size {
        return Err(TreeError::Outside);
    }
    let mut proof = Vec::with_capacity(height_of(size));
    let (mut from, mut to) = (0, size);
    // From the top down, so the proof is made back to front.
    while to - from > 1 {
        let middle = from + split(to - from);
        if index < middle {
            proof.push(range_root(tiles, middle, to)?);
            to = middle;
        } else {
            proof.push(range_root(tiles, from, middle)?);
            from = middle;
        }
    }
    proof.reverse();
    Ok(proof)
}

/// The consistency proof between the trees of size `from` and of size `to`. It is empty where there is nothing
/// to show: the sizes are equal, or the smaller tree has no leaves.
pub fn consistency<T: Tiles>(tiles: &T, from: u64, to: u64) -> Result<Vec<Hash>, TreeError<T::Error>> {
    if from > to {
        return Err(TreeError::Outside);
    }
    if from == 0 || from == to {
        return Ok(Vec::new());
    }
    let mut proof = Vec::with_capacity(height_of(to) + 1);
    let (mut start, mut end) = (0, to);
    while end != from {
        let middle = start + split(end - start);
        if from <= middle {
            proof.push(range_root(tiles, middle, end)?);
            end = middle;
        } else {
            proof.push(range_root(tiles, start, middle)?);
            start = middle;
        }
    }
    // Where the smaller tree is itself a complete subtree from the left edge, its root is known to the reader.
    if start != 0 {
        proof.push(range_root(tiles, start, end)?);
    }
    proof.reverse();
    Ok(proof)
}

/// The largest power of two below `size`, which is at least 2.
fn split(size: u64) -> u64 {
    1 << (size - 1).ilog2()
}

fn height_of(size: u64) -> usize {
    (u64::BITS - size.leading_zeros()) as usize
}

/// The root over the leaves from `from` up to, not including, `to`. As everywhere in such a tree, `from` is a
/// multiple of the largest power of two in the range's length.
fn range_root<T: Tiles>(tiles: &T, from: u64, to: u64) -> Result<Hash, TreeError<T::Error>> {
    let mut root = None;
    let mut end = to;
    while end > from {
        // From the right: the lowest bit of the length is the last and smallest subtree.
        let height = (end - from).trailing_zeros();
        end -= 1 << height;
        let left = tiles.node(height as u8, end >> height)?; // below 64
        root = Some(match root {
            None => left,
            Some(right) => node_hash(&left, &right),
        });
    }
    root.ok_or(TreeError::Outside)
}
