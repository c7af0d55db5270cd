//! The order of work: if several things are wrong with a packet, the first failing step is reported.
//! And the raw bytes are kept after step 1 and before all others.

use baton_adapter::{
    AdapterError, AttachmentRef, AttachmentWriter, ErrorKind, Input, Mode, Options, convert,
};
use serde_json::{Map, json};

/// One fault per step, in the order of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    Size,
    Json,
    Depth,
    Array,
    Protocol,
    NoVersion,
    Version,
    Agent,
    EventType,
    Task,
    Artifact,
}

use Fault::{Agent, Array, Artifact, Depth, EventType, Json, NoVersion, Protocol, Size, Task, Version};

const ALL: [Fault; 11] =
    [Size, Json, Depth, Array, Protocol, NoVersion, Version, Agent, EventType, Task, Artifact];

/// Faults a packet cannot have together: it has one version or none, and one event type.
const EITHER_OR: [(Fault, Fault); 4] =
    [(NoVersion, Version), (EventType, Task), (EventType, Artifact), (Task, Artifact)];

const BYTES: u64 = 40;
const DEPTH: usize = 3;
const LENGTH: usize = 1;

impl Fault {
    fn message(self) -> &'static str {
        match self {
            Size => "payload exceeds max_payload_bytes (40)",
            Json => "invalid A2A payload JSON: ",
            Depth => "payload exceeds max_json_depth (3)",
            Array => "payload exceeds max_array_length (1)",
            Protocol => "protocol must be 'a2a'",
            NoVersion => "missing required field: version",
            Version => "unsupported A2A version: 1.0",
            Agent => "missing required field: agent.id",
            EventType => "unsupported event_type in strict mode",
            Task => "missing required field: task.id",
            Artifact => "missing required field: artifact.id",
        }
    }

    fn kind(self) -> ErrorKind {
        match self {
            Version => ErrorKind::UnsupportedProtocolVersion,
            EventType => ErrorKind::StrictLossinessViolation,
            _ => ErrorKind::Measurement,
        }
    }

    /// Steps 1 to 7, which lenient mode does not soften.
    fn is_hard(self) -> bool {
        self <= Version
    }
}

/// A packet with all of these faults and no other.
fn packet(faults: &[Fault]) -> Vec<u8> {
    let has = |fault| faults.contains(&fault);
    let mut packet = Map::new();
    packet.insert("protocol".into(), if has(Protocol) { "b2b" } else { "a2a" }.into());
    if !has(NoVersion) {
        packet.insert("version".into(), if has(Version) { "1.0" } else { "0.2" }.into());
    }
    packet.insert("agent".into(), if has(Agent) { json!({}) } else { json!({"id": "a"}) });
    let event_type = match () {
        () if has(EventType) => "message",
        () if has(Artifact) => "artifact.shared",
        () => "task.requested",
    };
    packet.insert("event_type".into(), event_type.into());
    packet.insert("task".into(), if has(Task) { json!({}) } else { json!({"id": "t"}) });
    // `depth` sorts before `length`, so the deep value comes first in the document.
    if has(Depth) {
        packet.insert("depth".into(), json!({"1": {"2": {"3": 4}}}));
    }
    if has(Array) {
        packet.insert("length".into(), json!([1, 2]));
    }
    let mut bytes = serde_json::to_vec(&packet).unwrap();
    if has(Json) {
        bytes.extend_from_slice(b" x");
    }
    bytes
}

fn options(mode: Mode, faults: &[Fault]) -> Options {
    Options {
        mode,
        max_payload_bytes: faults.contains(&Size).then_some(BYTES),
        max_json_depth: Some(DEPTH),
        max_array_length: Some(LENGTH),
    }
}

/// Remembers what it was given; may fail.
#[derive(Default)]
struct Recorder {
    kept: Vec<Vec<u8>>,
    fails: bool,
}

