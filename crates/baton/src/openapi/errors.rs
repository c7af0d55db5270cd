//! docs/errors.md: every code a door can answer, with its meaning and what to do about it. The codes come from the
//! types that say them; the meanings stand here, in matches that a new variant does not compile without.

use baton_adapter::ErrorKind;
use baton_core::{Alias, Quota, Refusal, Status, TaskId, UnixMillis};
use std::fmt::Write;

use crate::a2a;
use crate::rest::{Plain, status_of};
use crate::service::get_task;

/// One code.
pub(super) struct Row {
    pub(super) code: String,
    pub(super) status: u16,
    pub(super) meaning: &'static str,
    pub(super) remedy: String,
}

/// The page.
pub(super) fn page() -> String {
    let mut page = String::from(HEAD);
    let mut rows: Vec<Row> = refusals().iter().map(of_refusal).collect();
    rows.extend(Plain::ALL.iter().map(|plain| of_plain(*plain)));
    rows.sort_by(|a, b| (a.status, &a.code).cmp(&(b.status, &b.code)));
    for row in rows {
        let Row { code, status, meaning, remedy } = row;
        let _ = writeln!(page, "| `{code}` | {status} | {meaning} | {remedy} |");
    }
    page.push_str(PACKETS_HEAD);
    for kind in PACKET_KINDS {
        let _ = writeln!(page, "| `{}` | {} |", kind.as_str(), of_packet(*kind));
    }
    let _ = write!(page, "{}", TOOLS.replace("{}", get_task::NOT_FOUND));
    for (reason, http, code, meaning) in a2a::errors() {
        let _ = writeln!(page, "| `{reason}` | {http} | {code} | {meaning} |");
    }
    page
}

const HEAD: &str = "\
# Errors

Made from the code; `BATON_BLESS=1 cargo nextest run -p baton openapi` makes it again.

A call that was not done is answered `{\"ok\":false,\"error\":\"<code>\"}`, mostly with a `message` that says what to do. The
code is the same over REST, MCP and the command line. Some answers say more: `details` names the fields that broke
their rules, or the chain of parents that a send was refused for, `retry_after_ms` (with the header `retry-after`) when to come back, `task_status` how a task stands.
Whatever is answered so has changed nothing, but for 500: there it may or may not have been done, so look before you repeat.
A head over 16 KiB is answered 431 by the HTTP layer itself, without a body.

| code | HTTP | what it means | what to do |
|---|---|---|---|
";

const PACKETS_HEAD: &str = "
## Packets of other systems

`POST /api/evidence/packets` says of each packet that it did not take why, with one of these; a single packet as 400.

| code | what it means |
|---|---|
";

const TOOLS: &str = "
## Tools (MCP)

A tool's refusal is the same object, in the text of its answer; `get_task` says `{}` where REST says `task_not_found`.
What is wrong with the message itself is a JSON-RPC error: -32700 it is not JSON, -32600 no request, -32601 no such
method, -32602 an argument breaks its rule (named in the message), -32603 the hub failed inside.

## Agents (A2A)

The A2A door answers in the protocol's form. `reason` stands in `error.details` over HTTP and in `error.data` over
JSON-RPC, whose answers have status 200 but for those that HTTP itself says: 401, 403, 429, 503.

| reason | HTTP | JSON-RPC | what it means |
|---|---|---|---|
";

pub(super) fn of_refusal(refusal: &Refusal) -> Row {
    Row {
        code: refusal.code().replace(ENDED, "<status>"),
        status: status_of(refusal).as_u16(),
        meaning: meaning(refusal),
        remedy: remedy(refusal),
    }
}

