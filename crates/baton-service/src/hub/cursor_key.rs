//! What the cursors of lists are encrypted with; how, is in `service/page.rs`.

use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::fmt;

/// The hub's secret that cursors are encrypted with.
#[derive(Clone)]
pub struct CursorKey(pub Hmac<Sha256>);

impl CursorKey {
    pub fn new(key: &[u8; 32]) -> Self {
        // HMAC pads a short key with zeros: this is the block it would make of it.
        let mut block = hmac::digest::Key::<Hmac<Sha256>>::default();
        block[..key.len()].copy_from_slice(key);
        Self(Hmac::new(&block))
    }
}

impl fmt::Debug for CursorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CursorKey(…)")
    }
}
