//! The page: every metric once, from memory. docs/reference/metrics.md is made from these help texts.

use baton_core::Status;
use baton_store::{Health, Meter, Resolved};

use crate::hub::Hub;
use crate::metrics::exposition::{Page, Unit};
use crate::metrics::{LabelValue, process};

/// All figures as they are now.
pub(super) fn of(hub: &Hub) -> String {
    let mut page = Page::default();
    requests(&mut page, hub);
    tasks(&mut page, hub.store.meter());
    storage(&mut page, hub.store.meter());
    let help = "1 if the database file was found damaged since the start, else 0. Writes are refused until a backup is restored.";
    page.gauge("baton_database_damaged", help).is(u64::from(hub.store.health() == Health::Damaged));
    waiting(&mut page, hub);
    certificate(&mut page, hub);
    evidence(&mut page, hub);
    outside(&mut page, hub);
    the_process(&mut page, hub);
    page.finish()
}

fn requests(page: &mut Page, hub: &Hub) {
    let help = "Requests answered, by door (rest, claim, mcp, a2a, events, web, hub) and class of the HTTP status (2xx to 5xx). \
        claim is POST /api/claim, which waits. An error inside an MCP or JSON-RPC response counts as 2xx. A caller that \
        disconnects before the response is not counted.";
    let mut answers = page.counter("baton_requests_total", help);
    for (door, class, count) in hub.metrics.requests.answers() {
        answers.of(&[("door", door.as_str()), ("class", class.as_str())], count);
    }
    let help = "Seconds from the arrival of a request to the head of its response, by door. events: until the stream starts. mcp: how long the \
        tool ran. A blocking A2A send takes as long as its task.";
    let mut times = page.histogram("baton_request_seconds", help);
    for (door, counted) in hub.metrics.requests.times() {
        times.counted(&[("door", door.as_str())], &counted, Unit::Micros);
    }
}

fn tasks(page: &mut Page, meter: &Meter) {
    let help = "Changes of tasks, by the status before (from) and after (to). from is none for a new task.";
    let mut moves = page.counter("baton_task_transitions_total", help);
    for (from, to, count) in meter.moves() {
        moves.of(&[("from", from.map_or("none", Status::as_str)), ("to", to.as_str())], count);
    }
    let mut open = page.gauge("baton_tasks_open", "Tasks that have not ended, by status.");
    for status in Status::ALL.iter().filter(|status| !status.is_terminal()) {
        open.of(&[("status", status.as_str())], meter.tasks(*status));
    }
    page.gauge("baton_leases", "Leases held by workers.").is(meter.leases());
}

fn storage(page: &mut Page, meter: &Meter) {
    let mut queues = page
        .gauge("baton_store_queue_depth", "Calls that wait for the database, by queue (writer, readers).");
    queues.of(&[("queue", "writer")], meter.writes_waiting());
    queues.of(&[("queue", "readers")], meter.reads_waiting());
    let mut batches = page.histogram("baton_store_commit_writes", "Writes in one commit.");
    batches.counted(&[], &meter.batches(), Unit::Count);
    let help = "Seconds a commit waited for the disk (fsync).";
    page.histogram("baton_store_commit_seconds", help).counted(&[], &meter.commits(), Unit::Micros);
    let help = "Commits that failed. Every caller in one got an error, and nothing of it is stored.";
    page.counter("baton_store_failed_commits_total", help).is(meter.failed_commits());
    if let Some(bytes) = meter.wal_written_bytes() {
        let help = "Bytes written to SQLite's write-ahead log. Only on SQLite.";
        page.counter("baton_wal_written_bytes_total", help).is(bytes);
    }
    if let Some(connections) = meter.connections() {
        postgres(page, meter, connections);
    }
}

/// How the hub and its PostgreSQL server get on.
fn postgres(page: &mut Page, meter: &Meter, connections: i64) {
    let help = "Open connections to PostgreSQL.";
    page.gauge("baton_postgres_connections", help).is(connections);
    let help = "Connections made to PostgreSQL since the start; a steady rise means that they are cut.";
    page.counter("baton_postgres_connects_total", help).is(meter.connects());
    let help = "Round trips of writes to PostgreSQL. Divided by baton_store_commit_writes_count: round trips a batch.";
    page.counter("baton_postgres_round_trips_total", help).is(meter.round_trips());
    let help = "Rows that a batch had to read while it held its locks, because they were not loaded with it.";
    page.counter("baton_postgres_missed_loads_total", help).is(meter.missed_loads());
    let help = "Transactions run again after a conflict with another hub or a lost connection.";
    page.counter("baton_postgres_retries_total", help).is(meter.retries());
    let help = "Commits whose answer was lost, by what a look-up found; `unknown` ones were answered outcome_unknown.";
    let mut resolved = page.counter("baton_postgres_lost_commits_total", help);
    for outcome in Resolved::ALL {
        resolved.of(&[("outcome", outcome.as_str())], meter.resolved_commits(outcome));
    }
}

