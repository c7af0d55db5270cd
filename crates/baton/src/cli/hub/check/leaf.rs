//! One event of a log: its form, its numbers, its packet, and what it tells against what the tables have.

use baton_adapter::{EventType, rerun};
use baton_core::NetworkId;
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::{EventLine, Stamp};
use baton_evidence::export::Origin;
use baton_evidence::time::Time;
use baton_store::Error;
use baton_store::rows::{CheckReads, LeafState, RecordedEvent};
use serde::Deserialize;

use super::findings::{Findings, Name, Place};
use super::parts::Parts;
use crate::service::evidence::{Digested, DigestedPart, Salt};

/// What an event turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// The evidence of one row of a task's history.
    Change,
    /// The evidence of a row of history that left with its task.
    Left,
    /// Handed in by somebody.
    Reported,
    /// Something the hub saw that is not a change of a task, or a difference that was reported.
    Beside,
    /// Not to be read.
    Unread,
}

/// What the hub's own events say in `data`.
#[derive(Debug, Deserialize)]
struct Said {
    agent: Agent,
    task: Option<Task>,
    attributes: Option<Attributes>,
}

#[derive(Debug, Deserialize)]
struct Agent {
    id: String,
}

#[derive(Debug, Deserialize)]
struct Task {
    id: String,
    status: String,
    kind: String,
}

#[derive(Debug, Deserialize)]
struct Attributes {
    baton: Baton,
}

#[derive(Debug, Deserialize)]
struct Baton {
    from: String,
    event: i64,
    actor_token: Option<String>,
    content: Option<Digested>,
    result: Option<Digested>,
    reason: Option<Digested>,
    #[serde(default)]
    parts: Vec<DigestedPart>,
}

impl Said {
    /// The task and the number of its event.
    fn change(&self) -> Option<(&Task, &Baton)> {
        Some((self.task.as_ref()?, &self.attributes.as_ref()?.baton))
    }
}

/// The task and event number an event tells of, if it is the hub's evidence of a change.
pub(super) fn change_told(event: &[u8]) -> Option<(String, i64)> {
    let mut writer = Writer::new();
    let line = EventLine::read(&mut writer, std::str::from_utf8(event).ok()?).ok()?;
    let is_change = EventType::ALL.iter().any(|kind| kind.is_task() && kind.name() == line.kind);
    let said: Said = serde_json::from_slice(line.data()).ok()?;
    let (task, baton) = said.change().filter(|_| is_change && Origin::of(&line) == Origin::Hub)?;
    Some((task.id.clone(), baton.event))
}

/// Buffers for reading one event after another.
#[derive(Debug, Default)]
pub(super) struct Reader {
    values: Writer,
    line: Writer,
    parts: Parts,
}

impl Reader {
    /// Looks at one event of a network's log.
    pub(super) fn look(
        &mut self,
        rows: &dyn CheckReads,
        network: &NetworkId,
        left_through: Option<Time>,
        leaf: LeafState<'_>,
        findings: &mut Findings,
    ) -> Result<Told, Error> {
        let mut look = Look { rows, network, left_through, leaf, findings, parts: &mut self.parts };
        let text = match std::str::from_utf8(leaf.event) {
            Ok(text) => text,
            Err(error) => return Ok(look.unread(&error)),
        };
        let line = match EventLine::read(&mut self.values, text) {
            Ok(line) => line,
            Err(error) => return Ok(look.unread(&error)),
        };
        self.line.clear();
        line.write(&mut self.line);
        if self.line.bytes() != leaf.event {
            look.differs(Name::EventForm, "its bytes are not canonical");
        }
        look.numbers(&line);
        if let Err(difference) = rerun(&line, leaf.packet) {
            look.differs(Name::PacketDiffers, difference.to_string());
        }
        look.tells(&line)
    }
}

struct Look<'a> {
    rows: &'a dyn CheckReads,
    network: &'a NetworkId,
    /// Tasks of events up to this time may have left by retention.
    left_through: Option<Time>,
    leaf: LeafState<'a>,
    findings: &'a mut Findings,
    parts: &'a mut Parts,
}

