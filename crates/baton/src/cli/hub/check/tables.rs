//! The tables among themselves: tasks and their histories, leases, deliveries, counters; and which rows of history
//! say that they stand in a log.

use baton_core::{NetworkId, Status, limits};
use baton_store::Error;
use baton_store::rows::{CheckReads, EventState, LeafPage, LeafRow, TaskState};
use std::collections::HashMap;

use super::findings::{Findings, Name, Place};
use super::leaf;
use super::report::Counts;

/// By network, how many rows of history have evidence in its log.
pub(super) type Links = HashMap<String, u64>;

/// Looks at all tables but the logs.
pub(super) fn look(
    rows: &dyn CheckReads,
    findings: &mut Findings,
    counts: &mut Counts,
) -> Result<Links, Error> {
    rows.each_stray(&mut |stray| {
        let what = format!("{} of {}, which is not there", stray.table, stray.of);
        findings.add(Name::Stray, Place::default(), what);
        Ok(())
    })?;
    rows.each_task(&mut |task| {
        counts.tasks += 1;
        task_agrees(&task, findings);
        Ok(())
    })?;
    let mut links = Links::new();
    rows.each_event(&mut |event| {
        counts.events += 1;
        counts.events_before_log += u64::from(event.log_index.is_none());
        if event_agrees(&event, findings) {
            *links.entry(event.network_id).or_default() += 1;
        }
        Ok(())
    })?;
    rows.each_wrong_task_count(&mut |count| {
        let what =
            format!("the counter of {} tasks says {}, there are {}", count.of, count.counter, count.counted);
        findings.add(Name::TaskCount, Place::network(&count.network_id), what);
        Ok(())
    })?;
    rows.each_wrong_inbox_count(&mut |count| {
        let what = format!(
            "the counter of the inbox of {} says {}, {} are open",
            count.of, count.counter, count.counted
        );
        findings.add(Name::InboxCount, Place::network(&count.network_id), what);
        Ok(())
    })?;
    rows.each_wrong_quota_count(&mut |count| {
        let subject = &count.network_id;
        let what = format!(
            "the counter of {} of {subject} says {}, there are {}",
            count.of, count.counter, count.counted
        );
        let is_network = NetworkId::parse(subject).is_some();
        let place = if is_network { Place::network(subject) } else { Place::default() };
        findings.add(Name::QuotaCount, place, what);
        Ok(())
    })?;
    rows.each_wrong_artifact_count(&mut |count| {
        let what = format!("the counter of {} says {}, there are {}", count.of, count.counter, count.counted);
        findings.add(Name::ArtifactCount, Place::network(&count.network_id), what);
        Ok(())
    })?;
    rows.each_wrong_edge_count(&mut |count| {
        let what = format!(
            "the counter of tasks from {} says {}, there are {}",
            count.of, count.counter, count.counted
        );
        findings.add(Name::EdgeCount, Place::network(&count.network_id), what);
        Ok(())
    })?;
    Ok(links)
}

fn task_agrees(task: &TaskState, findings: &mut Findings) {
    let mut differs = |name, what: String| {
        findings.add(name, Place::task(&task.network_id, &task.task_id), what);
    };
    if !task.has_network {
        differs(Name::NoNetwork, "there is no such network".into());
    }
    match &task.last_status {
        Some(last) if *last == task.status => {}
        Some(last) => differs(Name::TaskStatus, format!("it is {}, its last event says {last}", task.status)),
        None if task.events > 0 => {
            differs(Name::EventNumbers, "its row does not lead to the last of its events".into());
        }
        None => differs(Name::EventNumbers, "it has no events".into()),
    }
    if let (Some(first), Some(last)) = (task.first_event, task.last_event)
        && (first != 1 || last != task.events)
    {
        let what = format!("{} events are numbered from {first} to {last}", task.events);
        differs(Name::EventNumbers, what);
    }
    let Some(status) = Status::parse(&task.status) else {
        return differs(Name::TaskStatus, format!("there is no status {}", task.status));
    };
    if status.is_terminal() != task.has_completed_at {
        let end = if task.has_completed_at { "a time" } else { "no time" };
        differs(Name::TaskEnd, format!("it is {status} and has {end} of its end"));
    }
    if status.is_terminal() && task.has_open_delivery {
        differs(Name::TaskEnd, format!("it is {status} and still lies in an inbox"));
    }
    if task.has_lease && !matches!(status, Status::Running | Status::WaitingInput) {
        differs(Name::Lease, format!("it is {status} and has a lease"));
    }
}