impl AttachmentWriter for Recorder {
    fn write<'m>(&mut self, bytes: &[u8], media_type: &'m str) -> Result<AttachmentRef<'m>, AdapterError> {
        if self.fails {
            return Err(AdapterError {
                kind: ErrorKind::Infrastructure,
                message: "the shelf is full".into(),
            });
        }
        self.kept.push(bytes.to_vec());
        Ok(AttachmentRef::of(bytes, media_type))
    }
}

fn outcome(bytes: &[u8], options: &Options, writer: &mut Recorder) -> Option<AdapterError> {
    convert(Input { bytes, media_type: "application/json", protocol_version: None }, options, writer).err()
}

/// Every set of faults that one packet can have.
fn every_set() -> impl Iterator<Item = Vec<Fault>> {
    (0..1u32 << ALL.len())
        .map(|bits| ALL.into_iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1).map(|(_, f)| f).collect())
        .filter(|set: &Vec<Fault>| !EITHER_OR.iter().any(|(a, b)| set.contains(a) && set.contains(b)))
}

#[test]
fn of_any_set_of_faults_the_first_step_s_is_told() {
    let mut sets = 0;
    for faults in every_set() {
        let bytes = packet(&faults);
        for mode in [Mode::Strict, Mode::Lenient] {
            let first = faults.iter().find(|fault| mode == Mode::Strict || fault.is_hard());
            let told = outcome(&bytes, &options(mode, &faults), &mut Recorder::default());
            match (first, told) {
                (None, None) => {}
                (Some(fault), Some(error)) => {
                    assert_eq!(error.kind, fault.kind(), "{mode:?} {faults:?}: {error}");
                    let exact = error.message == fault.message();
                    let begins = *fault == Json && error.message.starts_with(fault.message());
                    assert!(exact || begins, "{mode:?} {faults:?}: {error}");
                }
                (first, told) => panic!("{mode:?} {faults:?}: {told:?} instead of {first:?}"),
            }
        }
        sets += 1;
    }
    assert_eq!(sets, 2u32.pow(6) * 3 * 4);
}

#[test]
fn raw_bytes_are_kept_once_whatever_fails_after_step_1_and_not_before() {
    for faults in every_set() {
        let bytes = packet(&faults);
        for mode in [Mode::Strict, Mode::Lenient] {
            let mut writer = Recorder::default();
            let _ = outcome(&bytes, &options(mode, &faults), &mut writer);
            let expected: &[Vec<u8>] =
                if faults.contains(&Size) { &[] } else { std::slice::from_ref(&bytes) };
            assert_eq!(writer.kept, expected, "{mode:?} {faults:?}");
        }
    }
}

#[test]
fn a_packet_that_cannot_be_kept_is_refused_before_it_is_read() {
    let failing = || Recorder { fails: true, ..Recorder::default() };
    for faults in every_set() {
        let told = outcome(&packet(&faults), &options(Mode::Lenient, &faults), &mut failing()).unwrap();
        let expected =
            if faults.contains(&Size) { ErrorKind::Measurement } else { ErrorKind::Infrastructure };
        assert_eq!(told.kind, expected, "{faults:?}");
    }
}

#[test]
fn a_packet_of_exactly_the_bound_is_allowed() {
    let bytes = packet(&[]);
    let bound = |bound: usize| Options { max_payload_bytes: Some(bound as u64), ..Options::default() };
    assert_eq!(outcome(&bytes, &bound(bytes.len()), &mut Recorder::default()), None);
    let told = outcome(&bytes, &bound(bytes.len() - 1), &mut Recorder::default()).unwrap();
    assert_eq!(told.message, format!("payload exceeds max_payload_bytes ({})", bytes.len() - 1));
    let nothing = outcome(b"", &bound(0), &mut Recorder::default()).unwrap();
    assert!(nothing.message.starts_with("invalid A2A payload JSON: "), "{nothing}");
}
