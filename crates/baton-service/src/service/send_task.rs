//! Send a task to an agent, and wait for its end if asked to.

use baton_core::{
    Action, ArtifactRef, ArtifactSource, Caller, Command, ContextId, ContextText, IdempotencyKey, Kind,
    MaxAttempts, NetworkId, Principal, Priority, Refusal, RetryBackoffSeconds, RunTerms, RunTimeoutSeconds,
    SendTask, TaskId, TaskText, TraceParent, TtlSeconds, access, decide, limits,
};
use baton_store::rows::{IdempotentSend, PageBounds, TaskFilter, TaskTexts};
use baton_store::{Snapshot, Transaction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::accounts::quotas;
use super::actor::Actor;
use super::agent::AgentAddress;
use super::any_json::AnyJson;
use super::apply::{self, Decided, Payload};
use super::artifacts::{RefArgs, reference};
use super::follow_up::MessageContent;
use super::network_ref::{NetworkRef, role_in};
use super::permit::Permitted;
use super::push_configs::MayNotify;
use super::push_configs::receiver::{self, CheckedPush, Since};
use super::stamp::Stamp;
use super::task_view::WholeTaskView;
use super::task_wait::{self, ProgressSink, TaskWait};
use super::{Error, delegation, get_task, idempotency, names, presence};
use crate::hub::Hub;
use crate::hub::in_flight::ResponseReservation;

/// What is to be sent.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema, ToSchema)]
#[schema(as = NewTask)]
pub struct Args {
    /// The agent to send to
    #[schemars(length(min = 1, max = limits::ALIAS_MAX_CHARS))]
    pub alias: String,
    /// What is to be done
    #[schemars(length(min = 1, max = limits::TEXT_MAX_BYTES))]
    pub task: String,
    /// How urgent it is; normal by default
    pub priority: Option<PriorityName>,
    /// Anything the agent should know beside the task
    #[schemars(length(max = limits::CONTEXT_MAX_BYTES))]
    pub context: Option<String>,
    /// Accepted, never used: who acts is what the token says
    #[serde(rename = "from_session", skip_serializing)]
    #[schemars(with = "Option<String>")]
    pub _from_session: Option<Value>,
    /// Seconds the task may wait before an agent starts it, 3600 by default
    #[schemars(range(min = 1, max = limits::TTL_MAX_SECONDS))]
    pub ttl_seconds: Option<i64>,
    /// The network; a node token has only its own
    pub network_id: Option<String>,
    /// The task this one is part of
    pub parent_task_id: Option<String>,
    /// Send it even if the agent has an open task in the chain of parents
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_cycle: Option<bool>,
    /// 1-64 of a-z0-9._-
    #[schema(pattern = "^[a-z0-9._-]{1,64}$")]
    pub kind: Option<String>,
    /// The same key and arguments give the first answer again, for 24 hours
    #[schemars(length(min = 1, max = limits::IDEMPOTENCY_KEY_MAX_CHARS))]
    pub idempotency_key: Option<String>,
    /// Your own notes, any JSON
    #[schemars(with = "Option<AnyJson>")]
    pub meta: Option<Value>,
    /// Artifacts to send along, uploaded with PUT /api/artifacts
    #[schemars(length(max = limits::ARTIFACT_REFS_MAX_COUNT))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Vec<RefArgs>>,
    /// How many deliveries there may be before a lapsed lease makes the task fail, 3 by default
    #[schemars(range(min = 1, max = limits::MAX_ATTEMPTS_MAX))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<i64>,
    /// How long the task waits after a lapsed lease until it is delivered again, 0 by default
    #[schemars(range(min = 0, max = limits::RETRY_BACKOFF_MAX_SECONDS))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_backoff_seconds: Option<i64>,
    /// How long one run may take; after that the task fails with run_timeout. No limit by default
    #[schemars(range(min = 1, max = limits::RUN_TIMEOUT_MAX_SECONDS))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_timeout_seconds: Option<i64>,
    /// Wait so long for the task to end or to ask for input; 0 by default
    #[schemars(range(min = 0, max = limits::CALL_WAIT_MAX_SECONDS))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_seconds: Option<i64>,
}

/// How urgent something is.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema, ToSchema)]
#[schema(as = PriorityOfTask)]
#[serde(rename_all = "snake_case")]
pub enum PriorityName {
    High,
    Normal,
    Low,
}

impl From<PriorityName> for Priority {
    fn from(name: PriorityName) -> Self {
        match name {
            PriorityName::High => Self::High,
            PriorityName::Normal => Self::Normal,
            PriorityName::Low => Self::Low,
        }
    }
}

/// What became of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaskSent {
    ok: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    queued: bool,
    task_id: TaskId,
    message_id: TaskId,
    session_status: String,
    /// With a wait: the task as it is when the wait is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<Box<WholeTaskView>>,
    /// With a wait: whether the task has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<bool>,
}

