//! New leaves: which tiles they fill. Each tile that gets full gives the level above one hash more.

use super::hash::Hash;
use super::tiles::{TILE_WIDTH, Tile, Tiles, TreeError, complete_root};

/// Grows the tree of `size` by these leaf hashes. Answers the tiles that are new or longer now, on every level,
/// each with its whole contents; the host keeps them in place of what it had.
pub fn grow<T: Tiles>(tiles: &T, size: u64, leaves: &[Hash]) -> Result<Vec<Tile>, TreeError<T::Error>> {
    size.checked_add(leaves.len() as u64).ok_or(TreeError::Outside)?;
    let mut grown = Vec::new();
    let mut new = leaves.to_vec();
    let mut known = size; // hashes this level had
    for level in 0.. {
        if new.is_empty() {
            break;
        }
        let first = grown.len();
        grow_level(tiles, level, known, &new, &mut grown)?;
        new = grown[first..]
            .iter()
            .filter(|tile| is_full(tile))
            .map(|tile| complete_root(&tile.hashes))
            .collect();
        known /= TILE_WIDTH;
    }
    Ok(grown)
}

fn grow_level<T: Tiles>(
    tiles: &T,
    level: u8,
    known: u64,
    mut new: &[Hash],
    grown: &mut Vec<Tile>,
) -> Result<(), TreeError<T::Error>> {
    let mut index = known / TILE_WIDTH;
    let mut hashes = edge(tiles, level, index, (known % TILE_WIDTH) as usize)?;
    while !new.is_empty() {
        let room = TILE_WIDTH as usize - hashes.len();
        let (fitting, rest) = new.split_at(room.min(new.len()));
        hashes.extend_from_slice(fitting);
        grown.push(Tile { level, index, hashes: std::mem::take(&mut hashes) });
        new = rest;
        index += 1;
    }
    Ok(())
}

/// The hashes a tile has already: exactly `count`, whatever else the host may have put there since.
fn edge<T: Tiles>(tiles: &T, level: u8, index: u64, count: usize) -> Result<Vec<Hash>, TreeError<T::Error>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let mut hashes = tiles.tile(level, index).map_err(TreeError::Tiles)?;
    if hashes.len() < count {
        return Err(TreeError::Missing { level, index });
    }
    hashes.truncate(count);
    Ok(hashes)
}

fn is_full(tile: &Tile) -> bool {
    tile.hashes.len() as u64 == TILE_WIDTH
}