fn waiting(page: &mut Page, hub: &Hub) {
    let help = "Open streams: server-sent events and A2A.";
    page.gauge("baton_streams_open", help).is(hub.streams.open_count());
    let help = "Calls that wait for a task to change or to end, over A2A, REST and MCP.";
    page.gauge("baton_a2a_waits", help).is(hub.streams.wait_count());
    let help = "Connections closed by the hub, by reason: slow_reader (a response was read too slowly), address_limit (its client address has too many connections).";
    let mut closed = page.counter("baton_connections_closed_total", help);
    for (reason, count) in hub.metrics.connections_closed.read() {
        closed.of(&[("reason", reason.as_str())], count);
    }
    let help = "Bytes of requests and responses that are reserved, built or being sent. Bodies up to 64 KiB are not counted.";
    page.gauge("baton_in_flight_bytes", help).is(hub.in_flight.bytes());
    let mut exports = page.gauge("baton_exports", "Evidence exports, by state: open or waiting to start.");
    exports.of(&[("state", "open")], hub.exports.open_count());
    exports.of(&[("state", "waiting")], hub.exports.waiting_count());
    let help = "Requests that wait for memory.";
    page.gauge("baton_in_flight_waiting", help).is(hub.in_flight.waiting());
    let help = "Claims that wait for a task.";
    page.gauge("baton_claims_waiting", help).is(hub.store.parked().count());
}

/// Without samples on a hub that does not serve TLS itself.
fn certificate(page: &mut Page, hub: &Hub) {
    let certificate = &hub.metrics.certificate;
    let help = "When the hub's TLS certificate expires, in seconds since 1970.";
    let mut expires = page.gauge("baton_tls_certificate_expiry_timestamp_seconds", help);
    if let Some(expiry) = certificate.expiry() {
        expires.is(expiry);
    }
    let help = "Reloads of the hub's TLS certificate, by outcome; after a failed one the old certificate stays in use.";
    let mut reloads = page.counter("baton_tls_certificate_reloads_total", help);
    for (outcome, count) in certificate.reloads.read() {
        reloads.of(&[("outcome", outcome.as_str())], count);
    }
}

fn evidence(page: &mut Page, hub: &Hub) {
    let lag = hub.bells.unsealed.read();
    let help = "Evidence events that no signed checkpoint covers yet.";
    page.gauge("baton_evidence_unsealed_events", help).is(lag.events);
    let help = "Age in seconds of the oldest event that no checkpoint covers yet; 0 if there is none. Usually under a second.";
    page.gauge("baton_evidence_unsealed_seconds", help).is(lag.oldest.as_millis() as f64 / 1e3);
    let help = "Evidence logs that grew and were not sealed since. All of them right after a start.";
    page.gauge("baton_evidence_logs_waiting", help).is(hub.bells.grown_count());
}

fn outside(page: &mut Page, hub: &Hub) {
    let mut pushes = page.counter(
        "baton_push_attempts_total",
        "Events sent to push receivers, by outcome: told (delivered), tried_again, given_up.",
    );
    for (outcome, count) in hub.metrics.pushes.read() {
        pushes.of(&[("outcome", outcome.as_str())], count);
    }
    let help = "Outbound calls for push notifications and remote agents, by outcome: 2xx, other_status, forbidden (by the hub's own policy), \
        unreachable, silent, unreadable, failed.";
    let mut calls = page.counter("baton_outbound_attempts_total", help);
    for (outcome, count) in hub.outbound.attempts() {
        calls.of(&[("outcome", outcome.as_str())], count);
    }
    if let Some(traces) = &hub.traces {
        let mut spans = page.counter("baton_otlp_spans_total", "Spans, by outcome: exported, dropped (the queue was full), failed (the collector did not accept them). Only with --otlp-endpoint.");
        for (outcome, count) in traces.outcomes() {
            spans.of(&[("outcome", outcome.as_str())], count);
        }
    }
}

fn the_process(page: &mut Page, hub: &Hub) {
    let mut build = page.gauge("baton_build_info", "Always 1. The label is the version.");
    build.of(&[("version", env!("CARGO_PKG_VERSION"))], 1);
    let started = hub.metrics.started.unix_seconds();
    page.gauge("process_start_time_seconds", "Start time of the process, in seconds since 1970.").is(started);
    if let Some(bytes) = process::resident_bytes() {
        page.gauge("process_resident_memory_bytes", "Resident memory in bytes. Linux only.").is(bytes);
    }
}
