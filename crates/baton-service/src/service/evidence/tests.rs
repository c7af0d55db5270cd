//! What the hub writes into its logs, byte for byte. `phrased.txt` holds the SHA-256 of the packet and of the event of
//! every kind of change, by everybody who can make it; `samples.txt` holds three of them to read. A bundle that was
//! exported years ago is checked against such bytes, so nothing here changes with the code: `BATON_BLESS=1` is for new
//! cases only. The version and the content hash are left out of the comparison, and the hash is computed here again.

use baton_adapter::{DESCRIPTOR, DigestOnly, Input, Mode, Options, convert};
use baton_core::{
    ActorToken, Alias, ArtifactHash, Delivery, DeliveryContent, Effects, Ending, Event, Kind, MediaType,
    MessageId, NewTask, Principal, Priority, Status, SystemRole, TaskId, TaskMessage, TaskSnapshot,
    Transition, TtlSeconds, UnixMillis, hex,
};
use baton_evidence::canonical::{self, Writer};
use baton_evidence::event::{Event as EvidenceEvent, Origin, PRODUCER_GIT, PRODUCER_VERSION};
use baton_evidence::event_line::EventLine;
use baton_store::Transaction;
use baton_store::rows::{LeafPage, LeafRow, NewTaskRow};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;

use super::change::{self, ObservedChange, ObservedFiles, ObservedPart};
use super::packet::Packet;
use super::record::{self, observed};
use super::salt::Salt;
use crate::fixture::{TestHub, network, node, user};
use crate::service::operation::Done;

const NOW: UnixMillis = UnixMillis::new(1_700_000_000_123);

