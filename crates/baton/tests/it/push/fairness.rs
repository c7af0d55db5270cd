//! One network's receivers never delay another network's.

use serde_json::json;

use crate::it::outside::{OK, Outside, rpc};
use crate::it::tenant::{Tenant, claim, send};

use super::silent::Silent;
use super::{hub, push_to, told};

/// More than the hub sends at once in all.
const TASKS: u32 = 30;
const RECEIVERS_PER_TASK: u32 = 10;

#[test]
fn hundreds_of_receivers_that_never_answer_do_not_delay_another_networks_push() {
    let hub = hub();
    let (crowd, other) = (Tenant::register(&hub, "alice"), Tenant::register(&hub, "bob"));
    let (busy, worker) = (crowd.agent("worker"), other.agent("worker"));
    let silent = Silent::start();
    for task in 0..TASKS {
        let task_id = send(&crowd.user, "worker", "x");
        for receiver in 0..RECEIVERS_PER_TASK {
            let url = silent.url(task * RECEIVERS_PER_TASK + receiver);
            let config = json!({"taskId": task_id, "url": url});
            let create = "CreateTaskPushNotificationConfig";
            let made = rpc(&crowd.user, &crowd.network_id, "worker", create, &config);
            assert!(made["result"]["id"].is_string(), "{made}");
        }
    }
    let receiver = Outside::start(|_, _| OK());
    let task_id = send(&other.user, "worker", "y");
    push_to(&other, &task_id, &receiver);
    for _ in 0..TASKS {
        claim(&busy, 0, 60);
    }
    silent.wait_until_open(32);
    claim(&worker, 0, 60);
    assert_eq!(told(&receiver.wait_for(1)), ["working"]);
    // Not one call of the crowd had timed out yet, and it had no more than its share.
    assert_eq!((silent.given_up(), silent.most_at_once()), (0, 32));
}
