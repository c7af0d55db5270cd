//! Writes a side file, entry by entry. Into a `Vec<u8>` it can be taken away in pieces, for hosts that stream it.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use std::io::{self, Write};

use super::limits;
use crate::log::Hash;
use crate::note::VerifierKey;

/// A side file being written.
#[derive(Debug)]
pub struct SideFileWriter<W> {
    out: W,
    /// The index of the entry before.
    last: Option<u64>,
    /// The packet at hand, as text; kept for its memory.
    base64: String,
}

/// Why an entry was not written.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// Indexes must grow from entry to entry.
    #[error("index {index} does not come after {last}")]
    Order {
        /// The entry's index.
        index: u64,
        /// The one before.
        last: u64,
    },
    /// A packet or proof that no reader would take.
    #[error("the packet or the proof is longer than a side file allows")]
    TooLong,
    /// It could not be written.
    #[error("the side file cannot be written: {0}")]
    Io(#[from] io::Error),
}

impl<W: Write> SideFileWriter<W> {
    /// Begins a side file with the signed checkpoint and the key it is signed with.
    pub fn new(mut out: W, note: &str, key: &VerifierKey) -> io::Result<Self> {
        out.write_all(b"{\"checkpoint\":")?;
        serde_json::to_writer(&mut out, note)?;
        out.write_all(b",\"key\":")?;
        serde_json::to_writer(&mut out, &key.to_string())?;
        out.write_all(b",\"events\":[")?;
        Ok(Self { out, last: None, base64: String::new() })
    }

    /// Adds the entry of the bundle's next event.
    pub fn add(&mut self, index: u64, proof: &[Hash], packet: &[u8]) -> Result<(), EntryError> {
        if let Some(last) = self.last.filter(|last| *last >= index) {
            return Err(EntryError::Order { index, last });
        }
        if packet.len() > limits::PACKET_BYTES || proof.len() > limits::PROOF_HASHES {
            return Err(EntryError::TooLong);
        }
        let comma = if self.last.is_some() { "," } else { "" };
        write!(self.out, "{comma}{{\"index\":{index},\"proof\":[")?;
        for (number, hash) in proof.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            write!(self.out, "{comma}\"{hash}\"")?;
        }
        self.out.write_all(b"],\"packet\":\"")?;
        self.base64.clear();
        BASE64_STANDARD.encode_string(packet, &mut self.base64);
        self.out.write_all(self.base64.as_bytes())?;
        self.out.write_all(b"\"}")?;
        self.last = Some(index);
        Ok(())
    }

    /// Ends the file. One without entries is well formed, though no bundle fits it.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(b"]}\n")?;
        self.out.flush()?;
        Ok(self.out)
    }
}

impl SideFileWriter<Vec<u8>> {
    /// Takes away what was written so far.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }
}