/// Texts by name: what JSON escapes, what UTF-16 writes as pairs, what is long.
fn texts() -> [(&'static str, String); 5] {
    [
        ("empty", String::new()),
        ("plain", "Write the release notes.".into()),
        ("escapes", "a \"quote\", a \\ and\n\t\r\u{8}\u{c}\u{0}\u{1f}\u{7f} </script>".into()),
        ("unicode", "Größe 東京 🦀 \u{e000}\u{ffff} e\u{301} \u{2028}".into()),
        ("long", "0123456789 ünïcödé ".repeat(500)),
    ]
}

/// Everybody who acts: users and agents, with names in several scripts, and the hub.
fn actors() -> [Principal; 5] {
    [user("alice"), user("東京-たろう"), node("planner"), node("агент.7"), Principal::Hub]
}

type Named = (&'static str, Event, Status);

/// An event with its name, of the machine's own list (`baton_core::Event`), and where it leads.
fn named(event: Event, to: Status) -> Named {
    let name = match &event {
        Event::Sent => "sent",
        Event::Retried { .. } => "retried",
        Event::Acknowledged => "acknowledged",
        Event::Started => "started",
        Event::Claimed { .. } => "claimed",
        Event::LeaseLapsed { .. } => "lapsed",
        Event::LeaseLapsedWaiting => "lapsed-waiting",
        Event::GivenUp { .. } => "given-up",
        Event::ArtifactShared { .. } => "shared",
        Event::SenderAsked => "asked",
        Event::Answered => "answered",
        Event::Replied { ending: Ending::Replied } => "replied",
        Event::Replied { ending: Ending::Failed } => "failed",
        Event::Replied { ending: Ending::Cancelled } => "declined",
        Event::Replied { ending: Ending::Rejected } => "rejected",
        Event::Completed => "completed",
        Event::Cancelled { .. } => "cancelled",
        Event::CancelledWithParent { .. } => "cancelled-with-parent",
        Event::Expired => "expired",
        Event::RunTimedOut => "run-timed-out",
        Event::Reassigned { .. } => "reassigned",
    };
    (name, event, to)
}

/// The kinds of events that came later. An entry's place is part of it, so they are written after all others.
fn later_events(text: &str) -> Vec<Named> {
    vec![named(Event::CancelledWithParent { reason: text.to_owned() }, Status::Cancelled)]
}

/// Those that came after these.
fn latest_events(_: &str) -> Vec<Named> {
    vec![
        named(Event::Replied { ending: Ending::Rejected }, Status::Failed),
        named(Event::RunTimedOut, Status::Failed),
    ]
}

/// The kinds of events there were from the first.
fn events(text: &str) -> Vec<Named> {
    vec![
        named(Event::Sent, Status::Delivered),
        named(Event::Retried { retry_of: task_id(9) }, Status::Delivered),
        named(Event::Acknowledged, Status::Acked),
        named(Event::Started, Status::Running),
        named(Event::Claimed { attempt: 1 }, Status::Running),
        named(Event::LeaseLapsed { attempt: 2 }, Status::Delivered),
        named(Event::GivenUp { attempts: 3 }, Status::Failed),
        named(Event::SenderAsked, Status::WaitingInput),
        named(Event::Answered, Status::Running),
        named(Event::Replied { ending: Ending::Replied }, Status::Replied),
        named(Event::Replied { ending: Ending::Failed }, Status::Failed),
        named(Event::Replied { ending: Ending::Cancelled }, Status::Cancelled),
        named(Event::Completed, Status::Replied),
        named(Event::Cancelled { reason: text.to_owned() }, Status::Cancelled),
        named(Event::Expired, Status::Expired),
        named(Event::Reassigned { from: alias("planner"), to: alias("coder") }, Status::Delivered),
    ]
}

fn task_id(number: u8) -> TaskId {
    TaskId::new(NOW, [number; 10])
}

fn message_id(number: u8) -> MessageId {
    MessageId::new(NOW, [number; 10])
}

fn alias(name: &str) -> Alias {
    Alias::parse(name).unwrap()
}

fn kind(name: &str) -> Kind {
    Kind::parse(name).unwrap()
}

/// The task whose row has the salt.
fn row(tx: &mut dyn Transaction) {
    let task = NewTask {
        id: task_id(1),
        network_id: network(1),
        from: user("alice"),
        to: alias("planner"),
        kind: kind("delegation"),
        attempt: 1,
        max_attempts: 3,
        runs: baton_core::RunTerms::default(),
        ttl: TtlSeconds::default(),
        delivered_at: NOW,
        expires_at: NOW,
        parent_task_id: None,
        retry_of: None,
        context_id: None,
    };
    let row = NewTaskRow {
        task: &task,
        status: Status::Delivered,
        priority: Priority::Normal,
        content: "",
        context: None,
        meta: None,
        parts: None,
        salt: &[0x5a; 16],
        traceparent: None,
    };
    tx.insert_task(row).unwrap();
}

/// One change, recorded.
struct Change<'a> {
    event: &'a Event,
    to: Status,
    actor: &'a Principal,
    text: Option<&'a str>,
    kind: &'a str,
    token: bool,
    number: u64,
    at: UnixMillis,
}

impl Change<'_> {
    fn write_down(&self, tx: &mut dyn Transaction) {
        self.write_down_with(tx, &[]);
    }

    fn write_down_with(&self, tx: &mut dyn Transaction, parts: &[ObservedPart]) {
        let is_new = matches!(self.event, Event::Sent | Event::Retried { .. });
        let transition = Transition {
            task_id: task_id(1),
            from: (!is_new).then_some(Status::Delivered),
            to: self.to,
            actor: self.actor.clone(),
            event: Some(self.event.clone()),
            effects: self.effects(),
        };
        let token = ActorToken::of_digest(&[0xa7; 32]);
        let (from, to, salt) = (user("alice"), alias("coder"), Salt::of_row(vec![0x3c; 16]));
        let log_index = tx.log_size(&network(1)).unwrap();
        change::write_down(
            tx,
            &ObservedChange {
                network: &network(1),
                log_index,
                at: self.at,
                transition: &transition,
                actor_token: self.token.then_some(&token),
                event: self.event,
                number: self.number,
                from: &from,
                to: &to,
                kind: &kind(self.kind),
                content: self.text.filter(|_| is_new),
                content_digest: None,
                parts,
                new_salt: is_new.then_some(&salt),
            },
        )
        .unwrap();
    }

    /// What goes with it, as far as evidence looks.
    fn effects(&self) -> Effects {
        let deliver = |content| Delivery { message_id: message_id(2), to: node("coder"), content };
        let text = || self.text.map(str::to_owned);
        let mut effects = Effects::default();
        match self.event {
            Event::Sent | Event::Retried { .. } | Event::LeaseLapsed { .. } | Event::Reassigned { .. } => {
                effects.row.delivery = Some(message_id(2));
            }
            Event::SenderAsked | Event::Answered => {
                effects.delivery =
                    text().map(|text| deliver(DeliveryContent::Message(TaskMessage::Answer(text))));
            }
            Event::Replied { .. } => {
                effects.row.result = text();
                effects.delivery = text().map(|text| deliver(DeliveryContent::Reply(text)));
            }
            Event::Completed
            | Event::GivenUp { .. }
            | Event::Cancelled { .. }
            | Event::CancelledWithParent { .. } => effects.row.result = text(),
            _ => {}
        }
        effects
    }
}

