//! Waiting for a task, or for several: until it has ended or asks for input, or until something happened to it. A ring says that it is
//! worth looking, and mostly which status the task has now; whether the caller may still look is asked when it is over.

use baton_core::{CallWaitSeconds, Caller, NetworkId, Quota, Refusal, Status, TaskId, TaskSnapshot};
use baton_store::Snapshot;
use baton_store::rows::ProgressRow;
use futures_util::future::select_all;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::{Error, get_task, permit};
use crate::hub::Slot;
use crate::hub::{Bell, Hub};

/// Reads how long a call waits.
pub(super) fn seconds(asked: Option<i64>) -> Result<CallWaitSeconds, Error> {
    let wait = asked.map(|wait| CallWaitSeconds::parse("wait_seconds", wait)).transpose();
    Ok(wait.map_err(Error::of_argument)?.unwrap_or_default())
}

/// What a waiting caller receives meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitProgress {
    /// Tells two reports of the same words apart.
    number: (i64, i64),
    pub percent: Option<u8>,
    pub message: Option<String>,
}

impl From<ProgressRow> for WaitProgress {
    fn from(row: ProgressRow) -> Self {
        Self { number: (row.event, row.n), percent: row.percent, message: row.message }
    }
}

impl WaitProgress {
    /// So many of several tasks are settled.
    fn of_several(settled: usize, all: usize) -> Self {
        let percent = u8::try_from(settled * 100 / all.max(1)).unwrap_or(100);
        let message = format!("{settled} of {all} tasks have ended or ask for input");
        Self { number: (0, percent.into()), percent: Some(percent), message: Some(message) }
    }
}

/// Who receives the progress of a task that a call waits for; nobody, unless the caller asked for it.
#[derive(Debug, Default)]
pub struct ProgressSink(Option<watch::Sender<Option<WaitProgress>>>);

impl ProgressSink {
    /// A sink, and where its progress arrives: always the latest.
    pub fn channel() -> (Self, watch::Receiver<Option<WaitProgress>>) {
        let (tell, told) = watch::channel(None);
        (Self(Some(tell)), told)
    }

    fn report(&self, progress: Option<impl Into<WaitProgress>>) {
        if let (Self(Some(tell)), Some(progress)) = (self, progress) {
            let progress = progress.into();
            tell.send_if_modified(|last| {
                let is_new = last.as_ref() != Some(&progress);
                *last = Some(progress);
                is_new
            });
        }
    }
}

/// A wait that its token has room for, and when it is over.
#[derive(Debug)]
pub(super) struct TaskWait {
    deadline: Instant,
    _seat: Option<Slot>,
}

impl TaskWait {
    /// Begins to wait; none if the call does not. A token that waits for too many tasks already is refused.
    pub(super) fn begin(hub: &Hub, caller: &Caller, wait: CallWaitSeconds) -> Result<Option<Self>, Refusal> {
        if wait.get() == 0 {
            return Ok(None);
        }
        let deadline = Instant::now() + Duration::from_secs(wait.get().into());
        let seat = caller.token_id().map(|token| hub.streams.take_wait(token)).transpose()?;
        Ok(Some(Self { deadline, _seat: seat }))
    }

