//! Every way a rule says no, one variant per reason. `code` is the wire string on every door, `message` the
//! sentence for whoever called. Status numbers of HTTP, JSON-RPC or A2A do not live here.

use std::borrow::Cow;

use crate::alias::Alias;
use crate::artifact::ArtifactHash;
use crate::limits;
use crate::quota::{Grouped, Quota};
use crate::status::Status;
use crate::task::ChainTask;
use crate::uuid::TaskId;

/// A rule said no, and nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The token is missing, unknown or revoked.
    #[error("send a valid token as `Authorization: Bearer …`")]
    Unauthorized,
    /// Username or password is wrong; which one is not said.
    #[error("check the username and the password")]
    WrongCredentials,
    /// Too many calls.
    #[error("too many calls; try again in {retry_after_ms} ms")]
    RateLimited {
        /// When to try again.
        retry_after_ms: u64,
    },
    /// A token has as many requests in flight as it may.
    #[error(
        "this token has {limit} requests in flight, which is the limit; wait until some have been answered"
    )]
    TooManyRequests {
        /// How many it may have.
        limit: usize,
        /// When to try again.
        retry_after_ms: u64,
    },
    /// The network, or the hub, has as many exports as it may.
    #[error("too many evidence exports are running or being downloaded; try again in a moment")]
    TooManyExports {
        /// When to try again.
        retry_after_ms: u64,
    },
    /// Too many failed logins of this username.
    #[error("too many failed logins; try again in {retry_after_ms} ms")]
    LoginLocked {
        /// When to try again.
        retry_after_ms: u64,
    },

    /// The caller may see the thing but not do this to it.
    #[error("your role or your token does not allow this")]
    PermissionDenied,
    /// A user token acts on a task and names no network.
    #[error("pass network_id: a user token belongs to no network")]
    NetworkNotNamed,
    /// A node token without an alias acts as nobody.
    #[error("this token has no alias yet: call report_status first")]
    TokenHasNoAlias,
    /// A role at or above one's own is given, changed or taken away.
    #[error("only roles below your own can be given, changed or removed, and owner is never given")]
    RoleNotBelowYours,
    /// The owner wants to leave, which would leave the network without one.
    #[error("the owner cannot leave a network; delete the network instead")]
    OwnerCannotLeave,
    /// The call is for people.
    #[error("use a user token: node tokens cannot do this")]
    UserTokenRequired,
    /// The call is for agents.
    #[error("use a node token: this is an agent's call")]
    NetworkTokenRequired,
    /// The caller has not exactly one network and names none.
    #[error("pass network_id: your token does not say which network you mean")]
    NetworkIdRequired,
    /// The network to send into is unknown or not the caller's; the two answer alike.
    #[error("you are not a member of this network")]
    NetworkAccessDenied,
    /// A token is minted for a network the caller may not write to.
    #[error("only members of the network may mint its tokens")]
    NoWriteAccess,
    /// The network is unknown or not the caller's; the two answer alike.
    #[error("no such network among yours")]
    NetworkNotFound,
    /// A network of this name exists.
    #[error("choose another name for the network")]
    NetworkNameTaken,
    /// The token to revoke is unknown or not the caller's.
    #[error("no such token among yours")]
    TokenNotFound,
    /// A token is minted without saying for which network and node.
    #[error("pass network_id and node_name")]
    MintFieldsMissing,

    /// The user named is unknown.
    #[error("no user has this id")]
    UserNotFound,
    /// The user named is a member already.
    #[error("change the member's role instead")]
    AlreadyMember,
    /// The user named is no member.
    #[error("no member of this network has this id")]
    NotAMember,
    /// The user named has a pending invitation already.
    #[error("the user has not answered yet; withdraw the invitation to invite them with another role")]
    AlreadyInvited,
    /// There is no pending invitation of the caller to this network.
    #[error("you have no pending invitation to this network; `GET /api/invitations` lists yours")]
    InvitationNotFound,
    /// No invite has this code.
    #[error("check the code, or ask for a new invite")]
    InviteUnknown,
    /// The invite was used as often as it may be.
    #[error("ask for a new invite")]
    InviteUsedUp,
    /// The invite's time is over, or whoever made it may no longer invite.
    #[error("ask for a new invite")]
    InviteExpired,

    /// The task is unknown or out of the caller's sight; the two answer alike.
    #[error("no such task in this network")]
    TaskNotFound,
    /// Nothing was recorded where somebody asked.
    #[error("nothing has been recorded there yet")]
    NoEvidence,
    /// The task replied to is unknown or out of the caller's sight; the two answer alike.
    #[error("in_reply_to names no task in this network")]
    ReplyTaskNotFound,
    /// The task replied to has ended.
    #[error("the task is already {status}; nothing was written")]
    ReplyTaskTerminal {
        /// How it ended.
        status: Status,
    },
    /// The task has ended, and terminal is final.
    #[error(
        "the task is already {status}; retry_task makes a new one of a failed, cancelled or expired task"
    )]
    TaskIsTerminal {
        /// How it ended.
        status: Status,
    },
    /// The task is open or was replied to.
    #[error("only failed, cancelled and expired tasks can be retried")]
    TaskNotRetryable {
        /// Where it stands.
        status: Status,
    },
    /// The task was retried before; the answer is the first retry's.
    #[error("the task was already retried as {retried_to}")]
    AlreadyRetried {
        /// The task the first retry made.
        retried_to: TaskId,
    },
    /// Somebody works on the task already.
    #[error("somebody already works on this task")]
    TaskIsRunning,
    /// The task waits for its sender.
    #[error("the task waits for its sender's answer: answer or cancel it first")]
    TaskIsWaitingInput,
    /// Nobody works on the task, so nobody has a question about it.
    #[error("claim or start the task first")]
    TaskIsNotRunning {
        /// Where it stands.
        status: Status,
    },
    /// The task asked nothing.
    #[error("the task has asked for no input")]
    TaskIsNotWaitingInput {
        /// Where it stands.
        status: Status,
    },
    /// The question offers options, and the answer is none of them.
    #[error("the answer must be exactly one of the options: {}", quoted(options))]
    NotAnOption {
        /// What the question offers.
        options: Vec<String>,
    },
    /// A task of this id exists.
    #[error("a task of this id exists")]
    TaskExists,
    /// The lease lapsed, was voided, or its task ended.
    #[error("the lease no longer holds: stop working on this task")]
    LeaseLost,
    /// The lease has time left; only the hub's own worker hears this.
    #[error("the lease has time left")]
    LeaseStillRuns,
    /// The task has time left or its agent is alive; only the hub's own worker hears this.
    #[error("the task has time left or is being worked on")]
    TaskNotOverdue,
    /// There is no such unacked delivery.
    #[error("get_inbox lists what can be acknowledged")]
    MessageNotOpen,
    /// The parent named is no task of this network.
    #[error("parent_task_id names no task of this network")]
    CrossNetworkParent,
    /// The chain of parents of a new task is longer than its network allows.
    #[error(
        "the chain of parents has more than {max} tasks, this network's limit; send it without a parent, or ask a system admin to raise delegation_depth"
    )]
    DelegationTooDeep {
        /// How many tasks it may have.
        max: usize,
    },
    /// The recipient has an open task in the chain of parents of a new task.
    #[error(
        "{to} has an open task in the chain of parents: {}; send it to another agent, or pass allow_cycle",
        readable(chain)
    )]
    DelegationCycle {
        /// The recipient.
        to: Alias,
        /// The chain, root first.
        chain: Vec<ChainTask>,
    },
    /// A task has more open descendants than can be cancelled together.
    #[error(
        "{open} of the {examined} descendants examined are open; at most {} are cancelled together: cancel its branches one by one",
        limits::CASCADE_MAX_COUNT
    )]
    TreeTooLarge {
        /// How many were found.
        open: usize,
        /// Among so many that were examined.
        examined: usize,
    },
    /// There is no such artifact, or none that the caller may see.
    #[error("this network has no artifact {} that you can read", named(hash.as_ref()))]
    ArtifactNotFound {
        /// Which one; none if what was given is no SHA-256.
        hash: Option<ArtifactHash>,
    },
    /// An artifact is larger than the hub takes.
    #[error("an artifact must be at most {} bytes; send it in pieces", Grouped(limits::ARTIFACT_MAX_BYTES as i64))]
    ArtifactTooLarge,
    /// A network has no room for an artifact.
    #[error(
        "this network has {} of {} bytes of artifacts, and the upload does not fit; wait until old ones have left, or ask a system admin to raise artifact_bytes",
        Grouped(*used),
        Grouped(*max)
    )]
    ArtifactQuotaExceeded {
        /// What it has, with what is being uploaded.
        used: i64,
        /// What it may have.
        max: i64,
    },
    /// The key came before with other arguments.
    #[error("this idempotency_key came before with other arguments: use a new key")]
    IdempotencyKeyReused,

    /// No token or session of the network has this alias.
    #[error("no agent of this network has this alias")]
    AliasNotFound,
    /// The alias is a member's username, another token's, or live elsewhere.
    #[error("the alias is taken: choose another, or wait until its agent has been silent for a minute")]
    AliasInUse,
    /// The alias belongs to another user.
    #[error(
        "the alias belongs to another user; choose another, or ask a network admin to hand it over to you"
    )]
    AliasOwnedByAnother,
    /// Another name of the network looks like the alias.
    #[error("the alias looks like another name in this network; choose one that is easier to tell apart")]
    AliasLooksLikeAnother,
    /// An agent has an alias that is, or looks like, the username of the user who wants to join.
    #[error("an agent of this network has this username, or one that looks like it, as its alias")]
    UsernameIsAlias,
    /// An account or a network has reached a quota.
    #[error("{}", quota.exceeded(*max))]
    QuotaExceeded {
        /// What it has too much of.
        quota: Quota,
        /// How many it may have.
        max: i64,
    },
    /// A field breaks its rule.
    #[error("{field} {rule}")]
    InvalidInput {
        /// The field, as the caller named it.
        field: &'static str,
        /// The rule it breaks.
        rule: Cow<'static, str>,
    },

    /// Nobody may register by themselves.
    #[error("this hub's operator makes the accounts: ask them for one")]
    RegistrationClosed,
    /// The username is too short.
    #[error("choose a username of 2 to 50 characters")]
    UsernameTooShort,
    /// The username is too long.
    #[error("choose a username of 2 to 50 characters")]
    UsernameTooLong,
    /// The username has other characters than letters, digits, `_`, `-` and CJK.
    #[error("a username may hold letters, digits, '_', '-' and CJK characters")]
    UsernameHasInvalidCharacters,
    /// The username is another's, or reserved.
    #[error("choose another username")]
    UsernameTaken,
    /// The password is too short.
    #[error("choose a longer password")]
    PasswordTooShort,
    /// The password is on the list everybody tries first.
    #[error("choose a password that is not on the lists everybody tries first")]
    PasswordTooCommon,
    /// The password to be changed is another.
    #[error("check old_password")]
    WrongOldPassword,
}

