//! A random walk over every route of openapi.json and every tool of tools/list, by every kind of caller, with arguments
//! that are partly right and mostly hostile. Whatever is called: no 5xx, no answer over its bound, memory that does not
//! grow, a hub that works afterwards and a folder that agrees with itself.
//!
//! `make walk` walks for ten minutes (`WALK_SECONDS=600 WALK_SEED=7`); the same seed makes the same calls.

mod call;
mod stage;
mod values;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

use crate::it::random::Random;
use crate::it::tenant::{claim, send, succeed, text};
use call::{Answered, Call};
use stage::{KINDS, Operation, Stage};
use values::Values;

/// Calls of the walk that goes with every `make test`.
const SHORT_CALLS: u64 = 2_000;
/// The largest answer, and room for what surrounds its data.
const ANSWER_MAX_BYTES: usize = (8 << 20) + (64 << 10);
/// A walk shorter than this says nothing about memory.
const MEMORY_SECONDS: u64 = 60;
/// Memory of the hub's own that no walk reaches: SQLite's caches of one writer and four readers (48 MiB), two password
/// hashes (38 MiB), and the rest. A walk leaves a small database, so it stays far below.
const OWN_MAX_KIB: u64 = 96 << 10;

fn given(name: &str) -> Option<u64> {
    std::env::var(name).ok().filter(|text| !text.is_empty()).map(|text| text.parse().expect(name))
}

/// Says how to repeat a walk that failed, whatever made it fail.
struct Repeat {
    seed: u64,
    seconds: Option<u64>,
}

impl Drop for Repeat {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("again: make walk SECONDS={} SEED={}", self.seconds.unwrap_or(0), self.seed);
        }
    }
}

/// What was answered so far.
#[derive(Debug, Default)]
struct Tally {
    calls: u64,
    succeeded: u64,
    refused: u64,
    /// 503 with a code that says to come back.
    unavailable: u64,
    /// Streams and waits that were left.
    left_open: u64,
    largest: usize,
    /// By who called and the status.
    statuses: BTreeMap<(&'static str, u16), u64>,
}

impl Tally {
    fn of(&self, who: &str, statuses: std::ops::Range<u16>) -> u64 {
        let counted =
            self.statuses.iter().filter(|((name, status), _)| *name == who && statuses.contains(status));
        counted.map(|(_, count)| count).sum()
    }
}

#[test]
fn no_call_by_anybody_breaks_the_hub() {
    let seed = given("WALK_SEED").unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        u64::from(now.subsec_nanos()) + 1
    });
    let seconds = given("WALK_SECONDS").filter(|seconds| *seconds > 0);
    println!("seed {seed}, {seconds:?} seconds");
    let _repeat = Repeat { seed, seconds };
    let mut stage = Stage::set();
    let mut walk = Walk { random: Random::of(seed), tally: Tally::default() };
    walk.once_each(&mut stage);
    let began = Instant::now();
    let run = seconds.map(Duration::from_secs);
    let mut memory = Vec::new();
    loop {
        let is_over = match run {
            Some(run) => began.elapsed() >= run,
            None => walk.tally.calls >= SHORT_CALLS,
        };
        if is_over {
            break;
        }
        walk.step(&mut stage);
        if walk.tally.calls.is_multiple_of(500) {
            memory.push(stage.hub.own_memory_kib());
        }
    }
    println!("{:?}", walk.tally);
    walk.conclude();
    if seconds.is_some_and(|seconds| seconds >= MEMORY_SECONDS) {
        stays_flat(&memory);
    }
    still_works(&stage);
}

/// The highest of the last quarter of a long walk is not far above the highest of its second quarter: the first fills
/// caches and tables, and the rest adds a few rows that SQLite caches. What is kept for good without growing shows in how
/// much it is.
fn stays_flat(memory: &[u64]) {
    let highest = |part: &[u64]| part.iter().copied().max().unwrap_or_default();
    let quarter = |n: usize| highest(&memory[memory.len() * n / 4..memory.len() * (n + 1) / 4]);
    let quarters @ [_, early, _, late] = [0, 1, 2, 3].map(quarter);
    println!("own memory, the highest of each quarter: {quarters:?} KiB");
    assert!(late <= early * 23 / 20 + (4 << 10), "memory grew from {early} to {late} KiB: {memory:?}");
    assert!(highest(memory) <= OWN_MAX_KIB, "{memory:?} KiB");
}

