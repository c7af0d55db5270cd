//! What arguments may be, in the description: from the limits that they are checked against. utoipa's attributes take
//! only literals, so the bounds are set here, field by field.

use baton_core::limits;
use utoipa::Number;
use utoipa::openapi::{OpenApi, RefOr, Schema};

use super::operations;

/// At least and at most; what begins at nothing has no least.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bound {
    Value(usize, usize),
    Length(usize, usize),
    Items(usize, usize),
}

use Bound::{Items, Length, Value};

const ALIAS: Bound = Length(1, limits::ALIAS_MAX_CHARS);
const TEXT: Bound = Length(1, limits::TEXT_MAX_BYTES);
const ARTIFACTS: Bound = Items(0, limits::ARTIFACT_REFS_MAX_COUNT);
const LEASE: Bound = Value(limits::LEASE_MIN_SECONDS as usize, limits::LEASE_MAX_SECONDS as usize);
const CLAIM_WAIT: Bound = Value(0, limits::WAIT_MAX_SECONDS as usize);
const CALL_WAIT: Bound = Value(0, limits::CALL_WAIT_MAX_SECONDS as usize);
const PERCENT: Bound = Value(0, limits::PROGRESS_MAX_PERCENT as usize);

/// Fields of bodies: the schema, the field.
pub(super) const FIELDS: &[(&str, &str, Bound)] = &[
    ("AnswerToQuestion", "artifacts", ARTIFACTS),
    ("AnswerToQuestion", "text", TEXT),
    ("Cancel", "reason", Length(0, limits::REASON_MAX_CHARS)),
    ("Claim", "lease_seconds", LEASE),
    ("Claim", "max", Value(1, limits::CLAIM_MAX_COUNT)),
    ("Claim", "wait_seconds", CLAIM_WAIT),
    ("ClaimNext", "lease_seconds", LEASE),
    ("ClaimNext", "wait_seconds", CLAIM_WAIT),
    ("LeaseExtension", "lease_seconds", LEASE),
    ("LeaseExtension", "progress", PERCENT),
    ("NewBroadcast", "message", TEXT),
    ("NewTask", "alias", ALIAS),
    ("NewTask", "artifacts", ARTIFACTS),
    ("NewTask", "context", Length(0, limits::CONTEXT_MAX_BYTES)),
    ("NewTask", "idempotency_key", Length(1, limits::IDEMPOTENCY_KEY_MAX_CHARS)),
    ("NewTask", "max_attempts", Value(1, limits::MAX_ATTEMPTS_MAX as usize)),
    ("NewTask", "retry_backoff_seconds", Value(0, limits::RETRY_BACKOFF_MAX_SECONDS as usize)),
    (
        "NewTask",
        "run_timeout_seconds",
        Value(limits::RUN_TIMEOUT_MIN_SECONDS as usize, limits::RUN_TIMEOUT_MAX_SECONDS as usize),
    ),
    ("NewTask", "task", TEXT),
    ("NewTask", "ttl_seconds", Value(limits::TTL_MIN_SECONDS as usize, limits::TTL_MAX_SECONDS as usize)),
    ("NewTask", "wait_seconds", CALL_WAIT),
    ("NewTasks", "tasks", Items(1, limits::SEND_MAX_COUNT)),
    ("ProgressReport", "message", Length(1, limits::PROGRESS_MESSAGE_MAX_CHARS)),
    ("ProgressReport", "output", Length(0, limits::PROGRESS_OUTPUT_MAX_BYTES)),
    ("ProgressReport", "percent", PERCENT),
    ("Question", "artifacts", ARTIFACTS),
    (
        "Question",
        "input_ttl_seconds",
        Value(limits::INPUT_TTL_MIN_SECONDS as usize, limits::INPUT_TTL_MAX_SECONDS as usize),
    ),
    ("Question", "options", Items(0, limits::OPTIONS_MAX_COUNT)),
    ("Question", "question", TEXT),
    ("Reassign", "new_alias", ALIAS),
    ("Reply", "artifacts", ARTIFACTS),
    ("Reply", "text", Length(0, limits::TEXT_MAX_BYTES)),
    ("SharedArtifact", "artifact_id", Length(1, limits::ARTIFACT_ID_MAX_CHARS)),
    ("SharedArtifact", "parts", Items(1, limits::PARTS_MAX_COUNT)),
    ("TaskProgress", "percent", PERCENT),
    ("WorkerReport", "concurrency", Value(1, limits::WORKER_CONCURRENCY_MAX_COUNT as usize)),
    ("WorkerReport", "skills", Items(0, limits::SKILLS_MAX_COUNT)),
];