/// Whether a row of history leads to an event of the log.
fn event_agrees(event: &EventState, findings: &mut Findings) -> bool {
    let mut differs = |name, what: String| {
        findings.add(name, Place::task(&event.network_id, &event.task_id), what);
    };
    let n = event.n;
    match &event.task_network_id {
        None => differs(Name::EventWithoutTask, format!("event {n} of a task that is not there")),
        Some(network) if *network != event.network_id => {
            differs(Name::EventWithoutTask, format!("event {n} of a task of {network}"));
        }
        Some(_) => {}
    }
    if event.from_status != event.status_before {
        let said = |status: &Option<String>| status.clone().unwrap_or_else(|| "nothing".into());
        let (left, before) = (said(&event.from_status), said(&event.status_before));
        differs(Name::EventOrder, format!("event {n} leaves {left}, the one before it reached {before}"));
    }
    if let (Some(index), false) = (event.log_index, event.has_leaf) {
        let what = format!("event {n} says its evidence is log event {index}, which is not there");
        differs(Name::EvidenceMissing, what);
    }
    event.log_index.is_some() && event.has_leaf
}

/// Names the rows of history that lead to an event of the log which tells of something else. Where as many events
/// tell of rows as rows lead to events, each has its own and there are none.
pub(super) fn name_unmatched(
    rows: &dyn CheckReads,
    links: &Links,
    matched: &HashMap<String, u64>,
    findings: &mut Findings,
) -> Result<(), Error> {
    let agrees = |network: &str| links.get(network) == matched.get(network).filter(|count| **count > 0);
    if links.keys().all(|network| agrees(network)) {
        return Ok(());
    }
    let mut stretch = Stretch::default();
    rows.each_event(&mut |event| {
        let (Some(index), true) = (event.log_index, event.has_leaf && !agrees(&event.network_id)) else {
            return Ok(());
        };
        let Some(network) = NetworkId::parse(&event.network_id) else { return Ok(()) };
        let Some(leaf) = stretch.leaf(rows, &network, index.unsigned_abs())? else { return Ok(()) };
        let told = leaf.and_then(|leaf| leaf::change_told(&leaf.event));
        if told.is_none_or(|(task, n)| task != event.task_id || n != event.n) {
            let what = format!("log event {index} is not the evidence of its event {}", event.n);
            findings.add(Name::EvidenceOfAnother, Place::task(&event.network_id, &event.task_id), what);
        }
        Ok(())
    })
}

/// Events of a log that were read together: rows of history follow each other as their events do.
#[derive(Default)]
struct Stretch {
    network: Option<NetworkId>,
    first: u64,
    /// None if they cannot be read.
    leaves: Option<Vec<LeafRow>>,
}

impl Stretch {
    const COUNT: u64 = limits::ENTRY_BUNDLE_COUNT as u64;

    /// An event, if there is one. None where the entry bundle it is in cannot be read: that is named already.
    fn leaf(
        &mut self,
        rows: &dyn CheckReads,
        network: &NetworkId,
        index: u64,
    ) -> Result<Option<Option<LeafRow>>, Error> {
        let first = index - index % Self::COUNT;
        if self.network.as_ref() != Some(network) || self.first != first {
            let leaves = read(rows, network, first, first + Self::COUNT)?;
            *self = Self { network: Some(network.clone()), first, leaves };
        }
        let Some(leaves) = &self.leaves else { return Ok(None) };
        match leaves.iter().find(|leaf| leaf.index == index) {
            Some(leaf) => Ok(Some(Some(leaf.clone()))),
            // Not there, or behind long ones.
            None => Ok(read(rows, network, index, index + 1)?.map(|mut leaves| leaves.pop())),
        }
    }
}

/// Events of a log, up to a bound of bytes; none if they cannot be read.
fn read(
    rows: &dyn CheckReads,
    network: &NetworkId,
    from: u64,
    to: u64,
) -> Result<Option<Vec<LeafRow>>, Error> {
    let (limit, bytes) = (limits::ENTRY_BUNDLE_COUNT, limits::EVIDENCE_PAGE_MAX_BYTES);
    match rows.leaves(network, LeafPage { from, to, limit, bytes, with_packets: false }) {
        Ok(leaves) => Ok(Some(leaves)),
        Err(Error::Corrupt(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