/// What to do about it: what the answer's own message says, or more where that only repeats the rule.
fn remedy(refusal: &Refusal) -> String {
    let more = match refusal {
        Refusal::PermissionDenied => "ask an admin of the network for the role, or use the token of who may",
        Refusal::NetworkAccessDenied | Refusal::NetworkNotFound => {
            "check the id with `GET /api/networks`, or ask for an invite"
        }
        Refusal::NoWriteAccess => "ask an admin of the network to make you a member",
        Refusal::TokenNotFound => "`GET /api/auth/tokens` lists yours",
        Refusal::UserNotFound => "check the id; an admin of the hub sees all in `GET /api/users`",
        Refusal::NotAMember => "`GET /api/networks/{network}/members` lists them",
        Refusal::UsernameIsAlias => {
            "join with another account, or ask an admin of the network to remove the agent"
        }
        Refusal::TaskNotFound | Refusal::ReplyTaskNotFound => {
            "check the id with `GET /api/tasks`, and that your token is of its network"
        }
        Refusal::NoEvidence => "ask again when something has been recorded, or for a smaller index or size",
        Refusal::ReplyTaskTerminal { .. } => "stop working on it; nothing was written",
        Refusal::TaskIsTerminal { .. } => {
            "retry it if it failed, was cancelled or expired, or send a new one"
        }
        Refusal::TaskNotRetryable { .. } => "cancel it first if it is open, or send a new one",
        Refusal::AlreadyRetried { .. } => "use the task it was retried as",
        Refusal::TaskIsRunning => "leave it to them, or reassign it",
        Refusal::TaskIsNotWaitingInput { .. } => "send a new task, or a message to its agent",
        Refusal::NotAnOption { .. } => "answer with exactly one of the options, which the message names",
        Refusal::TaskExists => "send it again: it gets another id",
        Refusal::LeaseStillRuns | Refusal::TaskNotOverdue => "nothing",
        Refusal::CrossNetworkParent => "name a task of the same network, or none",
        Refusal::DelegationTooDeep { .. } => {
            "send it without a parent, or have a system admin raise `delegation_depth` of the network"
        }
        Refusal::DelegationCycle { .. } => "send it to another agent, or pass `allow_cycle`",
        Refusal::TreeTooLarge { .. } => {
            "cancel its branches one by one; `GET /api/tasks/{id}/tree` shows them"
        }
        Refusal::AliasNotFound => {
            "`GET /api/status` lists the agents; make one a token, or mind the spelling"
        }
        Refusal::InvalidInput { .. } => "change that field as its `rule` says",
        Refusal::RateLimited { .. }
        | Refusal::TooManyRequests { .. }
        | Refusal::TooManyExports { .. }
        | Refusal::LoginLocked { .. } => "wait for `retry_after_ms`",
        _ => return refusal.message(),
    };
    more.to_owned()
}

/// The status of the examples below; a reader of the page sees a gap in its place.
const ENDED: &str = "acked";

fn of_plain(plain: Plain) -> Row {
    Row {
        code: plain.code().into(),
        status: plain.status().as_u16(),
        meaning: plain.meaning(),
        remedy: plain.remedy().into(),
    }
}

/// Every packet that is not taken is one of these.
const PACKET_KINDS: &[ErrorKind] = &[
    ErrorKind::Measurement,
    ErrorKind::UnsupportedProtocolVersion,
    ErrorKind::StrictLossinessViolation,
    ErrorKind::Config,
    ErrorKind::Infrastructure,
];

pub(super) fn packet_kinds() -> Vec<String> {
    PACKET_KINDS.iter().map(|kind| format!("{kind:?}")).collect()
}

const fn of_packet(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Measurement => {
            "it cannot be read as a packet, or is out of bounds: mend it and send it again"
        }
        ErrorKind::UnsupportedProtocolVersion => "its protocol version is not spoken here",
        ErrorKind::StrictLossinessViolation => {
            "it lacks something: complete it, or send it with `mode=lenient`"
        }
        ErrorKind::Config => "the hub's adapter is set up wrongly; no packet of yours is at fault",
        ErrorKind::Infrastructure => "an attachment could not be written; try again",
    }
}

