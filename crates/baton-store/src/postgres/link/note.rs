//! What hubs announce to each other with `NOTIFY`: a text of at most 8,000 bytes. What does not fit is announced in
//! several notes, and where even the changes of one network do not fit, without them.

use baton_core::{Alias, NetworkId, Principal, PrincipalKind, Status, TaskId, limits};
use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::hint::{ChangedTask, Changes};

/// One announcement.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    /// The hub that sends it.
    pub(super) hub: String,
    /// The access epoch, if it was raised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) access: Option<u64>,
    /// Whether the hub has just started or ended: others look who is there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) registry: bool,
    /// Whether rows may be visible that no standby has: others commit a barrier before they read on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) doubt: bool,
    /// Networks that were changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) networks: Vec<NetworkNote>,
    /// Frames that are not stored, each with its network.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) transient: Vec<(String, String)>,
}

/// What was committed in a network.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NetworkNote {
    id: String,
    /// The versions that its head was given.
    #[serde(default)]
    versions: Vec<i64>,
    /// What changed; none if it is not known.
    #[serde(default)]
    changes: Option<ChangesNote>,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ChangesNote {
    /// Kind and name of recipients.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    to: Vec<(String, String)>,
    /// Id, status before and status now of tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tasks: Vec<(String, Option<String>, Option<String>)>,
    /// Agents with a task that can be claimed, each as often as there are tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    open: Vec<String>,
}

/// What was committed in a network, as the receiver uses it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Announced {
    pub(super) network: NetworkId,
    pub(super) versions: Vec<i64>,
    /// What changed and whose inboxes have a task to claim; none if it is not known.
    pub(super) changes: Option<(Changes, Vec<Alias>)>,
}

impl NetworkNote {
    /// What it says; none if this program cannot read it, as one of another version.
    pub(super) fn read(&self) -> Option<Announced> {
        let changes = self.changes.as_ref().and_then(ChangesNote::read);
        Some(Announced { network: NetworkId::parse(&self.id)?, versions: self.versions.clone(), changes })
    }
}

impl ChangesNote {
    fn read(&self) -> Option<(Changes, Vec<Alias>)> {
        let recipient =
            |(kind, name): &(String, String)| Principal::from_parts(PrincipalKind::parse(kind)?, name).ok();
        let status = |text: &Option<String>| match text {
            Some(text) => Status::parse(text).map(Some),
            None => Some(None),
        };
        let task = |(id, from, now): &(String, Option<String>, Option<String>)| {
            Some(ChangedTask { task_id: TaskId::parse(id)?, from: status(from)?, status: status(now)? })
        };
        let changes = Changes {
            recipients: self.to.iter().map(recipient).collect::<Option<_>>()?,
            tasks: self.tasks.iter().map(task).collect::<Option<_>>()?,
            log: None,
        };
        Some((changes, self.open.iter().map(|alias| Alias::parse(alias).ok()).collect::<Option<_>>()?))
    }
}

/// What this hub has committed and not announced yet.
#[derive(Debug, Default)]
pub(super) struct Unannounced {
    access: Option<u64>,
    doubt: bool,
    networks: HashMap<NetworkId, NetworkNote>,
    transient: Vec<(String, String)>,
}

impl Unannounced {
    pub(super) fn is_empty(&self) -> bool {
        self.access.is_none() && !self.doubt && self.networks.is_empty() && self.transient.is_empty()
    }

    pub(super) fn add_doubt(&mut self) {
        self.doubt = true;
    }

    pub(super) fn raise_access(&mut self, epoch: u64) {
        self.access = self.access.max(Some(epoch));
    }

    /// A network has a new version, if that is known.
    pub(super) fn add_version(&mut self, network: &NetworkId, version: Option<i64>) {
        let note = self.network(network);
        note.versions.extend(version);
    }

    pub(super) fn add_changes(&mut self, network: &NetworkId, changes: &Changes) {
        let Some(note) = &mut self.network(network).changes else { return };
        for recipient in &changes.recipients {
            let recipient = (recipient.kind().as_str().to_owned(), recipient.name().to_owned());
            if !note.to.contains(&recipient) {
                note.to.push(recipient);
            }
        }
        let text = |status: Option<Status>| status.map(|status| status.as_str().to_owned());
        let task =
            |task: &ChangedTask| (task.task_id.as_str().to_owned(), text(task.from), text(task.status));
        note.tasks.extend(changes.tasks.iter().map(task));
    }

    /// A task can be claimed that no claim here has taken.
    pub(super) fn add_open(&mut self, network: &NetworkId, alias: &Alias) {
        if let Some(note) = &mut self.network(network).changes {
            note.open.push(alias.as_str().to_owned());
        }
    }

    /// A frame for everybody who listens to a network. One that does not fit into a note, or comes when many wait already, is
    /// dropped: it is not stored either.
    pub(super) fn add_transient(&mut self, network: &NetworkId, body: &str) {
        let fits = body.len() < limits::POSTGRES_NOTE_MAX_BYTES / 2;
        if fits && self.transient.len() < limits::LISTENER_BEHIND_MAX_COUNT {
            self.transient.push((network.as_str().to_owned(), body.to_owned()));
        }
    }

    /// Whoever listens to any of these networks looks: the announcement may have been lost, or made twice.
    pub(super) fn forget_changes(&mut self) {
        for note in self.networks.values_mut() {
            (note.versions, note.changes) = (Vec::new(), None);
        }
    }

