//! One open stream. It sends a page, and when there is none it waits: for the bell, for transient frames, for the
//! next comment, for the hub to stop. It is polled only as fast as its client reads, so a slow one holds up nobody.

use baton_core::{Caller, Quota, limits};
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::time::{Instant, sleep, sleep_until};

use super::channel::{Channel, RequestedChannel};
use super::frame;
use super::page;
use super::tail;
use crate::hub::{Bell, Connected, Hub, MovedTasks, Occupied, Page, Slot, StreamIntervals};
use crate::service::Error;

/// An open stream.
pub(super) struct Listener {
    hub: Arc<Hub>,
    channel: Channel,
    bearer: String,
    /// The access epoch under which the caller was last allowed to listen.
    epoch: u64,
    news: Wakeup,
    /// Transient frames: sent once and stored nowhere.
    transient_frames: Receiver<Arc<str>>,
    /// Tasks that went on; for whoever watches the whole network.
    changes: Option<Receiver<MovedTasks>>,
    /// Everything up to here was sent.
    position: i64,
    is_caught_up: bool,
    intervals: StreamIntervals,
    comment_at: Instant,
    first: Option<Bytes>,
    is_over: bool,
    _seat: Slot,
    _occupied: Occupied,
    _connected: Option<Connected>,
}

/// What says that there is something to read.
enum Wakeup {
    /// The recipient's bell.
    Bell(Bell),
    /// The network's one reader.
    Tail(Receiver<Arc<Page>>),
}

/// Why a wait ended.
enum WakeReason {
    Rung,
    Read(Arc<Page>),
    Transient(Arc<str>),
    Moved(MovedTasks),
    /// What went on was more than could be kept for this stream.
    Missed,
    Due,
    Stopping,
}

impl Listener {
    /// Opens a stream for a caller that may listen.
    pub(super) async fn open(
        hub: Arc<Hub>,
        bearer: String,
        wanted: RequestedChannel,
        last_event_id: Option<String>,
    ) -> Result<Self, Error> {
        // Read before the rows are: what was allowed is at least as new as this number says.
        let epoch = hub.store.access_epoch();
        let who = hub.identity_of(&bearer).await?;
        let channel = Channel::open(&hub, &who.caller, wanted).await?;
        let seat = hub.streams.take_seat(&who.token_id)?;
        let occupied = hub.occupy(Quota::Streams, &channel.network_id).await?;
        // Listening begins before the feed's end is read, so that nothing in between is missed.
        let news = Wakeup::of(&hub, &channel);
        let transient_frames = hub.bells.transient_frames.listen(&channel.network_id);
        let changes = channel.to.is_none().then(|| hub.bells.changes.watch(&channel.network_id));
        let (newest, inbox_count) = beginning(&hub, &channel).await?;
        // Who names no id starts at the end; who names one that is none is notified of the gap, as for one too old.
        let position = last_event_id.map_or(newest, |id| id.trim().parse().unwrap_or(i64::MAX));
        Ok(Self {
            first: Some(frame::connected(&channel.listener, &channel.network_id, inbox_count)),
            _connected: connect(&hub, &who.caller),
            comment_at: Instant::now() + hub.streams.intervals.comment,
            intervals: hub.streams.intervals,
            is_caught_up: false,
            is_over: false,
            _seat: seat,
            _occupied: occupied,
            hub,
            channel,
            bearer,
            epoch,
            news,
            transient_frames,
            changes,
            position,
        })
    }

