//! Has a task's events told to a receiver. The same id again, by whoever made it, puts the new one in its place.

use baton_core::{Caller, Refusal, TaskAction, TaskId, limits};
use baton_store::Transaction;
use baton_store::rows::{PushConfigRow, PushSecrets, PushTrouble};

use super::PushView;
use crate::hub::Hub;
use crate::outbound::Target;
use crate::service::Error;

/// A receiver as a caller gives it.
#[derive(Clone, Default)]
pub(crate) struct NewPush {
    pub(crate) config_id: Option<String>,
    pub(crate) url: String,
    pub(crate) token: Option<String>,
    pub(crate) scheme: Option<String>,
    pub(crate) credentials: Option<String>,
}

/// Which events it is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    /// Those to come.
    Now,
    /// All of the task: it came with the message that made it.
    TheBeginning,
}

impl NewPush {
    /// Checks a receiver before anything is done: a send that brings one that cannot be called sends nothing.
    pub(crate) async fn check(&self, hub: &Hub) -> Result<Target, Error> {
        for (field, text) in [
            ("id", &self.config_id),
            ("token", &self.token),
            ("authentication.scheme", &self.scheme),
            ("authentication.credentials", &self.credentials),
        ] {
            check_field(field, text.as_deref())?;
        }
        let refused = |error: crate::outbound::Error| Error::argument("url", error.to_string());
        let target = hub.outbound.target(&self.url).map_err(refused)?;
        hub.outbound.look_up(&target).await.map_err(refused)?;
        Ok(target)
    }
}

/// These become headers: printable, and no longer than a header may be.
fn check_field(field: &str, text: Option<&str>) -> Result<(), Error> {
    let Some(text) = text else { return Ok(()) };
    if text.chars().count() > limits::PUSH_FIELD_MAX_CHARS {
        return Err(Error::argument(field, format!("takes {} characters", limits::PUSH_FIELD_MAX_CHARS)));
    }
    if text.is_empty() || !text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Err(Error::argument(field, "must be of printable ASCII characters"));
    }
    Ok(())
}

/// Makes a receiver.
pub(crate) async fn run(
    hub: &Hub,
    caller: &Caller,
    task: &str,
    push: NewPush,
    since: Since,
) -> Result<PushView, Error> {
    let task = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let (asker, wanted) = (caller.clone(), task.clone());
    // Who may not is told so before any name is looked up.
    let allowed =
        hub.store.read(move |rows| super::task(rows, &asker, &wanted, TaskAction::Notify).map(drop));
    allowed.await?;
    push.check(hub).await?;
    let (now, new_id) = (hub.clock.now(), hub.new_message_id().as_str().to_owned());
    let (asker, about) = (caller.clone(), task.clone());
    let row = hub.store.write(move |tx| -> Result<_, Error> {
        let task = super::task(tx.as_snapshot(), &asker, &about, TaskAction::Notify)?;
        let told = match since {
            Since::Now => tx.task_history(&about)?.last().map_or(0, |event| event.n),
            Since::TheBeginning => 0,
        };
        let row = PushConfigRow {
            task_id: about,
            config_id: push.config_id.unwrap_or(new_id),
            network_id: task.network_id,
            owner: asker.principal()?,
            user_id: asker.user_id().clone(),
            token_id: match &asker {
                Caller::Node(node) => Some(node.token_id.clone()),
                Caller::User(_) => None,
            },
            url: push.url,
            secrets: PushSecrets { token: push.token, scheme: push.scheme, credentials: push.credentials },
            created_at: now,
            delivered: told,
            trouble: PushTrouble::default(),
            is_open: true,
        };
        put(tx, &row)?;
        Ok(row)
    });
    let row = row.await?;
    hub.bells.pushes.watch(&task);
    Ok(row.into())
}

fn put(tx: &mut dyn Transaction, row: &PushConfigRow) -> Result<(), Error> {
    let others = tx.push_configs(&row.task_id)?;
    let same = others.iter().find(|other| other.config_id == row.config_id);
    match same {
        Some(same) if same.owner != row.owner => return Err(Error::argument("id", "is taken")),
        None if others.len() >= limits::PUSH_CONFIGS_PER_TASK_MAX_COUNT => {
            let rule = format!("has its {} receivers already", limits::PUSH_CONFIGS_PER_TASK_MAX_COUNT);
            return Err(Error::argument("task", rule));
        }
        _ => {}
    }
    Ok(tx.put_push_config(row)?)
}
