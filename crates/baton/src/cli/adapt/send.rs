//! `baton adapt --send`: packets handed in to a hub, in batches within its limits, and one line each about what became
//! of them. A packet the hub has from the same reporter is known to it, so a run that broke off can be run again.

use baton_adapter::{AdapterError, ErrorKind, Options};
use baton_core::limits::{JSON_BODY_MAX_BYTES, REPORTED_PACKET_MAX_BYTES, REPORTED_PACKETS_MAX_COUNT};
use baton_evidence::lines::{Line, Lines};
use serde::Serialize;
use std::io::{self, BufWriter, Read, Write};
use std::process::ExitCode;

use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::input::Input;
use crate::cli::runtime::block_on;
use crate::client::evidence::{PacketRefusal, Packets, Reported, ReportedPacket};
use crate::client::{Error, HubResponse};
use crate::service::evidence::report::ModeName;

/// Kinds of the adapter's refusals, to distinguish the error of a packet from that of the call.
const KINDS: [ErrorKind; 5] = [
    ErrorKind::Measurement,
    ErrorKind::UnsupportedProtocolVersion,
    ErrorKind::StrictLossinessViolation,
    ErrorKind::Config,
    ErrorKind::Infrastructure,
];

/// Hands everything in.
pub(super) fn run(
    connection: &Connection,
    mode: ModeName,
    is_ndjson: bool,
    input: Input,
) -> Result<ExitCode, Failure> {
    block_on(async {
        let link = connection.open()?;
        let network = link.the_network().await?;
        let out = BufWriter::new(io::stdout());
        let mut sending = Sending { link, network, mode, batch: Batch::default(), out, refused: false };
        if is_ndjson { sending.each_line(input).await } else { sending.whole(input).await }?;
        Ok(ExitCode::from(u8::from(sending.refused)))
    })
}

struct Sending {
    link: Link,
    network: String,
    mode: ModeName,
    batch: Batch,
    out: BufWriter<io::Stdout>,
    refused: bool,
}

/// Packets on their way, one a line.
#[derive(Default)]
struct Batch {
    lines: Vec<u8>,
    count: usize,
}

/// One line out.
#[derive(Serialize)]
#[serde(untagged)]
enum Outcome<'a> {
    Taken { ok: bool, index: u64, known: bool },
    Refused { ok: bool, error: &'a PacketRefusal },
}

impl Batch {
    fn has_room_for(&self, packet: &[u8]) -> bool {
        self.count < REPORTED_PACKETS_MAX_COUNT && self.lines.len() + packet.len() < JSON_BODY_MAX_BYTES
    }

    fn push(&mut self, packet: &[u8]) {
        self.lines.extend_from_slice(packet);
        self.lines.push(b'\n');
        self.count += 1;
    }
}

impl Sending {
    /// The whole input as one packet, read no further than one byte past the bound.
    async fn whole(&mut self, mut input: Input) -> Result<(), Failure> {
        let mut packet = Vec::new();
        let read = input.by_ref().take(REPORTED_PACKET_MAX_BYTES as u64 + 1).read_to_end(&mut packet);
        read.map_err(|error| input.failed(error))?;
        if packet.len() > REPORTED_PACKET_MAX_BYTES {
            self.too_large()?;
        } else {
            let answer = self.link.client.report(&self.network, self.mode, Packets::One(&packet)).await;
            match answer.map_err(packet_refusal) {
                Ok(answer) => self.print(&answer)?,
                Err(Ok(error)) => self.refuse(&error)?,
                Err(Err(error)) => return Err(error.into()),
            }
        }
        self.out.flush().map_err(Failure::stdout)
    }

    async fn each_line(&mut self, input: Input) -> Result<(), Failure> {
        let name = input.name.clone();
        let mut lines = Lines::new(input, REPORTED_PACKET_MAX_BYTES + 1); // one more for a CR
        loop {
            let line = lines.next_line().map_err(|error| Failure::Read { name: name.clone(), error })?;
            let Some(line) = line else { return self.flush().await };
            let packet = match line {
                Line::TooLong => None,
                Line::Whole(line) => {
                    let line = line.strip_suffix(b"\n").unwrap_or(line);
                    Some(line.strip_suffix(b"\r").unwrap_or(line))
                }
            };
            match packet.filter(|packet| packet.len() <= REPORTED_PACKET_MAX_BYTES) {
                Some([]) => {} // a blank line holds no packet
                Some(packet) => {
                    if !self.batch.has_room_for(packet) {
                        self.flush().await?;
                    }
                    self.batch.push(packet);
                }
                None => {
                    self.flush().await?; // lines come out in the order of the packets
                    self.too_large()?;
                }
            }
        }
    }

    /// Hands in what waits.
    async fn flush(&mut self) -> Result<(), Failure> {
        if self.batch.count > 0 {
            let Batch { lines, count } = std::mem::take(&mut self.batch);
            let answer = self.link.client.report(&self.network, self.mode, Packets::Lines(&lines)).await?;
            if answer.packets.len() != count {
                let told = answer.packets.len();
                let what = format!("the hub answered for {told} packets where {count} were sent");
                return Err(self.link.client.unexpected_response(what).into());
            }
            self.print(&answer)?;
        }
        self.out.flush().map_err(Failure::stdout)
    }

    fn print(&mut self, answer: &HubResponse<Reported>) -> Result<(), Failure> {
        for packet in &answer.packets {
            match packet {
                ReportedPacket::Recorded { index, known } => {
                    self.line(&Outcome::Taken { ok: true, index: *index, known: *known })?;
                }
                ReportedPacket::Refused { error } => self.refuse(error)?,
            }
        }
        Ok(())
    }

    fn too_large(&mut self) -> Result<(), Failure> {
        let AdapterError { kind, message } = Options::too_many_bytes(REPORTED_PACKET_MAX_BYTES as u64);
        self.refuse(&PacketRefusal { kind: kind.as_str().into(), message: message.into() })
    }

    fn refuse(&mut self, error: &PacketRefusal) -> Result<(), Failure> {
        self.refused = true;
        self.line(&Outcome::Refused { ok: false, error })
    }

    fn line(&mut self, outcome: &Outcome<'_>) -> Result<(), Failure> {
        serde_json::to_writer(&mut self.out, outcome).map_err(|error| Failure::stdout(error.into()))?;
        self.out.write_all(b"\n").map_err(Failure::stdout)
    }
}

/// Why the only packet of a call was not taken, or why the call was not.
fn packet_refusal(error: Error) -> Result<PacketRefusal, Error> {
    match error {
        Error::Refused(refused) if refused.status == 400 && is_kind(&refused.code) => {
            Ok(PacketRefusal { kind: refused.code, message: refused.message })
        }
        error => Err(error),
    }
}

fn is_kind(code: &str) -> bool {
    KINDS.iter().any(|kind| kind.as_str() == code)
}