/// Somebody who was there all along works on.
fn still_works(stage: &Stage) {
    let task = send(&stage.tenant.user, "helper", "after the walk");
    let (bob, helper) = (stage.tenant.agent("bob"), stage.tenant.agent("helper"));
    assert_eq!(succeed(&bob.get("/api/inbox"))["ok"], true);
    loop {
        let claimed = claim(&helper, 5, 60);
        let id = text(&claimed["task"]["task_id"]);
        let reply = json!({"text": "done", "status": "replied", "lease_id": claimed["lease_id"]});
        succeed(&helper.post(&format!("/api/tasks/{id}/reply"), &reply));
        // What the walk sent to this agent may come first.
        if id == task {
            break;
        }
    }
}

struct Walk {
    random: Random,
    tally: Tally,
}

impl Walk {
    /// Every operation and tool by every kind of caller, so that a short walk leaves out none.
    fn once_each(&mut self, stage: &mut Stage) {
        for number in 0..stage.operations.len() {
            for kind in 0..KINDS.len() {
                let operation = stage.operations[number].clone();
                self.call(stage, kind, &operation);
            }
        }
    }

    fn step(&mut self, stage: &mut Stage) {
        let kind = self.random.below(KINDS.len() as u64) as usize;
        let operation = self.random.pick(&stage.operations).clone();
        self.call(stage, kind, &operation);
    }

    fn call(&mut self, stage: &mut Stage, kind: usize, operation: &Operation) {
        let mut values = Values { random: &mut self.random, known: &stage.known };
        let call = Call::made_up(&mut values, operation, stage.token(kind, operation));
        let answered = call.send(stage.hub.address());
        self.judge(KINDS[kind], operation, &call, &answered);
        stage.note(operation, &answered);
    }

    fn judge(&mut self, who: &'static str, operation: &Operation, call: &Call, answered: &Answered) {
        self.tally.calls += 1;
        *self.tally.statuses.entry((who, answered.status)).or_default() += 1;
        self.tally.largest = self.tally.largest.max(answered.body.len());
        let told = || {
            let said = String::from_utf8_lossy(&answered.body[..answered.body.len().min(2_000)]).into_owned();
            format!("call {} by {who}: {call}\nanswered {}: {said}", self.tally.calls, answered.status)
        };
        let is_export = operation.is_export();
        assert!(is_export || answered.body.len() <= ANSWER_MAX_BYTES, "too large: {}", told());
        if answered.is_open {
            assert!(call.may_wait(), "no answer within {:?}: {}", call::PATIENCE, told());
            self.tally.left_open += 1;
            return;
        }
        match answered.status {
            200..=299 => self.tally.succeeded += 1,
            300..=499 => self.tally.refused += 1,
            503 => {
                let code = answered.json()["error"].clone();
                assert!(UNAVAILABLE.iter().any(|known| code == *known), "{}", told());
                self.tally.unavailable += 1;
            }
            _ => panic!("{}", told()),
        }
        assert!(!is_internal(&answered.json()), "{}", told());
    }

    fn conclude(&self) {
        let Tally { calls, unavailable, .. } = self.tally;
        assert!(unavailable <= calls / 50, "{:?}", self.tally);
        // A walk whose callers have lost their tokens, or make nothing up that fits, shows nothing.
        for who in &KINDS[1..] {
            let (all, done) = (self.tally.of(who, 0..600), self.tally.of(who, 200..300));
            let unknown = self.tally.of(who, 401..402);
            assert!(done > all / 20 && unknown < all / 4, "{who}: {:?}", self.tally);
        }
    }
}

/// Codes of a 503 that say to come back, as docs/errors.md has them.
const UNAVAILABLE: [&str; 3] = ["busy", "read_took_too_long", "UNAVAILABLE"];

/// Whether a JSON-RPC answer is an internal error, which has status 200.
fn is_internal(answer: &Value) -> bool {
    answer["error"]["code"] == json!(-32603)
}
