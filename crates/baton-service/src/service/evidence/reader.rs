//! Whose log a reader means, and how far it may look: the one place where reads of evidence are allowed.

use baton_core::access::TaskReach;
use baton_core::{Action, Caller, NetworkId, Refusal, TaskId};
use baton_store::Snapshot;
use serde::Deserialize;

use crate::hub::Hub;
use crate::service::network_ref::NetworkRef;
use crate::service::{Error, audit, get_task};

/// A reader before one network's log.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    pub network: NetworkId,
    reach: TaskReach,
    is_audited: bool,
}

impl Reader {
    /// A reader of the named network's log, or of the only one there is.
    pub(super) fn of(rows: &dyn Snapshot, caller: &Caller, network_id: Option<&str>) -> Result<Self, Error> {
        let permitted = NetworkRef::of_write(network_id).permit_read(rows, caller, Action::ReadNetwork)?;
        let (reach, is_audited) = (permitted.reach()?, permitted.is_audited());
        Ok(Self { network: permitted.into_network(), reach, is_audited })
    }

    /// The same for one task; a task that the caller may not see does not exist.
    pub(super) fn of_task(
        rows: &dyn Snapshot,
        caller: &Caller,
        network_id: Option<&str>,
        task: &TaskId,
    ) -> Result<Self, Error> {
        let named = network_id.filter(|named| !named.is_empty());
        if named.is_some() {
            // Refused as everywhere, before the task is looked for: another's network, or a token's wrong one.
            NetworkRef::of_write(named).network(rows, caller, None)?;
        }
        let (row, is_audited) = get_task::visible(rows, caller, task)?;
        let network = row.snapshot.network_id;
        if named.is_some_and(|named| named != network.as_str()) {
            return Err(Refusal::TaskNotFound.into());
        }
        Ok(Self { network, reach: TaskReach::Network, is_audited })
    }

    /// Allows a look at the whole log.
    pub(super) fn sees_all(&self) -> Result<(), Refusal> {
        match self.reach {
            TaskReach::Network => Ok(()),
            TaskReach::Own(_) => Err(Refusal::PermissionDenied),
        }
    }

    /// Allows a look at one event: an agent sees those of tasks it sent or was given.
    pub(super) fn sees_event(&self, rows: &dyn Snapshot, caller: &Caller, event: &[u8]) -> Result<(), Error> {
        if self.reach == TaskReach::Network {
            return Ok(());
        }
        let task = task_of(event).ok_or(Refusal::PermissionDenied)?;
        match get_task::visible(rows, caller, &task) {
            Ok(_) => Ok(()),
            Err(Error::Refused(_)) => Err(Refusal::PermissionDenied.into()),
            Err(error) => Err(error),
        }
    }

    /// Records that a system admin read a network they do not belong to, before the response is sent.
    pub(super) async fn write_down(&self, hub: &Hub, caller: &Caller) -> Result<(), Error> {
        if self.is_audited {
            audit::network_read(hub, caller, self.network.clone(), "evidence").await?;
        }
        Ok(())
    }
}

/// The task an event is about, if it names one of the hub's form.
pub(super) fn task_of(event: &[u8]) -> Option<TaskId> {
    #[derive(Deserialize)]
    struct Event {
        data: Data,
    }
    #[derive(Deserialize)]
    struct Data {
        task: Option<Task>,
    }
    #[derive(Deserialize)]
    struct Task {
        id: String,
    }
    let event: Event = serde_json::from_slice(event).ok()?;
    TaskId::parse(&event.data.task?.id)
}

/// A task named in a query.
pub(super) fn task_named(text: Option<&str>) -> Result<Option<TaskId>, Refusal> {
    let named = text.filter(|text| !text.is_empty());
    named.map(|text| TaskId::parse(text).ok_or(Refusal::TaskNotFound)).transpose()
}

/// A number in a query, where everything is text.
pub(super) fn number(field: &'static str, text: Option<&str>) -> Result<Option<u64>, Error> {
    let named = text.filter(|text| !text.is_empty());
    let parse =
        |text: &str| text.parse().map_err(|_| Error::argument(field, "must be a whole number from 0"));
    named.map(parse).transpose()
}
