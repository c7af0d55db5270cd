//! Those who claim, renew, answer or walk away; and the meddlers, who cancel, reassign and retry what they find.

use serde_json::{Value, json};
use std::time::Instant;

use super::call::{Caller, Outcome};
use super::ledger::{Claim, End};
use super::senders::{order, recent};
use super::stage::{ALIASES, Network, PROCESS, Stage};
use crate::it::http::Client;
use crate::it::random::Random;

const LEASE_SECONDS: u64 = 5;

pub(super) fn run(stage: &Stage, mut random: Random) {
    while !stage.is_over() {
        let network = random.pick(&stage.networks);
        let place = random.below(ALIASES.len() as u64) as usize;
        if ALIASES[place] == PROCESS {
            continue; // a process sees to that one
        }
        let work = Work { stage, network, agent: &network.agents[place], alias: ALIASES[place] };
        let mut held = work.claim(&mut random);
        while let Some((task_id, lease_id)) = held {
            held = work.go_on(&task_id, &lease_id, &mut random);
        }
    }
}

struct Work<'a> {
    stage: &'a Stage,
    network: &'a Network,
    agent: &'a Client,
    alias: &'a str,
}

impl Work<'_> {
    fn caller(&self, random: &mut Random) -> Caller<'_> {
        self.stage.caller(self.agent, random.percent(2))
    }

    fn claim(&self, random: &mut Random) -> Option<(String, String)> {
        let body = json!({"wait_seconds": random.below(2), "lease_seconds": LEASE_SECONDS});
        let asked = Instant::now();
        let caller = self.caller(random);
        let (kind, outcome) = if random.percent(70) {
            ("claim rest", caller.post("/api/claim", &body))
        } else {
            ("claim mcp", caller.tool("claim_task", &body))
        };
        self.stage.ledger.count(kind, &outcome);
        let Outcome::Done(body) = outcome else { return None };
        self.held(&body, asked)
    }

    /// Records what a claim returned, alone or with a reply.
    fn held(&self, body: &Value, asked: Instant) -> Option<(String, String)> {
        let task_id = body["task"]["task_id"].as_str()?.to_owned();
        let lease_id = body["lease_id"].as_str()?.to_owned();
        let content = body["task"]["content"].as_str().unwrap_or_default();
        if !content.starts_with(&self.network.mark()) || body["task"]["to_name"] != self.alias {
            self.stage.ledger.finding_of(&task_id, &format!("{} was given {body}", self.alias));
        }
        let claim = Claim {
            lease_id: lease_id.clone(),
            asked,
            held_from: asked,
            answered: Instant::now(),
            lease_seconds: LEASE_SECONDS,
        };
        self.stage.ledger.book().claims.entry(task_id.clone()).or_default().push(claim);
        Some((task_id, lease_id))
    }

    /// Works on; the reply may bring the next task.
    fn go_on(&self, task_id: &str, lease_id: &str, random: &mut Random) -> Option<(String, String)> {
        match random.below(100) {
            0..8 => None, // walks away: the lease lapses
            8..20 => {
                self.extend(task_id, lease_id, random);
                self.reply(task_id, lease_id, "replied", random)
            }
            20..28 => {
                order(self.stage, self.network, Some(task_id.to_owned()), random);
                self.reply(task_id, lease_id, "replied", random)
            }
            28..36 => {
                self.report(task_id, random);
                None
            }
            36..48 => self.reply(task_id, lease_id, "failed", random),
            _ => self.reply(task_id, lease_id, "replied", random),
        }
    }

    fn extend(&self, task_id: &str, lease_id: &str, random: &mut Random) {
        let asked = Instant::now();
        let body = json!({"lease_seconds": LEASE_SECONDS});
        let outcome = self.caller(random).post(&format!("/api/leases/{lease_id}/extend"), &body);
        self.stage.ledger.count("extend", &outcome);
        if let Outcome::Done(_) = outcome {
            let mut book = self.stage.ledger.book();
            let claims = book.claims.entry(task_id.to_owned()).or_default();
            claims.iter_mut().filter(|claim| claim.lease_id == lease_id).for_each(|claim| {
                claim.held_from = asked;
            });
        }
    }

    /// Answers under the lease, and may take the next task along; one whose response is lost is sent again.
    fn reply(
        &self,
        task_id: &str,
        lease_id: &str,
        status: &'static str,
        random: &mut Random,
    ) -> Option<(String, String)> {
        let result = format!("{status} by {} under {lease_id}", self.alias);
        let lease = Some((lease_id.to_owned(), Instant::now()));
        for _ in 0..3 {
            let asked = Instant::now();
            let caller = self.caller(random);
            let outcome = if random.percent(70) {
                let mut body = json!({"text": result, "status": status, "lease_id": lease_id});
                if random.percent(40) && !self.stage.is_over() {
                    let wait_seconds = random.below(2);
                    body["claim_next"] =
                        json!({"wait_seconds": wait_seconds, "lease_seconds": LEASE_SECONDS});
                }
                caller.post(&format!("/api/tasks/{task_id}/reply"), &body)
            } else {
                let body =
                    json!({"text": result, "status": status, "lease_id": lease_id, "in_reply_to": task_id});
                caller.tool("send_reply", &body)
            };
            let end = End { status, result: result.clone(), is_acknowledged: false, lease: lease.clone() };
            note(self.stage, self.network, task_id, "reply", &outcome, end);
            if let Outcome::Done(body) = &outcome {
                return self.held(&body["next"], asked);
            }
            if !matches!(outcome, Outcome::Lost | Outcome::Unavailable | Outcome::Unreached) {
                return None;
            }
        }
        None
    }

    fn report(&self, task_id: &str, random: &mut Random) {
        let result = format!("reported by {} for {task_id}", self.alias);
        let body = json!({"alias": self.alias, "task": task_id, "result": result});
        let outcome = self.caller(random).tool("report_completion", &body);
        let end = End { status: "replied", result, is_acknowledged: false, lease: None };
        note(self.stage, self.network, task_id, "report_completion", &outcome, end);
    }
}