impl Refusal {
    /// A field that breaks its rule.
    pub fn invalid(field: &'static str, rule: impl Into<Cow<'static, str>>) -> Self {
        Self::InvalidInput { field, rule: rule.into() }
    }

    /// The sentence for whoever called.
    pub fn message(&self) -> String {
        self.to_string()
    }

    /// The wire string, the same on every door.
    pub fn code(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Unauthorized => "unauthorized",
            Self::WrongCredentials => "invalid username or password",
            Self::RateLimited { .. } | Self::TooManyRequests { .. } => "rate_limited",
            Self::TooManyExports { .. } => "too_many_exports",
            Self::LoginLocked { .. } => "login_locked",
            Self::PermissionDenied
            | Self::NetworkNotNamed
            | Self::TokenHasNoAlias
            | Self::RoleNotBelowYours
            | Self::OwnerCannotLeave => "permission_denied",
            Self::UserTokenRequired => "user_token_required",
            Self::NetworkTokenRequired => "network_token_required",
            Self::NetworkIdRequired => "network_id_required",
            Self::NetworkAccessDenied => "access denied to requested network",
            Self::NoWriteAccess => "no write access to this network",
            Self::NetworkNotFound => "network not found",
            Self::NetworkNameTaken => "network name already exists",
            Self::TokenNotFound => "token not found",
            Self::MintFieldsMissing => "network_id and node_name required",
            Self::UserNotFound => "user not found",
            Self::AlreadyMember => "user already a member",
            Self::NotAMember => "not a member",
            Self::AlreadyInvited => "user already invited",
            Self::InvitationNotFound => "invitation_not_found",
            Self::InviteUnknown => "invalid invite code",
            Self::InviteUsedUp => "invite code fully used",
            Self::InviteExpired => "invite code expired",
            Self::TaskNotFound => "task_not_found",
            Self::NoEvidence => "no_evidence",
            Self::ReplyTaskNotFound => "reply_task_not_found",
            Self::ReplyTaskTerminal { .. } => "reply_task_terminal",
            Self::TaskIsTerminal { status } => return format!("task is terminal ({status})").into(),
            Self::TaskNotRetryable { status } => {
                return format!("task status is {status}, not retryable").into();
            }
            Self::AlreadyRetried { .. } => "task_already_retried",
            Self::TaskIsRunning => "task_is_running",
            Self::TaskIsWaitingInput => "task_is_waiting_input",
            Self::TaskIsNotRunning { status } => {
                return format!("task status is {status}, not running").into();
            }
            Self::TaskIsNotWaitingInput { status } => {
                return format!("task status is {status}, not waiting_input").into();
            }
            Self::NotAnOption { .. } => "not_an_option",
            Self::TaskExists => "task_exists",
            Self::LeaseLost => "lease_lost",
            Self::LeaseStillRuns => "lease_still_runs",
            Self::TaskNotOverdue => "task_not_overdue",
            Self::MessageNotOpen => "message not found or already acknowledged",
            Self::CrossNetworkParent => "cross_network_parent",
            Self::DelegationTooDeep { .. } => "delegation_too_deep",
            Self::DelegationCycle { .. } => "delegation_cycle",
            Self::TreeTooLarge { .. } => "tree_too_large",
            Self::ArtifactNotFound { .. } => "artifact_not_found",
            Self::ArtifactTooLarge => "artifact_too_large",
            Self::ArtifactQuotaExceeded { .. } => "artifact_quota_exceeded",
            Self::IdempotencyKeyReused => "idempotency_key_reused",
            Self::AliasNotFound => "alias_not_found",
            Self::AliasInUse
            | Self::AliasOwnedByAnother
            | Self::AliasLooksLikeAnother
            | Self::UsernameIsAlias => "alias_in_use",
            Self::QuotaExceeded { .. } => "quota_exceeded",
            Self::InvalidInput { .. } => "invalid input",
            Self::RegistrationClosed => "registration is closed",
            Self::UsernameTooShort => "username must be at least 2 characters",
            Self::UsernameTooLong => "username too long (max 50)",
            Self::UsernameHasInvalidCharacters => "username contains invalid characters",
            Self::UsernameTaken => "username already taken",
            Self::PasswordTooShort => "password must be at least 8 characters",
            Self::PasswordTooCommon => "password is too common",
            Self::WrongOldPassword => "incorrect current password",
        })
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
