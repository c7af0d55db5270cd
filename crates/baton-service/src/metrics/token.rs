//! `--metrics-token`: what a scraper shows instead of a system admin's token. Kept as a hash, like every secret here.

use baton_core::limits;
use sha2::{Digest, Sha256};

/// The hash of a scraper's token.
#[derive(Clone)]
pub struct MetricsToken([u8; 32]);

impl MetricsToken {
    /// Reads what the operator gave.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        match is_plain && text.len() >= limits::METRICS_TOKEN_MIN_CHARS {
            true => Ok(Self(Sha256::digest(text).into())),
            false => Err(format!(
                "must be at least {} letters, digits or signs, without spaces",
                limits::METRICS_TOKEN_MIN_CHARS
            )),
        }
    }

    /// Whether this is the token; takes as long whatever is shown.
    pub fn is(&self, shown: &str) -> bool {
        let shown: [u8; 32] = Sha256::digest(shown).into();
        self.0.iter().zip(shown).fold(0, |differs, (ours, theirs)| differs | (ours ^ theirs)) == 0
    }
}

impl std::fmt::Debug for MetricsToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MetricsToken")
    }
}
