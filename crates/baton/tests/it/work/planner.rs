//! A planner, the one of docs/work.md: a command that sends tasks of its own. Killed anywhere and run again, it receives
//! the tasks it already sent instead of sending them twice.

use serde_json::{Value, json};
use std::thread;
use std::time::Duration;

use super::worker::{Worker, ended};
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::program::binary;
use crate::it::random::Random;
use crate::it::tenant::{Tenant, send, succeed, text};

/// Two tasks in a row, the second made of the first one's result.
fn plan() -> String {
    format!(
        r#"task=$(cat); echo go > "$WHERE/begun-$BATON_ATTEMPT"
           code=$('{0}' send coder "write: $task" --wait=60 --quiet) || exit 1
           '{0}' send reviewer "review: $code" --wait=60 --quiet"#,
        binary().display()
    )
}

/// The tasks that a task led to directly.
fn children(reader: &Client, task_id: &str) -> Vec<Value> {
    let tree = succeed(&reader.get(&format!("/api/tasks/{task_id}/tree")));
    let nodes = tree["tree"]["nodes"].as_array().unwrap_or_else(|| panic!("{tree}")).clone();
    nodes.into_iter().filter(|node| node["parent_task_id"] == *task_id).collect()
}

/// Plans once, with the worker killed so long after it began; a new worker continues. Gives the task's id.
fn killed_after(network: &Tenant, agent: &Client, alias: &str, words: &str, delay: Duration) -> String {
    let mut first = Worker::start(agent, alias, &["--lease", "5"], &plan());
    let task_id = send(&network.user, alias, words);
    first.file("begun-1");
    thread::sleep(delay); // the point at which it is killed
    first.kill9();
    let _second = Worker::start(agent, alias, &["--lease", "5"], &plan());
    ended(&network.user, &task_id);
    task_id
}

#[test]
fn a_planner_killed_at_twenty_points_sends_every_sub_task_once_and_gives_the_same_answer() {
    const PLANNERS: u64 = 5;
    const EACH: u64 = 4;
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (coder, reviewer) = (network.agent("coder"), network.agent("reviewer"));
    let several = ["--concurrency", "5"];
    let _coder = Worker::start(&coder, "coder", &several, r#"read -r x; sleep 0.2; echo "code for $x""#);
    let _reviewer =
        Worker::start(&reviewer, "reviewer", &several, r#"read -r x; sleep 0.2; echo "read: $x""#);
    let seed = u64::from(std::process::id());
    eprintln!("seed {seed}");
    let agents: Vec<(String, Client)> = (0..PLANNERS)
        .map(|n| format!("planner-{n}"))
        .map(|name| (name.clone(), network.agent(&name)))
        .collect();
    thread::scope(|scope| {
        for (n, (alias, agent)) in (0..).zip(&agents) {
            let network = &network;
            scope.spawn(move || {
                let mut random = Random::nth(seed, n);
                for round in 0..EACH {
                    let words = format!("{alias} {round}");
                    let delay = Duration::from_millis(random.below(900));
                    let task_id = killed_after(network, agent, alias, &words, delay);
                    let row = ended(&network.user, &task_id);
                    let answer = format!("read: review: code for write: {words}");
                    assert_eq!(
                        (&row["status"], &row["result"]),
                        (&json!("replied"), &json!(answer)),
                        "{row}"
                    );
                    let children = children(&network.user, &task_id);
                    let mut names: Vec<String> =
                        children.iter().map(|child| text(&child["to_name"])).collect();
                    names.sort();
                    assert_eq!(names, ["coder", "reviewer"], "after {delay:?}: {children:#?}");
                }
            });
        }
    });
}

#[test]
fn equal_calls_of_one_run_are_two_tasks_and_no_key_makes_a_new_one_in_every_run() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (planner, _) = (network.agent("planner"), network.agent("coder"));
    let script = format!(
        r#"for n in 1 2; do '{0}' send coder x --kind same; done; '{0}' send coder x --kind new --no-key
           [ "$BATON_ATTEMPT" = 2 ] || {{ echo go > "$WHERE/sent"; sleep 300; }}"#,
        binary().display()
    );
    let mut first = Worker::start(&planner, "planner", &["--lease", "5", "--grace", "0"], &script);
    let task_id = send(&network.user, "planner", "go");
    first.file("sent");
    let sent = |children: &[Value], kind: &str| children.iter().filter(|child| child["kind"] == kind).count();
    let before = children(&network.user, &task_id);
    assert_eq!((sent(&before, "same"), sent(&before, "new")), (2, 1), "{before:#?}");
    first.kill9();
    let _second = Worker::start(&planner, "planner", &["--lease", "5"], &script);
    let row = ended(&network.user, &task_id);
    assert_eq!(row["status"], "replied", "{row}");
    let after = children(&network.user, &task_id);
    assert_eq!((sent(&after, "same"), sent(&after, "new")), (2, 2), "{after:#?}");
}
