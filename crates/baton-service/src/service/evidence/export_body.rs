//! What an export sends: a bundle from its file, a side file page by page. Both are read as fast as their reader takes
//! them and no faster, and hold no thread while they wait.

use baton_core::limits;
use baton_evidence::note::VerifierKey;
use baton_evidence::side_file::SideFileWriter;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use std::fs::File;
use std::io::{self, Read};

use super::export::Selection;
use crate::hub::Identity;
use crate::hub::in_flight::Reservation;
use crate::hub::{ExportPermit, Exports};
use crate::service::Error;

/// The bytes of an export.
pub(super) type Pieces = BoxStream<'static, io::Result<Bytes>>;

/// A packed bundle. It is open for as long as it is sent.
pub(super) fn of_file(file: File, open: ExportPermit) -> Pieces {
    let pieces = stream::try_unfold((file, open), |(mut file, open)| async move {
        // The disk may take its time.
        let read = tokio::task::spawn_blocking(move || {
            let mut piece = vec![0; limits::EXPORT_PIECE_BYTES];
            let length = file.read(&mut piece)?;
            piece.truncate(length);
            Ok::<_, io::Error>((piece, file))
        });
        let (piece, file) = read.await.map_err(io::Error::other)??;
        Ok((!piece.is_empty()).then(|| (Bytes::from(piece), (file, open))))
    });
    pieces.boxed()
}

/// A side file on its way.
pub(super) struct SideFile {
    pub(super) selection: Selection,
    pub(super) exports: Exports,
    pub(super) who: Identity,
    writer: Option<SideFileWriter<Vec<u8>>>,
    next: u64,
    _open: ExportPermit,
    _memory: Reservation,
}

impl SideFile {
    pub(super) fn new(
        selection: Selection,
        key: &VerifierKey,
        (exports, who): (Exports, Identity),
        (open, memory): (ExportPermit, Reservation),
    ) -> Result<Self, Error> {
        let writer = SideFileWriter::new(Vec::new(), &selection.checkpoint.note, key);
        let writer = Some(writer.map_err(|error| super::export::unavailable(&error))?);
        let next = selection.from;
        Ok(Self { selection, exports, who, writer, next, _open: open, _memory: memory })
    }

    /// The next page, as text; none at the end. Each takes a turn: what waits for its reader is not at work.
    pub(super) async fn page(&mut self) -> Result<Option<Bytes>, Error> {
        let Some(mut writer) = self.writer.take() else { return Ok(None) };
        let _turn = self.exports.work(&self.who).await?;
        let entries = self.selection.proven(self.next).await?;
        for entry in &entries {
            let added = writer.add(entry.index, &entry.proof, &entry.packet);
            added.map_err(|error| super::export::unavailable(&error))?;
            self.next = entry.index + 1;
        }
        if entries.is_empty() {
            self.selection.check_end(self.next)?;
        }
        let text = match entries.is_empty() {
            true => writer.finish().map_err(|error| super::export::unavailable(&error))?,
            false => {
                let text = writer.take();
                self.writer = Some(writer);
                text
            }
        };
        Ok(Some(text.into()))
    }

    /// The first page, and the rest as its reader takes it.
    pub(super) fn pieces(self, first: Bytes) -> Pieces {
        let rest = stream::try_unfold(self, |mut side_file| async move {
            match side_file.page().await {
                Ok(page) => Ok(page.map(|page| (page, side_file))),
                // Half an export must not look like a whole one: the connection is broken off.
                Err(error) => {
                    tracing::warn!(%error, "an export was broken off");
                    Err(io::Error::other("the export was broken off"))
                }
            }
        });
        stream::iter([Ok(first)]).chain(rest).boxed()
    }
}
