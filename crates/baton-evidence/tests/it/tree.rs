//! The log's tree against three opinions: RFC 6962's definition recorded naively, the `tlog_tiles` crate, and
//! the vectors of the Certificate Transparency project.

use baton_evidence::log::{
    self, CachedTiles, Hash, ProofError, TILE_WIDTH, Tiles, TreeError, check_consistency, check_inclusion,
    leaf_hash,
};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::convert::Infallible;

/// Tiles in memory, grown as a hub grows them.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    tiles: HashMap<(u8, u64), Vec<Hash>>,
    pub(crate) size: u64,
    fetched: Cell<usize>,
}

impl Tiles for Memory {
    type Error = Infallible;

    fn tile(&self, level: u8, index: u64) -> Result<Vec<Hash>, Infallible> {
        self.fetched.set(self.fetched.get() + 1);
        Ok(self.tiles.get(&(level, index)).cloned().unwrap_or_default())
    }
}

impl Memory {
    pub(crate) fn append(&mut self, leaves: &[Hash]) {
        for tile in log::grow(self, self.size, leaves).unwrap() {
            self.tiles.insert((tile.level, tile.index), tile.hashes);
        }
        self.size += leaves.len() as u64;
    }
}

fn leaves(count: u64) -> Vec<Hash> {
    (0..count).map(|number| leaf_hash(format!("event {number}").as_bytes())).collect()
}

fn memory_of(leaves: &[Hash]) -> Memory {
    let mut memory = Memory::default();
    memory.append(leaves);
    memory
}

/// RFC 6962, section 2.1, word for word; only that roots are remembered.
struct Naive {
    leaves: Vec<Hash>,
    roots: RefCell<HashMap<(usize, usize), Hash>>,
}

impl Naive {
    fn new(leaves: Vec<Hash>) -> Self {
        Self { leaves, roots: RefCell::default() }
    }

    fn k(n: usize) -> usize {
        let mut k = 1;
        while k * 2 < n {
            k *= 2;
        }
        k
    }

    /// MTH(D[from:to])
    fn root(&self, from: usize, to: usize) -> Hash {
        if to - from == 1 {
            return self.leaves[from];
        }
        if let Some(root) = self.roots.borrow().get(&(from, to)) {
            return *root;
        }
        let k = Self::k(to - from);
        let root = pair(&self.root(from, from + k), &self.root(from + k, to));
        self.roots.borrow_mut().insert((from, to), root);
        root
    }

    /// PATH(m, D[from:to])
    fn path(&self, m: usize, from: usize, to: usize) -> Vec<Hash> {
        if to - from == 1 {
            return vec![];
        }
        let k = Self::k(to - from);
        if m < k {
            let mut path = self.path(m, from, from + k);
            path.push(self.root(from + k, to));
            path
        } else {
            let mut path = self.path(m - k, from + k, to);
            path.push(self.root(from, from + k));
            path
        }
    }

    /// SUBPROOF(m, D[from:to], b)
    fn subproof(&self, m: usize, from: usize, to: usize, b: bool) -> Vec<Hash> {
        if m == to - from {
            return if b { vec![] } else { vec![self.root(from, to)] };
        }
        let k = Self::k(to - from);
        if m <= k {
            let mut proof = self.subproof(m, from, from + k, b);
            proof.push(self.root(from + k, to));
            proof
        } else {
            let mut proof = self.subproof(m - k, from + k, to, false);
            proof.push(self.root(from, from + k));
            proof
        }
    }
}

fn pair(left: &Hash, right: &Hash) -> Hash {
    use sha2::{Digest as _, Sha256};
    Hash(Sha256::digest([&[1][..], &left.0, &right.0].concat()).into())
}

fn theirs(hash: &Hash) -> tlog_tiles::Hash {
    tlog_tiles::Hash(hash.0)
}

fn all_theirs(proof: &[Hash]) -> Vec<tlog_tiles::Hash> {
    proof.iter().map(theirs).collect()
}

/// One inclusion proof: made as the RFC says, taken by us, by `tlog_tiles`, and by nobody once it is changed.
fn inclusion_agrees(tiles: &impl Tiles<Error = Infallible>, naive: &Naive, index: u64, size: u64) {
    let proof = log::inclusion(tiles, index, size).unwrap();
    let root = naive.root(0, size as usize);
    let leaf = naive.leaves[index as usize];
    assert_eq!(proof, naive.path(index as usize, 0, size as usize), "index {index}, size {size}");
    check_inclusion(&leaf, index, size, &proof, &root).unwrap();
    tlog_tiles::check_record(&all_theirs(&proof), size, theirs(&root), index, theirs(&leaf)).unwrap();

    let other = if index == 0 { size } else { index - 1 };
    assert!(check_inclusion(&leaf, other, size, &proof, &root).is_err(), "index {index}, size {size}");
    let longer = [&proof[..], &[leaf]].concat();
    assert_eq!(check_inclusion(&leaf, index, size, &longer, &root), Err(ProofError::Length));
    if let Some((last, shorter)) = proof.split_last() {
        assert_eq!(check_inclusion(&leaf, index, size, shorter, &root), Err(ProofError::Length));
        let changed = [shorter, &[Hash(last.0.map(|byte| byte ^ 1))]].concat();
        assert_eq!(check_inclusion(&leaf, index, size, &changed, &root), Err(ProofError::Root));
    }
}

