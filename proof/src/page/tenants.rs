//! The sections about tenants: what one notices of another's attacks.

use super::Figures;
use super::sections::NOT_RUN;
use crate::fairness::{self, Effect, FLOOR_MS, TIMES_MAX};
use crate::hostile::{self, OWN_MIB, READ_MS};

pub(super) fn fairness(figures: &Figures) -> String {
    let text = String::from(FAIRNESS);
    let Some(measured) = &figures.fairness else { return text + NOT_RUN };
    let fairness::Measured { seconds, deleted_tasks, recipients, networks, .. } = measured;
    let mut text = text
        + &format!(
            "\n{seconds:.0} s each{}; the deleted network has {deleted_tasks} tasks, a broadcast {recipients} \
             recipients, the account with many networks {networks}. At most {TIMES_MAX} × the quiet p99, or \
             {FLOOR_MS} ms:\n\n| during | operation | quiet p99 ms | attacked p99 ms | times | |\n|---|---|---:|---:|---:|---|\n",
            rough(measured.scale)
        );
    for effect in measured.effects() {
        let Effect { attack, operation, quiet_ms, attacked_ms } = effect;
        let attacked = attacked_ms.map_or("no answer".to_owned(), |ms| format!("{ms:.2}"));
        let factor = effect.factor().map_or("–".to_owned(), |factor| format!("{factor:.1}"));
        let word = if effect.holds() { "" } else { "**above the goal**" };
        text.push_str(&format!(
            "| {attack} | {operation} | {quiet_ms:.2} | {attacked} | {factor} | {word} |\n"
        ));
    }
    text.push_str(
        "\nWhat the attackers got done meanwhile, and what it took:\n\n| attack | connections | answers | failed calls of the \
         victim | own memory of the hub, MiB | largest WAL, MiB |\n|---|---:|---|---:|---:|---:|\n",
    );
    for row in &measured.rows {
        text.push_str(&format!(
            "| {} | {} | {} | {} | {:.0} | {:.0} |\n",
            row.attack,
            row.connections,
            row.outcome,
            row.victim_figures.failures,
            row.peak.own_mib,
            row.peak.wal_mib
        ));
    }
    text
}

pub(super) fn hostile(figures: &Figures) -> String {
    let text = String::from(HOSTILE);
    let Some(measured) = &figures.hostile else { return text + NOT_RUN };
    let hostile::Measured { seconds, networks, sessions, completions, .. } = measured;
    let mut text = text
        + &format!(
            "\n{seconds:.0} s each{}: {networks} networks of one account, {} sessions of {} bytes, {} completions of {} \
             bytes. At most {READ_MS} ms for a read of the other tenant, and {OWN_MIB} MiB:\n\n| during | get p50 / p99 ms | \
             list p50 / p99 ms | its failed calls | own memory of the hub, MiB | what the attackers got |\n|---|---:|---:|---:|---:|---|\n",
            rough(measured.scale),
            sessions.count,
            sessions.request_bytes,
            completions.count,
            completions.request_bytes
        );
    for row in &measured.rows {
        let of = |operation: &str| {
            let times = row.victim_figures.times.iter().find(|times| times.operation == operation);
            times.map_or("no answer".to_owned(), |times| format!("{:.2} / {:.2}", times.p50_ms, times.p99_ms))
        };
        let ended = if row.peak.is_gone { ", then the hub ended" } else { "" };
        text.push_str(&format!(
            "| {} | {} | {} | {} | {:.0}{ended} | {} |\n",
            row.attack,
            of("get"),
            of("list"),
            row.victim_figures.failures,
            row.peak.own_mib,
            row.outcome
        ));
    }
    text
}

fn rough(scale: f64) -> String {
    if scale < 1.0 {
        return format!(", a rough run with {:.0} % of the stored rows and connections", scale * 100.0);
    }
    String::new()
}

const FAIRNESS: &str = "
## Fairness

`make bench-fairness`. One hub with its default options. The victim is a tenant with four connections: two send, claim and
reply, two get and list, with a pause of 10 ms before every call; first alone, then while another ordinary account
attacks. A slow call also counts for the calls it held up (coordinated omission). The attackers run on a thread of the
lowest priority and call from an address of their own. A 429 or a 503 is a fair answer for an attacker, and a failed call
of the victim never is.

| attack | what it is |
|---|---|
| search | `GET /api/tasks?text=…` for a word in every text and for one in none, over 12 000 tasks of 2.7 KB |
| A2A ListTasks | pages of 100 with history and artifacts, of an agent with all tasks of the network that is deleted last |
| evidence exports | bundles and side files of all of that network |
| lists over many networks | tasks, stats, status, messages and a search without `network_id`, by an account with as many networks as it may have |
| broadcast | 10 KB to every session of a network |
| flood of sends | `POST /api/task` by 16 senders |
| deletion of a network | one `DELETE /api/networks/:id` |
";

const HOSTILE: &str = "
## Hostile data

`make bench-hostile`. One account has thousands of networks, sessions and completions as large as the hub accepts, and reads
all of it: 6 connections each for `/api/tasks` and `/api/stats` over all networks, 12 each for `/api/completions` and
`/api/status`, 64 that read such lists at 4 KB a second. Meanwhile another tenant gets and lists its own tasks on four
connections. The first session, completion and network were made through the hub's own door, the others are copies of the
rows. Every attack meets a hub that was just started, and that is given 4 GiB at most. Own memory is `RssAnon`, looked
at every 50 ms.
";
