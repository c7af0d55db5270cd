//! Calls about evidence: a network's log, its checkpoint, key and proofs, exports, and packets handed in.

use baton_core::limits;
use baton_evidence::log::Hash;
use bytes::Bytes;
use reqwest::{Method, Response};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::time::Duration;

use super::call::{Call, Repeat};
use super::{Client, Error, HubResponse};
use crate::service::evidence::report::ModeName;

/// An export that brings nothing for this long is taken for broken.
const SILENCE: Duration = Duration::from_secs(limits::STREAM_SILENT_MAX_SECONDS as u64);

/// Which events of a log.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct PageArgs<'a> {
    pub(crate) network_id: &'a str,
    pub(crate) task_id: Option<&'a str>,
    pub(crate) after: Option<u64>,
    pub(crate) limit: usize,
}

/// Events as the log has them, byte for byte, and how long it is.
#[derive(Debug, Deserialize)]
pub(crate) struct Page {
    pub(crate) events: Vec<Box<RawValue>>,
    pub(crate) size: u64,
}

/// What is exported: one task's events, or those from an index up to another (exclusive).
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ExportArgs<'a> {
    pub(crate) network_id: &'a str,
    pub(crate) task_id: Option<&'a str>,
    pub(crate) from: Option<u64>,
    pub(crate) to: Option<u64>,
}

/// The two files of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportFile {
    Bundle,
    SideFile,
}

/// The key checkpoints are signed with.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Key {
    pub(crate) key: String,
}

/// What a longer log has beside a shorter one.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Consistency {
    pub(crate) hashes: Vec<Hash>,
}

/// Packets as they are sent.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Packets<'a> {
    One(&'a [u8]),
    /// One a line.
    Lines(&'a [u8]),
}

/// What became of packets, in their order.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Reported {
    pub(crate) packets: Vec<ReportedPacket>,
}

/// What became of one packet.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum ReportedPacket {
    Recorded { index: u64, known: bool },
    Refused { error: PacketRefusal },
}

/// Why a packet was not taken.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(crate) struct PacketRefusal {
    pub(crate) kind: String,
    pub(crate) message: String,
}

#[derive(Serialize)]
struct Named<'a> {
    network_id: &'a str,
}

#[derive(Serialize)]
struct Sizes<'a> {
    network_id: &'a str,
    from: u64,
    to: u64,
}

#[derive(Serialize)]
struct ReportArgs<'a> {
    network_id: &'a str,
    mode: ModeName,
}

impl Client {
    pub(crate) async fn evidence(&self, args: &PageArgs<'_>) -> Result<HubResponse<Page>, Error> {
        self.get_json(&["api", "evidence"], args).await
    }

    /// The newest signed note of a log.
    pub(crate) async fn checkpoint(&self, network_id: &str) -> Result<String, Error> {
        let call = Call::new(self, Method::GET, &["api", "evidence", "checkpoint"]);
        call.query(&Named { network_id }).repeat(Repeat::Always).text().await
    }

    pub(crate) async fn consistency(
        &self,
        network_id: &str,
        from: u64,
        to: u64,
    ) -> Result<HubResponse<Consistency>, Error> {
        self.get_json(&["api", "evidence", "consistency"], &Sizes { network_id, from, to }).await
    }

    pub(crate) async fn evidence_key(&self) -> Result<HubResponse<Key>, Error> {
        self.get_json(&["api", "evidence", "key"], &()).await
    }

    /// Opens an export; its bytes are the caller's to read.
    pub(crate) async fn export(&self, file: ExportFile, args: &ExportArgs<'_>) -> Result<Response, Error> {
        let route = match file {
            ExportFile::Bundle => "bundle",
            ExportFile::SideFile => "side-file",
        };
        let call = Call::new(self, Method::GET, &["api", "evidence", route]);
        call.query(args).waiting(limits::CLIENT_EXPORT_WAIT_MAX).open_file().await
    }

    /// The next piece of an export; none at its end.
    pub(crate) async fn next_piece(&self, export: &mut Response) -> Result<Option<Bytes>, Error> {
        let piece = tokio::time::timeout(SILENCE, export.chunk()).await;
        piece.map_err(|_| Error::silent(&self.hub))?.map_err(|error| Error::unreachable(&self.hub, &error))
    }

    /// The server that answers is not a hub, as a caller found.
    pub(crate) fn unexpected_response(&self, what: impl Into<String>) -> Error {
        Error::protocol(&self.hub, what)
    }

    /// Hands packets in. The hub knows a packet again by its bytes, so they may be sent twice.
    pub(crate) async fn report(
        &self,
        network_id: &str,
        mode: ModeName,
        packets: Packets<'_>,
    ) -> Result<HubResponse<Reported>, Error> {
        let (media_type, bytes) = match packets {
            Packets::One(bytes) => ("application/json", bytes),
            Packets::Lines(bytes) => ("application/x-ndjson", bytes),
        };
        let call = Call::new(self, Method::POST, &["api", "evidence", "packets"]);
        call.query(&ReportArgs { network_id, mode })
            .bytes(media_type, bytes)
            .repeat(Repeat::Always)
            .run()
            .await
    }
}
