//! An object being read, a piece at a time: a slow reader holds one piece and no more.

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use object_store::{GetOptions, GetRange, GetResultPayload, ObjectStore};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use baton_core::limits;

use super::{Error, Objects};

/// The bytes of an object, or of a range of it.
pub type ObjectStream = BoxStream<'static, io::Result<Bytes>>;

impl Objects {
    /// Reads a range of an object of this size. One of another size is not the one that was written.
    pub async fn read(&self, name: &str, size: u64, range: Range<u64>) -> Result<ObjectStream, Error> {
        if range.is_empty() {
            return Ok(stream::empty().boxed());
        }
        let options = GetOptions { range: Some(GetRange::Bounded(range.clone())), ..GetOptions::default() };
        let found = self.store.get_opts(&self.key(name), options).await?;
        if found.meta.size != size {
            let other = found.meta.size;
            return Err(Error::Unavailable(format!("object {name} has {other} bytes and not {size}")));
        }
        Ok(match found.payload {
            GetResultPayload::File(file, _) => of_file(file, range),
            GetResultPayload::Stream(pieces) => pieces.map(|piece| piece.map_err(io::Error::other)).boxed(),
        })
    }
}

fn of_file(file: File, range: Range<u64>) -> ObjectStream {
    stream::try_unfold((file, range), |(mut file, range)| async move {
        if range.is_empty() {
            return Ok(None);
        }
        let reading = tokio::task::spawn_blocking(move || {
            let piece = (range.end - range.start).min(limits::ARTIFACT_READ_BYTES as u64);
            let mut bytes = vec![0; usize::try_from(piece).map_err(io::Error::other)?];
            file.seek(SeekFrom::Start(range.start))?;
            file.read_exact(&mut bytes)?;
            Ok::<_, io::Error>(Some((Bytes::from(bytes), (file, range.start + piece..range.end))))
        });
        reading.await.map_err(io::Error::other)?
    })
    .boxed()
}
