//! One section a part: the command, what was measured, the table.

use super::goals::{GROWTH_MAX, HANDOFF, HUB, ratio};
use super::{Figures, engines, tenants};
use crate::figures::Spread;
use crate::lives::{Lives, Measured, Row};
use crate::usage::PerLife;

pub(super) const NOT_RUN: &str = "\nNot measured in this run.\n";

pub(super) fn all(figures: &Figures) -> String {
    [
        lives(figures),
        evidence(figures),
        a2a(figures),
        growth(figures),
        streams(figures),
        soak(figures),
        tenants::fairness(figures),
        tenants::hostile(figures),
        start(figures),
        engines::section(figures),
        adapter(figures),
    ]
    .concat()
}

fn lives(figures: &Figures) -> String {
    let mut text = String::from(LIVES);
    let Some(measured) = &figures.lives else { return text + NOT_RUN };
    for absent in &measured.absent {
        text.push_str(&format!("\n**{} was not measured**: {}.\n", absent.system, absent.reason));
    }
    text.push_str(&format!(
        "\nLives a second, the median of {} turns of {:.0} s (from – to):\n\n",
        measured.turns, measured.seconds
    ));
    let systems = by_clients(measured, "", |_, lives| range(&lives.per_second));
    text.push_str(&systems);
    text.push_str(&line("fdatasync alone", measured, |row| range(&row.fdatasync)));
    text.push_str("\nLatency of a life, p50 / p99 in ms:\n\n");
    text.push_str(&by_clients(measured, "", |_, lives| {
        format!("{:.2} / {:.2}", lives.p50_ms.median, lives.p99_ms.median)
    }));
    text.push_str("\nWhat a life takes of the hub: µs of the writer thread / of all others / bytes written to storage / of WAL:\n\n");
    text.push_str(&by_clients(measured, "", |_, lives| match lives.used {
        Some(PerLife { writer_micros, other_micros, written_bytes, wal_bytes }) => {
            let wal = wal_bytes.map_or("–".to_owned(), |bytes| format!("{bytes:.0}"));
            format!("{writer_micros:.0} / {other_micros:.0} / {written_bytes:.0} / {wal}")
        }
        None => "–".to_owned(),
    }));
    text.push_str("\nThe hub's lives, by four calls, as a multiple of a peer's:\n\n");
    text.push_str(&by_clients(measured, "hub to ", |row, lives| times(ratio(row, HUB, &lives.system))));
    text.push_str("\nThe hub's lives by handoff as a multiple of a peer's:\n\n");
    text.push_str(&by_clients(measured, "handoff to ", |row, lives| {
        times(ratio(row, HANDOFF, &lives.system))
    }));
    text.push_str(&line("hub to fdatasync alone", measured, |row| {
        times(lives_of(row, HUB).map(|hub| hub.per_second.median / row.fdatasync.median))
    }));
    text
}

/// A table with a column for each number of clients and a row for each system; with a prefix, for each peer.
fn by_clients(measured: &Measured, prefix: &str, cell: impl Fn(&Row, &Lives) -> String) -> String {
    let mut text = line("clients", measured, |row| row.clients.to_string());
    text.push_str(&format!("|---|{}\n", "---:|".repeat(measured.rows.len())));
    let systems = measured.rows.iter().flat_map(|row| &row.lives).map(|lives| &lives.system);
    let mut told: Vec<&String> = Vec::new();
    for system in systems {
        if told.contains(&system) || (!prefix.is_empty() && (system == HUB || system == HANDOFF)) {
            continue;
        }
        told.push(system);
        let cell = |row: &Row| lives_of(row, system).map_or("–".to_owned(), |lives| cell(row, lives));
        text.push_str(&line(&format!("{prefix}{system}"), measured, cell));
    }
    text
}

/// One row of such a table.
fn line(name: &str, measured: &Measured, cell: impl Fn(&Row) -> String) -> String {
    let cells: String = measured.rows.iter().map(|row| format!(" {} |", cell(row))).collect();
    format!("| {name} |{cells}\n")
}

fn lives_of<'a>(row: &'a Row, system: &str) -> Option<&'a Lives> {
    row.lives.iter().find(|lives| lives.system == system)
}

fn times(ratio: Option<f64>) -> String {
    ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.2} ×"))
}

fn range(spread: &Spread) -> String {
    format!("{:.0} ({:.0} – {:.0})", spread.median, spread.least, spread.most)
}

