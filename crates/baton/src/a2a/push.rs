//! The four operations on push notifications. No card declares them yet, so each answers that they are not supported, to
//! whoever may see the agent at all; what takes them on belongs in `run` and in `check_of_send`.

use a2a_types::{
    DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest, TaskPushNotificationConfig,
};

use super::call::Reply;
use super::fault::{Fault, Kind};
use super::visitor::Visitor;
use crate::hub::Hub;
use crate::service::agent;

/// Whether cards say that this hub pushes.
pub(super) const IS_SUPPORTED: bool = false;

/// One of the four, with what it was given.
#[derive(Debug)]
#[expect(dead_code, reason = "read so that a wrong request is told; used once notifications are sent")]
pub(super) enum PushCall {
    Create(Box<TaskPushNotificationConfig>),
    Get(GetTaskPushNotificationConfigRequest),
    List(ListTaskPushNotificationConfigsRequest),
    Delete(DeleteTaskPushNotificationConfigRequest),
}

/// Carries one out.
pub(super) async fn run(hub: &Hub, visitor: &Visitor, call: PushCall) -> Result<Reply, Fault> {
    agent::profile_for_member(hub, visitor.caller(), &visitor.agent).await?;
    match call {
        PushCall::Create(_) | PushCall::Get(_) | PushCall::List(_) | PushCall::Delete(_) => {
            Err(unsupported())
        }
    }
}

/// A send may ask for notifications of the task it makes.
pub(super) fn check_of_send(config: Option<&TaskPushNotificationConfig>) -> Result<(), Fault> {
    config.map_or(Ok(()), |_| Err(unsupported()))
}

fn unsupported() -> Fault {
    Fault::new(Kind::PushNotificationNotSupported, "this hub sends no push notifications: subscribe instead")
}
