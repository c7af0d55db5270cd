//! What a gzip member will hold, compressed into a temporary file while something that must stand before it is not
//! known yet. A deflate stream may be put together of parts that were compressed by themselves (RFC 1951, 3.2): what
//! stands first is compressed last, ends on a byte boundary, and the spool follows as it is.

use crate::limits::{BUFFER_BYTES, HELD_BACK_MAX_BYTES};
use flate2::write::DeflateEncoder;
use flate2::{Compress, Compression, Crc, FlushCompress};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

/// RFC 1952, 2.3: no name, no comment, no time, an unknown system.
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// Bytes that were compressed, and their checksum.
#[derive(Debug)]
pub(super) struct Spool<S: Write> {
    packed: DeflateEncoder<BufWriter<S>>,
    crc: Crc,
}

impl<S: Read + Write + Seek> Spool<S> {
    /// A spool in `file`, which is empty.
    pub(super) fn new(file: S) -> Self {
        let packed = DeflateEncoder::new(BufWriter::new(file), Compression::default());
        Self { packed, crc: Crc::new() }
    }

    /// Bytes the spool has at most when it is finished now.
    pub(super) fn packed_max_bytes(&self) -> u64 {
        self.packed.total_out() + HELD_BACK_MAX_BYTES
    }

    /// Writes the whole gzip member: the head, then what was spooled.
    pub(super) fn finish(self, head: &[u8], out: &mut impl Write) -> io::Result<()> {
        let mut crc = Crc::new();
        crc.update(head);
        crc.combine(&self.crc);
        out.write_all(&GZIP_HEADER)?;
        out.write_all(&packed_part(head)?)?;
        let file = self.packed.finish()?;
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        io::copy(&mut BufReader::with_capacity(BUFFER_BYTES, file), out)?;
        out.write_all(&crc.sum().to_le_bytes())?;
        out.write_all(&crc.amount().to_le_bytes())
    }
}

impl<S: Write> Write for Spool<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.packed.write(bytes)?;
        self.crc.update(&bytes[..count]);
        Ok(count)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.packed.flush()
    }
}

/// A part of a deflate stream that others may follow: its last block is not marked as the last.
fn packed_part(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut deflate = Compress::new(Compression::default(), false);
    // What cannot be compressed is stored: 5 bytes for each 16 KiB at most, and an empty block at the end.
    let mut packed = Vec::with_capacity(bytes.len() + bytes.len() / 1024 + 64);
    deflate.compress_vec(bytes, &mut packed, FlushCompress::Sync)?;
    if deflate.total_in() != bytes.len() as u64 || packed.len() == packed.capacity() {
        return Err(io::Error::other("deflate needs more room than it says"));
    }
    Ok(packed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Cursor;

    /// Bytes that repeat every `period`; with a long one they do not compress.
    fn bytes(period: usize) -> impl FnMut(usize) -> Vec<u8> {
        let mut state = 88_172_645_463_325_252_u64;
        let repeated: Vec<u8> = (0..period)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 32) as u8
            })
            .collect();
        let mut at = 0;
        move |count| {
            (0..count)
                .map(|_| {
                    at = (at + 1) % repeated.len();
                    repeated[at]
                })
                .collect()
        }
    }

    #[test]
    fn a_spool_is_never_larger_than_it_said_and_reads_back() {
        for period in [1, 5_000, 3 << 20] {
            let mut next = bytes(period);
            let mut spool = Spool::new(Cursor::new(Vec::new()));
            let (head, mut whole) = (next(1_500), Vec::new());
            whole.extend_from_slice(&head);
            // Sizes around those of deflate's blocks and window.
            for count in [0, 1, 511, 16_383, 32_768, 65_535, 65_537, 1 << 20, 1 << 20] {
                let piece = next(count);
                spool.write_all(&piece).unwrap();
                whole.extend_from_slice(&piece);
            }
            let bound = spool.packed_max_bytes();
            let mut member = Vec::new();
            spool.finish(&head, &mut member).unwrap();
            assert!(member.len() as u64 <= bound + 2_000, "{} > {bound}", member.len());
            let mut unpacked = Vec::new();
            GzDecoder::new(&*member).read_to_end(&mut unpacked).unwrap();
            assert_eq!(unpacked, whole);
        }
    }
}