    /// Waits until the task has ended or asks for input. The bell has been listened to since before the task was looked at
    /// last, and `is_known` says that it was not settled then. In a network with too many waits it does not wait.
    pub(super) async fn until_settled(
        self,
        hub: &Hub,
        caller: &Caller,
        (network, task): (&NetworkId, &TaskId),
        (mut bell, mut is_known): (Bell, bool),
        progress: &ProgressSink,
    ) -> Result<(), Error> {
        let _occupied = match hub.occupy(Quota::WaitingCalls, network).await {
            Ok(occupied) => occupied,
            Err(Error::Refused(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        loop {
            if !is_known {
                let (asker, id) = (caller.clone(), task.clone());
                let read = hub.store_for(caller).read(move |rows| may_look(rows, &asker, &id));
                let seen = read.await?;
                progress.report(seen.progress);
                if is_settled(seen.status) {
                    return Ok(());
                }
            }
            is_known = tokio::select! {
                () = bell.wait() => match bell.heard() {
                    Some(status) if is_settled(status) => return Ok(()),
                    status => status.is_some(),
                },
                () = sleep_until(self.deadline) => return Ok(()),
                () = hub.shutdown.wait() => return Ok(()),
            };
        }
    }

    /// Waits until so many of the tasks have ended or ask for input.
    pub(super) async fn until_several(
        self,
        hub: &Hub,
        caller: &Caller,
        tasks: &[TaskId],
        how_many: WaitMode,
        progress: &ProgressSink,
    ) -> Result<(), Error> {
        let mut bells: Vec<Bell> = tasks.iter().map(|task| hub.bells.listen_to_task(task)).collect();
        let mut occupied = None;
        loop {
            let (asker, ids) = (caller.clone(), tasks.to_vec());
            let look = hub.store_for(caller).read(move |rows| -> Result<Vec<WaitedState>, Error> {
                ids.iter().map(|id| may_look(rows, &asker, id)).collect()
            });
            let seen = look.await?;
            let settled = seen.iter().filter(|seen| is_settled(seen.status)).count();
            progress.report(Some(WaitProgress::of_several(settled, seen.len())).filter(|_| settled > 0));
            let Some(first) = seen.first().filter(|_| !how_many.is_reached(settled, tasks.len())) else {
                return Ok(());
            };
            if occupied.is_none() {
                occupied = Some(hub.occupy(Quota::WaitingCalls, &first.network).await?);
            }
            let rung = select_all(bells.iter_mut().map(|bell| Box::pin(bell.wait())));
            tokio::select! {
                _ = rung => {}
                () = sleep_until(self.deadline) => return Ok(()),
                () = hub.shutdown.wait() => return Ok(()),
            }
        }
    }

    /// Waits until the task has an event after this number, or after the last it has now. An ended task gets no more.
    pub(super) async fn until_event(
        self,
        hub: &Hub,
        caller: &Caller,
        task: &TaskId,
        after: Option<i64>,
        progress: &ProgressSink,
    ) -> Result<(), Error> {
        let mut bell = hub.bells.listen_to_task(task);
        let (mut after, mut occupied) = (after, None);
        loop {
            let (asker, id) = (caller.clone(), task.clone());
            let look = hub.store_for(caller).read(move |rows| -> Result<_, Error> {
                Ok((may_look(rows, &asker, &id)?, rows.last_event(&id)?.map_or(0, |event| event.n)))
            });
            let (WaitedState { status, network, progress: reported }, last) = look.await?;
            progress.report(reported);
            if status.is_terminal() || last > *after.get_or_insert(last) {
                return Ok(());
            }
            if occupied.is_none() {
                occupied = Some(hub.occupy(Quota::WaitingCalls, &network).await?);
            }
            tokio::select! {
                () = bell.wait() => {}
                () = sleep_until(self.deadline) => return Ok(()),
                () = hub.shutdown.wait() => return Ok(()),
            }
        }
    }
}

/// How many of several tasks a call waits for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum WaitMode {
    Any,
    #[default]
    All,
}

impl WaitMode {
    pub(super) const fn is_reached(self, settled: usize, all: usize) -> bool {
        match self {
            Self::Any => settled > 0,
            Self::All => settled == all,
        }
    }
}

/// Whether there is anything more to wait for.
pub(super) const fn is_settled(status: Status) -> bool {
    status.is_terminal() || matches!(status, Status::WaitingInput)
}

/// What a call that waits sees of its task.
struct WaitedState {
    status: Status,
    network: NetworkId,
    progress: Option<ProgressRow>,
}

/// Where a task stands, for a caller that may look and whose token still counts.
fn may_look(rows: &dyn Snapshot, caller: &Caller, id: &TaskId) -> Result<WaitedState, Error> {
    permit::token_stands(rows, caller)?;
    let (task, _) = get_task::visible(rows, caller, id)?;
    let TaskSnapshot { status, network_id: network, .. } = task.snapshot;
    Ok(WaitedState { status, network, progress: task.progress })
}
