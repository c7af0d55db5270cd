//! Attempts that are limited: kept over a start, bounded by kind, forgotten when their time is over.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::NOW;
use baton_core::UnixMillis;
use baton_store::rows::{AttemptKey, AttemptKind, AttemptsRow};
use baton_store::{Error, Store};

const KEEP: usize = 5;

fn key(n: u16) -> AttemptKey {
    let mut key = [0; 32];
    key[..2].copy_from_slice(&n.to_be_bytes());
    key
}

fn after(seconds: i64) -> UnixMillis {
    NOW.plus_millis(seconds * 1000)
}

/// Attempts that are forgotten so many seconds from now.
fn row(count: u32, forgotten_after: i64) -> AttemptsRow {
    AttemptsRow { count, times: vec![after(-3), NOW, after(7)], forgotten_at: after(forgotten_after) }
}

async fn put(store: &dyn Store, kind: AttemptKind, n: u16, row: AttemptsRow) {
    store.write(move |tx| tx.put_attempts(kind, &key(n), &row, KEEP)).await.unwrap();
}

async fn found(store: &dyn Store, kind: AttemptKind, n: u16) -> Option<AttemptsRow> {
    store.read(move |rows| rows.attempts(kind, &key(n))).await.unwrap()
}

/// Which of the first keys of a kind have rows.
async fn kept(store: &dyn Store, kind: AttemptKind) -> Vec<u16> {
    let read = store.read(move |rows| -> Result<_, Error> {
        let mut kept = Vec::new();
        for n in 0..20 {
            if rows.attempts(kind, &key(n))?.is_some() {
                kept.push(n);
            }
        }
        Ok(kept)
    });
    read.await.unwrap()
}

engines! {
    async fn attempts_are_kept_by_kind_and_key_also_over_a_start(engine: &mut Engine, open: Open) {
        for (kind, count) in AttemptKind::ALL.into_iter().zip(1..) {
            put(&*engine.store, kind, 1, row(7, 60)).await;
            put(&*engine.store, kind, 1, row(count, 60)).await;
        }
        let none = AttemptsRow { count: 0, times: vec![], forgotten_at: NOW };
        put(&*engine.store, AttemptKind::Join, 2, none.clone()).await;
        engine.reopen(open);
        for (kind, count) in AttemptKind::ALL.into_iter().zip(1..) {
            assert_eq!(found(&*engine.store, kind, 1).await, Some(row(count, 60)), "as last written");
            assert_eq!(found(&*engine.store, kind, 3).await, None);
        }
        assert_eq!(found(&*engine.store, AttemptKind::Join, 2).await, Some(none));
        engine.store.write(|tx| tx.delete_attempts(AttemptKind::Username, &key(1))).await.unwrap();
        assert_eq!(found(&*engine.store, AttemptKind::Username, 1).await, None);
        assert!(found(&*engine.store, AttemptKind::Address, 1).await.is_some(), "another kind");
    }

    async fn a_new_key_past_the_bound_takes_the_place_of_the_one_that_would_be_forgotten_first(engine: &mut Engine, open: Open) {
        let store = &*engine.store;
        for (n, forgotten_after) in [50, 20, 40, 10, 30].into_iter().enumerate() {
            put(store, AttemptKind::Username, n as u16, row(1, forgotten_after)).await;
        }
        put(store, AttemptKind::Address, 9, row(1, 1)).await;
        put(store, AttemptKind::Username, 3, row(2, 15)).await;
        assert_eq!(kept(store, AttemptKind::Username).await, [0, 1, 2, 3, 4], "a key that has its row makes no room");
        // Even if it is itself the first to be forgotten.
        put(store, AttemptKind::Username, 5, row(1, 1)).await;
        assert_eq!(kept(store, AttemptKind::Username).await, [0, 1, 2, 4, 5]);
        put(store, AttemptKind::Username, 6, row(1, 1)).await;
        assert_eq!(kept(store, AttemptKind::Username).await, [0, 1, 2, 4, 6]);
        assert_eq!(kept(store, AttemptKind::Address).await, [9], "each kind has its own bound");
    }

    async fn attempts_are_forgotten_when_their_time_is_over_so_many_at_once(engine: &mut Engine, open: Open) {
        let store = &*engine.store;
        for kind in AttemptKind::ALL {
            for n in 0..4 {
                put(store, kind, n, row(1, i64::from(n))).await;
            }
        }
        let forget = |limit| store.write(move |tx| tx.forget_attempts(after(1), limit));
        let mut over = 2 * AttemptKind::ALL.len(); // two of each kind
        while over > 0 {
            let most = over.min(4);
            assert_eq!(forget(4).await.unwrap(), most);
            over -= most;
        }
        assert_eq!(forget(4).await.unwrap(), 0);
        for kind in AttemptKind::ALL {
            assert_eq!(kept(store, kind).await, [2, 3]);
        }
    }
}
