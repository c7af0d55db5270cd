//! Random bytes: for secrets each time from the operating system, for ids from a generator of the thread's own.

use rand::Rng;

/// So many random bytes. Without a source of randomness no secret can be made, and the hub cannot continue.
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).unwrap_or_else(|error| panic!("no randomness from the system: {error}"));
    bytes
}

/// So many random bytes for ids and salts, which every call needs several of: as unpredictable, but without a call of the
/// system each. The generator is ChaCha, seeded by the system and reseeded every 64 KiB.
pub fn id_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::rng().fill_bytes(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_made_on_several_threads_are_all_different() {
        let made = |_| std::thread::spawn(|| (0..10_000).map(|_| id_bytes::<10>()).collect::<Vec<_>>());
        let threads: Vec<_> = (0..4).map(made).collect();
        let all: HashSet<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        assert_eq!(all.len(), 40_000);
    }
}
