//! Somebody who waits for a task: woken when it changes, by the clock, and when the hub stops; and asked now and then
//! whether its token still opens what it opened. A ring carries nothing: what is new is read from the rows.

use baton_core::{Status, TaskId, limits};
use baton_store::Tenant;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

use super::agent_caller::AgentCaller;
use super::error::A2aError;
use crate::hub::in_flight::Cost;
use crate::hub::{Bell, Hub};
use crate::service::task_record::{self, Extent, TaskRecord};

/// One who waits.
pub(super) struct TaskWatch {
    pub(super) hub: Arc<Hub>,
    pub(super) visitor: AgentCaller,
    pub(super) task: TaskId,
    bell: Bell,
    /// The access epoch under which the caller was last allowed to look.
    epoch: u64,
}

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WakeReason {
    Rung,
    /// Nothing happened, but it is time to look around.
    Due,
    Stopping,
}

impl TaskWatch {
    /// From now on every change is seen; earlier changes must be read.
    pub(super) fn new(hub: &Arc<Hub>, visitor: AgentCaller, task: TaskId) -> Self {
        let bell = hub.bells.listen_to_task(&task);
        // A caller that waits for a task was allowed to read it, or sent it, after it was identified.
        let epoch = visitor.epoch;
        Self { hub: hub.clone(), visitor, task, bell, epoch }
    }

    /// Waits, no longer than until then.
    pub(super) async fn wait(&mut self, until: Instant) -> WakeReason {
        let look_around =
            Instant::now() + Duration::from_secs((limits::REVOKED_STREAM_ENDS_SECONDS / 3).into());
        tokio::select! {
            () = self.bell.wait() => WakeReason::Rung,
            () = sleep_until(until.min(look_around)) => WakeReason::Due,
            () = self.hub.shutdown.wait() => WakeReason::Stopping,
        }
    }

    /// The store as the waiting caller uses it.
    pub(super) fn store(&self) -> Tenant<'_> {
        self.hub.store_for(self.visitor.caller())
    }

    /// The task's status: from the ring that woke this one, or else from the row.
    async fn status(&self, woken: Option<WakeReason>) -> Result<Status, A2aError> {
        match self.bell.heard().filter(|_| woken == Some(WakeReason::Rung)) {
            Some(status) => Ok(status),
            None => Ok(task_record::status(self.store(), &self.task).await?),
        }
    }

    /// Waits until the task has ended or asks for input, no longer than until then and than the hub runs.
    async fn until_settled(&mut self, until: Instant) -> Result<(), A2aError> {
        let mut woken = None;
        loop {
            let status = self.status(woken).await?;
            if status.is_terminal() || status == Status::WaitingInput || Instant::now() >= until {
                return Ok(());
            }
            match *woken.insert(self.wait(until).await) {
                WakeReason::Rung => {}
                WakeReason::Due => self.check_access().await?,
                WakeReason::Stopping => return Ok(()),
            }
        }
    }

    /// Whether the caller may still look; asked of the store only when tokens, members or an assignee changed.
    pub(super) async fn check_access(&mut self) -> Result<(), A2aError> {
        let epoch = self.hub.store.access_epoch();
        if epoch != self.epoch {
            let identity = self.hub.identity_of(&self.visitor.bearer).await?;
            let agent = &self.visitor.agent;
            task_record::check_visible(&self.hub, &identity.caller, agent, &self.task).await?;
            self.epoch = epoch;
        }
        Ok(())
    }
}

/// Longest a blocking send waits.
pub(super) const LONGEST: Duration = Duration::from_secs(limits::A2A_SEND_WAIT_MAX_SECONDS as u64);

/// Gives an agent that answers at once the time to do so, before a stream begins with the task.
pub(super) async fn hold(hub: &Arc<Hub>, visitor: &AgentCaller, task: &TaskId) -> Result<(), A2aError> {
    let held = Duration::from_millis(limits::A2A_STREAM_HELD_MILLIS);
    TaskWatch::new(hub, visitor.clone(), task.clone()).until_settled(Instant::now() + held).await
}

/// Waits until a task has ended or asks for input, no longer than this, than the hub runs and than the caller may look.
/// Then it is as it is, with so many messages.
pub(super) async fn until_settled(
    hub: &Arc<Hub>,
    visitor: &AgentCaller,
    task: &TaskId,
    longest: Duration,
    history: usize,
) -> Result<TaskRecord, A2aError> {
    let mut watch = TaskWatch::new(hub, visitor.clone(), task.clone());
    watch.until_settled(Instant::now() + longest).await?;
    // Much may have happened meanwhile: what a revoked token waited for is not for it any more.
    watch.check_access().await?;
    visitor.take_share(hub, Cost::Item).await?;
    Ok(task_record::read_again(hub, watch.store(), task, Extent::now(history)).await?)
}
