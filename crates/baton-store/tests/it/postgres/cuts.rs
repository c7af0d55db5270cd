//! Connections that are cut. A write is answered with what became of it: a COMMIT that was cut off is looked up.

use super::super::fixtures::{insert_network, insert_task, network, task_id};
use super::super::postgres::{database_of, forget, run_on, settings};
use super::Hub;
use baton_core::Status;
use baton_store::{Error, PostgresOptions, PostgresStore};
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;

/// What becomes of the next COMMIT that changes something.
const PASSES: u8 = 0;
const ARRIVES_UNANSWERED: u8 = 1;
const IS_LOST: u8 = 2;
/// PostgreSQL answers it with the warning that it did not wait for a standby.
const IS_NOT_REPLICATED: u8 = 3;
/// It is neither answered nor cut off, as by a server that was stopped.
const MEETS_SILENCE: u8 = 4;
/// The same for the next read of the access epoch.
const EPOCH_MEETS_SILENCE: u8 = 5;

/// A batch's COMMIT as it is sent: a message of its own. That of an empty transaction, which every new connection begins with,
/// goes with other statements.
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";

/// The access epoch's statement as it is prepared, on the connection that reads it for calls.
const READS_EPOCH: &[u8] = b"\0SELECT epoch FROM access_epoch WHERE one = 1\0";

/// Stands between a hub and its server, and cuts connections.
struct Proxy {
    folder: PathBuf,
    next: Arc<AtomicU8>,
    cuts: Arc<AtomicUsize>,
}

impl Proxy {
    fn start(folder: &Path, server: PathBuf) -> Self {
        let listener = UnixListener::bind(folder.join(".s.PGSQL.5432")).unwrap();
        let (next, cuts) = (Arc::new(AtomicU8::new(PASSES)), Arc::new(AtomicUsize::new(0)));
        let shared = (next.clone(), cuts.clone());
        std::thread::spawn(move || {
            while let Ok((client, _)) = listener.accept() {
                let server = UnixStream::connect(server.join(".s.PGSQL.5432")).unwrap();
                let shared = shared.clone();
                std::thread::spawn(move || pass(client, server, &shared.0, &shared.1));
            }
        });
        Self { folder: folder.to_owned(), next, cuts }
    }

    fn address(&self, address: &str) -> String {
        let rest = address.split_once(" user=").unwrap().1;
        format!("host={} user={rest}", self.folder.display())
    }
}

