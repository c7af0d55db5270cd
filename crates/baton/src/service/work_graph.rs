//! Who sent tasks to whom in a time, added up from the task rows and nothing else. It is read in short pieces, newest
//! first, so that no long read keeps the database's log from being folded back.

use baton_core::{Caller, NetworkId, PrincipalKind, Status, UnixMillis, limits};
use baton_store::Snapshot;
use baton_store::rows::{SentRow, minute_begins, minute_of};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

use super::{Error, WireTime, audit, place, wire_time};
use crate::hub::Hub;

/// Places in the order of all tasks that one read covers.
const PLACES: i64 = 10_000;

/// Of which network and which time.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct QueryArgs {
    /// The network; not needed by those who have one
    network_id: Option<String>,
    /// `YYYY-MM-DD HH:MM:SS` in UTC, or RFC 3339; a day before `until` by default
    since: Option<String>,
    /// `YYYY-MM-DD HH:MM:SS` in UTC, or RFC 3339; now by default
    until: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WorkGraph)]
pub(crate) struct Answer {
    ok: bool,
    source: &'static str,
    since: WireTime,
    until: WireTime,
    tasks_read: usize,
    /// There were older tasks in that time than are read.
    truncated: bool,
    edges: Vec<Edge>,
    /// Edges beyond those shown.
    edges_left_out: usize,
    visible_handoffs: VisibleHandoffs,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WorkEdge)]
struct Edge {
    from_kind: PrincipalKind,
    from_name: String,
    to_name: String,
    #[serde(flatten)]
    ends: Ends,
}

/// What became of an edge's tasks.
#[derive(Debug, Default, Clone, Copy, Serialize, ToSchema)]
#[schema(as = WorkEnds)]
struct Ends {
    open: usize,
    replied: usize,
    failed: usize,
    cancelled: usize,
    expired: usize,
    total: usize,
}

/// Evidence events whose handoff is visible: a count beside the graph, never an edge of it. Counted by whole minutes,
/// from `counted_since` on.
#[derive(Debug, Serialize, ToSchema)]
struct VisibleHandoffs {
    count: i64,
    counted_since: WireTime,
}

pub(crate) async fn run(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Answer, Error> {
    let now = hub.clock.now();
    let until = wire_time::argument("until", args.until.as_deref())?.unwrap_or(now.plus_millis(1));
    let default = until.plus_millis(-1000 * i64::from(limits::GRAPH_SINCE_DEFAULT_SECONDS));
    let since = wire_time::argument("since", args.since.as_deref())?.unwrap_or(default);
    if since >= until {
        return Err(Error::argument("since", "must be before until"));
    }
    let made = since..until;
    let begun = begin(hub, caller, args.network_id, made.clone(), now).await?;
    let read = Reading::all(hub, &begun.network, begun.places, made).await?;
    let (tasks_read, truncated) = (read.tasks, read.is_truncated);
    let (edges, edges_left_out) = read.edges();
    Ok(Answer {
        ok: true,
        source: "task rows",
        since: since.into(),
        until: until.into(),
        tasks_read,
        truncated,
        edges,
        edges_left_out,
        visible_handoffs: begun.handoffs,
    })
}

struct Begun {
    network: NetworkId,
    /// Where tasks of that time can be.
    places: Range<i64>,
    handoffs: VisibleHandoffs,
}

/// Finds the network and asks whether the caller may look, before anything of it is read.
async fn begin(
    hub: &Hub,
    caller: &Caller,
    network_id: Option<String>,
    made: Range<UnixMillis>,
    now: UnixMillis,
) -> Result<Begun, Error> {
    let asker = caller.clone();
    let look = move |rows: &dyn Snapshot| -> Result<_, Error> {
        let (network, is_audited) = place::watched(rows, &asker, network_id.as_deref())?;
        let first = rows.place_of_time(made.start.plus_millis(-limits::CLOCK_SLACK_MILLIS))?;
        let last = rows.place_of_time(made.end.plus_millis(limits::CLOCK_SLACK_MILLIS))?;
        let handoffs = visible_handoffs(rows, &network, made, now)?;
        Ok((Begun { network, places: first..last, handoffs }, is_audited))
    };
    let (begun, is_audited) = hub.store.read(look).await?;
    if is_audited {
        audit::network_read(hub, caller, begun.network.clone(), "work graph").await?;
    }
    Ok(begun)
}

fn visible_handoffs(
    rows: &dyn Snapshot,
    network: &NetworkId,
    time: Range<UnixMillis>,
    now: UnixMillis,
) -> Result<VisibleHandoffs, Error> {
    let kept = now.plus_millis(-1000 * i64::from(limits::MINUTES_KEPT_SECONDS));
    let counted_since = rows.counted_since()?.max(minute_begins(minute_of(kept)));
    let minutes = minute_of(time.start.max(counted_since))..minute_of(time.end.plus_millis(-1)) + 1;
    let count = rows.minutes(network, minutes)?.iter().map(|(_, counts)| counts.handoffs).sum();
    Ok(VisibleHandoffs { count, counted_since: counted_since.into() })
}

/// What was read so far.
#[derive(Debug, Default)]
struct Reading {
    tasks: usize,
    is_truncated: bool,
    names: Names,
    ends: HashMap<(PrincipalKind, usize, usize), Ends>,
}

/// Names by number: each is kept once, however many edges it has.
#[derive(Debug, Default)]
struct Names {
    numbers: HashMap<Arc<str>, usize>,
    names: Vec<Arc<str>>,
}

impl Names {
    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let name: Arc<str> = name.into();
        self.names.push(name.clone());
        self.numbers.insert(name, self.names.len() - 1);
        self.names.len() - 1
    }

    fn name(&self, number: usize) -> &str {
        &self.names[number]
    }
}