    /// Adds what was committed since.
    pub(super) fn add(&mut self, newer: Self) {
        self.access = self.access.max(newer.access);
        self.doubt |= newer.doubt;
        self.transient.extend(newer.transient);
        for (network, note) in newer.networks {
            // What is not known of either is not known of both.
            let known = self.network(&network);
            known.versions.extend(note.versions);
            known.changes = match (known.changes.take(), note.changes) {
                (Some(mut known), Some(newer)) => {
                    known.to.extend(newer.to);
                    known.tasks.extend(newer.tasks);
                    known.open.extend(newer.open);
                    Some(known)
                }
                _ => None,
            };
        }
    }

    fn network(&mut self, network: &NetworkId) -> &mut NetworkNote {
        self.networks.entry(network.clone()).or_insert_with(|| NetworkNote {
            id: network.as_str().to_owned(),
            versions: Vec::new(),
            changes: Some(ChangesNote::default()),
        })
    }

    /// The notes that announce it, each of a size that PostgreSQL accepts.
    pub(super) fn notes(&self, hub: &str) -> Vec<String> {
        let empty = Note { hub: hub.to_owned(), ..Note::default() };
        let mut notes = Vec::new();
        let mut note = Note { access: self.access, doubt: self.doubt, ..empty.clone() };
        let mut size = text(&note).len();
        let mut add = |note: &mut Note, size: &mut usize, bytes: usize| {
            if *size + bytes > limits::POSTGRES_NOTE_MAX_BYTES {
                notes.push(text(&std::mem::replace(note, empty.clone())));
                *size = text(&empty).len();
            }
            *size += bytes;
        };
        for network in self.networks.values() {
            let network = fitting(network);
            // A comma and, for the first, the name of the list.
            add(&mut note, &mut size, text(&network).len() + 16);
            note.networks.push(network);
        }
        for transient in &self.transient {
            let bytes = text(transient).len() + 16;
            if bytes < limits::POSTGRES_NOTE_MAX_BYTES / 2 {
                add(&mut note, &mut size, bytes);
                note.transient.push(transient.clone());
            }
        }
        notes.push(text(&note));
        notes
    }
}

/// The note of a network, without its changes if it is too long with them, and without its versions if need be.
fn fitting(note: &NetworkNote) -> NetworkNote {
    let room = limits::POSTGRES_NOTE_MAX_BYTES / 2;
    if text(note).len() <= room {
        return note.clone();
    }
    let short = NetworkNote { changes: None, ..note.clone() };
    if text(&short).len() <= room { short } else { NetworkNote { versions: Vec::new(), ..short } }
}

/// A note as it is sent.
pub(super) fn text(note: &impl Serialize) -> String {
    // Texts and numbers in lists: there is nothing in it that JSON cannot say.
    serde_json::to_string(note).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_core::UnixMillis;

    fn network(n: u8) -> NetworkId {
        NetworkId::from_random([n; 6])
    }

    fn changed(n: u16) -> ChangedTask {
        let mut random = [0; 10];
        random[..2].copy_from_slice(&n.to_be_bytes());
        let task_id = TaskId::new(UnixMillis::new(1), random);
        ChangedTask { task_id, from: Some(Status::Delivered), status: Some(Status::Running) }
    }

    fn read(notes: &[String]) -> Vec<Note> {
        notes.iter().map(|note| serde_json::from_str(note).unwrap()).collect()
    }

    #[test]
    fn what_is_announced_is_what_is_read() {
        let coder = Alias::parse("coder").unwrap();
        let changes = Changes {
            recipients: vec![Principal::Node(coder.clone())],
            tasks: vec![changed(1), ChangedTask { from: None, status: None, ..changed(2) }],
            log: None,
        };
        let mut unannounced = Unannounced::default();
        unannounced.add_version(&network(1), Some(4));
        unannounced.add_version(&network(1), Some(6));
        unannounced.add_changes(&network(1), &changes);
        unannounced.add_open(&network(1), &coder);
        unannounced.raise_access(9);
        unannounced.add_doubt();
        unannounced.add_transient(&network(1), r#"{"type":"status"}"#);
        let notes = read(&unannounced.notes("h"));
        let [note] = &notes[..] else { panic!("{notes:?}") };
        assert_eq!((note.hub.as_str(), note.access, note.doubt), ("h", Some(9), true));
        assert_eq!(note.transient, [(network(1).as_str().to_owned(), r#"{"type":"status"}"#.to_owned())]);
        let announced = note.networks[0].read().unwrap();
        assert_eq!(announced.versions, [4, 6]);
        assert_eq!(announced.changes, Some((changes, vec![coder])));
    }

    #[test]
    fn notes_are_never_longer_than_postgresql_accepts() {
        let mut unannounced = Unannounced::default();
        for n in 0..200 {
            unannounced.add_version(&network(n), Some(1));
            unannounced
                .add_changes(&network(n), &Changes { tasks: vec![changed(n.into())], ..Changes::default() });
        }
        let many = Changes { tasks: (0..1_000).map(changed).collect(), ..Changes::default() };
        unannounced.add_changes(&network(7), &many);
        (0..100).for_each(|_| unannounced.add_transient(&network(1), &"x".repeat(1_000)));
        let texts = unannounced.notes("h");
        assert!(texts.iter().all(|text| text.len() <= limits::POSTGRES_NOTE_MAX_BYTES));
        let notes = read(&texts);
        let networks: Vec<_> = notes.iter().flat_map(|note| &note.networks).collect();
        assert_eq!(networks.len(), 200);
        let without: Vec<_> = networks.iter().filter(|note| note.changes.is_none()).collect();
        assert_eq!(without.len(), 1, "only the one that is too long");
        let transient = notes.iter().map(|note| note.transient.len()).sum::<usize>();
        assert_eq!(transient, limits::LISTENER_BEHIND_MAX_COUNT, "more than a listener keeps are dropped");
    }
}
