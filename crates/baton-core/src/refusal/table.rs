//! The table of refusals: a row for each reason, and nothing else says anything about one. A row has the meaning (its doc
//! comment), the fields, each with a sample for docs/errors.md, the code, the class, the message and, where the
//! message only repeats the rule, the remedy that docs/errors.md gives instead.

use std::borrow::Cow;
use std::fmt;

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
    /// The username or the password is wrong.
    WrongCredentials = "invalid username or password", Unauthenticated,
        ("check the username and the password");
    /// This token or address makes too many calls.
    RateLimited {
        /// When to try again.
        retry_after_ms: u64 = 1_000,
    } = "rate_limited", RateLimited { retry_after_ms: *retry_after_ms },
        ("too many calls; try again in {}", Rounded(*retry_after_ms)),
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
    /// Too many logins with this username failed.
    LoginLocked {
        /// When to try again.
        retry_after_ms: u64 = 1_000,
    } = "login_locked", RateLimited { retry_after_ms: *retry_after_ms },
        ("too many failed logins; try again in {}", Rounded(*retry_after_ms)),
        remedy "wait for `retry_after_ms`";

    /// You may see the thing, but not do this to it.
    PermissionDenied = "permission_denied", Forbidden,
        ("your role in this network, or this kind of token, does not allow this"),
        remedy "ask an admin of the network for a higher role, or use a token that has one";
    /// A user token acts on a task and names no network.
    NetworkNotNamed = "permission_denied", Forbidden, ("pass network_id: a user token is not tied to one network");
    /// The node token has no alias yet, so the hub cannot tell which agent acts.
    TokenHasNoAlias = "permission_denied", Forbidden,
        ("this token has no alias yet: call report_status first");
    /// The call would give, change or remove a role at or above your own.
    RoleNotBelowYours = "permission_denied", Forbidden,
        ("you can give, change or remove only roles below your own, and nobody can be made owner");
    /// The owner of a network tries to leave it.
    OwnerCannotLeave = "permission_denied", Forbidden,
        ("the owner cannot leave a network; delete the network instead");
    /// Only a user token can make this call.
    UserTokenRequired = "user_token_required", Forbidden, ("use a user token (utok_…): a node token cannot make this call");
    /// Only a node token can make this call.
    NetworkTokenRequired = "network_token_required", Forbidden, ("use a node token (ntok_…): only agents make this call");
    /// You do not belong to exactly one network, and the call names none.
    NetworkIdRequired = "network_id_required", Invalid,
        ("pass network_id: you do not belong to exactly one network, so the hub cannot choose it for you");
    /// The network to send to does not exist, or you are not a member; the two are answered alike.
    NetworkAccessDenied = "access denied to requested network", OutsideNetwork,
        ("there is no such network, or you are not a member of it"),
        remedy "check the id with `GET /api/networks`, or ask for an invite";
    /// You try to create a token for a network you may not write to.
    NoWriteAccess = "no write access to this network", Forbidden,
        ("only members of the network can create its tokens"),
        remedy "ask an admin of the network to make you a member";
    /// The network does not exist, or you are not a member; the two are answered alike.
    NetworkNotFound = "network not found", NotFound,
        ("you are not a member of a network with this id"),
        remedy "check the id with `GET /api/networks`, or ask for an invite";
    /// You already have a network with this name.
    NetworkNameTaken = "network name already exists", Invalid, ("you already have a network with this name; choose another name");
    /// The token to revoke does not exist, or is not yours.
    TokenNotFound = "token not found", UnknownReference,
        ("you have no token with this id"),
        remedy "`GET /api/auth/tokens` lists yours";
    /// The call to create a token does not name the network and the node.
    MintFieldsMissing = "network_id and node_name required", Invalid, ("pass network_id and node_name");

    /// No user has this id.
    UserNotFound = "user not found", UnknownReference,
        ("no user has this id"),
        remedy "check the id; an admin of the hub sees all in `GET /api/users`";
    /// The user is already a member.
    AlreadyMember = "user already a member", Invalid, ("this user is already a member; change the role instead");
    /// The user is not a member of this network.
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
    InviteUnknown = "invalid invite code", Invalid, ("no invite has this code; check it, or ask for a new invite");
    /// The invite has been used as often as it allows.
    InviteUsedUp = "invite code fully used", Invalid, ("this invite has been used up; ask for a new one");
    /// The invite has expired, or the user who made it may no longer invite.
    InviteExpired = "invite code expired", Invalid, ("this invite has expired; ask for a new one");

    /// The task does not exist, or you may not read it; the two are answered alike.
    TaskNotFound = "task_not_found", NotFound,
        ("no task with this id in this network"),
        remedy "check the id with `GET /api/tasks`, and that your token is of its network";
    /// Nothing has been recorded there.
    NoEvidence = "no_evidence", NothingThere,
        ("nothing has been recorded there yet"),
        remedy "ask again when something has been recorded, or for a smaller index or size";
    /// The task to reply to does not exist, or you may not read it.
    ReplyTaskNotFound = "reply_task_not_found", NotFound,
        ("no task in this network has the id in in_reply_to"),
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
        ("the task is already {status}; if it failed, was cancelled or expired, retry_task makes a new task from it"),
        remedy "retry it if it failed, was cancelled or expired, or send a new one";
    /// The task is open or was replied to.
    TaskNotRetryable {
        /// Where it stands.
        status: Status = Status::Acked,
    } = format!("task status is {status}, not retryable"), Conflict,
        ("only failed, cancelled and expired tasks can be retried"),
        remedy "cancel it first if it is open, or send a new one";
    /// The task was already retried; callers get the answer of that retry.
    AlreadyRetried {
        /// The task the first retry made.
        retried_to: TaskId = TaskId::new(UnixMillis::new(0), [0; 10]),
    } = "task_already_retried", Conflict,
        ("the task was already retried as {retried_to}"),
        remedy "use the task it was retried as";
    /// A worker is already working on the task.
    TaskIsRunning = "task_is_running", Conflict,
        ("a worker is already working on this task"),
        remedy "wait for it to finish, or reassign it";
    /// The task is waiting for an answer from its sender.
    TaskIsWaitingInput = "task_is_waiting_input", Conflict,
        ("the task is waiting for an answer from its sender; answer or cancel it first");
    /// The task is not running, so no worker can ask a question about it.
    TaskIsNotRunning {
        /// Where it stands.
        status: Status = Status::Acked,
    } = format!("task status is {status}, not running"), Conflict, ("claim or start the task first");
    /// The task has not asked a question.
    TaskIsNotWaitingInput {
        /// Where it stands.
        status: Status = Status::Acked,
    } = format!("task status is {status}, not waiting_input"), Conflict,
        ("the task has not asked a question"),
        remedy "send a new task, or a message to its agent";
    /// The question has options, and the answer is not one of them.
    NotAnOption {
        /// What the question offers.
        options: Vec<String> = vec!["yes".into(), "no".into()],
    } = "not_an_option", Invalid,
        ("the answer must be exactly one of the options: {}", quoted(options)),
        remedy "answer with exactly one of the options, which the message names";
    /// A task with this id already exists.
    TaskExists = "task_exists", Conflict,
        ("a task with this id already exists"),
        remedy "send it again; it gets a new id";
    /// The lease has expired or was withdrawn, or its task has ended.
    LeaseLost = "lease_lost", Conflict, ("the lease has expired or was withdrawn; stop working on this task");
    /// The lease has time left. Used inside the hub only.
    LeaseStillRuns = "lease_still_runs", Conflict,
        ("the lease has time left"),
        remedy "nothing";
    /// The task has time left. Used inside the hub only.
    TaskNotOverdue = "task_not_overdue", Conflict,
        ("the task has time left or is being worked on"),
        remedy "nothing";
    /// No delivery with this id is waiting for your acknowledgement.
    MessageNotOpen = "message not found or already acknowledged", NothingThere,
        ("no delivery with this id is waiting for your acknowledgement; get_inbox lists those that are");
    /// The parent task is not in this network.
    CrossNetworkParent = "cross_network_parent", Invalid,
        ("no task in this network has the id in parent_task_id"),
        remedy "pass a task of the same network as the parent, or no parent";
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
    /// A cancel with `cascade` found more open descendants than can be cancelled together.
    TreeTooLarge {
        /// How many were found.
        open: usize = 1_001,
        /// Among so many that were examined.
        examined: usize = 2_000,
    } = "tree_too_large", Conflict,
        ("{open} of the {examined} descendants examined are open; at most {} are cancelled together: cancel its branches one by one", limits::CASCADE_MAX_COUNT),
        remedy "cancel its branches one by one; `GET /api/tasks/{id}/tree` shows them";
    /// The network has no artifact with this SHA-256, or you may not read it; the two are answered alike.
    ArtifactNotFound {
        /// Which one; none if what was given is no SHA-256.
        hash: Option<ArtifactHash> = None,
    } = "artifact_not_found", UnknownReference,
        ("this network has no artifact {} that you can read", named(hash.as_ref()));
    /// The upload is larger than an artifact may be.
    ArtifactTooLarge = "artifact_too_large", TooLarge,
        ("an artifact must be at most {} bytes; send it in pieces", Grouped(limits::ARTIFACT_MAX_BYTES as i64));
    /// The upload does not fit into the network's quota for artifacts.
    ArtifactQuotaExceeded {
        /// What it has, with what is being uploaded.
        used: i64 = 10_737_000_000,
        /// What it may have.
        max: i64 = Quota::ArtifactBytes.default_max(),
    } = "artifact_quota_exceeded", TooLarge,
        ("this network has {} of {} bytes of artifacts, and the upload does not fit; wait until old ones are deleted, or ask a system admin to raise artifact_bytes", Grouped(*used), Grouped(*max));
    /// The key was already used with different arguments.
    IdempotencyKeyReused = "idempotency_key_reused", KeyReused,
        ("this idempotency_key was already used with different arguments; use a new key");

    /// No agent in the network has this alias.
    AliasNotFound = "alias_not_found", NotFound,
        ("no agent in this network has this alias"),
        remedy "check the spelling, or create a token with this alias; `GET /api/status` lists the agents";
    /// The alias is the username of a member, belongs to another token, or is in use by a live session.
    AliasInUse = "alias_in_use", Conflict,
        ("the alias is in use; choose another, or try again a minute after its agent has stopped");
    /// The card of a remote agent is signed by another key than the pinned one.
    RemoteCardKeyChanged {
        /// The thumbprint of the pinned key.
        pinned: String = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k".into(),
        /// That of a key that signed it.
        found: String = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs".into(),
    } = "remote_card_key_changed", Conflict,
        ("the agent's card is signed by the key {found}, not by the pinned key {pinned}; ask whoever runs the agent, and if the new key is theirs, pin it with `baton node pin-remote`"),
        remedy "ask whoever runs the agent; if the new key is theirs, pin it with `baton node pin-remote`";
    /// The card of a remote agent is not signed, and a key is pinned.
    RemoteCardUnsigned {
        /// The thumbprint of the pinned key.
        pinned: String = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k".into(),
    } = "remote_card_unsigned", Conflict,
        ("the agent's card is not signed, and the key {pinned} is pinned; ask whoever runs the agent, or remove the agent and add it again to accept an unsigned card"),
        remedy "ask whoever runs the agent; to accept an unsigned card, remove the agent and add it again";
    /// The card of a remote agent has a signature that does not match it or cannot be checked.
    RemoteCardSignatureBroken {
        /// Why.
        why: &'static str = "it does not match the card",
    } = "remote_card_signature_broken", Conflict,
        ("the signature of the agent's card cannot be checked: {why}; whoever runs the agent has to sign the card again"),
        remedy "ask whoever runs the agent to sign the card again";
    /// The alias belongs to another user.
    AliasOwnedByAnother = "alias_in_use", Conflict,
        ("the alias belongs to another user; choose another, or ask a network admin to hand it over to you");
    /// The alias looks like an alias or a member's username of the network.
    AliasLooksLikeAnother = "alias_in_use", Conflict,
        ("the alias looks like another name in this network; choose one that is easier to tell apart");
    /// The username of the user who wants to join is, or looks like, an agent's alias.
    UsernameIsAlias = "alias_in_use", Conflict,
        ("an agent of this network has this username, or one that looks like it, as its alias"),
        remedy "join with another account, or ask an admin of the network to remove the agent";
    /// The account or the network has reached a limit.
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

    /// Registration is closed on this hub.
    RegistrationClosed = "registration is closed", Forbidden,
        ("registration is closed on this hub; ask its operator for an account");
    /// The username is too short.
    UsernameTooShort = "username must be at least 2 characters", Invalid,
        ("choose a username of 2 to 50 characters");
    /// The username is too long.
    UsernameTooLong = "username too long (max 50)", Invalid, ("choose a username of 2 to 50 characters");
    /// The username has a character that is not allowed.
    UsernameHasInvalidCharacters = "username contains invalid characters", Invalid,
        ("a username can have letters, digits, '_', '-' and CJK characters");
    /// The username is reserved, or it is the same as or looks like another user's; case does not matter.
    UsernameTaken = "username already taken", Invalid, ("this username is taken or reserved; choose another");
    /// The password is too short.
    PasswordTooShort = "password must be at least 8 characters", Invalid, ("choose a longer password");
    /// The password is on a list of common passwords.
    PasswordTooCommon = "password is too common", Invalid,
        ("this password is on a public list of common passwords; choose another");
    /// The current password is wrong.
    WrongOldPassword = "incorrect current password", Invalid, ("old_password must be your current password");
}

/// A time to wait as people say it: whole seconds or minutes, never too short.
struct Rounded(u64);

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.div_ceil(1_000) {
            seconds @ 0..=90 => write!(f, "{} s", seconds.max(1)),
            seconds => write!(f, "{} min", seconds.div_ceil(60)),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::Rounded;

    #[test]
    fn a_time_to_wait_is_rounded_up() {
        let said = |millis| Rounded(millis).to_string();
        assert_eq!(
            [said(0), said(1), said(1_000), said(29_992), said(90_000)],
            ["1 s", "1 s", "1 s", "30 s", "90 s"]
        );
        assert_eq!([said(90_001), said(899_999)], ["2 min", "15 min"]);
    }
}