/// One of each; a test holds them against the enum itself.
pub(super) fn refusals() -> Vec<Refusal> {
    let status = Status::Acked;
    let retry_after_ms = 1000;
    vec![
        Refusal::Unauthorized,
        Refusal::WrongCredentials,
        Refusal::RateLimited { retry_after_ms },
        Refusal::TooManyRequests { limit: baton_core::limits::REQUESTS_PER_TOKEN_MAX_COUNT, retry_after_ms },
        Refusal::TooManyExports { retry_after_ms },
        Refusal::LoginLocked { retry_after_ms },
        Refusal::PermissionDenied,
        Refusal::NetworkNotNamed,
        Refusal::TokenHasNoAlias,
        Refusal::RoleNotBelowYours,
        Refusal::OwnerCannotLeave,
        Refusal::UserTokenRequired,
        Refusal::NetworkTokenRequired,
        Refusal::NetworkIdRequired,
        Refusal::NetworkAccessDenied,
        Refusal::NoWriteAccess,
        Refusal::NetworkNotFound,
        Refusal::NetworkNameTaken,
        Refusal::TokenNotFound,
        Refusal::MintFieldsMissing,
        Refusal::UserNotFound,
        Refusal::AlreadyMember,
        Refusal::NotAMember,
        Refusal::AlreadyInvited,
        Refusal::InvitationNotFound,
        Refusal::InviteUnknown,
        Refusal::InviteUsedUp,
        Refusal::InviteExpired,
        Refusal::TaskNotFound,
        Refusal::NoEvidence,
        Refusal::ReplyTaskNotFound,
        Refusal::ReplyTaskTerminal { status },
        Refusal::TaskIsTerminal { status },
        Refusal::TaskNotRetryable { status },
        Refusal::AlreadyRetried { retried_to: TaskId::new(UnixMillis::new(0), [0; 10]) },
        Refusal::TaskIsRunning,
        Refusal::TaskIsWaitingInput,
        Refusal::TaskIsNotRunning { status },
        Refusal::TaskIsNotWaitingInput { status },
        Refusal::NotAnOption { options: vec!["yes".into(), "no".into()] },
        Refusal::TaskExists,
        Refusal::LeaseLost,
        Refusal::LeaseStillRuns,
        Refusal::TaskNotOverdue,
        Refusal::MessageNotOpen,
        Refusal::CrossNetworkParent,
        Refusal::DelegationTooDeep { max: 16 },
        Refusal::DelegationCycle { to: Alias::parse("worker").unwrap(), chain: Vec::new() },
        Refusal::TreeTooLarge { open: 1_001, examined: 2_000 },
        Refusal::ArtifactNotFound { hash: None },
        Refusal::ArtifactTooLarge,
        Refusal::ArtifactQuotaExceeded { used: 10_737_000_000, max: Quota::ArtifactBytes.default_max() },
        Refusal::IdempotencyKeyReused,
        Refusal::AliasNotFound,
        Refusal::AliasInUse,
        Refusal::AliasOwnedByAnother,
        Refusal::AliasLooksLikeAnother,
        Refusal::UsernameIsAlias,
        Refusal::QuotaExceeded { quota: Quota::OpenTasks, max: Quota::OpenTasks.default_max() },
        Refusal::invalid("a field", "breaks its rule"),
        Refusal::RegistrationClosed,
        Refusal::UsernameTooShort,
        Refusal::UsernameTooLong,
        Refusal::UsernameHasInvalidCharacters,
        Refusal::UsernameTaken,
        Refusal::PasswordTooShort,
        Refusal::PasswordTooCommon,
        Refusal::WrongOldPassword,
    ]
}