fn a2a(figures: &Figures) -> String {
    let text = String::from(A2A);
    let Some(a2a) = &figures.a2a else { return text + NOT_RUN };
    let mut text = text
        + &format!(
            "\n{} calls in flight, medians of turns:\n\n| | sends a second | p50 ms | p99 ms |\n|---|---:|---:|---:|\n",
            a2a.connections
        );
    let sides = [
        ("baton hub", Some(&a2a.hub)),
        ("baton hub, gRPC", a2a.grpc.as_ref()),
        ("reference server", Some(&a2a.reference)),
    ];
    for (name, side) in sides.into_iter().filter_map(|(name, side)| Some((name, side?))) {
        text.push_str(&format!(
            "| {name} | {:.0} | {:.2} | {:.2} |\n",
            side.per_second, side.p50_ms, side.p99_ms
        ));
    }
    text + &format!("\nThe hub's sends: {:.1} × the reference server's.\n", a2a.ratio)
}

fn growth(figures: &Figures) -> String {
    let text = String::from(GROWTH);
    let Some(measured) = &figures.growth else { return text + NOT_RUN };
    let (few, many) = (&measured.few, &measured.many);
    let mut text = text
        + &format!(
            "\n| operation, ms | {} tasks: p50 / p99 | {} tasks: p50 / p99 | p50, times | |\n|---|---:|---:|---:|---|\n",
            few.tasks, many.tasks
        );
    for row in &measured.rows {
        let times =
            |times: &crate::growth::Times| format!("{:.2} / {:.2}", times.p50_ms.median, times.p99_ms.median);
        let word = if row.ratio() <= GROWTH_MAX { "" } else { "above the goal" };
        text.push_str(&format!(
            "| {} | {} | {} | {:.2} | {word} |\n",
            row.operation,
            times(&row.few),
            times(&row.many),
            row.ratio()
        ));
    }
    text.push_str(&format!(
        "| whole lives a second, {} clients | {} | {} | {:.2} | |\n",
        measured.lives_clients,
        range(&measured.lives_few),
        range(&measured.lives_many),
        measured.lives_few.median / measured.lives_many.median.max(f64::MIN_POSITIVE)
    ));
    for stored in [few, many] {
        let age = stored.days.map_or("without age: libfaketime is not installed".to_owned(), |days| {
            format!("over {days:.0} days by the hub's clock")
        });
        let memory = stored.memory.map_or(0.0, |memory| memory.resident_mib);
        text.push_str(&format!(
            "\n{} tasks, made in {:.0} s, {age}: {:.0} MiB on the disk, {memory:.0} MiB resident afterwards.\n",
            stored.tasks, stored.seeded_in_seconds, stored.folder_mib
        ));
    }
    text
}

fn streams(figures: &Figures) -> String {
    let text = String::from(STREAMS);
    let Some(measured) = &figures.streams else { return text + NOT_RUN };
    let mut text = text
        + &format!(
            "\n{} sends a second for {:.0} s:\n\n| streams | frames | push p50 ms | p99 ms | idle MiB | connected MiB | loaded MiB | peak MiB |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n",
            measured.sends_per_second, measured.seconds
        );
    for row in &measured.rows {
        text.push_str(&format!(
            "| {} | {} | {:.2} | {:.2} | {:.0} | {:.0} | {:.0} | {:.0} |\n",
            row.agents,
            row.frames,
            row.p50_ms,
            row.p99_ms,
            row.idle.resident_mib,
            row.connected.resident_mib,
            row.loaded.resident_mib,
            row.loaded.peak_mib
        ));
    }
    text
}

fn soak(figures: &Figures) -> String {
    let text = String::from(SOAK);
    let Some(soak) = &figures.soak else { return text + NOT_RUN };
    let mut text = text
        + &format!(
            "\n{:.0} s: {} lives ({:.0} a second), {} reads, {} streams opened. Last third to middle third: own memory \
             {:.2} ×, resident {:.2} ×. The WAL was never larger than {:.0} MiB.\n\n| after s | own MiB | resident MiB | database MiB | WAL MiB |\n|---:|---:|---:|---:|---:|\n",
            soak.seconds,
            soak.lives,
            soak.lives_per_second,
            soak.reads,
            soak.streams_opened,
            soak.growth(|sample| sample.memory.own_mib),
            soak.growth(|sample| sample.memory.resident_mib),
            soak.most(|sample| sample.wal_mib)
        );
    let shown = soak.samples.len().div_ceil(10).max(1);
    for sample in soak.samples.iter().step_by(shown) {
        text.push_str(&format!(
            "| {:.0} | {:.1} | {:.1} | {:.0} | {:.0} |\n",
            sample.at_seconds,
            sample.memory.own_mib,
            sample.memory.resident_mib,
            sample.database_mib,
            sample.wal_mib
        ));
    }
    text
}

