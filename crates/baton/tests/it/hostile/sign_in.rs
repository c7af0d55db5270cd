//! One account that signs in on hundreds of connections: others sign in meanwhile. What the hashes took is given back.

use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::work::worker::eventually;

const CONNECTIONS: usize = 200;
/// What one password hash fills.
const HASH_KIB: u64 = 19 << 10;

#[test]
fn an_account_that_signs_in_on_200_connections_keeps_nobody_from_signing_in() {
    let hub = Hub::start();
    for name in ["mallory", "alice"] {
        hub.register(name);
    }
    let (is_over, refused) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (client, body) = (hub.client(), json!({"username": "mallory", "password": PASSWORD}));
    let flood = || {
        while !is_over.load(Ordering::Relaxed) {
            let answer = client.post("/api/auth/login", &body);
            assert!(matches!(answer.status, 200 | 429), "{} {}", answer.status, answer.text());
            if answer.status == 429 {
                assert_eq!(answer.json()["error"], "rate_limited");
                assert!(answer.header("retry-after").is_some());
                refused.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(flood);
        }
        // The attack is on: more wait than may.
        while refused.load(Ordering::Relaxed) < CONNECTIONS {
            std::thread::yield_now();
        }
        let signed_in: Vec<u16> = (0..3)
            .map(|_| {
                let body = json!({"username": "alice", "password": PASSWORD});
                client.post("/api/auth/login", &body).status
            })
            .collect();
        let joined = client.post("/api/auth/register", &json!({"username": "bob", "password": PASSWORD}));
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(signed_in, [200, 200, 200]);
        assert_eq!(joined.status, 200, "{}", joined.text());
    });
}

#[test]
fn passwords_that_were_hashed_leave_no_memory_behind() {
    let hub = Hub::start();
    let (client, body) = (hub.client(), json!({"username": ADMIN, "password": PASSWORD}));
    let sign_in = || (0..5).for_each(|_| assert_eq!(client.post("/api/auth/login", &body).status, 200));
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(sign_in))));
    let highest = hub.own_memory_kib();
    assert!(highest < 4 * HASH_KIB, "{highest} KiB after 20 hashes, of which two are computed at a time");
    // The allocator gives memory back once it has been free for a second.
    eventually("less memory than a hash fills", || (hub.own_memory_kib() < HASH_KIB).then_some(()));
}
