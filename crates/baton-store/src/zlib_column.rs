//! A column of an entry bundle from before schema 35: a zlib stream, whose checksum names a damaged one. It is read and
//! never written.

use baton_core::limits::{ENTRY_BUNDLE_COUNT, ENTRY_BUNDLED_MAX_BYTES};
use flate2::{Decompress, FlushDecompress, Status};

use crate::entry_bundle::LENGTH;

/// The most a column inflates to.
const MAX_BYTES: usize = ENTRY_BUNDLE_COUNT * (LENGTH + ENTRY_BUNDLED_MAX_BYTES);
/// What columns of the hub's own events shrank to at least: how much room inflating one begins with.
const USUAL_RATIO: usize = 12; // not a limit: an estimate

/// Inflates a whole stream with nothing after it, up to the largest column.
pub(crate) fn inflate(packed: &[u8]) -> Result<Vec<u8>, String> {
    let mut engine = Decompress::new(true);
    let mut out = Vec::with_capacity(packed.len().saturating_mul(USUAL_RATIO).min(MAX_BYTES));
    loop {
        let read = usize::try_from(engine.total_in()).unwrap_or(usize::MAX);
        let rest = packed.get(read..).unwrap_or_default();
        let before = (engine.total_in(), out.len());
        let status = engine.decompress_vec(rest, &mut out, FlushDecompress::None);
        let status = status.map_err(|error| format!("it cannot be inflated: {error}"))?;
        if out.len() > MAX_BYTES {
            return Err(format!("it inflates to more than {MAX_BYTES} bytes"));
        }
        if status == Status::StreamEnd {
            let left = packed.len() as u64 - engine.total_in();
            return if left == 0 { Ok(out) } else { Err(format!("{left} bytes follow its end")) };
        }
        let is_full = out.len() == out.capacity();
        if !is_full && before == (engine.total_in(), out.len()) {
            return Err("it cannot be inflated: it is cut short".into());
        }
        if is_full {
            // One byte past the bound is how a stream shows that it continues.
            out.reserve_exact(out.len().max(4096).min(MAX_BYTES + 1 - out.len()));
        }
    }
}

/// What older hubs wrote.
#[cfg(test)]
pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut stream = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(6));
    stream.write_all(bytes).unwrap();
    stream.finish().unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_inflates_without_end_is_stopped_at_the_bound() {
        let bomb = deflate(&vec![0; 64 << 20]);
        assert!(bomb.len() < 100_000, "{}", bomb.len());
        assert_eq!(inflate(&bomb).unwrap_err(), format!("it inflates to more than {MAX_BYTES} bytes"));
        assert_eq!(
            inflate(&deflate(&vec![0; MAX_BYTES])).unwrap().len(),
            MAX_BYTES,
            "the bound itself is allowed"
        );
    }

    #[test]
    fn a_damaged_column_is_refused_with_its_reason() {
        let packed = deflate(b"some text, and the same text, and the same text");
        for cut in [0, 1, packed.len() / 2, packed.len() - 1] {
            let why = inflate(&packed[..cut]).unwrap_err();
            assert!(why.contains("cut short"), "{cut}: {why}");
        }
        assert_eq!(inflate(&[&packed[..], b"x"].concat()).unwrap_err(), "1 bytes follow its end");
    }
}
