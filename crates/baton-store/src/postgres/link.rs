//! The link between hubs on one database, a thread with two connections of its own. One announces what this hub has
//! committed and receives what others have: a `NOTIFY` every few milliseconds for all commits since the last one, never one
//! in a transaction that writes, because that would make all commits of the database wait for each other. It also says
//! that this hub is alive and looks for announcements that were lost (`heard.rs`). The other connection reads the
//! access epoch, once for all calls that ask meanwhile.
//!
//! What arrives are hints: whoever listens reads the rows. So a connection that was lost for a while costs one look of
//! everybody.

mod access;
mod heard;
mod note;

use baton_core::{NetworkId, UnixMillis, limits};
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_postgres::{AsyncMessage, Client, Statement};

use self::heard::Heard;
use self::note::{Announced, Note, Unannounced};
use super::fault;
use super::lane::{Shared, Turn};
use super::registry::{self, HubFacts};
use super::session::{BARRIER, is_not_replicated, silent};
use crate::error::Error;
use crate::hint::{CommittedBy, Hint, Moved};
use crate::parked::{Inbox, ParkedClaim};
use crate::peers::{Asked, HubRow, Peers, SeenRow, Work};

/// The channel of all hubs on a database.
const CHANNEL: &str = "baton";

/// What the link is asked.
enum Request {
    Hubs(oneshot::Sender<Result<Vec<HubRow>, Error>>),
    TakeWork(Work, Vec<String>, oneshot::Sender<Result<Vec<String>, Error>>),
    LeaveWork(Work, Vec<String>, oneshot::Sender<Result<(), Error>>),
    SeenSince(UnixMillis, oneshot::Sender<Result<Vec<SeenRow>, Error>>),
}

/// The link, as the rest of the hub uses it.
pub(crate) struct Link {
    hub: String,
    facts: HubFacts,
    unannounced: Mutex<Unannounced>,
    heard: Mutex<Heard>,
    announces: Notify,
    alive: AtomicU32,
    has_older: AtomicBool,
    had_outage: AtomicBool,
    requests: mpsc::UnboundedSender<Request>,
    epochs: access::Epochs,
    is_closed: AtomicBool,
    closes: Notify,
}

/// What the thread of a link takes from the others.
pub(crate) struct Inbound {
    requests: mpsc::UnboundedReceiver<Request>,
    epochs: access::Asks,
}

/// A commit of this hub.
#[derive(Default)]
pub(crate) struct Commit<'c> {
    /// The networks that it changed, each with the version it gave them if that is known.
    pub(crate) versions: Vec<(NetworkId, Option<i64>)>,
    /// What it changed in them.
    pub(crate) moved: &'c [Moved],
    /// Inboxes with a task that no claim of this hub has taken.
    pub(crate) opened: Vec<Inbox>,
    pub(crate) access_epoch: Option<u64>,
}

impl Link {
    pub(crate) fn new(hub: String, facts: HubFacts) -> (Self, Inbound) {
        let (requests, asked) = mpsc::unbounded_channel();
        let (epochs, epochs_asked) = access::Epochs::new();
        let link = Self {
            hub,
            facts,
            unannounced: Mutex::default(),
            heard: Mutex::default(),
            announces: Notify::new(),
            // Until the first heartbeat nobody knows: an announcement that nobody needs costs little.
            alive: AtomicU32::new(2),
            has_older: AtomicBool::new(true),
            had_outage: AtomicBool::new(false),
            requests,
            epochs,
            is_closed: AtomicBool::new(false),
            closes: Notify::new(),
        };
        (link, Inbound { requests: asked, epochs: epochs_asked })
    }

    /// The access epoch as it is committed now, whichever hub raised it.
    pub(crate) fn ask_access_epoch(&self) -> oneshot::Receiver<Result<u64, Error>> {
        self.epochs.ask()
    }

