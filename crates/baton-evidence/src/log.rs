//! The log's Merkle tree, RFC 6962 (the same tree as RFC 9162's): leaf hashes, roots, inclusion and consistency
//! proofs, and their check. Where hashes are kept is the host's business, behind [`Tiles`]; no I/O is done here.
//!
//! A proof shows that an event stands in the tree a root names, or that a larger tree begins with a smaller one.
//! It does not show that what an event says is so.
//!
//! `tlog_tiles` 0.2 is the second opinion in the tests and not used here: it adds one leaf at a time and not a batch to tiles,
//! its readers cannot return a host's error, and its checks do not say which part of a proof is wrong.

mod cached;
mod frontier;
mod grow;
mod hash;
mod proof;
mod tiles;
mod tree;

pub use cached::CachedTiles;
pub use frontier::Frontier;
pub use grow::grow;
pub use hash::{Hash, NotAHash, empty_root, leaf_hash};
pub use proof::{ProofError, check_consistency, check_inclusion};
pub use tiles::{TILE_WIDTH, Tile, Tiles, TreeError};
pub use tree::{consistency, inclusion, root};