impl TaskSent {
    fn new(task_id: TaskId, session_status: String) -> Self {
        let queued = session_status == presence::OFFLINE;
        let message_id = task_id.clone();
        Self { ok: true, queued, message_id, task_id, session_status, task: None, ended: None }
    }

    /// What somebody who waited for the end of a task is answered.
    pub(super) fn of_ended(task: WholeTaskView, task_id: TaskId, session_status: String) -> Self {
        Self { task: Some(Box::new(task)), ended: Some(true), ..Self::new(task_id, session_status) }
    }

    /// The task, unless the call waited for its end and saw it.
    pub fn open_task(&self) -> Option<&TaskId> {
        (self.ended != Some(true)).then_some(&self.task_id)
    }

    /// Whether the task waits for a recipient that was offline when it was sent.
    pub fn is_queued(&self) -> bool {
        self.queued && self.ended != Some(true)
    }
}

/// A task that was sent, now or by an earlier call with the same key.
pub(super) struct Sent {
    pub(super) answer: TaskSent,
    network: NetworkId,
    is_new: bool,
}

/// The arguments, checked.
pub(super) struct Request {
    to: baton_core::Alias,
    payload: Payload,
    /// Artifacts to send along.
    artifacts: Vec<ArtifactRef>,
    kind: Option<Kind>,
    ttl: TtlSeconds,
    max_attempts: MaxAttempts,
    runs: RunTerms,
    parent_task_id: Option<String>,
    context_id: Option<ContextId>,
    allow_cycle: bool,
    key: Option<IdempotencyKey>,
    /// SHA-256 of everything a repeated call must repeat.
    arguments: Vec<u8>,
    place: NetworkRef,
    /// Who is notified of the task's events.
    push: Option<CheckedPush>,
}

/// A message that asks an agent for something: what the A2A door makes of one without a task.
#[derive(Debug, Clone)]
pub struct NewMessage {
    pub agent: AgentAddress,
    pub said: MessageContent,
    /// The conversation it continues.
    pub context_id: Option<ContextId>,
    pub traceparent: Option<TraceParent>,
}

/// Sends a task, as part of a trace if its sender names one, and waits for its end if asked to.
pub async fn run(
    hub: &Hub,
    caller: &Caller,
    args: Args,
    traceparent: Option<TraceParent>,
    share: &ResponseReservation,
    progress: &ProgressSink,
) -> Result<TaskSent, Error> {
    let wait = task_wait::seconds(args.wait_seconds)?;
    let request = Request::read(args, traceparent)?;
    // A token that may not wait for one more sends nothing.
    let Some(wait) = TaskWait::begin(hub, caller, wait)? else {
        return Ok(take(hub, caller, Stamp::new(hub), request).await?.answer);
    };
    let stamp = Stamp::new(hub);
    // From before it is sent, so that nothing that happens to it is missed.
    let bell = hub.bells.listen_to_task(&stamp.new_task_id);
    let Sent { mut answer, network, is_new } = take(hub, caller, stamp, request).await?;
    let id = answer.task_id.clone();
    let bell = if is_new { bell } else { hub.bells.listen_to_task(&id) };
    let settled = async {
        wait.until_settled(hub, caller, (&network, &id), (bell, is_new), progress).await?;
        share.reserve(hub).await?;
        get_task::whole(hub, caller, id.clone(), share.messages_shown()).await
    };
    let (task, has_ended) = settled.await.map_err(Error::after_commit)?;
    (answer.task, answer.ended) = (Some(Box::new(task)), Some(has_ended));
    Ok(answer)
}