impl Look<'_> {
    fn differs(&mut self, name: Name, what: impl Into<String>) {
        self.findings.add(name, Place::index(self.network.as_str(), self.leaf.index), what);
    }

    fn unread(&mut self, error: &dyn std::error::Error) -> Told {
        self.differs(Name::EventForm, format!("it cannot be read: {error}"));
        Told::Unread
    }

    /// Run, number, id and content hash: those of its place and of what it says.
    fn numbers(&mut self, line: &EventLine<'_>) {
        let stamp = Stamp { run_id: self.network.as_str(), seq: self.leaf.index };
        if line.run_id != stamp.run_id || line.seq != stamp.seq || line.id != stamp.to_string() {
            self.differs(Name::EventPlace, format!("it says that it is {} as number {}", line.id, line.seq));
        }
        let hash = line.compute_content_hash().tagged();
        if line.content_hash.as_deref() != Some(hash.as_str()) {
            self.differs(Name::ContentHash, "its content hash is not that of its content");
        }
    }

    fn tells(&mut self, line: &EventLine<'_>) -> Result<Told, Error> {
        match Origin::of(line) {
            Origin::Reported { .. } => return Ok(Told::Reported),
            Origin::Unmarked => {
                self.differs(Name::EventForm, "it does not say where it comes from");
                return Ok(Told::Unread);
            }
            Origin::Hub => {}
        }
        let Ok(said) = serde_json::from_slice::<Said>(line.data()) else {
            self.differs(Name::EventForm, "it is not in the words of a hub");
            return Ok(Told::Unread);
        };
        let kind = EventType::ALL.into_iter().find(|kind| kind.name() == line.kind);
        match (kind, said.change()) {
            (Some(EventType::AgentCapabilities), _) => self.capabilities(&said),
            (Some(EventType::ArtifactShared), Some((task, baton))) => self.artifact(line.time, task, baton),
            (Some(kind), Some((task, baton))) if kind.is_task() => {
                self.change(kind, line.time, &said.agent, task, baton)
            }
            _ => {
                self.differs(Name::EventForm, "no hub records such an event");
                Ok(Told::Unread)
            }
        }
    }

    fn capabilities(&mut self, said: &Said) -> Result<Told, Error> {
        if !self.rows.knows_alias(self.network.as_str(), &said.agent.id)? {
            self.differs(Name::NoSuchChange, format!("the network never had an agent {}", said.agent.id));
        }
        self.names_beside(None);
        Ok(Told::Beside)
    }

    /// An artifact came with an event that is there.
    fn artifact(&mut self, time: Time, task: &Task, baton: &Baton) -> Result<Told, Error> {
        self.names_beside(Some(&task.id));
        if self.rows.recorded_event(&task.id, baton.event)?.is_some() {
            return Ok(Told::Beside);
        }
        self.untold(time, task, baton)?;
        Ok(Told::Beside)
    }

    /// A change, held against the row of history it is the evidence of.
    fn change(
        &mut self,
        kind: EventType,
        time: Time,
        agent: &Agent,
        task: &Task,
        baton: &Baton,
    ) -> Result<Told, Error> {
        self.names_beside(None);
        let Some(row) = self.rows.recorded_event(&task.id, baton.event)? else {
            return self.untold(time, task, baton);
        };
        let here = i64::try_from(self.leaf.index).ok();
        if row.network_id != self.network.as_str() || row.log_index != here {
            let place = row.log_index.map_or_else(|| "nowhere".to_owned(), |index| format!("at {index}"));
            let what = format!(
                "it tells of event {} of task {}, whose evidence is {place} in the log of {}",
                baton.event, task.id, row.network_id
            );
            self.differs(Name::NoSuchChange, what);
            return Ok(Told::Beside);
        }
        self.same_change(kind, time, agent, task, baton, &row);
        self.same_texts(task, baton, &row);
        self.same_parts(task, baton, &row)?;
        Ok(Told::Change)
    }

    fn same_change(
        &mut self,
        kind: EventType,
        time: Time,
        agent: &Agent,
        task: &Task,
        baton: &Baton,
        row: &RecordedEvent,
    ) {
        let is_new = row.from_status.is_none();
        let pairs = [
            ("type", (kind == EventType::TaskRequested) == is_new),
            ("status", task.status == row.to_status),
            ("kind", task.kind == row.kind),
            ("sender", baton.from == row.from_name),
            ("actor", agent.id == row.actor),
            ("actor token", baton.actor_token == row.actor_token),
            ("time", Some(time) == Time::from_unix_millis(row.created_at)),
        ];
        for (part, _) in pairs.into_iter().filter(|(_, same)| !same) {
            let what = format!("it says another {part} than event {} of task {} has", baton.event, task.id);
            self.differs(Name::ChangeDiffers, what);
        }
    }

    /// The task's own texts, digested again with its salt.
    fn same_texts(&mut self, task: &Task, baton: &Baton, row: &RecordedEvent) {
        let salt = Salt::of_row(row.salt.clone());
        let digest = |text: &Option<String>| text.as_ref().map(|text| salt.digest(text.as_bytes()));
        let texts = [
            ("content", &baton.content, digest(&row.content), row.from_status.is_none()),
            ("result", &baton.result, digest(&row.result), baton.result.is_some()),
            // A cancelled task keeps the reason as its result.
            ("reason", &baton.reason, digest(&row.result), baton.reason.is_some()),
        ];
        for (part, recorded, kept, is_here) in texts {
            if is_here && *recorded != kept {
                self.differs(
                    Name::TextDiffers,
                    format!("the {part} of task {} is not the one that was digested", task.id),
                );
            }
        }
    }

    /// What came with the event, digested again with the task's salt.
    fn same_parts(&mut self, task: &Task, baton: &Baton, row: &RecordedEvent) -> Result<(), Error> {
        let salt = Salt::of_row(row.salt.clone());
        let rows = self.rows;
        let are_same = if row.has_parts {
            let kept = self.parts.of_event(row.task, baton.event, || rows.recorded_parts(row.task))?;
            kept.map(|part| salt.digest_part(&part.hash, part.size, &part.media_type))
                .eq(baton.parts.iter().cloned())
        } else {
            baton.parts.is_empty()
        };
        if !are_same {
            let what = format!(
                "the parts of event {} of task {} are not those that were digested",
                baton.event, task.id
            );
            self.differs(Name::TextDiffers, what);
        }
        Ok(())
    }

    /// It tells of something the tables do not have: of a task that has left, or of one that is lost.
    fn untold(&mut self, time: Time, task: &Task, baton: &Baton) -> Result<Told, Error> {
        let has_task = self.rows.has_task(&task.id)?;
        if !has_task && self.left_through.is_some_and(|through| time <= through) {
            return Ok(Told::Left);
        }
        let missing = if has_task { "has no such event" } else { "is not there" };
        let what = format!("it tells of event {} of task {}, which {missing}", baton.event, task.id);
        self.differs(Name::NoSuchChange, what);
        Ok(Told::Beside)
    }

    /// The task beside an event: named where no row of history leads to it, and nowhere else.
    fn names_beside(&mut self, task: Option<&str>) {
        if self.leaf.about != task {
            let beside = self.leaf.about.unwrap_or("none").to_owned();
            self.differs(Name::ChangeDiffers, format!("the task named beside it is {beside}"));
        }
    }
}
