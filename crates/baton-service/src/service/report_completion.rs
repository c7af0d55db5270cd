//! An agent reports that a task is done.

use baton_core::{Action, Caller, Command, Refusal, ResultText, TaskAction, TaskId, limits};
use baton_store::Transaction;
use baton_store::rows::NewCompletion;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::any_json::AnyJson;
use super::network_ref::NetworkRef;
use super::report_status::{check_score, meant};
use super::stamp::Stamp;
use super::{Error, evidence, names, operation, send_reply};
use crate::hub::Hub;

/// What is done.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Your own alias; the token's by default
    #[schemars(length(min = 1, max = limits::ALIAS_MAX_CHARS))]
    alias: Option<String>,
    /// The task's id, or the exact text of one open task
    task: String,
    /// What came of it
    #[schemars(length(min = 1, max = limits::TEXT_MAX_BYTES))]
    result: String,
    /// Your own notes on what was made, any JSON each
    #[schemars(length(max = limits::ARTIFACTS_MAX_COUNT), with = "Option<Vec<AnyJson>>")]
    artifacts: Option<Vec<Value>>,
    /// How well it went, as you judge it
    #[schemars(range(min = 0, max = limits::SCORE_MAX))]
    score: Option<f64>,
    /// How long it took
    duration_minutes: Option<f64>,
    /// The lease you hold; a stale one is lease_lost
    lease_id: Option<String>,
    /// The network; a node token has only its own
    network_id: Option<String>,
}

/// It is recorded, and the task has its answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompletionReported {
    ok: bool,
    completion_id: i64,
    task_id: TaskId,
}

/// The arguments, checked.
struct Request {
    alias: baton_core::Alias,
    task: String,
    result: ResultText,
    artifacts: Option<Vec<Value>>,
    score: Option<f64>,
    duration_minutes: Option<f64>,
    lease_id: Option<baton_core::LeaseId>,
    place: NetworkRef,
}

/// Reports a completion.
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<CompletionReported, Error> {
    let request = Request::read(caller, args)?;
    let stamp = Stamp::new(hub);
    let caller = caller.clone();
    hub.store_for(&caller).write(move |tx| complete(tx, &stamp, &caller, &request)).await
}

impl Request {
    fn read(caller: &Caller, args: Args) -> Result<Self, Error> {
        check_score(args.score)?;
        if args.artifacts.as_ref().is_some_and(|artifacts| artifacts.len() > limits::ARTIFACTS_MAX_COUNT) {
            let rule = format!("must be at most {} items", limits::ARTIFACTS_MAX_COUNT);
            return Err(Error::argument("artifacts", rule));
        }
        Ok(Self {
            alias: names::alias(&names::given_or_own(caller, args.alias)?)?,
            task: args.task,
            result: ResultText::parse("result", &args.result).map_err(Error::of_argument)?,
            artifacts: args.artifacts,
            score: args.score,
            duration_minutes: args.duration_minutes,
            lease_id: send_reply::lease(args.lease_id.as_deref())?,
            place: NetworkRef::of_write(args.network_id.as_deref()),
        })
    }
}

fn complete(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    caller: &Caller,
    request: &Request,
) -> Result<CompletionReported, Error> {
    let action = Action::Task { action: TaskAction::Complete, parties: None };
    let network = request.place.permit(tx.as_snapshot(), caller, action)?.into_network();
    if caller.principal()? != baton_core::Principal::Node(request.alias.clone()) {
        return Err(Refusal::PermissionDenied.into());
    }
    let task_id = meant(tx, &network, &request.alias, &request.task)?.ok_or(Refusal::TaskNotFound)?;
    let command = Command::Complete { result: request.result.clone(), lease_id: request.lease_id.clone() };
    let now = tx.time().now;
    let done = operation::act(tx, stamp, caller, &request.place, Some(&task_id), &command)?;
    if stamp.records_evidence {
        let artifacts = request.artifacts.as_deref().unwrap_or_default();
        evidence::change::write_down_artifacts(tx, now, &done, artifacts)?;
    }
    let artifacts = request.artifacts.as_ref().map(|artifacts| Value::from(artifacts.clone()).to_string());
    let task = tx.task(&task_id)?.ok_or(Refusal::TaskNotFound)?;
    let completion_id = tx.insert_completion(NewCompletion {
        network_id: &network,
        session_name: request.alias.as_str(),
        task_id: &task_id,
        task: &task.content,
        result: request.result.as_str(),
        artifacts: artifacts.as_deref(),
        score: request.score,
        duration_minutes: request.duration_minutes,
        at: now,
    })?;
    if let Some(mut session) = tx.session(&network, &request.alias)? {
        session.status = "idle".into();
        session.task = None;
        session.updated_at = now;
        tx.put_session(&session)?;
    }
    Ok(CompletionReported { ok: true, completion_id, task_id })
}