/// Sends what a message asks for; answers the task it became.
pub async fn send_message(hub: &Hub, caller: &Caller, message: NewMessage) -> Result<TaskId, Error> {
    let sent = take(hub, caller, Stamp::new(hub), Request::of_message(message)?).await?;
    Ok(sent.answer.task_id)
}

async fn take(hub: &Hub, caller: &Caller, stamp: Stamp, mut request: Request) -> Result<Sent, Error> {
    request.digest(&stamp);
    let sender = caller.clone();
    let watched = request.push.is_some().then(|| stamp.new_task_id.clone());
    let sending = move |tx: &mut dyn Transaction| send(tx, &stamp, &sender, &request);
    match watched {
        None => hub.store_for(caller).write(sending).await,
        Some(task) => receiver::write(hub, caller, task, sending).await,
    }
}

/// Whether the caller may send to an agent, asked before anything is looked up outside for it.
pub async fn check_may(hub: &Hub, caller: &Caller, agent: &AgentAddress) -> Result<(), Error> {
    let (caller, agent) = (caller.clone(), agent.clone());
    let store = hub.store_for(&caller);
    let asked = move |rows: &dyn Snapshot| -> Result<(), Error> {
        let AgentAddress { network_id, alias } = &agent;
        access::authorize(&caller, network_id, role_in(rows, &caller, network_id)?, Action::Send)?;
        // A repeated send to one that is gone is still answered.
        match rows.alias_exists(network_id, alias)? || rows.alias_was_used(network_id, alias)? {
            true => Ok(()),
            false => Err(Refusal::AliasNotFound.into()),
        }
    };
    store.read(asked).await
}

impl Request {
    /// Digests the text for its evidence, before the writer's turn.
    pub(super) fn digest(&mut self, stamp: &Stamp) {
        self.payload.content_digest = stamp.digest(&self.payload.content);
    }

    pub(super) fn read(args: Args, traceparent: Option<TraceParent>) -> Result<Self, Error> {
        let meta = args.meta.filter(|meta| !meta.is_null()).map(|meta| meta.to_string());
        if meta.as_ref().is_some_and(|meta| meta.len() > limits::META_MAX_BYTES) {
            let rule = format!("must be at most {} bytes of JSON", limits::META_MAX_BYTES);
            return Err(Error::argument("meta", rule));
        }
        let text = TaskText::parse("task", &args.task).map_err(Error::of_argument)?;
        let context = args.context.as_deref().map(|context| ContextText::parse("context", context));
        let key = args.idempotency_key.as_deref().map(|key| IdempotencyKey::parse("idempotency_key", key));
        let ttl = args.ttl_seconds.map(|ttl| TtlSeconds::parse("ttl_seconds", ttl));
        let kind = args.kind.as_deref().map(Kind::parse).transpose().map_err(Error::of_argument)?;
        let to = names::alias(&args.alias)?;
        let payload = Payload {
            priority: args.priority.map_or(Priority::Normal, Priority::from),
            content: text.as_str().to_owned(),
            content_digest: None,
            context: context.transpose().map_err(Error::of_argument)?.map(|context| context.to_string()),
            meta,
            parts: None,
            traceparent,
        };
        let ttl = ttl.transpose().map_err(Error::of_argument)?.unwrap_or_default();
        let parent =
            Parentage { id: args.parent_task_id.as_deref(), allow_cycle: args.allow_cycle.unwrap_or(false) };
        let (max_attempts, runs) =
            run_terms(args.max_attempts, args.retry_backoff_seconds, args.run_timeout_seconds)?;
        let artifacts = reference::read(args.artifacts)?;
        let terms = (max_attempts, runs, &*artifacts);
        let arguments = digest(&to, &payload, kind.as_ref(), ttl, parent, None, terms);
        let allow_cycle = parent.allow_cycle;
        Ok(Self {
            to,
            payload,
            artifacts,
            kind,
            ttl,
            max_attempts,
            runs,
            parent_task_id: args.parent_task_id,
            context_id: None,
            allow_cycle,
            key: key.transpose().map_err(Error::of_argument)?,
            arguments,
            place: NetworkRef::of_write(args.network_id.as_deref()),
            push: None,
        })
    }