/// Query parameters: the operation, the parameter.
pub(super) const PARAMETERS: &[(&str, &str, Bound)] = &[
    ("list_agents", "limit", Value(1, limits::AGENT_PAGE_MAX)),
    ("list_aliases", "limit", OTHER_PAGE),
    ("list_artifacts", "limit", OTHER_PAGE),
    ("list_completions", "limit", OTHER_PAGE),
    ("list_evidence", "limit", Value(1, limits::EVIDENCE_PAGE_MAX)),
    ("list_invites", "limit", OTHER_PAGE),
    ("list_members", "limit", OTHER_PAGE),
    ("list_messages", "limit", Value(1, limits::MESSAGE_PAGE_MAX)),
    ("list_networks", "limit", OTHER_PAGE),
    ("list_node_tokens", "limit", OTHER_PAGE),
    ("list_remotes", "limit", OTHER_PAGE),
    ("list_sessions", "limit", Value(1, limits::SESSION_PAGE_MAX)),
    ("list_task_events", "limit", Value(1, limits::EVENT_PAGE_MAX)),
    ("list_tasks", "limit", Value(1, limits::TASK_PAGE_MAX)),
    ("list_tokens", "limit", OTHER_PAGE),
    ("list_users", "limit", OTHER_PAGE),
    ("read_inbox", "limit", Value(1, limits::INBOX_PAGE_MAX)),
    ("show_task", "wait_seconds", CALL_WAIT),
];
const OTHER_PAGE: Bound = Value(1, limits::OTHER_PAGE_MAX);

/// Sets them all.
pub(super) fn set(api: &mut OpenApi) {
    let schemas = &mut api.components.get_or_insert_default().schemas;
    for (schema, field, bound) in FIELDS {
        if let Some(RefOr::T(Schema::Object(object))) = schemas.get_mut(*schema)
            && let Some(RefOr::T(schema)) = object.properties.get_mut(*field)
        {
            bound.limit(schema);
        }
    }
    for operation in api.paths.paths.values_mut().flat_map(operations) {
        let id = operation.operation_id.as_deref();
        for parameter in operation.parameters.iter_mut().flatten() {
            let RefOr::T(parameter) = parameter else { continue };
            let row = PARAMETERS.iter().find(|row| Some(row.0) == id && row.1 == parameter.name);
            if let (Some((_, _, bound)), Some(RefOr::T(schema))) = (row, &mut parameter.schema) {
                bound.limit(schema);
            }
        }
    }
}

impl Bound {
    fn limit(self, schema: &mut Schema) {
        let least = |least: usize| (least > 0).then_some(least);
        match (schema, self) {
            (Schema::Object(object), Value(min, max)) => {
                (object.minimum, object.maximum) = (Some(Number::UInt(min)), Some(Number::UInt(max)));
            }
            (Schema::Object(object), Length(min, max)) => {
                (object.min_length, object.max_length) = (least(min), Some(max));
            }
            (Schema::Array(array), Items(min, max)) => {
                (array.min_items, array.max_items) = (least(min), Some(max));
            }
            // A test looks for every bound in what is served.
            _ => {}
        }
    }
}