fn consistency_agrees(tiles: &impl Tiles<Error = Infallible>, naive: &Naive, from: u64, to: u64) {
    let proof = log::consistency(tiles, from, to).unwrap();
    assert_eq!(proof, naive.subproof(from as usize, 0, to as usize, true), "{from} to {to}");
    let (old, new) = (naive.root(0, from as usize), naive.root(0, to as usize));
    check_consistency(from, &old, to, &new, &proof).unwrap();
    tlog_tiles::check_tree(&all_theirs(&proof), to, theirs(&new), from, theirs(&old)).unwrap();

    let wrong = Hash([7; 32]);
    assert!(check_consistency(from, &wrong, to, &new, &proof).is_err());
    assert!(check_consistency(from, &old, to, &wrong, &proof).is_err());
    let longer = [&proof[..], &[wrong]].concat();
    assert_eq!(check_consistency(from, &old, to, &new, &longer), Err(ProofError::Length));
    if let Some((_, shorter)) = proof.split_last() {
        assert_eq!(check_consistency(from, &old, to, &new, shorter), Err(ProofError::Length));
    }
}

#[test]
fn every_inclusion_proof_up_to_300_leaves_is_the_rfcs_and_taken_by_tlog_tiles() {
    let naive = Naive::new(leaves(300));
    let memory = memory_of(&naive.leaves);
    let tiles = CachedTiles::new(&memory);
    for size in 1..=300 {
        assert_eq!(log::root(&tiles, size).unwrap(), naive.root(0, size as usize), "size {size}");
        for index in 0..size {
            inclusion_agrees(&tiles, &naive, index, size);
        }
    }
}

#[test]
fn every_consistency_proof_up_to_300_leaves_is_the_rfcs_and_taken_by_tlog_tiles() {
    let naive = Naive::new(leaves(300));
    let memory = memory_of(&naive.leaves);
    let tiles = CachedTiles::new(&memory);
    for to in 1..=300 {
        for from in 1..=to {
            consistency_agrees(&tiles, &naive, from, to);
        }
    }
}

#[test]
fn a_tree_of_three_levels_of_tiles_agrees_too() {
    let naive = Naive::new(leaves(65536 + 600));
    let memory = memory_of(&naive.leaves);
    for size in [65535, 65536, 65537, 65536 + 255, 65536 + 256, 65536 + 257, 65536 + 600] {
        assert_eq!(log::root(&memory, size).unwrap(), naive.root(0, size as usize), "size {size}");
        let indexes = [0, 1, 255, 256, 257, 32767, 32768, 65279, 65280, 65534, size - 2, size - 1];
        for index in indexes {
            inclusion_agrees(&memory, &naive, index, size);
        }
        for from in [1, 2, 255, 256, 300, 32768, 40000, 65534, 65535, size - 1, size] {
            consistency_agrees(&memory, &naive, from, size);
        }
    }
}

