//! The section and the goals of hubs on PostgreSQL.

use super::Figures;
use super::goals::Compared;
use super::sections::NOT_RUN;
use crate::lives::pgmq;
use crate::postgres::{CLIENTS, ON_POSTGRES, ON_SQLITE, ON_THREE, ONE_NETWORK, Snapshot};

const TIMES_PGMQ_FEW: f64 = 0.8;
const TIMES_PGMQ_MANY: f64 = 1.0;
const TIMES_SQLITE: f64 = 0.5;
const TIMES_ONE_SERVER: f64 = 0.5;
const ROUND_TRIPS: f64 = 3.0;
const MISSED_PERCENT: f64 = 1.0;
const PUSH_MS: f64 = 50.0;
const SNAPSHOT_PERCENT: f64 = 15.0;
const SNAPSHOT_SECONDS: f64 = 180.0;
pub(super) const SNAPSHOT: &str = "cost of a snapshot held open for 3 minutes";

pub(super) fn goals(figures: &Figures) -> Vec<(&'static str, Compared)> {
    let measured = figures.postgres.as_ref();
    let at_least = |wanted: f64, figure: Option<f64>| {
        (format!("≥ {wanted} ×"), figure.map(|figure| (format!("{figure:.2} ×"), figure >= wanted)))
    };
    let at_most = |wanted: f64, unit: &str, figure: Option<f64>| {
        (format!("≤ {wanted}{unit}"), figure.map(|figure| (format!("{figure:.2}{unit}"), figure <= wanted)))
    };
    let times = |system, other, clients| measured.and_then(|measured| measured.times(system, other, clients));
    let engine = measured.and_then(|measured| measured.engine.as_ref());
    let push = measured.and_then(|measured| measured.push.as_ref());
    let snapshot = measured.and_then(|measured| measured.snapshot.as_ref());
    vec![
        (
            "handoffs on PostgreSQL at 16 clients, as many as pgmq's",
            at_least(TIMES_PGMQ_FEW, times(ON_POSTGRES, pgmq::NAME, 16)),
        ),
        (
            "handoffs on PostgreSQL at 256 clients, as many as pgmq's",
            at_least(TIMES_PGMQ_MANY, times(ON_POSTGRES, pgmq::NAME, 256)),
        ),
        (
            "handoffs of one network on PostgreSQL at 64 clients, as many as on SQLite",
            at_least(TIMES_SQLITE, times(ONE_NETWORK, ON_SQLITE, CLIENTS)),
        ),
        (
            "handoffs on three synchronous servers at 64 clients, as many as on one",
            at_least(TIMES_ONE_SERVER, times(ON_THREE, ON_POSTGRES, CLIENTS)),
        ),
        (
            "round trips to PostgreSQL a batch",
            at_most(ROUND_TRIPS, "", engine.map(|engine| engine.round_trips_a_batch)),
        ),
        (
            "loads that missed the working set",
            at_most(MISSED_PERCENT, " %", engine.map(|engine| engine.missed_loads * 100.0)),
        ),
        ("push across hubs, p99", at_most(PUSH_MS, " ms", push.map(|push| push.p99_ms))),
        (SNAPSHOT, at_most(SNAPSHOT_PERCENT, " %", snapshot.map(snapshot_cost))),
    ]
}

/// Whether a snapshot was held as long as the goal asks for.
pub(super) fn is_held(figures: &Figures) -> bool {
    figures.postgres.as_ref().is_some_and(|measured| measured.held_seconds >= SNAPSHOT_SECONDS)
}

fn snapshot_cost(snapshot: &Snapshot) -> f64 {
    ((1.0 - snapshot.with / snapshot.without) * 100.0).max(0.0)
}

pub(super) fn section(figures: &Figures) -> String {
    let mut text = String::from(HEAD);
    let Some(measured) = &figures.postgres else { return text + NOT_RUN };
    for absent in &measured.absent {
        text.push_str(&format!("\n**{} was not measured**: {}.\n", absent.system, absent.reason));
    }
    text.push_str(&format!(
        "\nHandoffs a second, the median of {} turns of {:.0} s (from – to):\n\n\
         | system | clients | a second | p50 ms | p99 ms |\n|---|---:|---:|---:|---:|\n",
        measured.turns, measured.seconds
    ));
    for row in &measured.rows {
        let rate = &row.per_second;
        text.push_str(&format!(
            "| {} | {} | {:.0} ({:.0} – {:.0}) | {:.2} | {:.2} |\n",
            row.system, row.clients, rate.median, rate.least, rate.most, row.p50_ms.median, row.p99_ms.median
        ));
    }
    if let Some(engine) = &measured.engine {
        text.push_str(&format!(
            "\nWith 64 clients a batch has {:.1} writes and takes {:.2} round trips of the connections that write; {:.2} % of the \
             writes need something that was not loaded with their batch.\n",
            engine.writes_a_batch,
            engine.round_trips_a_batch,
            engine.missed_loads * 100.0
        ));
    }
    if let Some(push) = &measured.push {
        text.push_str(&format!(
            "\nA task sent at one hub is pushed to a listener at another within {:.1} ms (p50) and {:.1} ms (p99).\n",
            push.p50_ms, push.p99_ms
        ));
    }
    if let Some(snapshot) = &measured.snapshot {
        text.push_str(&format!(
            "\nAfter {:.0} s of load by 64 clients {:.0} handoffs a second; after as long with a snapshot held open, {:.0}.\n",
            measured.held_seconds, snapshot.without, snapshot.with
        ));
    }
    text
}

const HEAD: &str = "
## Hubs on PostgreSQL

`make bench-postgres`. The hub, PostgreSQL and the clients share the machine; \"three synchronous servers\" all run on it too, so that row
shows what replication costs when it has no processors of its own.
";
