//! Those who only look, while all continues: ends stay as they were, no network sees another's tasks, checkpoints are kept.

use std::time::Duration;

use super::call::Outcome;
use super::stage::Stage;
use super::workers::end_of;
use crate::it::random::Random;

pub(super) fn run(stage: &Stage, mut random: Random) {
    while !stage.is_over() {
        match random.below(10) {
            0..6 => look_at_one(stage, &mut random),
            6..8 => look_across(stage, &mut random),
            _ => take_checkpoint(stage, &mut random),
        }
        std::thread::sleep(Duration::from_millis(random.below(40))); // a pace, not a wait
    }
}

/// A task that was acknowledged is there, and one that has ended stays as it is.
fn look_at_one(stage: &Stage, random: &mut Random) {
    let network = random.pick(&stage.networks);
    let Some((task_id, promised)) = ({
        let book = stage.ledger.book();
        let known = &book.known[network.number];
        (!known.is_empty()).then(|| random.pick(known).clone()).map(|task_id| {
            let end = book.acknowledged_end(&task_id);
            let promised = end.map(|end| (end.status, end.result.clone()));
            (task_id, promised)
        })
    }) else {
        return;
    };
    let caller = stage.caller(&network.tenant.user, false);
    let outcome = caller.get(&format!("/api/tasks/{task_id}"));
    stage.ledger.count("read", &outcome);
    let row = match &outcome {
        Outcome::Done(body) => &body["task"],
        Outcome::Refused(body) => {
            return stage.ledger.finding_of(&task_id, &format!("was acknowledged and is answered {body}"));
        }
        _ => return,
    };
    if let Some((status, result)) = promised
        && (row["status"] != status || row["result"] != result.as_str())
    {
        stage.ledger.finding_of(&task_id, &format!("was ended {status} with {result:?} and is {row}"));
    }
    if row["completed_at"].is_null() {
        let was_ended = stage.ledger.book().seen.contains_key(&task_id);
        if was_ended {
            stage.ledger.finding_of(&task_id, &format!("had ended and is open again: {row}"));
        }
        return;
    }
    let before = {
        let mut book = stage.ledger.book();
        book.seen.entry(task_id.clone()).or_insert_with(|| end_of(row)).clone()
    };
    if before != end_of(row) {
        stage.ledger.finding_of(&task_id, &format!("changed after its end: {before} and now {row}"));
    }
}

/// Another network's task is not there for anybody of this one.
fn look_across(stage: &Stage, random: &mut Random) {
    let (own, other) = (random.below(3) as usize, random.below(3) as usize);
    if own == other {
        return;
    }
    let known = stage.ledger.book().known[other].clone();
    let Some(task_id) = (!known.is_empty()).then(|| random.pick(&known)) else { return };
    let network = &stage.networks[own];
    let client = if random.percent(50) { &network.tenant.user } else { random.pick(&network.agents) };
    let outcome = stage.caller(client, false).get(&format!("/api/tasks/{task_id}"));
    stage.ledger.count("read across", &outcome);
    if let Outcome::Done(body) = outcome {
        stage.ledger.finding_of(task_id, &format!("of network {other} was shown to network {own}: {body}"));
    }
}

fn take_checkpoint(stage: &Stage, random: &mut Random) {
    let network = random.pick(&stage.networks);
    let caller = stage.caller(&network.tenant.user, false);
    let path = format!("/api/evidence/checkpoint?network_id={}", network.tenant.network_id);
    if let Some(note) = caller.get_text(&path) {
        stage.ledger.book().checkpoints[network.number].insert(note);
    }
}
