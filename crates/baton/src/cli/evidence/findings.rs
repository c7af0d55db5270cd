//! What `baton evidence verify` found, for people and for programs: what was checked, what was not, and what none
//! of it means.

use baton_evidence::bundle::Checked;
use baton_evidence::export::{Check, KeyFrom, Report, Tally};
use serde_json::{Value, json};
use std::fmt;

use crate::cli::plain;

/// The freeze's guardrail, wherever handoff flags are shown or counted.
pub(super) const GUARDRAIL: &str =
    "Every handoff flag is a bounded observed visibility flag only; none of them means that
the handoff was valid, authorised, complete, trusted or successful.";

/// What a log cannot show by itself.
pub(super) const WITNESS: &str =
    "Without an outside witness a log shows consistency, not honesty: that its events were not
changed, moved or taken out since the checkpoint, not that what they say is so.";

/// What is notified of a bundle or an export whose bytes agree.
pub(super) struct Findings {
    events: u64,
    run_root: String,
    log: Option<Report>,
}

impl Findings {
    /// Of a bundle without a side file.
    pub(super) fn bundle(checked: &Checked) -> Self {
        Self { events: checked.event_count, run_root: checked.run_root.to_string(), log: None }
    }

    /// Of a bundle with its side file.
    pub(super) fn export(report: &Report) -> Self {
        Self { log: Some(report.clone()), ..Self::bundle(&report.bundle) }
    }

    fn made(&self, check: Check) -> bool {
        match &self.log {
            Some(report) => report.made(check),
            None => check == Check::Bundle,
        }
    }

    /// One JSON object and a line feed.
    pub(super) fn to_json(&self) -> String {
        let words = |made| -> Vec<_> {
            Check::ALL.iter().filter(|check| self.made(**check) == made).map(|check| check.word()).collect()
        };
        let found = json!({
            "ok": true,
            "events": self.events,
            "run_root": self.run_root,
            "checked": words(true),
            "not_checked": words(false),
            "log": self.log.as_ref().map(log_json),
        });
        format!("{found}\n")
    }
}

fn log_json(report: &Report) -> Value {
    let tally = |tally: Tally| json!({"events": tally.events, "handoffs_visible": tally.handoffs_visible});
    let reporters: Vec<_> = report
        .reporters
        .iter()
        .map(|reporter| json!({"name": reporter.name, "events": reporter.events}))
        .collect();
    json!({
        "origin": report.checkpoint.origin,
        "size": report.checkpoint.size,
        "root": report.checkpoint.root,
        "key": report.key.to_string(),
        "key_from": match report.key_from { KeyFrom::Caller => "caller", KeyFrom::SideFile => "side_file" },
        "first_index": report.span.first,
        "last_index": report.span.last,
        "gapless": report.span.is_gapless(),
        "observed_by_hub": tally(report.hub),
        "reported": tally(report.reported),
        "reporters": reporters,
        "reported_by_others": report.reported_by_others,
        "unmarked": report.unmarked,
    })
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "ok: {} events, run root {}", self.events, self.run_root)?;
        if let Some(report) = &self.log {
            write_log(f, report)?;
        }
        writeln!(f, "\nchecked:")?;
        for check in Check::ALL.into_iter().filter(|check| self.made(*check)) {
            writeln!(f, "  - {}", made_text(check))?;
        }
        writeln!(f, "not checked:")?;
        for check in Check::ALL.into_iter().filter(|check| !self.made(*check)) {
            writeln!(f, "  - {}", missing_text(check, self.log.is_some()))?;
        }
        writeln!(f, "  - that what the events say is so: no file can show that")?;
        if self.log.is_some() {
            writeln!(f, "\n{WITNESS}")?;
        }
        writeln!(f, "{GUARDRAIL}")
    }
}

fn write_log(f: &mut fmt::Formatter<'_>, report: &Report) -> fmt::Result {
    let Report { checkpoint, span, hub, reported, .. } = report;
    writeln!(
        f,
        "log: {}, {} events, root {}",
        plain::exact(&checkpoint.origin),
        checkpoint.size,
        checkpoint.root
    )?;
    writeln!(f, "signed by: {}", plain::exact(&report.key.to_string()))?;
    let gaps = if span.is_gapless() { "without a gap" } else { "with others between them" };
    writeln!(f, "these events: from index {} to {}, {gaps}", span.first, span.last)?;
    writeln!(f, "observed by the hub: {} events, a handoff visible on {}", hub.events, hub.handoffs_visible)?;
    writeln!(
        f,
        "reported to the hub, not observed by it: {} events, a handoff visible on {}",
        reported.events, reported.handoffs_visible
    )?;
    for reporter in &report.reporters {
        writeln!(f, "  by {}: {}", plain::exact(&reporter.name), reporter.events)?;
    }
    if report.reported_by_others > 0 {
        writeln!(f, "  by others: {}", report.reported_by_others)?;
    }
    if report.unmarked > 0 {
        writeln!(f, "neither: {} events", report.unmarked)?;
    }
    Ok(())
}

fn made_text(check: Check) -> &'static str {
    match check {
        Check::Bundle => "the bundle's bytes agree with each other: container, hashes, numbers, order",
        Check::Signature => "the checkpoint is signed by the key above",
        Check::KnownKey => "that key is the one you gave",
        Check::Inclusion => "each event stands in the log at its index, under the checkpoint's root",
        Check::Rerun => "the adapter makes the same event of each kept packet",
        Check::Completeness => "these are all events of the log up to the checkpoint",
    }
}

fn missing_text(check: Check, has_side_file: bool) -> &'static str {
    match check {
        Check::Bundle => "the bundle",
        Check::Signature => "who signed for the log: there is no side file",
        Check::KnownKey if has_side_file => {
            "whose key it is: it came along with the side file, so the signature only shows consistency with it; give the hub's key with --key"
        }
        Check::KnownKey => "a key you know",
        Check::Inclusion => "the events' places in a log: there is no side file",
        Check::Rerun => "the adapter on the raw packets: there is no side file",
        Check::Completeness if has_side_file => "that no event of the log was left out of this export",
        Check::Completeness => "that no event was left out",
    }
}