    fn of_message(message: NewMessage) -> Result<Self, Error> {
        let NewMessage { agent, said, context_id, traceparent } = message;
        let text = TaskText::parse("message", &said.text).map_err(Error::of_argument)?;
        let payload = Payload {
            priority: Priority::Normal,
            content: text.as_str().to_owned(),
            content_digest: None,
            context: None,
            meta: said.meta,
            parts: said.parts,
            traceparent,
        };
        let ttl = TtlSeconds::default();
        let (max_attempts, runs) = (MaxAttempts::default(), RunTerms::default());
        let (alias, artifacts) = (&agent.alias, said.artifacts);
        // They were made of its parts, which are digested.
        let (context, terms) = (context_id.as_ref(), (max_attempts, runs, &[][..]));
        let arguments = digest(alias, &payload, None, ttl, Parentage::default(), context, terms);
        Ok(Self {
            place: NetworkRef::of_write(Some(agent.network_id.as_str())),
            to: agent.alias,
            payload,
            artifacts,
            kind: None,
            ttl,
            max_attempts,
            runs,
            parent_task_id: None,
            context_id,
            allow_cycle: false,
            key: said.key,
            arguments,
            push: said.push,
        })
    }
}

/// What the sender allows the runs of a task.
fn run_terms(
    max_attempts: Option<i64>,
    backoff: Option<i64>,
    timeout: Option<i64>,
) -> Result<(MaxAttempts, RunTerms), Error> {
    let max_attempts = max_attempts.map(|attempts| MaxAttempts::parse("max_attempts", attempts));
    let backoff = backoff.map(|backoff| RetryBackoffSeconds::parse("retry_backoff_seconds", backoff));
    let timeout = timeout.map(|timeout| RunTimeoutSeconds::parse("run_timeout_seconds", timeout));
    let runs = RunTerms {
        retry_backoff: backoff.transpose().map_err(Error::of_argument)?.unwrap_or_default(),
        run_timeout: timeout.transpose().map_err(Error::of_argument)?,
    };
    Ok((max_attempts.transpose().map_err(Error::of_argument)?.unwrap_or_default(), runs))
}

/// The parent a send names, and whether its chain may hold the recipient already.
#[derive(Debug, Clone, Copy, Default)]
struct Parentage<'a> {
    id: Option<&'a str>,
    allow_cycle: bool,
}

fn digest(
    to: &baton_core::Alias,
    payload: &Payload,
    kind: Option<&Kind>,
    ttl: TtlSeconds,
    parent: Parentage<'_>,
    context_id: Option<&ContextId>,
    (max_attempts, runs, artifacts): (MaxAttempts, RunTerms, &[ArtifactRef]),
) -> Vec<u8> {
    let ttl = ttl.get().to_string();
    let terms = format!(
        "attempts {} backoff {} timeout {:?}",
        max_attempts.get(),
        runs.retry_backoff.get(),
        runs.run_timeout.map(RunTimeoutSeconds::get)
    );
    let mut parts = vec![
        Some(to.as_str()),
        Some(payload.priority.as_str()),
        Some(&*payload.content),
        payload.context.as_deref(),
        payload.meta.as_deref(),
        kind.map(Kind::as_str),
        Some(&*ttl),
        parent.id,
    ];
    // Only calls that have them: the digests of others are those that were remembered before there were any.
    if payload.parts.is_some() || context_id.is_some() {
        parts.extend([payload.parts.as_deref(), context_id.map(ContextId::as_str)]);
    }
    if parent.allow_cycle {
        parts.push(Some("allow_cycle"));
    }
    let artifacts = reference::as_text(artifacts);
    if let Some(artifacts) = &artifacts {
        parts.extend([Some("artifacts"), Some(&**artifacts)]);
    }
    if max_attempts != MaxAttempts::default() || runs != RunTerms::default() {
        parts.push(Some(&*terms));
    }
    idempotency::digest(&parts)
}

