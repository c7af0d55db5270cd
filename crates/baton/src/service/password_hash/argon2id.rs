//! Argon2id whose memory goes back to the system after every hash.
//!
//! A hash fills 19 MiB. If the crate allocates them, glibc maps the first, and when it is freed takes all later ones from
//! arenas, of which each thread has its own. There a freed one is rarely used again, because the blocks are aligned and the
//! next request is a little larger: eight threads that hashed in turn kept 1.2 GiB. Above 32 MiB
//! (`DEFAULT_MMAP_THRESHOLD_MAX`, see `mallopt(3)`) glibc always maps an allocation by itself and unmaps it when it is
//! freed. So more is allocated than is used: pages that nobody touches take no memory.

use argon2::password_hash::{
    Decimal, Ident, Output, ParamsString, PasswordHash, PasswordHasher, Result, Salt,
};
use argon2::{Algorithm, Argon2, Block, Params, Version};

/// More than glibc ever takes from an arena.
const MAPPED_BYTES: usize = 33 << 20;

/// Hashes as `Argon2::default()` does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Argon2id;

impl PasswordHasher for Argon2id {
    type Params = Params;

    fn hash_password_customized<'a>(
        &self,
        password: &[u8],
        algorithm: Option<Ident<'a>>,
        version: Option<Decimal>,
        params: Params,
        salt: impl Into<Salt<'a>>,
    ) -> Result<PasswordHash<'a>> {
        let algorithm = algorithm.map(Algorithm::try_from).transpose()?.unwrap_or_default();
        let version = version.map(Version::try_from).transpose()?.unwrap_or_default();
        let salt = salt.into();
        let mut salt_buffer = [0; Salt::MAX_LENGTH];
        let salt_bytes = salt.decode_b64(&mut salt_buffer)?;
        let argon2 = Argon2::new(algorithm, version, params.clone());
        let mut blocks = blocks(params.block_count());
        let length = params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN);
        let output = Output::init_with(length, |out| {
            Ok(argon2.hash_password_into_with_memory(password, salt_bytes, out, &mut blocks)?)
        })?;
        Ok(PasswordHash {
            algorithm: algorithm.ident(),
            version: Some(version.into()),
            params: ParamsString::try_from(&params)?,
            salt: Some(salt),
            hash: Some(output),
        })
    }
}

fn blocks(count: usize) -> Vec<Block> {
    let mut blocks = Vec::with_capacity(count.max(MAPPED_BYTES / Block::SIZE));
    blocks.resize(count, Block::default());
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use argon2::password_hash::{PasswordVerifier, SaltString};

    #[test]
    fn a_hash_is_the_one_that_the_crate_computes() {
        let salt = SaltString::encode_b64(&[7; 16]).unwrap();
        let ours = Argon2id.hash_password(b"correct horse", &salt).unwrap();
        let theirs = Argon2::default().hash_password(b"correct horse", &salt).unwrap();
        assert_eq!(ours.to_string(), theirs.to_string());
    }

    #[test]
    fn a_hash_with_other_parameters_is_verified_with_those() {
        let salt = SaltString::encode_b64(&[7; 16]).unwrap();
        let params = Params::new(64, 3, 2, Some(24)).unwrap();
        let argon2 = Argon2::new(Algorithm::Argon2i, Version::V0x10, params);
        let hash = argon2.hash_password(b"correct horse", &salt).unwrap();
        assert!(Argon2id.verify_password(b"correct horse", &hash).is_ok());
        assert!(Argon2id.verify_password(b"correct house", &hash).is_err());
    }
}
