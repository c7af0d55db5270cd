//! `baton evidence log`: a network's log as a user reads it, from a page at a time; with `--follow` also what comes.

use baton_core::limits;
use baton_core::limits::EVIDENCE_PAGE_MAX;
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::EventLine;
use baton_evidence::export::Origin;
use clap::Args;
use serde::Deserialize;
use std::io::{self, Write};
use std::process::ExitCode;

use super::findings::GUARDRAIL;
use super::reading;
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::plain;
use crate::cli::runtime::block_on;
use crate::cli::tasks::task_id;
use crate::client::evidence::{Page, PageArgs};
use crate::client::{Backoff, Error};

/// Texts of other users are cut to this many columns; `--json` has all of it.
const CELL_COLUMNS: usize = 40; // not a limit: a layout

/// Show a network's evidence as the log has it
///
/// One line per event: index, time, actor, action, task, sender and recipient, and whether the hub observed it or
/// somebody reported it. With --json the events themselves, one JSON object a line.
#[derive(Debug, Args)]
pub(crate) struct Log {
    #[command(flatten)]
    connection: Connection,
    /// Only events about this task, by its id or the beginning of it
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    /// Only events after this index
    #[arg(long, value_name = "INDEX")]
    after: Option<u64>,
    /// Go on as the log grows
    #[arg(short, long)]
    follow: bool,
}

impl Log {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        block_on(async {
            let link = self.connection.open()?;
            let network = link.the_network().await?;
            let task = task_id::find_if_named(&link, self.task.as_deref()).await?;
            let mut list = List { out: io::stdout(), is_json: self.connection.is_json(), after: self.after };
            list.heading(&network)?;
            loop {
                let is_end = list.page(&self.page(&link, &network, task.as_deref(), list.after).await?)?;
                match (is_end, self.follow) {
                    (false, _) => {}
                    (true, true) => tokio::time::sleep(limits::EVIDENCE_LOOK_EVERY).await,
                    (true, false) => return Ok(ExitCode::SUCCESS),
                }
            }
        })
    }

    /// The next events. A follower waits for a hub that is away.
    async fn page(
        &self,
        link: &Link,
        network: &str,
        task_id: Option<&str>,
        after: Option<u64>,
    ) -> Result<Page, Failure> {
        let args = PageArgs { network_id: network, task_id, after, limit: EVIDENCE_PAGE_MAX };
        let mut backoff = Backoff::default();
        let mut is_told = false;
        loop {
            match link.client.evidence(&args).await {
                Ok(page) => return Ok(page.into_value()),
                Err(error @ Error::Unreachable { .. }) if self.follow => {
                    if !std::mem::replace(&mut is_told, true) {
                        // If stderr is gone there is nobody to print for.
                        let _ = writeln!(
                            io::stderr(),
                            "baton: {}; waiting for it",
                            plain::line(&error.to_string())
                        );
                    }
                    tokio::time::sleep(backoff.next_wait()).await;
                }
                Err(error) => return Err(reading::failed(error)),
            }
        }
    }
}

struct List {
    out: io::Stdout,
    is_json: bool,
    after: Option<u64>,
}

impl List {
    fn heading(&mut self, network: &str) -> Result<(), Failure> {
        if self.is_json {
            return Ok(());
        }
        let names = Row {
            index: "index".into(),
            time: "time".into(),
            actor: "actor".into(),
            what: "what".into(),
            task: "task".into(),
            way: "from → to".into(),
            origin: "origin".into(),
            handoff: "",
        };
        self.print(&format!("The evidence of network {}. {GUARDRAIL}\n\n{names}\n", plain::line(network)))
    }

    /// Prints a page; true at the log's end.
    fn page(&mut self, page: &Page) -> Result<bool, Failure> {
        let mut text = String::new();
        let mut values = Writer::new();
        for event in &page.events {
            let event = event.get();
            let read = EventLine::read(&mut values, event).map_err(|error| {
                Failure::usage(format!("the hub's log has an entry that is not an event: {error}"))
            })?;
            self.after = Some(read.seq);
            if self.is_json {
                text.push_str(&plain::json(event));
            } else {
                text.push_str(&Row::of(&read).to_string());
            }
            text.push('\n');
        }
        self.print(&text)?;
        Ok(page.events.is_empty() || self.after.is_some_and(|last| last.saturating_add(1) >= page.size))
    }

    fn print(&mut self, text: &str) -> Result<(), Failure> {
        self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()).map_err(Failure::stdout)
    }
}

/// One line.
struct Row {
    index: String,
    time: String,
    actor: String,
    what: String,
    task: String,
    way: String,
    origin: String,
    handoff: &'static str,
}

/// What is read of an event's data; reported packets may lack any of it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Data {
    agent: Named,
    task: Named,
    attributes: Option<serde_json::Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    id: Option<String>,
    status: Option<String>,
}

impl Row {
    fn of(event: &EventLine<'_>) -> Self {
        let data: Data = serde_json::from_slice(event.data()).unwrap_or_default();
        let kind = event.kind.strip_prefix("assay.adapter.a2a.").unwrap_or(&event.kind);
        let what = match &data.task.status {
            Some(status) => format!("{kind} {status}"),
            None => kind.to_owned(),
        };
        Self {
            index: event.seq.to_string(),
            time: event.time.to_string(),
            actor: cell(data.agent.id.as_deref().unwrap_or("-")),
            what: cell(&what),
            task: cell(data.task.id.as_deref().unwrap_or("-")),
            way: data.way().unwrap_or_else(|| "-".into()),
            origin: match Origin::of(event) {
                Origin::Hub => "hub".into(),
                Origin::Reported { by: Some(by) } => format!("reported by {}", cell(&by)),
                Origin::Reported { by: None } => "reported".into(),
                Origin::Unmarked => "-".into(),
            },
            handoff: if event.handoff_visible() == Some(true) { "handoff visible" } else { "" },
        }
    }
}

impl Data {
    /// Sender and recipient, as in the hub's own packets.
    fn way(&self) -> Option<String> {
        let baton = self.attributes.as_ref()?.get("baton")?;
        let name = |member| baton.get(member)?.as_str().map(cell);
        Some(format!("{} → {}", name("from")?, name("to")?))
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let line = [
            format!("{:>6}", self.index),
            padded(&self.time, 24),
            padded(&self.actor, 12),
            padded(&self.what, 24),
            padded(&self.task, 36),
            padded(&self.way, 20),
            padded(&self.origin, 18),
            self.handoff.to_owned(),
        ]
        .join("  ");
        f.write_str(line.trim_end())
    }
}

/// A text of another user, made safe for a terminal and shortened.
fn cell(text: &str) -> String {
    // No more is looked at than can be shown, and one to see that there is more.
    let start: String = text.chars().take(CELL_COLUMNS + 1).collect();
    plain::cut(&plain::line(&start), CELL_COLUMNS)
}

fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(plain::width(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_harmless_and_bounded() {
        assert_eq!(cell("a\u{1b}[31mb\nc"), "a\\u{1b}[31mb c");
        assert_eq!(cell(&"x".repeat(40)), "x".repeat(40));
        assert_eq!(cell(&"x".repeat(100_000)), "x".repeat(39) + "…");
        assert_eq!(plain::width(&cell(&"漢".repeat(21))), 39);
        assert_eq!(padded("漢", 4), "漢  ");
    }
}