/// Sends it. What is refused is refused before anything is written.
pub(super) fn send(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    caller: &Caller,
    request: &Request,
) -> Result<Sent, Error> {
    let permitted = request.place.permit(tx.as_snapshot(), caller, Action::Send)?;
    let network = permitted.network().clone();
    let by = Actor::of(caller)?;
    let actor = by.principal.clone();
    if let Some(answer) = first_answer(tx, &network, &actor, request)? {
        return Ok(Sent { answer, network, is_new: false });
    }
    let context_id = match &request.context_id {
        Some(context) if is_conversation(tx.as_snapshot(), &permitted, context)? => Some(context.clone()),
        _ => None,
    };
    let parent = match &request.parent_task_id {
        Some(text) => Some(TaskId::parse(text).ok_or(Refusal::CrossNetworkParent)?),
        None => None,
    };
    let mut context = stamp.context(tx.time(), actor.clone());
    context.facts.recipient_exists = tx.alias_exists(&network, &request.to)?;
    if let Some(id) = &parent {
        delegation::fill_in(tx.as_snapshot(), &network, id, &mut context.facts)?;
    }
    let command = Command::Send(SendTask {
        task_id: stamp.new_task_id.clone(),
        network_id: network.clone(),
        to: request.to.clone(),
        kind: request.kind.clone(),
        ttl: request.ttl,
        parent_task_id: parent,
        context_id,
        allow_cycle: request.allow_cycle,
        max_attempts: request.max_attempts,
        runs: request.runs,
    });
    let transition = decide(None, &command, &context)?;
    quotas::admit_task(tx.as_snapshot(), &network, &Principal::Node(request.to.clone()))?;
    let source = ArtifactSource::Task;
    let artifacts = reference::resolve(tx.as_snapshot(), &permitted, &request.artifacts, source)?;
    let actor_token = apply::recorded_token(tx.as_snapshot(), stamp, &network, &by, true)?;
    let decided = Decided {
        context: &context,
        transition: &transition,
        actor_token: actor_token.as_ref(),
        artifacts: &artifacts,
    };
    apply::apply(tx, stamp, &network, None, decided, Some(&request.payload))?;
    if let Some(push) = &request.push {
        let may_notify = MayNotify::as_sender(&permitted, &stamp.new_task_id);
        receiver::attach(tx, stamp, may_notify, push, Since::TheBeginning)?;
    }
    let status = presence::session_status(tx.as_snapshot(), context.now, stamp, &network, &request.to)?;
    if let Some(key) = &request.key {
        let sent = IdempotentSend {
            arguments: request.arguments.clone(),
            task_id: stamp.new_task_id.clone(),
            session_status: status.clone(),
            created_at: context.now,
        };
        tx.remember_send(&network, &actor, key.as_str(), &sent)?;
    }
    Ok(Sent { answer: TaskSent::new(stamp.new_task_id.clone(), status), network, is_new: true })
}

/// The answer this key got before, if it came before with the same arguments.
fn first_answer(
    tx: &dyn Transaction,
    network: &NetworkId,
    actor: &Principal,
    request: &Request,
) -> Result<Option<TaskSent>, Error> {
    let Some(key) = &request.key else { return Ok(None) };
    let first = idempotency::first_use(tx, network, actor, key, &request.arguments)?;
    Ok(first.map(|first| TaskSent::new(first.task_id, first.session_status)))
}

/// Whether there is such a conversation, and the caller sees the task that began it; or any task of it, once that one has
/// left. Who names any other, somebody else's or none, begins one of their own.
fn is_conversation(
    rows: &dyn Snapshot,
    permitted: &Permitted<'_>,
    context: &ContextId,
) -> Result<bool, Error> {
    let (caller, network) = (permitted.caller(), permitted.network());
    let Some(beginning) = TaskId::parse(context.as_str()) else { return Ok(false) };
    match get_task::visible(rows, caller, &beginning) {
        Ok((task, _)) => Ok(task.snapshot.network_id == *network && task.snapshot.context_id.is_none()),
        Err(Error::Refused(_)) if rows.task_snapshot_in(network, &beginning)?.is_none() => {
            let of_it = TaskFilter {
                networks: vec![(network.clone(), permitted.reach()?)],
                context: Some(context.clone()),
                page: PageBounds::rows(1),
                texts: TaskTexts::Beginning,
                ..TaskFilter::default()
            };
            Ok(!rows.tasks(&of_it)?.rows.is_empty())
        }
        Err(Error::Refused(_)) => Ok(false),
        Err(error) => Err(error),
    }
}