/// Writes these events with every text, by everybody; answers their names, in order.
fn write_all(tx: &mut dyn Transaction, events: impl Fn(&str) -> Vec<Named>) -> Vec<String> {
    let mut names = Vec::new();
    let texts = texts();
    let texts = texts.iter().map(|(name, text)| (*name, Some(&**text))).chain([("none", None)]);
    for (text_name, text) in texts {
        for (name, event, to) in events(text.unwrap_or("cancelled")) {
            for (n, actor) in actors().iter().enumerate() {
                let (token, kind) =
                    (*actor != Principal::Hub, if n % 2 == 0 { "delegation" } else { "request" });
                let (number, at) = (1 + n as u64, NOW);
                Change { event: &event, to, actor, text, kind, token, number, at }.write_down(tx);
                names.push(format!("{name} by {} {kind} text {text_name}", actor.name()));
            }
        }
    }
    names
}

/// Writes every case into the log of one network; answers their names, in order.
fn every_change(tx: &mut dyn Transaction) -> Vec<String> {
    row(tx);
    let mut names = write_all(tx, events);
    let actor = &node("planner");
    for (number, at, token) in [
        (0, 0, false),
        (7, 1_700_000_000_000, true),
        (1 << 53, -1, true),
        (u64::MAX, 253_402_300_799_999, true),
        ((1 << 53) + 1, 253_402_300_800_000, false),
        (12, -62_167_219_200_001, true),
        (13, i64::MAX, true),
    ] {
        let (event, kind, at) = (Event::Claimed { attempt: 1 }, "a.kind_of-its.own", UnixMillis::new(at));
        let to = Status::Running;
        Change { event: &event, to, actor, text: None, kind, token, number, at }.write_down(tx);
        names.push(format!("claimed as number {number} at {}", at.get()));
    }
    names
}

/// Kinds of change that came later: behind everything else, which keeps its place in the log.
fn later_changes(tx: &mut dyn Transaction) -> Vec<String> {
    let (event, to, text) = (Event::LeaseLapsedWaiting, Status::WaitingInput, None);
    let mut names = Vec::new();
    for (n, actor) in actors().iter().enumerate() {
        let (token, kind) = (*actor != Principal::Hub, if n % 2 == 0 { "delegation" } else { "request" });
        Change { event: &event, to, actor, text, kind, token, number: 4, at: NOW }.write_down(tx);
        names.push(format!("lapsed-waiting by {} {kind}", actor.name()));
    }
    names
}