    /// This hub has committed something.
    pub(crate) fn announce(&self, commit: &Commit<'_>) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        for (network, version) in &commit.versions {
            version.iter().for_each(|version| heard.hear(network, *version));
        }
        drop(heard);
        if self.is_alone() {
            return;
        }
        let mut unannounced = self.unannounced();
        for (network, version) in &commit.versions {
            unannounced.add_version(network, *version);
        }
        for Moved { network_id, changes, .. } in commit.moved {
            changes.iter().for_each(|changes| unannounced.add_changes(network_id, changes));
        }
        for Inbox { network_id, alias } in &commit.opened {
            unannounced.add_open(network_id, alias);
        }
        commit.access_epoch.into_iter().for_each(|epoch| unannounced.raise_access(epoch));
        let is_empty = unannounced.is_empty();
        drop(unannounced);
        if !is_empty {
            self.announces.notify_one();
        }
    }

    /// A commit of this hub may be on no standby although others see it.
    pub(crate) fn announce_doubt(&self) {
        self.unannounced().add_doubt();
        self.announces.notify_one();
    }

    fn is_alone(&self) -> bool {
        self.alive.load(Ordering::Acquire) <= 1
    }

    fn unannounced(&self) -> MutexGuard<'_, Unannounced> {
        self.unannounced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the thread, which removes this hub's row.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.closes.notify_one();
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    async fn asked<T>(
        &self,
        ask: impl FnOnce(oneshot::Sender<Result<T, Error>>) -> Request,
    ) -> Result<T, Error> {
        let (caller, answer) = oneshot::channel();
        self.requests.send(ask(caller)).map_err(|_| Error::Closed)?;
        answer.await.unwrap_or(Err(Error::Closed))
    }
}

impl Peers for Link {
    fn alive_count(&self) -> u32 {
        self.alive.load(Ordering::Acquire)
    }

    fn has_older(&self) -> bool {
        self.has_older.load(Ordering::Acquire)
    }

    fn hubs(&self) -> Asked<'_, Vec<HubRow>> {
        Box::pin(self.asked(Request::Hubs))
    }

    fn take_work(&self, work: Work, keys: Vec<String>) -> Asked<'_, Vec<String>> {
        Box::pin(self.asked(move |caller| Request::TakeWork(work, keys, caller)))
    }

    fn leave_work(&self, work: Work, keys: Vec<String>) -> Asked<'_, ()> {
        Box::pin(self.asked(move |caller| Request::LeaveWork(work, keys, caller)))
    }

    fn seen_since(&self, since: UnixMillis) -> Asked<'_, Vec<SeenRow>> {
        Box::pin(self.asked(move |caller| Request::SeenSince(since, caller)))
    }

    fn send_transient(&self, network: &NetworkId, body: &str) {
        if !self.is_alone() {
            self.unannounced().add_transient(network, body);
            self.announces.notify_one();
        }
    }

    fn take_outage(&self) -> bool {
        self.had_outage.swap(false, Ordering::AcqRel)
    }
}

/// Runs the link until it is closed. A connection that is lost is made again.
pub(crate) fn run(shared: &Arc<Shared>, inbound: Inbound) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return tracing::error!(%error, "the link to other hubs cannot run"),
    };
    let Inbound { mut requests, epochs } = inbound;
    runtime.block_on(async {
        let link = &shared.link;
        let linked = async {
            while !link.is_closed() {
                if let Err(error) = serve(shared, &mut requests).await {
                    tracing::warn!(%error, "the link to other hubs is lost and is made again");
                    // An older hub may start meanwhile.
                    link.has_older.store(true, Ordering::Release);
                    refuse_requests(&mut requests, &error);
                    tokio::select! {
                        () = tokio::time::sleep(limits::POSTGRES_RECONNECTED_EVERY) => {}
                        () = link.closes.notified() => {}
                    }
                }
            }
        };
        tokio::select! {
            () = linked => {}
            () = access::answer(shared, epochs) => {}
        }
    });
}

/// Nobody waits for a link that is being made.
fn refuse_requests(requests: &mut mpsc::UnboundedReceiver<Request>, error: &Error) {
    while let Ok(request) = requests.try_recv() {
        // Whoever left does not need to know.
        match request {
            Request::Hubs(caller) => drop(caller.send(Err(error.clone()))),
            Request::TakeWork(_, _, caller) => drop(caller.send(Err(error.clone()))),
            Request::LeaveWork(_, _, caller) => drop(caller.send(Err(error.clone()))),
            Request::SeenSince(_, caller) => drop(caller.send(Err(error.clone()))),
        }
    }
}