/// Writes an end down if it was given, or may have been.
fn note(stage: &Stage, network: &Network, task_id: &str, kind: &'static str, outcome: &Outcome, end: End) {
    stage.ledger.count(kind, outcome);
    let is_acknowledged = matches!(outcome, Outcome::Done(_));
    if !is_acknowledged && !matches!(outcome, Outcome::Lost) {
        return;
    }
    let mut book = stage.ledger.book();
    if is_acknowledged && end.status != "replied" {
        book.retryable[network.number].push(task_id.to_owned());
    }
    let before = book.acknowledged_end(task_id).map(|end| end.result.clone());
    book.ended(task_id, End { is_acknowledged, ..end });
    drop(book);
    if let (true, Some(before)) = (is_acknowledged, before) {
        stage.ledger.finding_of(task_id, &format!("was ended twice, first with {before:?}"));
    }
}

pub(super) fn meddle(stage: &Stage, mut random: Random) {
    for number in 0_u64.. {
        if stage.is_over() {
            return;
        }
        let network = random.pick(&stage.networks);
        let Some(task_id) = recent(stage, network, &mut random) else { continue };
        match random.below(10) {
            0..2 => cancel(stage, network, &task_id, number, &mut random),
            2..5 => reassign(stage, network, &task_id, &mut random),
            5..8 => {
                let retryable = stage.ledger.book().retryable[network.number].clone();
                // Also what cannot be retried, and what was before.
                let is_any = retryable.is_empty() || random.percent(30);
                let task_id = if is_any { &task_id } else { random.pick(&retryable) };
                retry(stage, network, task_id, &mut random);
            }
            _ => std::thread::sleep(std::time::Duration::from_millis(random.below(200))), // a pace, not a wait
        }
    }
}

fn cancel(stage: &Stage, network: &Network, task_id: &str, number: u64, random: &mut Random) {
    let caller = stage.caller(&network.tenant.user, random.percent(3));
    let reason = format!("called off {number} {}", network.number);
    let outcome = if random.percent(60) {
        caller.post(&format!("/api/tasks/{task_id}/cancel"), &json!({"reason": reason}))
    } else {
        let network_id = &network.tenant.network_id;
        caller.tool("cancel_task", &json!({"task_id": task_id, "reason": reason, "network_id": network_id}))
    };
    let end = End { status: "cancelled", result: reason, is_acknowledged: false, lease: None };
    note(stage, network, task_id, "cancel", &outcome, end);
}

fn reassign(stage: &Stage, network: &Network, task_id: &str, random: &mut Random) {
    let caller = stage.caller(&network.tenant.user, random.percent(3));
    let asked = Instant::now();
    let body = json!({"new_alias": random.pick(&ALIASES)});
    let outcome = caller.post(&format!("/api/tasks/{task_id}/reassign"), &body);
    stage.ledger.count("reassign", &outcome);
    match outcome {
        Outcome::Done(_) => {
            let moved = (asked, Instant::now());
            stage.ledger.book().moves.entry(task_id.to_owned()).or_default().push(moved);
        }
        Outcome::Lost => {
            // It may still be on its way when the caller has given up.
            let moved = (asked, Instant::now() + stage.late_max);
            stage.ledger.book().moves.entry(task_id.to_owned()).or_default().push(moved);
        }
        _ => {}
    }
}

fn retry(stage: &Stage, network: &Network, task_id: &str, random: &mut Random) {
    let caller = stage.caller(&network.tenant.user, random.percent(3));
    let outcome = caller.post(&format!("/api/tasks/{task_id}/retry"), &json!({}));
    stage.ledger.count("retry", &outcome);
    let new = match &outcome {
        Outcome::Done(body) => body["task_id"].as_str().map(str::to_owned),
        Outcome::Lost => None,
        _ => return,
    };
    let mut book = stage.ledger.book();
    if let Some(new) = &new {
        let known = &mut book.known[network.number];
        if !known.iter().rev().take(200).any(|known| known == new) {
            known.push(new.clone());
        }
    }
    let retries = book.retries.entry(task_id.to_owned()).or_default();
    let other = retries.iter().flatten().find(|before| Some(*before) != new.as_ref()).cloned();
    retries.push(new.clone());
    drop(book);
    if let (Some(other), Some(new)) = (other, new) {
        stage.ledger.finding_of(task_id, &format!("was retried as {other} and as {new}"));
    }
}

/// What of a row must never change once its task has ended.
pub(super) fn end_of(row: &Value) -> Value {
    json!([row["status"], row["result"], row["completed_at"], row["to_name"], row["content"]])
}
