//! Random bytes from the operating system, for ids and secrets.

/// So many random bytes. Without a source of randomness no secret can be made, and the hub cannot go on.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).unwrap_or_else(|error| panic!("no randomness from the system: {error}"));
    bytes
}
