//! Two callers at once, each at another hub: exactly one wins, and the task's history shows only that one. `make races` tries
//! each race 2,000 times.

use serde_json::{Value, json};
use std::sync::Barrier;
use std::thread;

use super::super::history::assert_legal;
use super::super::http::{Client, Response};
use super::super::tenant::{Tenant, act, claim, events, send, succeed, task, text};
use super::Cluster;

/// How often each race is run with every `make test`.
const TRIES: usize = 50;

fn tries() -> usize {
    let given = std::env::var("RACES").ok().filter(|text| !text.is_empty());
    given.map_or(TRIES, |text| text.parse().expect("RACES"))
}

/// Two hubs, and a network whose callers are known at both.
struct Track {
    cluster: Cluster,
    network: Tenant,
    sender: Client,
    worker: Client,
}

impl Track {
    fn lay() -> Self {
        let cluster = Cluster::start(2);
        let network = Tenant::of_admin(&cluster.hubs[0]);
        let (sender, worker) = (network.agent("sender"), network.agent("worker"));
        ["left", "right"].iter().for_each(|alias| drop(network.agent(alias)));
        Self { cluster, network, sender, worker }
    }

    fn send(&self, number: usize) -> String {
        send(&self.cluster.at(number % 2, &self.sender), "worker", &format!("task {number}"))
    }

    fn claim(&self, task_id: &str) -> String {
        let claimed = claim(&self.worker, 0, 60);
        assert_eq!(text(&claimed["task"]["task_id"]), task_id);
        text(&claimed["lease_id"])
    }

    /// What two calls were answered that started together, the first at one hub and the second at the other.
    fn race(&self, caller: &Client, calls: [&(dyn Fn(&Client) -> Response + Sync); 2]) -> [Response; 2] {
        let start = Barrier::new(calls.len());
        thread::scope(|scope| {
            let run = |hub: usize| {
                let (start, client, call) = (&start, self.cluster.at(hub, caller), calls[hub]);
                scope.spawn(move || {
                    start.wait();
                    call(&client)
                })
            };
            [run(0), run(1)].map(|racer| racer.join().unwrap())
        })
    }

    /// Both hubs show the same row and a history that follows the state machine; the row.
    fn settled(&self, task_id: &str, steps: usize) -> Value {
        let rows: Vec<Value> =
            (0..2).map(|hub| task(&self.cluster.at(hub, &self.network.user), task_id)).collect();
        assert_eq!(rows[0], rows[1], "the hubs differ");
        let events = events(&self.network.user, task_id);
        assert_legal(&rows[0], &events);
        assert_eq!(events.len(), steps, "{events:?}");
        rows[0].clone()
    }
}

fn is_won(answer: &Response) -> bool {
    answer.status == 200 && answer.json()["ok"] == true
}

/// The place of the only winner.
fn winner(answers: &[Response; 2], wins: &mut [usize; 2]) -> usize {
    let won: Vec<usize> = (0..2).filter(|place| is_won(&answers[*place])).collect();
    assert_eq!(won.len(), 1, "winners of {:?}", answers.each_ref().map(Response::text));
    wins[won[0]] += 1;
    won[0]
}

#[test]
fn of_two_claims_through_two_hubs_exactly_one_gets_the_task() {
    let track = Track::lay();
    let mut wins = [0; 2];
    for number in 0..tries() {
        let sent = track.send(number);
        let body = json!({"wait_seconds": 0, "lease_seconds": 60});
        let call = |worker: &Client| worker.post("/api/claim", &body);
        let answers = track.race(&track.worker, [&call, &call]).map(|answer| succeed(&answer));
        let won: Vec<usize> =
            (0..2).filter(|place| answers[*place]["task"]["task_id"] == json!(sent)).collect();
        assert_eq!(won.len(), 1, "{answers:?}");
        wins[won[0]] += 1;
        assert!(answers[1 - won[0]]["task"].is_null(), "{answers:?}");
        let reply = json!({"text": "done", "lease_id": answers[won[0]]["lease_id"]});
        succeed(&act(&track.cluster.at(1 - won[0], &track.worker), &sent, "reply", &reply));
        track.settled(&sent, 3);
    }
    println!("won by {wins:?}");
}