    /// The stream's bytes, until the token is revoked, the hub stops or the client leaves.
    pub(super) fn frames(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        stream::unfold(self, |mut listener| async move {
            let bytes = listener.next().await?;
            Some((Ok(bytes), listener))
        })
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.is_over || !self.may_go_on().await {
                return None;
            }
            let told = match self.first.take() {
                Some(first) => first,
                None if self.is_caught_up => self.wait().await,
                None => self.read_on().await?,
            };
            if !told.is_empty() {
                return Some(told);
            }
        }
    }

    /// Whether the caller may still listen; asked of the store only when tokens or members changed.
    async fn may_go_on(&mut self) -> bool {
        let epoch = self.hub.store.access_epoch();
        if epoch != self.epoch {
            match self.channel.is_open_to(&self.hub, &self.bearer).await {
                Ok(()) => self.epoch = epoch,
                // The store had no time to say: asked again before the next frame.
                Err(Error::Store(error)) => tracing::debug!(%error, "a stream is not looked at yet"),
                Err(refused) => {
                    tracing::debug!(%refused, "a stream ends");
                    return false;
                }
            }
        }
        true
    }

    /// Tells the next page. None when the store is closed.
    async fn read_on(&mut self) -> Option<Bytes> {
        if self.hub.shutdown.is_draining() {
            return Some(self.final_frame());
        }
        let Channel { network_id, to, .. } = &self.channel;
        match page::read(&self.hub, network_id, to.as_ref(), self.position).await {
            Ok(page) => {
                self.position = page.position;
                self.is_caught_up = !page.is_full;
                Some(page.frames)
            }
            Err(Error::Store(baton_store::Error::Closed)) => None,
            Err(error) => {
                tracing::warn!(%error, "a stream could not read its feed");
                sleep(limits::STORE_RETRY_AFTER).await;
                Some(Bytes::new())
            }
        }
    }

    /// Waits for something to send; may return nothing.
    async fn wait(&mut self) -> Bytes {
        let woken = tokio::select! {
            woken = self.news.wait() => woken,
            woken = moved(self.changes.as_mut()) => woken,
            heard = self.transient_frames.recv() => heard.map_or(WakeReason::Due, WakeReason::Transient),
            () = sleep_until(self.comment_at.min(Instant::now() + self.intervals.access)) => WakeReason::Due,
            () = self.hub.shutdown.wait() => WakeReason::Stopping,
        };
        match woken {
            WakeReason::Rung => self.is_caught_up = false,
            WakeReason::Read(page) => return self.take(&page),
            WakeReason::Transient(json) => return frame::unnumbered(&json),
            WakeReason::Moved(tasks) => return frame::task_changed(&tasks),
            WakeReason::Missed => return frame::missed(),
            WakeReason::Due if Instant::now() >= self.comment_at => {
                self.comment_at = Instant::now() + self.intervals.comment;
                self.is_caught_up = false;
                return Bytes::from_static(frame::COMMENT);
            }
            WakeReason::Due => {}
            WakeReason::Stopping => return self.final_frame(),
        }
        Bytes::new()
    }

    /// A page of the network's reader: sent if it continues where this stream is, else read again.
    fn take(&mut self, page: &Page) -> Bytes {
        if page.after == self.position {
            self.position = page.position;
            return page.frames.clone();
        }
        self.is_caught_up = page.position <= self.position;
        Bytes::new()
    }

    fn final_frame(&mut self) -> Bytes {
        self.is_over = true;
        Bytes::from_static(frame::FAREWELL)
    }
}

impl Wakeup {
    fn of(hub: &Arc<Hub>, channel: &Channel) -> Self {
        match &channel.to {
            Some(to) => Self::Bell(hub.bells.listen(&channel.network_id, to)),
            None => Self::Tail(tail::follow(hub, &channel.network_id)),
        }
    }

    async fn wait(&mut self) -> WakeReason {
        match self {
            Self::Bell(bell) => {
                bell.wait().await;
                WakeReason::Rung
            }
            Self::Tail(pages) => match pages.recv().await {
                Ok(page) => WakeReason::Read(page),
                Err(RecvError::Lagged(_)) => WakeReason::Rung,
                Err(RecvError::Closed) => WakeReason::Stopping,
            },
        }
    }
}

/// The next tasks that went on; never, for a stream that is not told of them.
async fn moved(changes: Option<&mut Receiver<MovedTasks>>) -> WakeReason {
    match changes {
        None => std::future::pending().await,
        Some(changes) => match changes.recv().await {
            // Which tasks went on is not known: another hub changed them.
            Ok(tasks) if tasks.is_empty() => WakeReason::Missed,
            Ok(tasks) => WakeReason::Moved(tasks),
            Err(RecvError::Lagged(_)) => WakeReason::Missed,
            Err(RecvError::Closed) => WakeReason::Stopping,
        },
    }
}

/// Where the feed ends and how much lies in the inbox, in one state of the database.
async fn beginning(hub: &Hub, channel: &Channel) -> Result<(i64, i64), Error> {
    let Channel { network_id, listener, .. } = channel.clone();
    hub.store
        .read(move |rows| {
            let (_, newest) = rows.feed_range(&network_id)?;
            Ok((newest, rows.inbox_count(&network_id, &listener)?))
        })
        .await
}

/// An agent that listens is there.
fn connect(hub: &Hub, caller: &Caller) -> Option<Connected> {
    match caller {
        Caller::Node(node) => hub.presences.connect(node),
        Caller::User(_) => None,
    }
}