/// What a refusal means; its own message says what to do.
#[rustfmt::skip]
const fn meaning(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Unauthorized => "the token is missing, unknown or revoked",
        Refusal::WrongCredentials => "username or password is wrong; which one is not said",
        Refusal::RateLimited { .. } => "this token or address calls too often",
        Refusal::TooManyRequests { .. } => "this token has too many requests in flight",
        Refusal::TooManyExports { .. } => "too many evidence exports are running or being downloaded",
        Refusal::LoginLocked { .. } => "too many logins of this username failed",
        Refusal::PermissionDenied => "you may see the thing, but not do this to it",
        Refusal::NetworkNotNamed => "a user token acts on a task and names no network",
        Refusal::TokenHasNoAlias => "a node token without an alias acts as nobody",
        Refusal::RoleNotBelowYours => "a role at or above your own would be given, changed or taken away",
        Refusal::OwnerCannotLeave => "the owner of a network wants to leave it",
        Refusal::UserTokenRequired => "the call is for people",
        Refusal::NetworkTokenRequired => "the call is for agents",
        Refusal::NetworkIdRequired => "you have not exactly one network, and name none",
        Refusal::NetworkAccessDenied => "the network to send into is unknown or not yours; the two answer alike",
        Refusal::NoWriteAccess => "a token is minted for a network you may not write to",
        Refusal::NetworkNotFound => "the network is unknown or not yours; the two answer alike",
        Refusal::NetworkNameTaken => "you have a network of this name",
        Refusal::TokenNotFound => "the token to revoke is unknown or not yours",
        Refusal::MintFieldsMissing => "a token is minted without saying for which network and node",
        Refusal::UserNotFound => "the user named is unknown",
        Refusal::AlreadyMember => "the user named is a member already",
        Refusal::NotAMember => "the user named is no member",
        Refusal::AlreadyInvited => "the user has a pending invitation to this network",
        Refusal::InvitationNotFound => "no pending invitation of yours to this network",
        Refusal::InviteUnknown => "no invite has this code",
        Refusal::InviteUsedUp => "the invite was used as often as it may be",
        Refusal::InviteExpired => "the invite's time is over, or who made it may no longer invite",
        Refusal::TaskNotFound => "the task is unknown or out of your sight; the two answer alike",
        Refusal::NoEvidence => "nothing was recorded where you asked",
        Refusal::ReplyTaskNotFound => "the task replied to is unknown or out of your sight",
        Refusal::ReplyTaskTerminal { .. } => "the task replied to has ended",
        Refusal::TaskIsTerminal { .. } => "the task has ended, and that is final",
        Refusal::TaskNotRetryable { .. } => "the task is open or was replied to",
        Refusal::AlreadyRetried { .. } => "the task was retried before; callers get that retry's answer",
        Refusal::TaskIsRunning => "somebody works on the task already",
        Refusal::TaskIsWaitingInput => "the task waits for its sender",
        Refusal::TaskIsNotRunning { .. } => "nobody works on the task, so nobody has a question about it",
        Refusal::TaskIsNotWaitingInput { .. } => "the task asked nothing",
        Refusal::NotAnOption { .. } => "the question offers options, and the answer is none of them",
        Refusal::TaskExists => "a task of this id is there",
        Refusal::LeaseLost => "the lease lapsed, was voided, or its task ended",
        Refusal::LeaseStillRuns => "the lease has time left; only the hub's own sweep hears this",
        Refusal::TaskNotOverdue => "the task has time left; only the hub's own sweep hears this",
        Refusal::MessageNotOpen => "no delivery of yours that waits to be acknowledged has this id",
        Refusal::CrossNetworkParent => "the parent named is no task of this network",
        Refusal::DelegationTooDeep { .. } => "the chain of parents of a new task is longer than its network allows",
        Refusal::DelegationCycle { .. } => {
            "the recipient has an open task in the chain of parents of the new task; `details` has the chain, root first"
        }
        Refusal::TreeTooLarge { .. } => "a cancel with `cascade` found more open descendants than end together",
        Refusal::ArtifactNotFound { .. } => "no artifact of the network has this SHA-256, or none that you may read; the two answer alike",
        Refusal::ArtifactTooLarge => "the bytes uploaded are more than one artifact may have",
        Refusal::ArtifactQuotaExceeded { .. } => "the network's artifacts would have more bytes than its quota allows",
        Refusal::IdempotencyKeyReused => "the key came before with other arguments",
        Refusal::AliasNotFound => "no token or session of the network has this alias",
        Refusal::AliasInUse => "the alias is a member's username, another token's, or live elsewhere",
        Refusal::AliasOwnedByAnother => "the alias belongs to another user, whose token held it first",
        Refusal::AliasLooksLikeAnother => "the alias looks like an alias or a member's username of the network",
        Refusal::UsernameIsAlias => "the username of the user who wants to join is, or looks like, an agent's alias",
        Refusal::QuotaExceeded { .. } => "the account or the network has as much of something as it may have",
        Refusal::InvalidInput { .. } => "a field breaks its rule; `details` says which and how",
        Refusal::RegistrationClosed => "nobody may register by themselves here",
        Refusal::UsernameTooShort => "the username is too short",
        Refusal::UsernameTooLong => "the username is too long",
        Refusal::UsernameHasInvalidCharacters => "the username has other characters",
        Refusal::UsernameTaken => "the username is reserved or another's, without regard to case and look-alikes",
        Refusal::PasswordTooShort => "the password is too short",
        Refusal::PasswordTooCommon => "the password is on the list everybody tries first",
        Refusal::WrongOldPassword => "the password to be changed is another",
    }
}
