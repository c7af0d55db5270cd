//! Names, invitations, quotas, and the guards of logins and tokens.

use std::time::Duration;

// Names.

/// Longest alias.
pub const ALIAS_MAX_CHARS: usize = 200;
/// Shortest username.
pub const USERNAME_MIN_CHARS: usize = 2;
/// Longest username.
pub const USERNAME_MAX_CHARS: usize = 50;
/// Shortest password.
pub const PASSWORD_MIN_CHARS: usize = 8;
/// Longest task kind.
pub const KIND_MAX_CHARS: usize = 64;
/// Longest resume id of a session.
pub const RESUME_ID_MAX_CHARS: usize = 200;
/// Longest network name (ours).
pub const NETWORK_NAME_MAX_CHARS: usize = 200;
/// Longest description, display name, email or session field such as `hostname` (ours).
pub const LABEL_MAX_CHARS: usize = 1_000;
/// Longest idempotency key (ours).
pub const IDEMPOTENCY_KEY_MAX_CHARS: usize = 200;

// Invitations.

/// Pending invitations of one user; further ones are refused until the user answers some (ours).
pub const INVITATIONS_PER_USER_MAX_COUNT: usize = 100;
/// Pending invitations of one network (ours).
pub const INVITATIONS_PER_NETWORK_MAX_COUNT: usize = 500;

// Quotas: what an account or a network may have unless a system admin sets another number for it (all ours).

/// Networks an account owns.
pub const NETWORKS_PER_USER_COUNT: i64 = 50;
/// Networks an account belongs to, its own among them.
pub const MEMBERSHIPS_PER_USER_COUNT: i64 = 1_000;
/// Tokens of an account that are not revoked.
pub const TOKENS_PER_USER_COUNT: i64 = 1_000;
/// Members of a network.
pub const MEMBERS_PER_NETWORK_COUNT: i64 = 1_000;
/// Invites of a network.
pub const INVITES_PER_NETWORK_COUNT: i64 = 1_000;
/// Sessions of a network.
pub const SESSIONS_PER_NETWORK_COUNT: i64 = 10_000;
/// Workers of a network.
pub const WORKERS_PER_NETWORK_COUNT: i64 = 10_000;
/// Tasks of a network that have not ended.
pub const OPEN_TASKS_PER_NETWORK_COUNT: i64 = 100_000;
/// Open deliveries of one recipient.
pub const INBOX_PER_RECIPIENT_COUNT: i64 = 20_000;
/// Claims of a network that wait for a task.
pub const WAITING_CLAIMS_PER_NETWORK_COUNT: i64 = 10_000;
/// Calls that wait for a task of a network to continue or to end.
pub const WAITING_CALLS_PER_NETWORK_COUNT: i64 = 10_000;
/// Open event streams of a network.
pub const STREAMS_PER_NETWORK_COUNT: i64 = 10_000;
/// Push receivers of a network that are still to be called.
pub const PUSH_CONFIGS_PER_NETWORK_COUNT: i64 = 10_000;
/// Remote agents of a network.
pub const REMOTES_PER_NETWORK_COUNT: i64 = 100;
/// Tasks in the chain of parents of a new task.
pub const DELEGATION_DEPTH_COUNT: i64 = 16;
/// The longest chain of parents a network can be allowed.
pub const DELEGATION_DEPTH_MAX_COUNT: i64 = 32;
/// The highest number a quota can be set to, but for `artifact_bytes`.
pub const QUOTA_MAX_COUNT: i64 = 1_000_000_000;

// Guards.

/// Sustained calls a second per token.
pub const RATE_PER_SECOND: u32 = 200;
/// Calls a token may make at once after a rest.
pub const RATE_BURST_COUNT: u32 = 1_000;
/// Tokens whose rate is remembered at a time (ours).
pub const RATE_TOKENS_MAX_COUNT: usize = 100_000;
/// How long an agent counts as connected for other hubs after its own hub last wrote so; renewed in half that time (ours).
pub const CONNECTED_HOLDS_SECONDS: u32 = 60;
/// Tokens whose connections are written at once, at most; the others come with the next round (ours).
pub const CONNECTED_WRITTEN_MAX_COUNT: usize = 1_000;
/// Client addresses, usernames and tokens whose failed logins and joins are remembered, of each kind (ours).
pub const ATTEMPTS_KEPT_MAX_COUNT: usize = 10_000;
/// Failed logins a minute per client address.
pub const LOGIN_FAILURES_PER_MINUTE: u32 = 10;
/// Failures of one username from one address before it is locked.
pub const LOGIN_FAILURES_BEFORE_LOCK: u32 = 5;
/// The first lock.
pub const LOGIN_LOCK_FIRST_SECONDS: u32 = 30;
/// The longest lock, reached by doubling.
pub const LOGIN_LOCK_MAX_SECONDS: u32 = 900;
/// Password hashes computed at once.
pub const PASSWORD_HASHES_AT_ONCE: usize = 2;
/// Calls that wait for the hash of one account's password from one address (ours).
pub const PASSWORD_WAITS_PER_ACCOUNT_MAX_COUNT: usize = 4;
/// Calls that wait for a password hash from one address (ours).
pub const PASSWORD_WAITS_PER_ADDRESS_MAX_COUNT: usize = 64;
/// Calls that wait for a password hash (ours).
pub const PASSWORD_WAITS_MAX_COUNT: usize = 1_024;
/// A browser's session ends when it was not used for this long (ours).
pub const BROWSER_IDLE_MAX_SECONDS: u32 = 7 * 86_400;
/// And after this long in any case (ours).
pub const BROWSER_SESSION_MAX_SECONDS: u32 = 30 * 86_400;
/// A system admin's reads of one thing in a network of others are recorded once in this time (ours).
pub const AUDITED_READ_KEPT_SECONDS: u32 = 900;
/// So many such reads are remembered; the oldest is forgotten and recorded again (ours).
pub const AUDITED_READS_MAX_COUNT: usize = 10_000;
/// So many names of tokens that acted are remembered; the others are computed again (ours).
pub const ACTOR_TOKENS_KEPT_COUNT: usize = 4_096;
/// Joins a minute per token (ours).
pub const JOINS_PER_MINUTE: u32 = 10;
/// Longest life of an invite (ours).
pub const INVITE_MAX_DAYS: u32 = 365;
/// Most uses of an invite (ours).
pub const INVITE_MAX_USES: u32 = 1_000;
/// Fewest hex digits of a secret: 128 bits (ours).
pub const SECRET_MIN_DIGITS: usize = 32;
/// Most hex digits of a secret, so that a long header is turned away before it is hashed (ours).
pub const SECRET_MAX_DIGITS: usize = 128;
/// How far the clocks of two hubs may differ (ours).
pub const HUB_CLOCKS_DIFFER_MAX_MILLIS: i64 = 60_000;
/// Callers whose calls of the last minute are counted; more than this are not remembered (ours).
pub const MINUTE_KEYS_MAX_COUNT: usize = 10_000;
/// Longest a call waits for its turn at a password hash (ours).
pub const PASSWORD_WAIT_MAX: Duration = Duration::from_secs(15);
