//! The end of a run, as listeners see it: every feed is read whole, on every hub. It has no gap, each agent's stream is its
//! part of it, and what streams sent during the run is what it has.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::listener::{channel, read};
use super::stage::{ALIASES, Network, Stage};

/// The longest wait for frames that streams have sent before.
const PATIENCE: Duration = Duration::from_secs(60);

type Frames = BTreeMap<i64, String>;

pub(super) fn check(stage: &Stage) {
    std::thread::scope(|scope| {
        for network in &stage.networks {
            scope.spawn(move || check_network(stage, network));
        }
    });
}

fn check_network(stage: &Stage, network: &Network) {
    // First: whatever it has, the streams that are read after it have too.
    let feed = &whole(stage, network, None);
    let agents: Vec<Frames> = std::thread::scope(|scope| {
        let read = |alias| scope.spawn(move || whole(stage, network, Some(alias)));
        let all: Vec<_> = ALIASES.into_iter().map(read).collect();
        all.into_iter().map(|stream| stream.join().unwrap()).collect()
    });
    println!("the feed of network {} has {} frames", network.number, feed.len());
    if !feed.keys().copied().eq(1..=feed.len() as i64) {
        stage.ledger.finding(format!("the feed of network {} has gaps", network.number));
    }
    compare(stage, network, None, feed);
    for (alias, own) in ALIASES.into_iter().zip(&agents) {
        // A lease may lapse between the two looks.
        let newest = feed.len() as i64;
        if let Some((n, body)) = own.range(..=newest).find(|(n, body)| feed.get(n) != Some(body)) {
            stage.ledger.finding(format!("{alias}: frame {n} is {body} and in the feed {:?}", feed.get(n)));
        }
        compare(stage, network, Some(alias), own);
    }
    // Tasks are sent to these agents only, so each frame about a new one is in the stream of one of them.
    for (n, body) in feed.iter().filter(|(_, body)| is_about_a_new_task(body)) {
        let found = agents.iter().filter(|own| own.contains_key(n)).count();
        if found != 1 {
            stage.ledger.finding(format!("frame {n}, {body}, is in {found} of the agents' streams"));
        }
    }
}

fn is_about_a_new_task(body: &str) -> bool {
    let frame: serde_json::Value = serde_json::from_str(body).unwrap();
    frame["type"] == "new_task"
}

/// A stream from its beginning, as every hub has it.
fn whole(stage: &Stage, network: &Network, alias: Option<&'static str>) -> Frames {
    let (client, path) = channel(network, alias);
    // What was sent during the run has to come again, however long a busy machine takes; what is newer comes soon or not at all.
    let newest_sent = stage.ledger.book().streams.get(&(network.number, alias)).and_then(newest);
    let of_hub = |hub| {
        let (mut frames, until) = (Frames::new(), Instant::now() + PATIENCE);
        loop {
            let after = newest(&frames).unwrap_or(0);
            // Until nothing comes any more.
            let read = read(client, hub, &path, after, |(n, body)| {
                frames.insert(n, body);
                true
            });
            if read.is_none() {
                stage.ledger.finding(format!("the stream {path} of network {} broke off", network.number));
            }
            if read.is_none() || newest(&frames) >= newest_sent || Instant::now() >= until {
                return frames;
            }
        }
    };
    let mut all: Vec<Frames> = std::thread::scope(|scope| {
        let all: Vec<_> = stage.hubs().iter().map(|hub| scope.spawn(move || of_hub(*hub))).collect();
        all.into_iter().map(|frames| frames.join().unwrap()).collect()
    });
    let first = all.remove(0);
    for other in all {
        // A lease may lapse between the two.
        let (short, long) = if other.len() < first.len() { (&other, &first) } else { (&first, &other) };
        if short.iter().any(|(n, body)| long.get(n) != Some(body)) {
            stage.ledger.finding(format!("two hubs differ in {path} of network {}", network.number));
        }
    }
    first
}

/// The number of the newest frame.
fn newest(frames: &Frames) -> Option<i64> {
    frames.last_key_value().map(|(n, _)| *n)
}

/// What was sent during the run is the beginning of it: nothing was left out, and nothing was sent that is not there.
fn compare(stage: &Stage, network: &Network, alias: Option<&'static str>, feed: &Frames) {
    let book = stage.ledger.book();
    let Some(sent) = book.streams.get(&(network.number, alias)) else { return };
    let Some((last, _)) = sent.last_key_value() else { return };
    let due: Frames = feed.range(..=*last).map(|(n, body)| (*n, body.clone())).collect();
    let is_same = due == *sent;
    let differs = due.iter().find(|(n, body)| sent.get(n) != Some(body)).map(|(n, _)| *n);
    let too_many = sent.keys().find(|n| !due.contains_key(n)).copied();
    drop(book);
    if !is_same {
        let who = (network.number, alias);
        stage.ledger.finding(format!(
            "the stream of {who:?} is not its slice of the feed: {differs:?} differs or was left out, {too_many:?} is not there"
        ));
    }
}
