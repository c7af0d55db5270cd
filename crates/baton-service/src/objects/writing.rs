//! An object being written: bytes gather in one buffer of fixed size and are handed over when it is full.

use object_store::MultipartUpload;

use super::Error;

/// Writes one object. Dropped before it is complete, nothing of it is ever there.
#[derive(Debug)]
pub struct ObjectWriter {
    upload: Box<dyn MultipartUpload>,
    buffer: Vec<u8>,
    piece_bytes: usize,
}

impl ObjectWriter {
    pub(super) fn new(upload: Box<dyn MultipartUpload>, piece_bytes: usize) -> Self {
        Self { upload, buffer: Vec::new(), piece_bytes }
    }

    /// Writes more.
    pub async fn write(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        while !bytes.is_empty() {
            if self.buffer.capacity() == 0 {
                self.buffer.reserve_exact(self.piece_bytes);
            }
            let (now, rest) = bytes.split_at(bytes.len().min(self.piece_bytes - self.buffer.len()));
            self.buffer.extend_from_slice(now);
            bytes = rest;
            if self.buffer.len() == self.piece_bytes {
                self.flush().await?;
            }
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), Error> {
        let piece = std::mem::take(&mut self.buffer);
        Ok(self.upload.put_part(piece.into()).await?)
    }

    /// Completes the object: when this returns it is durable.
    pub async fn complete(mut self) -> Result<(), Error> {
        if !self.buffer.is_empty() {
            self.flush().await?;
        }
        self.upload.complete().await?;
        Ok(())
    }

    /// Gives the object up; a bucket keeps what was uploaded of it until it receives this.
    pub async fn abort(mut self) -> Result<(), Error> {
        Ok(self.upload.abort().await?)
    }
}
