//! The table of refusals: a row for each reason, and nothing else says anything about one. A row has the meaning (its doc
//! comment), the fields, each with a sample for docs/errors.md, the code, the class, the message and, where the
//! message only repeats the rule, the remedy that docs/errors.md gives instead.

use std::borrow::Cow;

use super::Class;
use crate::alias::Alias;
use crate::artifact::ArtifactHash;
use crate::limits;
use crate::quota::{Grouped, Quota};
use crate::status::Status;
use crate::task::ChainTask;
use crate::time::UnixMillis;
use crate::uuid::TaskId;

refusals! {
    /// The token is missing, unknown or revoked.
    Unauthorized = "unauthorized", Unauthenticated, ("send a valid token as `Authorization: Bearer …`");
    /// Username or password is wrong; which one is not said.
    WrongCredentials = "invalid username or password", Unauthenticated,
        ("check the username and the password");
    /// This token or address calls too often.
    RateLimited {
        /// When to try again.
        retry_after_ms: u64 = 1_000,
    } = "rate_limited", RateLimited { retry_after_ms: *retry_after_ms },
        ("too many calls; try again in {retry_after_ms} ms"),
        remedy "wait for `retry_after_ms`";
    /// This token has too many requests in flight.
    TooManyRequests {
        /// How many it may have.
        limit: usize = limits::REQUESTS_PER_TOKEN_MAX_COUNT,
        /// When to try again.
        retry_after_ms: u64 = 1_000,
    } = "rate_limited", RateLimited { retry_after_ms: *retry_after_ms },
        ("this token has {limit} requests in flight, which is the limit; wait until some have been answered"),
        remedy "wait for `retry_after_ms`";
    /// Too many evidence exports are running or being downloaded.
    TooManyExports {
        /// When to try again.
        retry_after_ms: u64 = 1_000,
    } = "too_many_exports", RateLimited { retry_after_ms: *retry_after_ms },
        ("too many evidence exports are running or being downloaded; try again in a moment"),
        remedy "wait for `retry_after_ms`";
    /// Too many logins of this username failed.
    LoginLocked {
        /// When to try again.
        retry_after_ms: u64 = 1_000,
    } = "login_locked", RateLimited { retry_after_ms: *retry_after_ms },
        ("too many failed logins; try again in {retry_after_ms} ms"),
        remedy "wait for `retry_after_ms`";

    /// You may see the thing, but not do this to it.
    PermissionDenied = "permission_denied", Forbidden,
        ("your role or your token does not allow this"),
        remedy "ask an admin of the network for the role, or use the token of who may";
    /// A user token acts on a task and names no network.
    NetworkNotNamed = "permission_denied", Forbidden, ("pass network_id: a user token belongs to no network");
    /// A node token without an alias acts as nobody.
    TokenHasNoAlias = "permission_denied", Forbidden,
        ("this token has no alias yet: call report_status first");
    /// A role at or above your own would be given, changed or taken away.
    RoleNotBelowYours = "permission_denied", Forbidden,
        ("only roles below your own can be given, changed or removed, and owner is never given");
    /// The owner of a network wants to leave it.
    OwnerCannotLeave = "permission_denied", Forbidden,
        ("the owner cannot leave a network; delete the network instead");
    /// The call is for people.
    UserTokenRequired = "user_token_required", Forbidden, ("use a user token: node tokens cannot do this");
    /// The call is for agents.
    NetworkTokenRequired = "network_token_required", Forbidden, ("use a node token: this is an agent's call");
    /// You have not exactly one network, and name none.
    NetworkIdRequired = "network_id_required", Invalid,
        ("pass network_id: your token does not say which network you mean");
    /// The network to send into is unknown or not yours; the two answer alike.
    NetworkAccessDenied = "access denied to requested network", OutsideNetwork,
        ("you are not a member of this network"),
        remedy "check the id with `GET /api/networks`, or ask for an invite";
    /// A token is minted for a network you may not write to.
    NoWriteAccess = "no write access to this network", Forbidden,
        ("only members of the network may mint its tokens"),
        remedy "ask an admin of the network to make you a member";
    /// The network is unknown or not yours; the two answer alike.
    NetworkNotFound = "network not found", NotFound,
        ("no such network among yours"),
        remedy "check the id with `GET /api/networks`, or ask for an invite";
    /// You have a network of this name.
    NetworkNameTaken = "network name already exists", Invalid, ("choose another name for the network");
    /// The token to revoke is unknown or not yours.
    TokenNotFound = "token not found", UnknownReference,
        ("no such token among yours"),
        remedy "`GET /api/auth/tokens` lists yours";
    /// A token is minted without saying for which network and node.
    MintFieldsMissing = "network_id and node_name required", Invalid, ("pass network_id and node_name");

    /// The user named is unknown.
    UserNotFound = "user not found", UnknownReference,
        ("no user has this id"),
        remedy "check the id; an admin of the hub sees all in `GET /api/users`";
    /// The user named is a member already.
    AlreadyMember = "user already a member", Invalid, ("change the member's role instead");
    /// The user named is no member.
    NotAMember = "not a member", Invalid,
        ("no member of this network has this id"),
        remedy "`GET /api/networks/{network}/members` lists them";
    /// The user has a pending invitation to this network.
    AlreadyInvited = "user already invited", Invalid,
        ("the user has not answered yet; withdraw the invitation to invite them with another role");
    /// No pending invitation of yours to this network.
    InvitationNotFound = "invitation_not_found", UnknownReference,
        ("you have no pending invitation to this network; `GET /api/invitations` lists yours");
    /// No invite has this code.
    InviteUnknown = "invalid invite code", Invalid, ("check the code, or ask for a new invite");
    /// The invite was used as often as it may be.
    InviteUsedUp = "invite code fully used", Invalid, ("ask for a new invite");
    /// The invite's time is over, or who made it may no longer invite.
    InviteExpired = "invite code expired", Invalid, ("ask for a new invite");

    /// The task is unknown or out of your sight; the two answer alike.
    TaskNotFound = "task_not_found", NotFound,
        ("no such task in this network"),
        remedy "check the id with `GET /api/tasks`, and that your token is of its network";
    /// Nothing was recorded where you asked.
    NoEvidence = "no_evidence", NothingThere,
        ("nothing has been recorded there yet"),
        remedy "ask again when something has been recorded, or for a smaller index or size";
    /// The task replied to is unknown or out of your sight.
    ReplyTaskNotFound = "reply_task_not_found", NotFound,
        ("in_reply_to names no task in this network"),
        remedy "check the id with `GET /api/tasks`, and that your token is of its network";
    /// The task replied to has ended.
    ReplyTaskTerminal {
        /// How it ended.
        status: Status = Status::Acked,
    } = "reply_task_terminal", TaskEnded { status: *status },
        ("the task is already {status}; nothing was written"),
        remedy "stop working on it; nothing was written";
    /// The task has ended, and that is final.
    TaskIsTerminal {
        /// How it ended.
        status: Status = Status::Acked,
    } = format!("task is terminal ({status})"), TaskEnded { status: *status },
        ("the task is already {status}; retry_task makes a new one of a failed, cancelled or expired task"),
        remedy "retry it if it failed, was cancelled or expired, or send a new one";
    /// The task is open or was replied to.
    TaskNotRetryable {
        /// Where it stands.
        status: Status = Status::Acked,
    } = format!("task status is {status}, not retryable"), Conflict,
        ("only failed, cancelled and expired tasks can be retried"),
        remedy "cancel it first if it is open, or send a new one";
    /// The task was retried before; callers get that retry's answer.
    AlreadyRetried {
        /// The task the first retry made.
        retried_to: TaskId = TaskId::new(UnixMillis::new(0), [0; 10]),
    } = "task_already_retried", Conflict,
        ("the task was already retried as {retried_to}"),
        remedy "use the task it was retried as";
    /// Somebody works on the task already.
    TaskIsRunning = "task_is_running", Conflict,
        ("somebody already works on this task"),
        remedy "leave it to them, or reassign it";
    /// The task waits for its sender.
    TaskIsWaitingInput = "task_is_waiting_input", Conflict,
        ("the task waits for its sender's answer: answer or cancel it first");
    /// Nobody works on the task, so nobody has a question about it.
    TaskIsNotRunning {
        /// Where it stands.
        status: Status = Status::Acked,
    } = format!("task status is {status}, not running"), Conflict, ("claim or start the task first");
    /// The task asked nothing.
    TaskIsNotWaitingInput {
        /// Where it stands.
        status: Status = Status::Acked,
    } = format!("task status is {status}, not waiting_input"), Conflict,
        ("the task has asked for no input"),
        remedy "send a new task, or a message to its agent";
    /// The question offers options, and the answer is none of them.
    NotAnOption {
        /// What the question offers.
        options: Vec<String> = vec!["yes".into(), "no".into()],
    } = "not_an_option", Invalid,
        ("the answer must be exactly one of the options: {}", quoted(options)),
        remedy "answer with exactly one of the options, which the message names";
    /// A task of this id is there.
    TaskExists = "task_exists", Conflict,
        ("a task of this id exists"),
        remedy "send it again: it gets another id";
    /// The lease lapsed, was voided, or its task ended.
    LeaseLost = "lease_lost", Conflict, ("the lease no longer holds: stop working on this task");
    /// The lease has time left; only the hub's own sweep hears this.
    LeaseStillRuns = "lease_still_runs", Conflict,
        ("the lease has time left"),
        remedy "nothing";
    /// The task has time left; only the hub's own sweep hears this.
    TaskNotOverdue = "task_not_overdue", Conflict,
        ("the task has time left or is being worked on"),
        remedy "nothing";
    /// No delivery of yours that waits to be acknowledged has this id.
    MessageNotOpen = "message not found or already acknowledged", NothingThere,
        ("get_inbox lists what can be acknowledged");
    /// The parent named is no task of this network.
    CrossNetworkParent = "cross_network_parent", Invalid,
        ("parent_task_id names no task of this network"),
        remedy "name a task of the same network, or none";
    /// The chain of parents of a new task is longer than its network allows.
    DelegationTooDeep {
        /// How many tasks it may have.
        max: usize = 16,
    } = "delegation_too_deep", Conflict,
        ("the chain of parents has more than {max} tasks, this network's limit; send it without a parent, or ask a system admin to raise delegation_depth"),
        remedy "send it without a parent, or have a system admin raise `delegation_depth` of the network";
    /// The recipient has an open task in the chain of parents of the new task; `details` has the chain, root first.
    DelegationCycle {
        /// The recipient.
        to: Alias = Alias::parse("worker").expect("an alias"),
        /// The chain, root first.
        chain: Vec<ChainTask> = Vec::new(),
    } = "delegation_cycle", Conflict,
        ("{to} has an open task in the chain of parents: {}; send it to another agent, or pass allow_cycle", readable(chain)),
        remedy "send it to another agent, or pass `allow_cycle`";
    /// A cancel with `cascade` found more open descendants than end together.
    TreeTooLarge {
        /// How many were found.
        open: usize = 1_001,
        /// Among so many that were examined.
        examined: usize = 2_000,
    } = "tree_too_large", Conflict,
        ("{open} of the {examined} descendants examined are open; at most {} are cancelled together: cancel its branches one by one", limits::CASCADE_MAX_COUNT),
        remedy "cancel its branches one by one; `GET /api/tasks/{id}/tree` shows them";
    /// No artifact of the network has this SHA-256, or none that you may read; the two answer alike.
    ArtifactNotFound {
        /// Which one; none if what was given is no SHA-256.
        hash: Option<ArtifactHash> = None,
    } = "artifact_not_found", UnknownReference,
        ("this network has no artifact {} that you can read", named(hash.as_ref()));
    /// The bytes uploaded are more than one artifact may have.
    ArtifactTooLarge = "artifact_too_large", TooLarge,
        ("an artifact must be at most {} bytes; send it in pieces", Grouped(limits::ARTIFACT_MAX_BYTES as i64));
    /// The network's artifacts would have more bytes than its quota allows.
    ArtifactQuotaExceeded {
        /// What it has, with what is being uploaded.
        used: i64 = 10_737_000_000,
        /// What it may have.
        max: i64 = Quota::ArtifactBytes.default_max(),
    } = "artifact_quota_exceeded", TooLarge,
        ("this network has {} of {} bytes of artifacts, and the upload does not fit; wait until old ones have left, or ask a system admin to raise artifact_bytes", Grouped(*used), Grouped(*max));
    /// The key came before with other arguments.
    IdempotencyKeyReused = "idempotency_key_reused", KeyReused,
        ("this idempotency_key came before with other arguments: use a new key");

    /// No token or session of the network has this alias.
    AliasNotFound = "alias_not_found", NotFound,
        ("no agent of this network has this alias"),
        remedy "`GET /api/status` lists the agents; make one a token, or mind the spelling";
    /// The alias is a member's username, another token's, or live elsewhere.
    AliasInUse = "alias_in_use", Conflict,
        ("the alias is taken: choose another, or wait until its agent has been silent for a minute");
    /// The alias belongs to another user, whose token held it first.
    AliasOwnedByAnother = "alias_in_use", Conflict,
        ("the alias belongs to another user; choose another, or ask a network admin to hand it over to you");
    /// The alias looks like an alias or a member's username of the network.
    AliasLooksLikeAnother = "alias_in_use", Conflict,
        ("the alias looks like another name in this network; choose one that is easier to tell apart");
    /// The username of the user who wants to join is, or looks like, an agent's alias.
    UsernameIsAlias = "alias_in_use", Conflict,
        ("an agent of this network has this username, or one that looks like it, as its alias"),
        remedy "join with another account, or ask an admin of the network to remove the agent";
    /// The account or the network has as much of something as it may have.
    QuotaExceeded {
        /// What it has too much of.
        quota: Quota = Quota::OpenTasks,
        /// How many it may have.
        max: i64 = Quota::OpenTasks.default_max(),
    } = "quota_exceeded", Forbidden, ("{}", quota.exceeded(*max));
    /// A field breaks its rule; `details` says which and how.
    InvalidInput {
        /// The field, as the caller named it.
        field: &'static str = "a field",
        /// The rule it breaks.
        rule: Cow<'static, str> = "breaks its rule".into(),
    } = "invalid input", Invalid,
        ("{field} {rule}"),
        remedy "change that field as its `rule` says";

    /// Nobody may register by themselves here.
    RegistrationClosed = "registration is closed", Forbidden,
        ("this hub's operator makes the accounts: ask them for one");
    /// The username is too short.
    UsernameTooShort = "username must be at least 2 characters", Invalid,
        ("choose a username of 2 to 50 characters");
    /// The username is too long.
    UsernameTooLong = "username too long (max 50)", Invalid, ("choose a username of 2 to 50 characters");
    /// The username has other characters.
    UsernameHasInvalidCharacters = "username contains invalid characters", Invalid,
        ("a username may hold letters, digits, '_', '-' and CJK characters");
    /// The username is reserved or another's, without regard to case and look-alikes.
    UsernameTaken = "username already taken", Invalid, ("choose another username");
    /// The password is too short.
    PasswordTooShort = "password must be at least 8 characters", Invalid, ("choose a longer password");
    /// The password is on the list everybody tries first.
    PasswordTooCommon = "password is too common", Invalid,
        ("choose a password that is not on the lists everybody tries first");
    /// The password to be changed is another.
    WrongOldPassword = "incorrect current password", Invalid, ("check old_password");
}

/// A chain of parents in words, root first.
fn readable(chain: &[ChainTask]) -> String {
    let links = chain.iter().map(|task| format!("{} ({})", task.to, task.id));
    links.collect::<Vec<_>>().join(" > ")
}

/// Texts in quotation marks, with commas between them.
fn quoted(texts: &[String]) -> String {
    texts.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(", ")
}

/// An artifact by its hash.
fn named(hash: Option<&ArtifactHash>) -> String {
    hash.map_or_else(|| "of this name".into(), ArtifactHash::to_string)
}
