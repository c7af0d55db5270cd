//! The goals, each with its figure and whether it was reached in this run.

use super::{Figures, engines};
use crate::fairness::{FLOOR_MS, TIMES_MAX};
use crate::hostile::{OWN_MIB, READ_MS};
use crate::lives::{Lives, Row};
use crate::usage::PerLife;

/// One goal: what, the wanted, the figure if it was measured, and how they compare.
struct Goal {
    what: &'static str,
    wanted: String,
    figure: Option<(String, bool)>,
    /// Whether as much was run as the goal asks for.
    is_whole: bool,
}

/// The hub's name among the systems.
pub(super) const HUB: &str = "baton hub";
pub(super) const HANDOFF: &str = "baton hub, handoff";
/// Clients at which lives are compared.
const CLIENTS: usize = 16;
const NATS: &str = "NATS JetStream";
const PGMQ: &str = "pgmq";
const TIMES_NATS: f64 = 2.0;
const TIMES_PGMQ: f64 = 1.5;
const HANDOFF_TIMES_PGMQ: f64 = 2.2;
const ALONE_TIMES_PGMQ: f64 = 0.9;
const ALONE_HANDOFF_TIMES_NATS: f64 = 1.2;
const MANY_P99_MS: f64 = 25.0;
const WRITER_MICROS: f64 = 130.0;
const HUB_MICROS: f64 = 260.0;
const EVIDENCE_PERCENT: f64 = 15.0;
const TIMES_A2A: f64 = 60.0;
pub(super) const GROWTH_MAX: f64 = 1.3;
const STREAMS: usize = 5_000;
const STREAMS_MIB: f64 = 400.0;
const PUSH_MS: f64 = 100.0;
const READY_MS: f64 = 150.0;
const FLAT: f64 = 1.1;
const WAL_MIB: f64 = 128.0;
const TASK_BYTES: f64 = 1_500.0;
const GROWN_TASKS: usize = 1_000_000;
const SOAK_SECONDS: f64 = 300.0;
const FAIRNESS_SECONDS: f64 = 8.0;
const DELETED_TASKS: usize = 330_000;
const HOSTILE_SECONDS: f64 = 15.0;
const FAIR: &str = "a victim's p99 during attacks, to its quiet p99";
const UNHARMED: &str = "failed calls of the victim during attacks";
const FOREIGN_READS: &str = "another tenant's reads under hostile data, p99";
const HOSTILE_MEMORY: &str = "own memory under hostile data";
const SLOWEST: &str = "slowest operation with 1 000 000 tasks, as long as with 10 000";
const SOAK_WAL: &str = "soak of 5 minutes: the largest WAL";
const TASK_SIZE: &str = "on the disk for each of 1 000 000 tasks";
const SOAK: &str = "soak of 5 minutes: own memory, last third to middle third";

pub(super) fn table(figures: &Figures) -> String {
    let mut text = String::from("\n## The goals\n\n| goal | wanted | this run | |\n|---|---|---|---|\n");
    for Goal { what, wanted, figure, is_whole } in all(figures) {
        let (figure, word) = match figure {
            Some((figure, true)) if !is_whole => (figure, "a smaller run than the goal asks for"),
            Some((figure, true)) => (figure, "reached"),
            Some((figure, false)) => (figure, "**not reached**"),
            None => ("–".to_owned(), "not measured"),
        };
        text.push_str(&format!("| {what} | {wanted} | {figure} | {word} |\n"));
    }
    text
}

