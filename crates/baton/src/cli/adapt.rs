//! `baton adapt`: packets in, one JSON line each out. With `--send` they are handed in to a hub instead (`send`).

mod send;

use baton_adapter::{
    AdapterError, AttachmentFolder, AttachmentWriter, Converted, DigestOnly, ErrorKind, Lossiness, Mode,
    Options, Payload, convert,
};
use baton_core::limits;
use baton_evidence::canonical::Writer;
use baton_evidence::event::Event;
use baton_evidence::lines::{Line, Lines};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::io::{self, BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use super::connection::Connection;
use super::failure::Failure;
use super::input::Input;
use crate::service::evidence::report;

const MEDIA_TYPE: &str = "application/json";

/// What `--help` says below the options, the freeze's guardrail with it.
const AFTER_HELP: &str = "One JSON line out per packet. Exits with 0 if every packet was converted, 1 if any was \
refused, 2 for a usage or I/O error. With --send the packets go into a network's log, marked as reported by whoever \
hands them in: each line says at which index, whether it was known before, or why it was refused; 5 if the hub cannot \
be reached, 6 if it refuses the call.

Every handoff.* flag in an event is a bounded observed visibility flag only; none of them means that the handoff \
was valid, authorised, complete, trusted or successful.";

/// Converts A2A packets into evidence events, one JSON line each.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Adapt {
    /// Refuse packets that lack something, or substitute and report
    #[arg(long, value_enum, default_value = "strict")]
    mode: ModeName,
    /// The protocol version of packets that name none
    #[arg(long, value_name = "V")]
    protocol_version: Option<String>,
    /// Refuse packets of more bytes
    #[arg(long, value_name = "N", default_value_t = limits::ADAPTED_PACKET_MAX_BYTES)]
    max_payload_bytes: u64,
    /// Refuse packets nested deeper; the packet itself has depth 1, scalars count
    #[arg(long, value_name = "N", default_value_t = limits::ADAPTED_JSON_DEPTH_MAX)]
    max_json_depth: usize,
    /// Refuse packets with a longer array
    #[arg(long, value_name = "N")]
    max_array_length: Option<usize>,
    /// Keep each raw packet in this folder, in a file named by its SHA-256
    #[arg(long, value_name = "DIR")]
    attachments: Option<PathBuf>,
    /// Read one packet a line; without this the whole input is one packet
    #[arg(long)]
    ndjson: bool,
    /// Send the packets to a hub instead of printing events; the hub has its own limits
    #[arg(long, conflicts_with_all = ["protocol_version", "max_payload_bytes", "max_json_depth", "max_array_length", "attachments"])]
    send: bool,
    /// The packets, - for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    /// For `--send`.
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ModeName {
    Strict,
    Lenient,
}

impl From<ModeName> for report::ModeName {
    fn from(mode: ModeName) -> Self {
        match mode {
            ModeName::Strict => Self::Strict,
            ModeName::Lenient => Self::Lenient,
        }
    }
}

impl Adapt {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let mut input = Input::open(&self.file)?;
        if self.send {
            return send::run(&self.connection, self.mode.into(), self.ndjson, input);
        }
        let attachments: Box<dyn AttachmentWriter> = match &self.attachments {
            Some(folder) => Box::new(AttachmentFolder::open(folder)?),
            None => Box::new(DigestOnly),
        };
        let mut conversion = Conversion {
            options: self.options(),
            protocol_version: self.protocol_version.as_deref(),
            attachments,
            hashing: Writer::new(),
            out: BufWriter::new(io::stdout().lock()),
            refused: false,
        };
        if self.ndjson { conversion.each_line(input) } else { conversion.whole(&mut input) }?;
        conversion.out.flush().map_err(Failure::stdout)?;
        Ok(ExitCode::from(u8::from(conversion.refused)))
    }

    fn options(&self) -> Options {
        Options {
            mode: match self.mode {
                ModeName::Strict => Mode::Strict,
                ModeName::Lenient => Mode::Lenient,
            },
            max_payload_bytes: Some(self.max_payload_bytes),
            max_json_depth: Some(self.max_json_depth),
            max_array_length: self.max_array_length,
        }
    }
}

