//! Those who send, by every door, each send with a key of its own: one whose answer is lost is tried again with the same key.

use serde_json::{Value, json};

use super::call::Outcome;
use super::ledger::{Send, Sent};
use super::stage::{ALIASES, Network, Stage};
use crate::it::random::Random;

/// Everything about a send, so that it can be sent again alike.
#[derive(Debug, Clone)]
pub(super) struct Order {
    pub(super) network: usize,
    pub(super) door: Door,
    pub(super) alias: &'static str,
    pub(super) content: String,
    pub(super) key: String,
    ttl_seconds: u64,
    /// Waits for the end in the send itself, where the door can.
    wait_seconds: u64,
    pub(super) parent: Option<String>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Door {
    Rest,
    Mcp,
    A2a,
}

impl Door {
    fn kind(self) -> &'static str {
        match self {
            Self::Rest => "send rest",
            Self::Mcp => "send mcp",
            Self::A2a => "send a2a",
        }
    }
}

pub(super) fn run(stage: &Stage, mut random: Random) {
    while !stage.is_over() {
        let network = random.pick(&stage.networks);
        let parent = random.percent(15).then(|| recent(stage, network, &mut random)).flatten();
        let number = order(stage, network, parent, &mut random);
        // Most who lose an answer ask again at once; the others leave it for the end.
        while stage.ledger.book().sends[number].state == Sent::Perhaps
            && random.percent(70)
            && !stage.is_over()
        {
            try_send(stage, number, random.percent(3));
        }
        if random.percent(5) {
            try_send(stage, number, false); // once more without need
        }
    }
}

/// A task this network was recently given.
pub(super) fn recent(stage: &Stage, network: &Network, random: &mut Random) -> Option<String> {
    let book = stage.ledger.book();
    let known = &book.known[network.number];
    let back = random.below(40).min(known.len() as u64) as usize;
    known.get(known.len().checked_sub(back + 1)?).cloned()
}

/// Writes an order down and sends it, once.
pub(super) fn order(stage: &Stage, network: &Network, parent: Option<String>, random: &mut Random) -> usize {
    let alias = *random.pick(&ALIASES);
    let mut door = *random.pick(&[Door::Rest, Door::Rest, Door::Mcp, Door::A2a]);
    if parent.is_some() {
        door = Door::Rest; // an A2A message names no parent
    }
    let ttl_seconds = *random.pick(&[2, 30, 300, 3600, 3600, 3600]);
    let wait_seconds = *random.pick(&[0, 0, 0, 0, 1]);
    let number = {
        let mut book = stage.ledger.book();
        let number = book.sends.len();
        let padding = "x".repeat(random.below(900) as usize);
        let content = format!("{}task {number} {padding}.", network.mark());
        let key = format!("key-{number}");
        let order =
            Order { network: network.number, door, alias, content, key, ttl_seconds, wait_seconds, parent };
        book.sends.push(Send { order, state: Sent::Not });
        number
    };
    try_send(stage, number, random.percent(3));
    number
}

/// Sends an order, for the first time or again.
pub(super) fn try_send(stage: &Stage, number: usize, hangs_up: bool) {
    let order = stage.ledger.book().sends[number].order.clone();
    let network = &stage.networks[order.network];
    let caller = stage.caller(&network.sender, hangs_up);
    let mut body = json!({"alias": order.alias, "task": order.content, "idempotency_key": order.key,
        "ttl_seconds": order.ttl_seconds, "wait_seconds": order.wait_seconds});
    if let Some(parent) = &order.parent {
        body["parent_task_id"] = json!(parent);
        body["allow_cycle"] = json!(true); // agents are picked by chance
    }
    let outcome = match order.door {
        Door::Rest => caller.post("/api/task", &body),
        Door::Mcp => caller.tool("send_task", &body),
        Door::A2a => {
            let base = format!("/a2a/{}/{}/", network.tenant.network_id, order.alias);
            caller.a2a(&base, "SendMessage", &message(&order), &order.key)
        }
    };
    stage.ledger.count(order.door.kind(), &outcome);
    settle(stage, number, &outcome);
}

fn message(order: &Order) -> Value {
    json!({"message": {"messageId": order.key, "role": "ROLE_USER", "parts": [{"text": order.content}]},
        "configuration": {"returnImmediately": true}})
}

/// What the ledger knows from now on.
fn settle(stage: &Stage, number: usize, outcome: &Outcome) {
    let mut book = stage.ledger.book();
    let send = &mut book.sends[number];
    match outcome {
        Outcome::Done(body) => {
            let id = body["task_id"].as_str().or(body["task"]["id"].as_str()).unwrap_or_default().to_owned();
            let shown = &body["task"]["task_id"];
            assert!(shown.is_null() || shown == &json!(id), "another task than was sent: {body}");
            let before = std::mem::replace(&mut send.state, Sent::Acknowledged(id.clone()));
            let network = send.order.network;
            match before {
                Sent::Acknowledged(before) if before != id => {
                    drop(book);
                    stage.ledger.finding_of(&id, &format!("the same key first gave {before}"));
                }
                Sent::Acknowledged(_) => {}
                Sent::Not | Sent::Perhaps => book.known[network].push(id),
            }
        }
        Outcome::Lost if send.state == Sent::Not => send.state = Sent::Perhaps,
        Outcome::Refused(body) => {
            drop(book);
            stage.ledger.finding(format!("send {number} was refused: {body}"));
        }
        _ => {}
    }
}