fn all(figures: &Figures) -> Vec<Goal> {
    let at_least = |wanted: f64, figure: Option<f64>| {
        (format!("≥ {wanted} ×"), figure.map(|figure| (format!("{figure:.2} ×"), figure >= wanted)))
    };
    let at_most = |wanted: f64, unit: &str, figure: Option<f64>| {
        (format!("≤ {wanted} {unit}"), figure.map(|figure| (format!("{figure:.2} {unit}"), figure <= wanted)))
    };
    let streams = figures.streams.as_ref();
    let streams = streams.and_then(|measured| measured.rows.iter().find(|row| row.agents == STREAMS));
    let slowest = figures
        .growth
        .as_ref()
        .map(|measured| measured.rows.iter().map(crate::growth::Row::ratio).fold(0.0, f64::max));
    let soak = figures.soak.as_ref();
    let rows = [
        (
            "lives at 16 clients, as many as NATS JetStream's",
            at_least(TIMES_NATS, times(figures, CLIENTS, HUB, NATS)),
        ),
        ("lives at 16 clients, as many as pgmq's", at_least(TIMES_PGMQ, times(figures, CLIENTS, HUB, PGMQ))),
        (
            "lives by handoff at 16 clients, as many as pgmq's",
            at_least(HANDOFF_TIMES_PGMQ, times(figures, CLIENTS, HANDOFF, PGMQ)),
        ),
        ("lives of one client, as many as pgmq's", at_least(ALONE_TIMES_PGMQ, times(figures, 1, HUB, PGMQ))),
        (
            "lives by handoff of one client, as many as NATS JetStream's",
            at_least(ALONE_HANDOFF_TIMES_NATS, times(figures, 1, HANDOFF, NATS)),
        ),
        ("lives at 64 and 256 clients, as many as the better peer's", at_least(1.0, least_of_many(figures))),
        (
            "p99 of a life at 64 clients",
            at_most(MANY_P99_MS, "ms", lives_at(figures, 64, HUB).map(|lives| lives.p99_ms.median)),
        ),
        (
            "the writer's processor time of a life at 16 clients",
            at_most(WRITER_MICROS, "µs", used(figures).map(|used| used.writer_micros)),
        ),
        (
            "the hub's processor time of a life at 16 clients",
            at_most(HUB_MICROS, "µs", used(figures).map(|used| used.writer_micros + used.other_micros)),
        ),
        (
            "the share of sends a second that evidence costs",
            at_most(
                EVIDENCE_PERCENT,
                "%",
                figures.evidence.as_ref().map(|evidence| 100.0 * evidence.share_of_sends()),
            ),
        ),
        (
            "blocking A2A sends, as many as the reference server's",
            at_least(TIMES_A2A, figures.a2a.as_ref().map(|a2a| a2a.ratio)),
        ),
        (
            "blocking A2A sends over gRPC, as many as over JSON-RPC",
            at_least(
                1.0,
                figures.a2a.as_ref().and_then(|a2a| Some(a2a.grpc.as_ref()?.per_second / a2a.hub.per_second)),
            ),
        ),
        (SLOWEST, at_most(GROWTH_MAX, "×", slowest)),
        ("memory with 5 000 streams", at_most(STREAMS_MIB, "MiB", streams.map(|row| row.loaded.peak_mib))),
        ("push p99 with 5 000 streams", at_most(PUSH_MS, "ms", streams.map(|row| row.p99_ms))),
        (
            "start to ready",
            at_most(READY_MS, "ms", figures.start.as_ref().map(|start| start.ready_ms.median)),
        ),
        (SOAK_WAL, at_most(WAL_MIB, "MiB", soak.map(|soak| soak.most(|sample| sample.wal_mib)))),
        (
            TASK_SIZE,
            at_most(TASK_BYTES, "bytes", figures.growth.as_ref().map(|growth| growth.many.bytes_a_task())),
        ),
        (SOAK, at_most(FLAT, "×", soak.map(|soak| soak.growth(|sample| sample.memory.own_mib)))),
    ];
    let mut rows: Vec<_> = rows.into();
    rows.extend(of_tenants(figures));
    rows.extend(engines::goals(figures));
    let is_grown = figures.growth.as_ref().is_some_and(|growth| growth.many.tasks >= GROWN_TASKS);
    let is_soaked = soak.is_some_and(|soak| soak.seconds >= SOAK_SECONDS);
    let is_attacked = figures.fairness.as_ref().is_some_and(|fairness| {
        let is_long = fairness.seconds >= FAIRNESS_SECONDS && fairness.deleted_tasks >= DELETED_TASKS;
        fairness.scale >= 1.0 && fairness.is_complete && is_long
    });
    let is_hostile = figures.hostile.as_ref();
    let is_hostile =
        is_hostile.is_some_and(|hostile| hostile.scale >= 1.0 && hostile.seconds >= HOSTILE_SECONDS);
    let is_whole = |what: &str| match what {
        SLOWEST | TASK_SIZE => is_grown,
        SOAK | SOAK_WAL => is_soaked,
        FAIR | UNHARMED => is_attacked,
        FOREIGN_READS | HOSTILE_MEMORY => is_hostile,
        engines::SNAPSHOT => engines::is_held(figures),
        _ => true,
    };
    let goal = |(what, (wanted, figure))| Goal { what, wanted, figure, is_whole: is_whole(what) };
    rows.into_iter().map(goal).collect()
}