/// Connects; what the server sends unasked goes to `notes`.
pub(super) async fn connect(
    shared: &Shared,
    settings: &str,
    notes: mpsc::UnboundedSender<String>,
) -> Result<Client, Error> {
    let (client, mut connection) = shared.connection.connect().await?;
    tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            match message {
                AsyncMessage::Notification(note) => {
                    // Nobody is left to hear it: the connection ends with its client.
                    let _ = notes.send(note.payload().to_owned());
                }
                // A barrier that was not one: it is tried again on another connection.
                AsyncMessage::Notice(notice) if is_not_replicated(notice.message()) => break,
                _ => {}
            }
        }
    });
    in_time(shared, async { client.batch_execute(settings).await.map_err(|error| fault::of(&error)) })
        .await?;
    Ok(client)
}

/// A link that is connected.
struct Connected<'s> {
    shared: &'s Shared,
    client: Client,
    notify: Statement,
    since: Instant,
    /// The server's time of the last heartbeat.
    now: i64,
    announced_at: Instant,
    /// When tasks and leases were last counted.
    recounted_at: Instant,
}

/// Serves until the link is closed or its connection is lost.
async fn serve(shared: &Shared, requests: &mut mpsc::UnboundedReceiver<Request>) -> Result<(), Error> {
    let (sender, mut notes) = mpsc::unbounded_channel();
    // What is announced follows from what is committed already, and a heartbeat is written again soon: neither waits for the
    // disk.
    let settings = format!(
        "SET synchronous_commit = off; SET statement_timeout = {}; SET jit = off; LISTEN {CHANNEL}",
        limits::POSTGRES_LOCK_MAX_MILLIS
    );
    let client = connect(shared, &settings, sender).await?;
    let notify = "SELECT pg_notify($1, note) FROM unnest($2::text[]) AS note";
    let notify =
        in_time(shared, async { client.prepare(notify).await.map_err(|error| fault::of(&error)) }).await?;
    let began = Instant::now();
    let mut connected =
        Connected { shared, client, notify, since: began, now: 0, announced_at: began, recounted_at: began };
    in_time(shared, connected.begin()).await?;
    let mut beats = tokio::time::interval(limits::HUB_HEARTBEAT_EVERY);
    let link = &shared.link;
    while !link.is_closed() {
        tokio::select! {
            note = notes.recv() => match note {
                Some(note) => in_time(shared, connected.hear(&note)).await?,
                None => return Err(Error::Unavailable("the connection was closed".into())),
            },
            () = link.announces.notified() => in_time(shared, connected.announce()).await?,
            _ = beats.tick() => in_time(shared, connected.beat()).await?,
            Some(request) = requests.recv() => in_time(shared, connected.answer(request)).await?,
            () = link.closes.notified() => {}
        }
    }
    in_time(shared, connected.announce()).await?;
    in_time(shared, connected.end()).await
}

/// Gives up on a server that was stopped: it keeps its connections open and never answers.
async fn in_time<T>(shared: &Shared, answer: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    match tokio::time::timeout(shared.answer_max, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(silent(shared.answer_max)),
    }
}

/// Whether an older hub may be alive, by a heartbeat so long after the connection was made. After an outage of the database the
/// others' last heartbeats are from before it: that none counts as alive says nothing until they had the time for another.
fn may_have_older(has_seen: bool, connected_for: Duration) -> bool {
    has_seen || connected_for < limits::HUB_ALIVE_FOR
}