#[test]
fn the_vectors_of_certificate_transparency_hold() {
    let data =
        ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
    let roots = [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];
    let leaves: Vec<Hash> = data.iter().map(|leaf| leaf_hash(&unhex(leaf))).collect();
    let memory = memory_of(&leaves);
    for (size, root) in (1..).zip(roots) {
        assert_eq!(log::root(&memory, size).unwrap().0[..], unhex(root), "size {size}");
    }
    assert_eq!(
        log::inclusion(&memory, 0, 8).unwrap().iter().map(|hash| hash.0.to_vec()).collect::<Vec<_>>(),
        [
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ]
        .map(unhex)
    );
    assert_eq!(
        log::consistency(&memory, 6, 8).unwrap().iter().map(|hash| hash.0.to_vec()).collect::<Vec<_>>(),
        [
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ]
        .map(unhex)
    );
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(log::root(&memory, 0).unwrap().0[..], unhex(empty));
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn growing_leaf_by_leaf_or_in_any_steps_gives_the_same_tiles() {
    let all = leaves(66_100);
    let whole = memory_of(&all);
    let mut stepwise = Memory::default();
    let mut rest = &all[..];
    for step in [1, 1, 254, 1, 255, 256, 257, 3, 64000].into_iter().chain(std::iter::repeat(17)) {
        let (next, after) = rest.split_at(step.min(rest.len()));
        stepwise.append(next);
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    assert_eq!(stepwise.tiles, whole.tiles);
    assert_eq!(whole.tiles[&(2, 0)].len(), 1);
    assert!(whole.tiles.values().all(|tile| (1..=TILE_WIDTH as usize).contains(&tile.len())));
    assert!(log::grow(&whole, whole.size, &[]).unwrap().is_empty());
}

#[test]
fn growing_ignores_hashes_past_the_size_it_grows_from() {
    // A host that kept tiles and then lost the note of it grows from the older size again.
    let all = leaves(700);
    let whole = memory_of(&all);
    let again = log::grow(&whole, 500, &all[500..]).unwrap();
    assert!(!again.is_empty());
    for tile in again {
        assert_eq!(whole.tiles[&(tile.level, tile.index)], tile.hashes);
    }
}

#[test]
fn what_lies_outside_the_tree_or_is_missing_from_the_tiles_is_named() {
    let memory = memory_of(&leaves(300));
    assert_eq!(log::inclusion(&memory, 300, 300), Err(TreeError::Outside));
    assert_eq!(log::consistency(&memory, 301, 300), Err(TreeError::Outside));
    assert_eq!(log::root(&memory, 301), Err(TreeError::Missing { level: 0, index: 1 }));
    assert_eq!(log::root(&CachedTiles::new(&memory), 301), Err(TreeError::Missing { level: 0, index: 1 }));
    assert_eq!(log::root(&memory, u64::MAX), Err(TreeError::Missing { level: 0, index: (1 << 56) - 1 }));
    assert_eq!(log::grow(&memory, u64::MAX, &leaves(1)), Err(TreeError::Outside));
    assert_eq!(log::grow(&memory, 301, &leaves(1)), Err(TreeError::Missing { level: 0, index: 1 }));
    let (leaf, root) = (leaf_hash(b""), Hash([0; 32]));
    assert_eq!(check_inclusion(&leaf, 5, 5, &[], &root), Err(ProofError::Outside));
    assert_eq!(check_consistency(6, &root, 5, &root, &[]), Err(ProofError::Outside));
}

#[test]
fn every_tree_begins_with_the_empty_one_and_equal_sizes_need_equal_roots() {
    let memory = memory_of(&leaves(3));
    let (three, other) = (log::root(&memory, 3).unwrap(), Hash([9; 32]));
    assert!(log::consistency(&memory, 0, 3).unwrap().is_empty());
    check_consistency(0, &log::empty_root(), 3, &three, &[]).unwrap();
    assert_eq!(check_consistency(0, &other, 3, &three, &[]), Err(ProofError::SmallerRoot));
    check_consistency(3, &three, 3, &three, &[]).unwrap();
    assert_eq!(check_consistency(3, &three, 3, &other, &[]), Err(ProofError::Root));
    assert_eq!(check_consistency(3, &three, 3, &three, &[other]), Err(ProofError::Length));
}

#[test]
fn many_proofs_in_a_row_fetch_hardly_a_tile_twice() {
    let memory = memory_of(&leaves(100_000));
    let tiles = CachedTiles::new(&memory);
    memory.fetched.set(0);
    let root = log::root(&tiles, 100_000).unwrap();
    let started = std::time::Instant::now();
    for index in 0..100_000 {
        let proof = log::inclusion(&tiles, index, 100_000).unwrap();
        if index % 997 == 0 {
            let leaf = leaf_hash(format!("event {index}").as_bytes());
            check_inclusion(&leaf, index, 100_000, &proof, &root).unwrap();
        }
    }
    eprintln!("100 000 inclusion proofs: {:.2} seconds", started.elapsed().as_secs_f64());
    // 391 tiles of leaves, 2 above, and the one on top twice: it serves the root, then only the last third.
    assert_eq!(memory.fetched.get(), 391 + 2 + 2);
}

#[test]
fn a_hash_has_exactly_one_text() {
    let hash = leaf_hash(b"");
    let text = hash.to_string();
    assert_eq!(text, "bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=");
    assert_eq!(text.parse(), Ok(hash));
    assert_eq!(serde_json::to_string(&hash).unwrap(), format!("\"{text}\""));
    assert_eq!(serde_json::from_str::<Hash>(&format!("\"{text}\"")).unwrap(), hash);
    let spare_bits = text.replace("oB0=", "oB1=");
    for wrong in
        ["", "bjQL", text.trim_end_matches('='), &text.replace('+', "-"), &spare_bits, &format!("{text} ")]
    {
        assert!(wrong.parse::<Hash>().is_err(), "{wrong}");
    }
}

#[test]
fn the_right_edge_alone_gives_the_root_of_every_size() {
    let naive = Naive::new(leaves(600));
    let mut edge = log::Frontier::default();
    assert_eq!(edge.root(), log::empty_root());
    for (leaf, size) in naive.leaves.iter().zip(1..) {
        edge.push(*leaf);
        assert_eq!((edge.size(), edge.root()), (size as u64, naive.root(0, size)));
    }
}