pub(super) type Compared = (String, Option<(String, bool)>);

/// What one tenant may notice of another.
fn of_tenants(figures: &Figures) -> [(&'static str, Compared); 4] {
    let fairness = figures.fairness.as_ref();
    let worst = fairness.and_then(crate::fairness::Measured::worst).map(|worst| {
        let attacked = match (worst.attacked_ms, worst.factor()) {
            (Some(ms), Some(factor)) => format!("{ms:.1} ms, {factor:.1} ×"),
            _ => "no answer".to_owned(),
        };
        (format!("{attacked} ({} during {})", worst.operation, worst.attack), worst.holds())
    });
    let failures = fairness.map(crate::fairness::Measured::failures);
    let reads = figures.hostile.as_ref().map(|hostile| match (hostile.p99_ms(), hostile.failures()) {
        (Some(ms), 0) => (format!("{ms:.1} ms"), ms <= READ_MS),
        (Some(ms), failures) => (format!("{ms:.1} ms, {failures} failed"), false),
        (None, _) => ("no answer".to_owned(), false),
    });
    let memory = figures.hostile.as_ref().map(|hostile| match hostile.own_mib() {
        Some(mib) => (format!("{mib:.1} MiB"), mib <= OWN_MIB),
        None => ("the hub ended".to_owned(), false),
    });
    [
        (FAIR, (format!("≤ {TIMES_MAX} × or {FLOOR_MS} ms"), worst)),
        (UNHARMED, ("0".to_owned(), failures.map(|failures| (failures.to_string(), failures == 0)))),
        (FOREIGN_READS, (format!("≤ {READ_MS} ms"), reads)),
        (HOSTILE_MEMORY, (format!("≤ {OWN_MIB} MiB"), memory)),
    ]
}

fn lives_at<'a>(figures: &'a Figures, clients: usize, system: &str) -> Option<&'a Lives> {
    let row = figures.lives.as_ref()?.rows.iter().find(|row| row.clients == clients)?;
    row.lives.iter().find(|lives| lives.system == system)
}

/// What a life by four calls takes of the hub.
fn used(figures: &Figures) -> Option<PerLife> {
    lives_at(figures, CLIENTS, HUB)?.used
}

/// The hub's lives with many clients as a multiple of the better peer's, where it is least ahead.
fn least_of_many(figures: &Figures) -> Option<f64> {
    let ratios = [64, 256].map(|clients| {
        let to = |peer| times(figures, clients, HUB, peer);
        Some(to(NATS)?.min(to(PGMQ)?))
    });
    Some(ratios[0]?.min(ratios[1]?))
}

/// The hub's lives, lived one way or the other, as a multiple of a peer's.
fn times(figures: &Figures, clients: usize, hub: &str, peer: &str) -> Option<f64> {
    let row = figures.lives.as_ref()?.rows.iter().find(|row| row.clients == clients)?;
    ratio(row, hub, peer)
}

pub(super) fn ratio(row: &Row, hub: &str, peer: &str) -> Option<f64> {
    let of =
        |name: &str| row.lives.iter().find(|lives| lives.system == name).map(|lives| lives.per_second.median);
    Some(of(hub)? / of(peer)?)
}