impl Connected<'_> {
    /// The first heartbeat is a barrier: a server that commits it, and waits for its standbys as for any write, is the one
    /// that has everything that was acknowledged. Then everybody looks, for nothing was heard until now.
    async fn begin(&mut self) -> Result<(), Error> {
        let link = &self.shared.link;
        self.command("SET synchronous_commit = on").await?;
        let beat =
            registry::beat(&self.client, &link.hub, &link.facts).await.map_err(|error| fault::of(&error))?;
        let silence = Duration::from_millis(beat.silence_millis.unwrap_or(0).unsigned_abs());
        if silence > limits::HUBS_SILENT_MAX {
            link.had_outage.store(true, Ordering::Release);
        }
        registry::forget(&self.client).await.map_err(|error| fault::of(&error))?;
        self.command("SET synchronous_commit = off").await?;
        self.take_in(beat);
        link.heard.lock().unwrap_or_else(PoisonError::into_inner).clear();
        link.unannounced().forget_changes();
        // One may have been announced meanwhile.
        self.shared.doubts.note();
        self.say(&Note { hub: link.hub.clone(), registry: true, ..Note::default() }).await?;
        (self.shared.bell)(Hint::Anything);
        self.wake_claims(|_| true);
        self.announce().await
    }

    async fn command(&self, sql: &str) -> Result<(), Error> {
        self.client.batch_execute(sql).await.map_err(|error| fault::of(&error))
    }

    async fn end(&self) -> Result<(), Error> {
        let link = &self.shared.link;
        let left = registry::leave(&self.client, &link.hub).await;
        left.map_err(|error| fault::of(&error))?;
        self.say(&Note { hub: link.hub.clone(), registry: true, ..Note::default() }).await
    }

    fn take_in(&mut self, beat: registry::Beat) {
        self.now = beat.now;
        self.shared.clock.learn(beat.now);
        self.shared.link.alive.store(beat.alive, Ordering::Release);
        let has_older = may_have_older(beat.has_older, self.since.elapsed());
        self.shared.link.has_older.store(has_older, Ordering::Release);
        self.shared.epoch.fetch_max(beat.access_epoch, Ordering::AcqRel);
    }

    /// Says that this hub is alive, looks who else is, and looks for announcements that were lost.
    async fn beat(&mut self) -> Result<(), Error> {
        let link = &self.shared.link;
        let since = self.now.saturating_sub(i64::try_from(limits::HUB_LOOKS_BACK.as_millis()).unwrap_or(0));
        let beat =
            registry::beat(&self.client, &link.hub, &link.facts).await.map_err(|error| fault::of(&error))?;
        self.take_in(beat);
        if beat.alive <= 1 {
            return Ok(());
        }
        let heads = registry::heads_since(&self.client, since).await.map_err(|error| fault::of(&error))?;
        let heads: Vec<_> =
            heads.iter().filter_map(|(id, version)| Some((NetworkId::parse(id)?, *version))).collect();
        let lost = link.heard.lock().unwrap_or_else(PoisonError::into_inner).look(&heads);
        if self.recounted_at.elapsed() >= limits::TASKS_RECOUNTED_EVERY {
            self.recounted_at = Instant::now();
            let there = registry::there_is(&self.client).await?;
            self.shared.meter.recounted(&there);
        }
        for network in lost {
            self.take_announced(Announced { network, versions: Vec::new(), changes: None });
        }
        Ok(())
    }

    /// Announces what was committed since the last time, not more often than every few milliseconds.
    async fn announce(&mut self) -> Result<(), Error> {
        let link = &self.shared.link;
        tokio::time::sleep_until((self.announced_at + limits::POSTGRES_NOTIFIED_EVERY).into()).await;
        self.announced_at = Instant::now();
        let unannounced = std::mem::take(&mut *link.unannounced());
        if unannounced.is_empty() || link.is_alone() {
            return Ok(());
        }
        let said = self.client.execute(&self.notify, &[&CHANNEL, &unannounced.notes(&link.hub)]).await;
        said.map(drop).map_err(|error| fault::of(&error)).inspect_err(|_| {
            // They may have been sent or not: after the reconnection whoever listens looks.
            let mut kept = unannounced;
            kept.forget_changes();
            let newer = std::mem::replace(&mut *link.unannounced(), kept);
            link.unannounced().add(newer);
        })
    }

    async fn say(&self, note: &Note) -> Result<(), Error> {
        let said = self.client.execute(&self.notify, &[&CHANNEL, &vec![note::text(note)]]).await;
        said.map(drop).map_err(|error| fault::of(&error))
    }

    /// Takes in what another hub announced.
    async fn hear(&mut self, text: &str) -> Result<(), Error> {
        let link = &self.shared.link;
        let note: Note = match serde_json::from_str(text) {
            Ok(note) => note,
            // One of another version: what it is about is found by the next look.
            Err(error) => {
                tracing::debug!(%error, "an announcement cannot be read");
                return Ok(());
            }
        };
        if note.hub == link.hub {
            return Ok(());
        }
        if note.doubt {
            self.shared.doubts.note();
        }
        if let Some(epoch) = note.access {
            self.shared.epoch.fetch_max(epoch, Ordering::AcqRel);
        }
        note.networks.iter().filter_map(note::NetworkNote::read).for_each(|announced| {
            self.take_announced(announced);
        });
        for (network, body) in note.transient {
            if let Some(network_id) = NetworkId::parse(&network) {
                (self.shared.bell)(Hint::Transient { network_id, body });
            }
        }
        if note.registry { self.beat().await } else { Ok(()) }
    }

    /// Another hub has changed a network: rings, and runs the claims that wait here for what it opened.
    fn take_announced(&self, Announced { network, versions, changes }: Announced) {
        let mut heard = self.shared.link.heard.lock().unwrap_or_else(PoisonError::into_inner);
        versions.iter().for_each(|version| heard.hear(&network, *version));
        drop(heard);
        let (changes, opened) = match changes {
            Some((changes, opened)) => (Some(changes), Some(opened)),
            None => (None, None),
        };
        match opened {
            Some(opened) => opened.into_iter().for_each(|alias| {
                self.run_claim(self.shared.parked.take_first(&Inbox { network_id: network.clone(), alias }));
            }),
            None => self.wake_claims(|inbox| inbox.network_id == network),
        }
        let moved = Moved { network_id: network, by: CommittedBy::AnotherHub, changes };
        (self.shared.bell)(Hint::Moved(vec![moved]));
    }

    /// Runs all claims again that wait in these inboxes.
    fn wake_claims(&self, is_meant: impl Fn(&Inbox) -> bool) {
        self.shared.parked.take_all(is_meant).into_iter().for_each(|claim| self.run_claim(Some(claim)));
    }

    /// Runs a claim that waited; one that finds nothing goes back to its place.
    fn run_claim(&self, claim: Option<ParkedClaim>) {
        let Some(ParkedClaim { share, job }) = claim else { return };
        self.shared.meter.write_waits();
        let pushed = self.shared.turns.push(share.clone(), Turn::Write(job));
        if let Err((error, turn)) = pushed {
            self.shared.meter.write_taken();
            let Turn::Write(job) = turn else { return };
            // Too much waits: it keeps its place, and is run with the next look or the next task.
            if let Err(ParkedClaim { job, .. }) = self.shared.parked.put(ParkedClaim { share, job }) {
                job.settle(Err(error));
            }
        }
    }

    async fn answer(&self, request: Request) -> Result<(), Error> {
        let hub = &self.shared.link.hub;
        // Whoever left does not need to know.
        match request {
            Request::Hubs(caller) => {
                let hubs = registry::hubs(&self.client).await.map_err(|error| fault::of(&error));
                let _ = caller.send(hubs);
            }
            Request::TakeWork(work, keys, caller) => {
                self.command("SET synchronous_commit = on").await?;
                let taken = registry::take_work(&self.client, hub, work, &keys).await;
                let _ = caller.send(taken.map_err(|error| fault::of(&error)));
                self.command("SET synchronous_commit = off").await?;
            }
            Request::LeaveWork(work, keys, caller) => {
                let left = registry::leave_work(&self.client, hub, work, &keys).await;
                let _ = caller.send(left.map_err(|error| fault::of(&error)));
            }
            Request::SeenSince(since, caller) => {
                let seen = registry::seen_since(&self.client, since).await;
                let _ = caller.send(seen.map_err(|error| fault::of(&error)));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_no_older_hub_is_alive_is_known_only_once_all_had_the_time_for_a_heartbeat() {
        let long = limits::HUB_ALIVE_FOR;
        let short = long - Duration::from_millis(1);
        for (has_seen, connected_for, expected) in [
            (false, Duration::ZERO, true),
            (false, short, true),
            (false, long, false),
            (true, Duration::ZERO, true),
            (true, 10 * long, true),
        ] {
            assert_eq!(may_have_older(has_seen, connected_for), expected, "{has_seen} {connected_for:?}");
        }
    }
}