struct Conversion<'o> {
    options: Options,
    protocol_version: Option<&'o str>,
    attachments: Box<dyn AttachmentWriter>,
    hashing: Writer,
    out: BufWriter<io::StdoutLock<'static>>,
    refused: bool,
}

/// One line out.
#[derive(Serialize)]
#[serde(untagged)]
enum OutputLine<'a> {
    Converted { ok: bool, event: &'a Event<'a, Payload<'a>>, lossiness: &'a Lossiness<'a> },
    Refused { ok: bool, error: &'a AdapterError },
}

impl Conversion<'_> {
    fn max_payload_bytes(&self) -> u64 {
        self.options.max_payload_bytes.unwrap_or(u64::MAX)
    }

    /// The whole input as one packet, read no further than one byte past the bound.
    fn whole(&mut self, input: &mut Input) -> Result<(), Failure> {
        let mut packet = Vec::new();
        let bound = self.max_payload_bytes().saturating_add(1);
        let read = input.by_ref().take(bound).read_to_end(&mut packet);
        read.map_err(|error| input.failed(error))?;
        self.packet(&packet)
    }

    fn each_line(&mut self, input: Input) -> Result<(), Failure> {
        let name = input.name.clone();
        // One byte more for a CR, which is not part of the packet; `convert` holds the packet to the bound.
        let bound = usize::try_from(self.max_payload_bytes()).unwrap_or(usize::MAX).saturating_add(1);
        let mut lines = Lines::new(input, bound);
        while let Some(line) =
            lines.next_line().map_err(|error| Failure::Read { name: name.clone(), error })?
        {
            match line {
                Line::TooLong => self.refuse(&Options::too_many_bytes(self.max_payload_bytes()))?,
                Line::Whole(line) => {
                    let line = line.strip_suffix(b"\n").unwrap_or(line);
                    let line = line.strip_suffix(b"\r").unwrap_or(line);
                    // A blank line holds no packet.
                    if !line.is_empty() {
                        self.packet(line)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn packet(&mut self, packet: &[u8]) -> Result<(), Failure> {
        let input = baton_adapter::Input {
            bytes: packet,
            media_type: MEDIA_TYPE,
            protocol_version: self.protocol_version,
        };
        let converted = convert(input, &self.options, &mut *self.attachments);
        match converted
            .and_then(|Converted { event, lossiness }| self.hash(event).map(|event| (event, lossiness)))
        {
            Ok((event, lossiness)) => {
                self.answer(&OutputLine::Converted { ok: true, event: &event, lossiness: &lossiness })
            }
            Err(error) => self.refuse(&error),
        }
    }

    fn hash<'a>(
        &mut self,
        mut event: Event<'a, Payload<'a>>,
    ) -> Result<Event<'a, Payload<'a>>, AdapterError> {
        let hash = event.content_hash(&mut self.hashing);
        let hash = hash.map_err(|error| AdapterError {
            kind: ErrorKind::Infrastructure,
            message: error.to_string().into(),
        })?;
        event.assaycontenthash = Some(hash);
        Ok(event)
    }

    /// A refused packet is an answer; a packet that could not be kept ends the run after it.
    fn refuse(&mut self, error: &AdapterError) -> Result<(), Failure> {
        self.refused = true;
        self.answer(&OutputLine::Refused { ok: false, error })?;
        if error.kind == ErrorKind::Infrastructure {
            self.out.flush().map_err(Failure::stdout)?;
            return Err(error.clone().into());
        }
        Ok(())
    }

    fn answer(&mut self, answer: &OutputLine<'_>) -> Result<(), Failure> {
        serde_json::to_writer(&mut self.out, answer).map_err(|error| Failure::stdout(error.into()))?;
        self.out.write_all(b"\n").map_err(Failure::stdout)
    }
}
