//! The log's Merkle tree, RFC 6962 (the same tree as RFC 9162's): leaf hashes, roots, inclusion and consistency
//! proofs, and their check. Where hashes are kept is the host's business, behind [`Tiles`]; no I/O is done here.
//!
//! A proof shows that an event stands in the tree a root names, or that a larger tree begins with a smaller one.
//! It does not show that what an event says is so.

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