/// Passes bytes on, both ways, until one end closes or the connection is cut.
fn pass(mut client: UnixStream, mut server: UnixStream, next: &AtomicU8, cuts: &AtomicUsize) {
    let (mut answers, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let warns = Arc::new(AtomicUsize::new(0));
    let warned = warns.clone();
    std::thread::spawn(move || {
        let mut bytes = vec![0; 1 << 20];
        while let Ok(count @ 1..) = answers.read(&mut bytes) {
            let answer = with_warning(&bytes[..count], &warned);
            if to.write_all(&answer).is_err() {
                break;
            }
        }
        let _ = to.shutdown(std::net::Shutdown::Both);
    });
    let mut bytes = vec![0; 1 << 20];
    let mut reads_epoch = false;
    while let Ok(count @ 1..) = client.read(&mut bytes) {
        let sent = &bytes[..count];
        let commits = sent.windows(COMMIT.len()).any(|part| part == COMMIT);
        reads_epoch |= sent.windows(READS_EPOCH.len()).any(|part| part == READS_EPOCH);
        match next.load(Ordering::SeqCst) {
            IS_LOST if commits => {
                cut(next, cuts);
                break;
            }
            ARRIVES_UNANSWERED if commits => {
                // Nothing more goes back; the server runs what it has been sent and finds nobody to tell.
                let _ = client.shutdown(std::net::Shutdown::Both);
                server.write_all(sent).unwrap();
                cut(next, cuts);
                // The server ends its side when it has come to the end of what it was sent.
                let _ = server.shutdown(std::net::Shutdown::Write);
                let _ = server.read_to_end(&mut Vec::new());
                return;
            }
            IS_NOT_REPLICATED if commits => {
                warns.store(1, Ordering::SeqCst);
                cut(next, cuts);
            }
            MEETS_SILENCE | EPOCH_MEETS_SILENCE if silences(next, commits, reads_epoch) => {
                cut(next, cuts);
                // Until the hub gives up.
                let _ = client.read(&mut bytes);
                break;
            }
            _ => {}
        }
        if server.write_all(sent).is_err() {
            break;
        }
    }
    let _ = client.shutdown(std::net::Shutdown::Both);
    let _ = server.shutdown(std::net::Shutdown::Both);
}

/// The answer to a COMMIT with the warning before it that PostgreSQL sends if the wait for a standby is cancelled.
fn with_warning(answer: &[u8], warns: &AtomicUsize) -> Vec<u8> {
    const DONE: &[u8] = b"C\0\0\0\x0bCOMMIT\0";
    let at = answer.windows(DONE.len()).position(|part| part == DONE);
    match at {
        Some(at) if warns.swap(0, Ordering::SeqCst) == 1 => {
            let fields = b"SWARNING\0VWARNING\0C01000\0Mcanceling wait for synchronous replication due to user request\0\0";
            let length = u32::try_from(fields.len() + 4).unwrap().to_be_bytes();
            [&answer[..at], b"N", &length, fields, &answer[at..]].concat()
        }
        _ => answer.to_vec(),
    }
}

fn silences(next: &AtomicU8, commits: bool, reads_epoch: bool) -> bool {
    match next.load(Ordering::SeqCst) {
        MEETS_SILENCE => commits,
        _ => reads_epoch,
    }
}

fn cut(next: &AtomicU8, cuts: &AtomicUsize) {
    next.store(PASSES, Ordering::SeqCst);
    cuts.fetch_add(1, Ordering::SeqCst);
}

fn open(address: &str) -> Hub {
    let answer_max = Duration::from_secs(1);
    let options = PostgresOptions { lanes: 1, answer_max, ..PostgresOptions::default() };
    Arc::new(PostgresStore::open(&settings(address), options, Arc::new(|_| {})).unwrap())
}

async fn there_is(hub: &Hub, n: u16) -> bool {
    hub.read(move |rows| Ok::<_, Error>(rows.task(&task_id(n))?.is_some())).await.unwrap()
}

#[tokio::test]
async fn a_commit_whose_answer_never_came_is_looked_up_and_answered_as_it_was() {
    let (folder, sockets) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (hub, proxy) = behind_proxy(folder.path(), sockets.path()).await;
    for n in 1..=5 {
        proxy.next.store(ARRIVES_UNANSWERED, Ordering::SeqCst);
        hub.write(move |tx| insert_task(tx, 1, n, "coder")).await.unwrap();
        assert_eq!(proxy.cuts.load(Ordering::SeqCst), usize::from(n), "it was cut off");
        assert!(there_is(&hub, n).await);
    }
    proxy.next.store(IS_LOST, Ordering::SeqCst);
    // Nothing of that was committed, so it is run again on another connection.
    hub.write(|tx| insert_task(tx, 1, 9, "coder")).await.unwrap();
    assert_eq!(proxy.cuts.load(Ordering::SeqCst), 6, "it was cut off");
    assert!(there_is(&hub, 9).await);
    let counts = hub.read(|rows| rows.task_counts(&network(1))).await.unwrap();
    assert_eq!(counts, [(Status::Delivered, 7)], "each is there once");
    hub.close();
    forget(folder.path());
}

/// A hub with a network and a task, behind a proxy.
async fn behind_proxy(folder: &Path, sockets: &Path) -> (Hub, Proxy) {
    let address = database_of(folder);
    let server = address.split(['=', ' ']).nth(1).map(PathBuf::from).unwrap();
    let proxy = Proxy::start(sockets, server);
    let hub = open(&proxy.address(&address));
    hub.write(|tx| insert_network(tx, 1)).await.unwrap();
    hub.write(|tx| insert_task(tx, 1, 0, "coder")).await.unwrap();
    (hub, proxy)
}

#[tokio::test]
async fn a_commit_that_no_standby_has_is_unknown_and_is_not_taken_for_the_next_one() {
    let (folder, sockets) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (hub, proxy) = behind_proxy(folder.path(), sockets.path()).await;
    proxy.next.store(IS_NOT_REPLICATED, Ordering::SeqCst);
    let answered = hub.write(|tx| insert_task(tx, 1, 1, "coder")).await;
    assert!(matches!(answered, Err(Error::Unknown(_))), "{answered:?}");
    proxy.next.store(IS_LOST, Ordering::SeqCst);
    // If the lost one had the number of the one before, it would be found to have been committed.
    hub.write(|tx| insert_task(tx, 1, 2, "coder")).await.unwrap();
    assert_eq!(proxy.cuts.load(Ordering::SeqCst), 2);
    assert!(there_is(&hub, 1).await && there_is(&hub, 2).await);
    hub.close();
    forget(folder.path());
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up_and_its_commit_is_run_again() {
    let (folder, sockets) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (hub, proxy) = behind_proxy(folder.path(), sockets.path()).await;
    proxy.next.store(MEETS_SILENCE, Ordering::SeqCst);
    hub.write(|tx| insert_task(tx, 1, 1, "coder")).await.unwrap();
    assert_eq!(proxy.cuts.load(Ordering::SeqCst), 1);
    let counts = hub.read(|rows| rows.task_counts(&network(1))).await.unwrap();
    assert_eq!(counts, [(Status::Delivered, 2)], "each is there once");
    hub.close();
    forget(folder.path());
}

#[tokio::test]
async fn a_call_does_not_wait_for_the_access_epoch_of_a_server_that_says_nothing() {
    let (folder, sockets) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (hub, proxy) = behind_proxy(folder.path(), sockets.path()).await;
    let known = hub.newest_access_epoch().get().await.unwrap();
    proxy.next.store(EPOCH_MEETS_SILENCE, Ordering::SeqCst);
    assert_eq!(hub.newest_access_epoch().get().await.unwrap(), known, "on another connection");
    assert_eq!(proxy.cuts.load(Ordering::SeqCst), 1);
    hub.close();
    forget(folder.path());
}

#[tokio::test]
async fn a_hub_whose_connections_were_ended_makes_them_again() {
    let folder = tempfile::tempdir().unwrap();
    let address = database_of(folder.path());
    let hub = open(&address);
    hub.write(|tx| insert_network(tx, 1)).await.unwrap();
    for n in 0..3 {
        run_on(
            &address,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
        hub.write(move |tx| insert_task(tx, 1, n, "coder")).await.unwrap();
        assert!(there_is(&hub, n).await);
    }
    hub.close();
    forget(folder.path());
}