/// Changes that parts come with, and files of a message that changes nothing.
fn changes_with_parts(tx: &mut dyn Transaction) -> Vec<String> {
    let part = |byte, size, media_type| ObservedPart {
        hash: ArtifactHash::new([byte; 32]),
        size,
        media_type: MediaType::parse("media_type", media_type).unwrap(),
    };
    let parts = [part(0x11, 0, "text/plain; charset=utf-8"), part(0x22, 314_572_800, "application/x-thing")];
    let shared = Event::ArtifactShared { artifact_id: "plan".to_owned() };
    let mut names = Vec::new();
    for (event, to) in [(&Event::Sent, Status::Delivered), (&shared, Status::Running)] {
        let actor = &node("planner");
        let change =
            Change { event, to, actor, text: None, kind: "request", token: true, number: 4, at: NOW };
        change.write_down_with(tx, &parts);
        names.push(format!("{event} with parts"));
    }
    let task = tx.task_snapshot(&task_id(1)).unwrap().unwrap();
    let (actor, token) = (user("alice"), ActorToken::of_digest(&[0xa7; 32]));
    let seen = ObservedFiles {
        at: NOW,
        task: &task,
        actor: &actor,
        actor_token: Some(&token),
        parts: &parts,
        first: 3,
    };
    change::write_down_files(tx, &seen).unwrap();
    names.extend(parts.iter().map(|part| format!("file of {} bytes", part.size)));
    names
}

/// Artifacts of a completion.
fn artifacts(tx: &mut dyn Transaction) -> Vec<String> {
    let before = TaskSnapshot { status: Status::Running, ..tx.task_snapshot(&task_id(1)).unwrap().unwrap() };
    let transition = Transition {
        task_id: task_id(1),
        from: Some(Status::Running),
        to: Status::Replied,
        actor: node("planner"),
        event: Some(Event::Completed),
        effects: Effects::default(),
    };
    let artifacts = [
        json!("text"),
        json!({ "name": "a\"b", "z": [1, 2.5, null], "a": { "é": "😀" } }),
        json!({ "big": 9_007_199_254_740_993_u64, "n": -1 }),
    ];
    for token in [None, Some(ActorToken::of_digest(&[0xa7; 32]))] {
        let done = Done {
            before: before.clone(),
            transition: transition.clone(),
            event_number: Some(4),
            actor_token: token,
            artifacts: Vec::new(),
        };
        change::write_down_artifacts(tx, NOW, &done, &artifacts).unwrap();
    }
    (0..2 * artifacts.len()).map(|n| format!("artifact {n}")).collect()
}

/// What agents say they can do.
fn capabilities(tx: &mut dyn Transaction) -> Vec<String> {
    let lists: [&[&str]; 4] =
        [&[], &["review"], &["b", "a", "a", "B", "é", "\u{10000}", "\u{ffff}"], &["a\"b\\", "\n\u{1}"]];
    for list in lists {
        let list: Vec<_> = list.iter().map(|text| (*text).to_owned()).collect();
        let packet = Packet::of_capabilities(NOW, "planner", &list);
        let index = tx.log_size(&network(1)).unwrap();
        observed(tx, &network(1), index, None, &packet).unwrap();
    }
    (0..lists.len()).map(|n| format!("capabilities {n}")).collect()
}

/// The leaves of packets that were handed in.
fn reported() -> Vec<(String, LeafRow)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../baton-adapter/tests/fixtures/packets");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let options = Options { mode: Mode::Lenient, ..Options::default() };
    let leaf = |index: usize, path: &Path| {
        let packet = std::fs::read(path).unwrap();
        let input = Input { bytes: &packet, media_type: record::MEDIA_TYPE, protocol_version: Some("0.3") };
        let event = record::reported(convert(input, &options, &mut DigestOnly).unwrap().event, "агент.7");
        let index = index as u64;
        let event = record::leaf(&network(1), index, &event).unwrap();
        let name = format!("reported {}", path.file_stem().unwrap().to_string_lossy());
        (name, LeafRow { index, event, packet })
    };
    files.iter().enumerate().map(|(index, path)| leaf(index, path)).collect()
}

/// Everything the hub can phrase, by name.
async fn corpus() -> Vec<(String, LeafRow)> {
    let hub = TestHub::start();
    hub.person("alice", SystemRole::User, &[1]).await;
    let written = hub.hub.store.write(|tx| -> Result<_, baton_store::Error> {
        let first = [every_change(tx), artifacts(tx), capabilities(tx)].concat();
        let later = [
            write_all(tx, later_events),
            later_changes(tx),
            write_all(tx, latest_events),
            changes_with_parts(tx),
        ]
        .concat();
        Ok([first, later].concat())
    });
    let names = written.await.unwrap();
    let page = LeafPage { from: 0, to: u64::MAX >> 1, limit: 10_000, bytes: usize::MAX, with_packets: true };
    let leaves = hub.hub.store.read(move |rows| rows.leaves(&network(1), page)).await.unwrap();
    assert_eq!(names.len(), leaves.len());
    names.into_iter().zip(leaves).chain(reported()).collect()
}

