//! One network's receivers never delay another network's.

use serde_json::json;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::it::outside::{OK, Outside, rpc};
use crate::it::tenant::{Tenant, claim, send};

use super::{hub, push_to, told};

/// More than the hub tells at once in all.
const TASKS: u32 = 30;
const RECEIVERS_PER_TASK: u32 = 10;

/// Takes every connection and never says anything. Every address of the loopback range is a host of its own.
struct Silent {
    port: u16,
    calls: Arc<(Mutex<Vec<TcpStream>>, Condvar)>,
}

impl Silent {
    fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        let (port, calls) =
            (listener.local_addr().unwrap().port(), Arc::<(Mutex<Vec<_>>, Condvar)>::default());
        let taken = calls.clone();
        std::thread::spawn(move || {
            for call in listener.incoming().map_while(Result::ok) {
                taken.0.lock().unwrap().push(call);
                taken.1.notify_all();
            }
        });
        Self { port, calls }
    }

    fn url(&self, number: u32) -> String {
        let host = Ipv4Addr::from(u32::from(Ipv4Addr::new(127, 1, 0, 1)) + number);
        format!("http://{host}:{}/", self.port)
    }

    /// Waits until as many calls are there as there will be: none more comes for a second. How many there are.
    fn wait_until_full(&self) -> usize {
        let mut calls = self.calls.0.lock().unwrap();
        loop {
            let before = calls.len();
            let waited =
                self.calls.1.wait_timeout_while(calls, Duration::from_secs(1), |now| now.len() == before);
            let (now, quiet) = waited.unwrap();
            if quiet.timed_out() && before > 0 {
                return before;
            }
            calls = now;
        }
    }
}

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
    let under_way = silent.wait_until_full();
    let began = Instant::now();
    claim(&worker, 0, 60);
    assert_eq!(told(&receiver.wait_for(1)), ["working"]);
    // A call may take 15 seconds to time out; nobody waited for one.
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    // And the crowd had no more than its share.
    assert_eq!(under_way, 32);
}