impl Reading {
    async fn all(
        hub: &Hub,
        network: &NetworkId,
        places: Range<i64>,
        made: Range<UnixMillis>,
    ) -> Result<Self, Error> {
        let mut reading = Self::default();
        let mut end = places.end;
        while end > places.start && !reading.is_truncated {
            let piece = (end - PLACES).max(places.start)..end;
            end = piece.start;
            let (network, made) = (network.clone(), made.clone());
            // Each task has one status in this state of the database, so none is read twice.
            let read = move |rows: &dyn Snapshot| -> Result<_, Error> {
                Ok(rows.sent_tasks(&network, piece, made)?)
            };
            reading.take(hub.store.read(read).await?);
        }
        Ok(reading)
    }

    /// The newest come first, so that what is left out are the oldest.
    fn take(&mut self, mut sent: Vec<SentRow>) {
        sent.sort_by_key(|task| std::cmp::Reverse(task.seq));
        let room = limits::GRAPH_TASKS_MAX_COUNT - self.tasks;
        self.is_truncated = sent.len() > room;
        for task in sent.into_iter().take(room) {
            self.tasks += 1;
            let (from, to) = (self.names.number(task.from.name()), self.names.number(task.to.as_str()));
            self.ends.entry((task.from.kind(), from, to)).or_default().count(task.status);
        }
    }

    /// The largest edges, and how many there are beside.
    fn edges(self) -> (Vec<Edge>, usize) {
        let names = &self.names;
        let mut edges: Vec<_> = self.ends.into_iter().collect();
        edges.sort_by(|(one, ends), (other, other_ends)| {
            let named =
                |edge: &(PrincipalKind, usize, usize)| (edge.0, names.name(edge.1), names.name(edge.2));
            other_ends.total.cmp(&ends.total).then_with(|| named(one).cmp(&named(other)))
        });
        let left_out = edges.len().saturating_sub(limits::GRAPH_EDGES_MAX_COUNT);
        edges.truncate(limits::GRAPH_EDGES_MAX_COUNT);
        let edge = |((from_kind, from, to), ends)| Edge {
            from_kind,
            from_name: names.name(from).to_owned(),
            to_name: names.name(to).to_owned(),
            ends,
        };
        (edges.into_iter().map(edge).collect(), left_out)
    }
}

impl Ends {
    fn count(&mut self, status: Status) {
        self.total += 1;
        *match status {
            Status::Replied => &mut self.replied,
            Status::Failed => &mut self.failed,
            Status::Cancelled => &mut self.cancelled,
            Status::Expired => &mut self.expired,
            Status::Delivered | Status::Acked | Status::Running | Status::WaitingInput => &mut self.open,
        } += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_core::{Alias, Principal};

    fn sent(seq: i64, from: &str, status: Status) -> SentRow {
        let alias = |name: &str| Alias::parse(name).unwrap();
        SentRow { seq, from: Principal::Node(alias(from)), to: alias("bob"), status }
    }

    #[test]
    fn the_newest_are_read_and_the_rest_is_said_to_be_missing() {
        let mut reading = Reading { tasks: limits::GRAPH_TASKS_MAX_COUNT - 2, ..Reading::default() };
        let tasks = (1..=3).map(|seq| sent(seq, &format!("from{seq}"), Status::Replied)).collect();
        reading.take(tasks);
        assert_eq!((reading.tasks, reading.is_truncated), (limits::GRAPH_TASKS_MAX_COUNT, true));
        let (edges, _) = reading.edges();
        assert_eq!(edges.iter().map(|edge| edge.from_name.as_str()).collect::<Vec<_>>(), ["from2", "from3"]);
        let mut full = Reading { tasks: limits::GRAPH_TASKS_MAX_COUNT, ..Reading::default() };
        full.take(Vec::new());
        assert!(!full.is_truncated, "exactly as many as are read");
    }

    #[test]
    fn the_largest_edges_are_shown_and_the_others_counted() {
        let mut reading = Reading::default();
        for from in 0..limits::GRAPH_EDGES_MAX_COUNT + 3 {
            reading.take(vec![sent(0, &format!("a{from}"), Status::Failed)]);
        }
        reading.take(vec![sent(1, "z", Status::Replied), sent(2, "z", Status::Running)]);
        let (edges, left_out) = reading.edges();
        assert_eq!((edges.len(), left_out), (limits::GRAPH_EDGES_MAX_COUNT, 4));
        let Ends { open, replied, total, .. } = edges[0].ends;
        assert_eq!((edges[0].from_name.as_str(), open, replied, total), ("z", 1, 1, 2));
    }
}