#[test]
fn of_two_replies_through_two_hubs_exactly_one_is_the_result() {
    let track = Track::lay();
    let mut wins = [0; 2];
    for number in 0..tries() {
        let sent = track.send(number);
        let lease_id = track.claim(&sent);
        let reply = |said: &'static str| {
            let (sent, body) = (sent.clone(), json!({"text": said, "lease_id": lease_id}));
            move |worker: &Client| act(worker, &sent, "reply", &body)
        };
        let answers = track.race(&track.worker, [&reply("first"), &reply("second")]);
        let won = winner(&answers, &mut wins);
        assert_eq!(answers[1 - won].json()["error"], "reply_task_terminal", "{}", answers[1 - won].text());
        assert_eq!(track.settled(&sent, 3)["result"], ["first", "second"][won]);
    }
    println!("won by {wins:?}");
}

#[test]
fn of_two_cancels_through_two_hubs_exactly_one_ends_the_task() {
    let track = Track::lay();
    let mut wins = [0; 2];
    for number in 0..tries() {
        let sent = track.send(number);
        let cancel = |reason: &'static str| {
            let (sent, body) = (sent.clone(), json!({"reason": reason}));
            move |sender: &Client| act(sender, &sent, "cancel", &body)
        };
        let answers = track.race(&track.sender, [&cancel("first"), &cancel("second")]);
        let won = winner(&answers, &mut wins);
        assert_eq!(answers[1 - won].json()["cancelled"], false, "{}", answers[1 - won].text());
        assert_eq!(track.settled(&sent, 2)["result"], ["first", "second"][won]);
    }
    println!("won by {wins:?}");
}

#[test]
fn of_a_reply_and_a_reassignment_through_two_hubs_exactly_one_takes_effect() {
    let track = Track::lay();
    let mut wins = [0; 2];
    for number in 0..tries() {
        let sent = track.send(number);
        let body = json!({"text": "done", "lease_id": track.claim(&sent)});
        let worker = track.cluster.at(0, &track.worker);
        let reply = |_: &Client| act(&worker, &sent, "reply", &body);
        let reassign = |user: &Client| act(user, &sent, "reassign", &json!({"new_alias": "left"}));
        let won = winner(&track.race(&track.network.user, [&reply, &reassign]), &mut wins);
        let row = track.settled(&sent, 3);
        let expected = [("replied", "worker"), ("delivered", "left")][won];
        assert_eq!((&row["status"], &row["to_name"]), (&json!(expected.0), &json!(expected.1)), "{row}");
    }
    println!("won by reply and reassignment {wins:?}");
}

/// A task may be reassigned again and again, so both succeed: one after the other, and the later one has the task.
#[test]
fn two_reassignments_through_two_hubs_happen_one_after_the_other() {
    let track = Track::lay();
    let mut later = [0; 2];
    for number in 0..tries() {
        let sent = track.send(number);
        let reassign = |alias: &'static str| {
            let (sent, body) = (sent.clone(), json!({"new_alias": alias}));
            move |user: &Client| act(user, &sent, "reassign", &body)
        };
        let answers = track.race(&track.network.user, [&reassign("left"), &reassign("right")]);
        let answers = answers.map(|answer| succeed(&answer));
        let from: Vec<&Value> = answers.iter().map(|answer| &answer["reassigned_from"]).collect();
        let last = match (from[0] == "worker", from[1] == "worker") {
            (true, false) => 1,
            (false, true) => 0,
            _ => panic!("both were first or both were second: {answers:?}"),
        };
        later[last] += 1;
        let (first, second) = (["left", "right"][1 - last], ["left", "right"][last]);
        assert_eq!(*from[last], first, "{answers:?}");
        assert_eq!(track.settled(&sent, 3)["to_name"], second);
    }
    println!("the later one was {later:?}");
}