fn evidence(figures: &Figures) -> String {
    let text = String::from(EVIDENCE);
    let Some(evidence) = &figures.evidence else { return text + NOT_RUN };
    let mut text = text + "\n| a second | with evidence | without | with : without |\n|---|---:|---:|---:|\n";
    for (what, with, without) in evidence.pairs() {
        let ratio = with.median / without.median;
        text.push_str(&format!("| {what} | {} | {} | {ratio:.2} |\n", range(&with), range(&without)));
    }
    text
}

fn start(figures: &Figures) -> String {
    let text = String::from(START);
    let Some(start) = &figures.start else { return text + NOT_RUN };
    text + &format!(
        "\n| | |\n|---|---|\n| from the call to a 200 of `/ready`, {} starts | {:.0} ms ({:.0} – {:.0}) |\n| resident when idle | {:.1} MiB, of it its own {:.1} MiB |\n| the binary | {:.1} MiB |\n",
        start.starts,
        start.ready_ms.median,
        start.ready_ms.least,
        start.ready_ms.most,
        start.idle.resident_mib,
        start.idle.own_mib,
        start.binary_mib
    )
}

fn adapter(figures: &Figures) -> String {
    let text = String::from(ADAPTER);
    let Some(adapter) = &figures.adapter else { return text + NOT_RUN };
    text + &format!("\n```\n{}\n```\n", adapter.trim_end())
}

const LIVES: &str = "
## Whole lives

`make bench-peers`. A life: a task is sent and on the disk, claimed by its worker, answered and on the disk, and the
sender sees the answer. A client is one loop with a connection of its own, and a worker of its own; texts are the same
for all, 283 bytes there and 82 back.

| system | how it lives a life |
|---|---|
| baton hub | four calls on one connection: `POST /api/task`, `/api/claim`, `/api/tasks/:id/reply`; the sender's `GET /api/tasks/:id`. Roles, history, inbox, leases and evidence as always |
| baton hub, handoff | two calls on two connections: the sender's `POST /api/task` with `wait_seconds` is answered with the result; the worker's reply with `claim_next` is answered with the next task, which is claimed in the transaction that sends it. Everything else as in the row above |
| NATS JetStream | file storage, `sync_interval: always`. A stream of tasks with a durable pull consumer for each worker, a stream of answers with a consumer for each sender; publishes wait for their acks, the task is acked with confirmation once its answer is stored |
| pgmq | PostgreSQL, `fsync` and `synchronous_commit` on. The tables and statements of pgmq, prepared, queues for each agent: `send`, `read`, `archive` with `send` of the answer in one statement, `pop` |
| raw SQLite | in the driving process, without a network: one row a life, written three times, one writer with group commit, WAL, `synchronous=FULL`. The near limit |
| fdatasync alone | a page written and synced again and again: the disk's own rate |
";

const A2A: &str = "
## A2A

`make bench-a2a`. Blocking `SendMessage` to an agent that answers at once, through the hub over JSON-RPC and over gRPC and
through the reference Python server (a2a-sdk on SQLite), in turns. As many calls are in flight for each; over JSON-RPC each has a connection of its own, over gRPC eight share one.
";

const GROWTH: &str = "
## Growth

`make bench-growth`. Two hubs side by side, one with the tasks of a day and one with those of many days at the same rate,
10 000 a day; almost all answered, 1 024 open in both. They were made through the hub's own door, so that every row and
every evidence event is real. Each operation is called alone on one connection, on both hubs in turns. `baton hub check`
has passed on the smaller one afterwards.
";

const STREAMS: &str = "
## Streams

`make bench-streams`. Every agent has an open `/events` stream; tasks are sent to one agent after the other. Push: from
the moment a send is written to the moment its frame arrives.
";

const SOAK: &str = "
## Soak

`make bench-soak`. 16 clients live without a pause, 32 agents open a stream, listen for 3 s and leave again, and a
dashboard looks five times a second. Own memory is what no file stands behind; the rest of what is resident are pages
of the database and the binary, which the kernel takes back when others need them. `baton hub check` has passed on the
folder afterwards.
";

const EVIDENCE: &str = "
## What evidence costs

`make bench-evidence`. Two hubs from one binary, one started with `--without-evidence`, take turns under the same load of
64 clients. A send is durable when it is answered; a life is a send, a claim and a reply.
";

const START: &str = "
## Start

`make bench-start`, on a folder that has tasks.
";

const ADAPTER: &str = "
## The adapter

`make bench-adapter` (criterion): each figure beside its limit or its peer.
";