/// An event without what differs between builds; its content hash is held against what it says.
fn comparable(event: &[u8]) -> String {
    let text = std::str::from_utf8(event).unwrap();
    let mut writer = Writer::new();
    let line = EventLine::read(&mut writer, text).unwrap();
    let hash = line.compute_content_hash().to_string();
    assert_eq!(line.content_hash.as_deref(), Some(&*hash), "{text}");
    let member = |name: &str, value: &str| format!("\"{name}\":{}", Value::from(value));
    text.replacen(&member("assaycontenthash", &hash), &member("assaycontenthash", ""), 1)
        .replacen(&member("adapter_version", DESCRIPTOR.adapter_version), &member("adapter_version", ""), 1)
        .replacen(&member("assayproducerversion", PRODUCER_VERSION), &member("assayproducerversion", ""), 1)
        .replacen(&member("assaygit", PRODUCER_GIT), &member("assaygit", ""), 1)
}

/// Compares with a file beside this one, or makes it.
fn compare(file: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/service/evidence/tests").join(file);
    if std::env::var_os("BATON_BLESS").is_some() {
        std::fs::write(&path, made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    let pairs = kept.lines().zip(made.lines());
    for (kept, made) in pairs {
        assert_eq!(made, kept, "{file}: the hub phrases this differently than it always has");
    }
    assert_eq!(made.lines().count(), kept.lines().count(), "{file} has other cases");
}

#[tokio::test]
async fn every_kind_of_change_is_phrased_byte_for_byte_as_it_always_was() {
    let corpus = corpus().await;
    let sha256 = |bytes: &[u8]| hex::encode(&Sha256::digest(bytes));
    let hashed = corpus.iter().map(|(name, leaf)| {
        format!("{} {} {name}\n", sha256(&leaf.packet), sha256(comparable(&leaf.event).as_bytes()))
    });
    compare("phrased.txt", &hashed.collect::<String>());
    let samples =
        ["sent by planner delegation", "claimed by агент.7 request", "replied by planner delegation"];
    let samples = corpus
        .iter()
        .filter(|(name, _)| samples.iter().any(|sample| name.starts_with(sample)) && name.ends_with("plain"));
    let readable = samples.map(|(name, leaf)| {
        let packet = std::str::from_utf8(&leaf.packet).unwrap();
        format!("{name}\n{packet}\n{}\n", comparable(&leaf.event))
    });
    compare("samples.txt", &readable.collect::<String>());
}

/// The event by the long way: the packet read, the content hash computed, the members put into order.
fn converted(leaf: &LeafRow) -> Vec<u8> {
    let input = Input { bytes: &leaf.packet, media_type: record::MEDIA_TYPE, protocol_version: None };
    let event = convert(input, &Options::default(), &mut DigestOnly).unwrap().event;
    let mut event = EvidenceEvent {
        assayrunid: network(1).as_str().to_owned(),
        assayseq: leaf.index,
        id: format!("{}:{}", network(1), leaf.index),
        batonorigin: Some(Origin::Hub),
        ..event
    };
    event.assaycontenthash = Some(event.content_hash(&mut Writer::new()).unwrap());
    canonical::to_vec(&event).unwrap()
}

#[tokio::test]
async fn every_event_the_hub_phrases_is_the_one_its_packet_converts_to() {
    for (name, leaf) in corpus().await.iter().filter(|(name, _)| !name.starts_with("reported")) {
        let (phrased, converted) = (String::from_utf8_lossy(&leaf.event), converted(leaf));
        assert_eq!(phrased, String::from_utf8_lossy(&converted), "{name}");
    }
}
