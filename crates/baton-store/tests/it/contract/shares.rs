//! Shares take turns: however much one asks for, others do not wait for it.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{insert_task, network, task_id, with_network};
use baton_store::{Error, Share, Store};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

fn share(n: u8) -> Share {
    Share::Network(network(n))
}

/// A gate that a job waits at until the other end is dropped.
fn gate() -> (Sender<()>, impl Fn() + Clone + Send + 'static) {
    let (open, closed) = channel::<()>();
    let closed: Arc<Mutex<Receiver<()>>> = Arc::new(Mutex::new(closed));
    (open, move || {
        let _ = closed.lock().unwrap().recv();
    })
}

/// Holds the writer until the sender is dropped.
async fn hold_writer(store: &Arc<dyn Store>) -> (Sender<()>, tokio::task::JoinHandle<Result<(), Error>>) {
    let (open, wait) = gate();
    let (begun, mut is_begun) = tokio::sync::mpsc::unbounded_channel();
    let store = store.clone();
    let held = tokio::spawn(async move {
        let hold = move |_: &mut dyn baton_store::Transaction| {
            let _ = begun.send(());
            wait();
            Ok(())
        };
        store.of(share(9)).write(hold).await
    });
    is_begun.recv().await.unwrap();
    (open, held)
}

engines! {
    async fn a_write_goes_before_what_another_share_has_waiting(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let store = engine.store.clone();
        let (open_gate, held) = hold_writer(&store).await;
        let order = Arc::new(Mutex::new(Vec::new()));
        let writes: Vec<_> = (0..60).chain([100]).map(|n| {
            let (store, order) = (store.clone(), order.clone());
            let of = share(if n == 100 { 2 } else { 1 });
            tokio::spawn(async move {
                store.of(of).write(move |tx| {
                    order.lock().unwrap().push(n);
                    insert_task(tx, 1, n, "coder")
                }).await
            })
        }).collect();
        tokio::task::yield_now().await;
        drop(open_gate);
        held.await.unwrap().unwrap();
        for write in writes {
            write.await.unwrap().unwrap();
        }
        let place = order.lock().unwrap().iter().position(|n| *n == 100).unwrap();
        assert!(place <= 1, "the other share's write was number {place}");
    }

    async fn a_share_with_too_many_writes_is_refused_and_another_is_not(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let store = engine.store.clone();
        let (open_gate, held) = hold_writer(&store).await;
        let most = baton_core::limits::WRITES_WAITING_PER_SHARE_MAX_COUNT;
        let asked = Arc::new(AtomicUsize::new(0));
        let flood: Vec<_> = (0..most + 10).map(|_| {
            let (store, asked) = (store.clone(), asked.clone());
            tokio::spawn(async move {
                asked.fetch_add(1, Ordering::SeqCst);
                store.of(share(1)).write(|_| Ok::<_, Error>(())).await
            })
        }).collect();
        while asked.load(Ordering::SeqCst) < most + 10 {
            tokio::task::yield_now().await;
        }
        let other = {
            let store = store.clone();
            tokio::spawn(async move { store.of(share(2)).write(|tx| insert_task(tx, 1, 1, "coder")).await })
        };
        let own = {
            let store = store.clone();
            tokio::spawn(async move { store.write(|tx| insert_task(tx, 1, 2, "coder")).await })
        };
        tokio::task::yield_now().await;
        drop(open_gate);
        held.await.unwrap().unwrap();
        other.await.unwrap().unwrap();
        own.await.unwrap().unwrap();
        let mut refused = 0;
        for write in flood {
            refused += usize::from(matches!(write.await.unwrap(), Err(Error::Busy)));
        }
        assert_eq!(refused, 10);
    }

    async fn a_read_is_answered_while_another_share_takes_all_the_threads_it_may(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let store = engine.store.clone();
        let (open_gate, wait) = gate();
        let held: Vec<_> = (0..50).map(|_| {
            let (store, wait) = (store.clone(), wait.clone());
            tokio::spawn(async move {
                store.of(share(1)).read(move |_| { wait(); Ok::<_, Error>(()) }).await
            })
        }).collect();
        tokio::task::yield_now().await;
        // A scan holds the slow lane meanwhile.
        let scan = {
            let (store, wait) = (store.clone(), wait.clone());
            tokio::spawn(async move {
                store.of(share(3)).scan(move |_| { wait(); Ok::<_, Error>(()) }).await
            })
        };
        let seen = store.of(share(2)).read(|rows| Ok::<_, Error>(rows.task(&task_id(1))?.is_none())).await;
        assert!(seen.unwrap());
        drop(open_gate);
        for read in held {
            read.await.unwrap().unwrap();
        }
        scan.await.unwrap().unwrap();
    }
}
