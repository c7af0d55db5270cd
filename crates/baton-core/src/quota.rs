//! How much an account or a network may have. Each quota has a default in `limits` that a system admin can change for
//! one account or one network, and the depth of delegation also an admin of the network. Counting and storing live elsewhere.

use std::fmt;

use crate::limits;
use crate::refusal::Refusal;

/// Something that is capped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quota {
    /// Networks an account owns.
    Networks,
    /// Networks an account belongs to.
    Memberships,
    /// Tokens of an account that are not revoked.
    Tokens,
    /// Members of a network.
    Members,
    /// Invites of a network.
    Invites,
    /// Sessions of a network.
    Sessions,
    /// Workers of a network.
    Workers,
    /// Tasks of a network that have not ended.
    OpenTasks,
    /// Open deliveries of one recipient in a network.
    Inbox,
    /// Claims of a network that wait for a task.
    WaitingClaims,
    /// Calls that wait for a task of a network to continue or to end.
    WaitingCalls,
    /// Open event streams of a network.
    Streams,
    /// Push receivers of a network that are still to be called.
    PushConfigs,
    /// Remote agents of a network.
    Remotes,
    /// Tasks in the chain of parents of a new task of a network.
    DelegationDepth,
    /// Bytes of artifacts that a network has.
    ArtifactBytes,
}

impl Quota {
    /// Those of an account.
    pub const OF_USER: [Self; 3] = [Self::Networks, Self::Memberships, Self::Tokens];
    /// Those of a network.
    pub const OF_NETWORK: [Self; 13] = [
        Self::Members,
        Self::Invites,
        Self::Sessions,
        Self::Workers,
        Self::OpenTasks,
        Self::Inbox,
        Self::WaitingClaims,
        Self::WaitingCalls,
        Self::Streams,
        Self::PushConfigs,
        Self::Remotes,
        Self::DelegationDepth,
        Self::ArtifactBytes,
    ];

    /// The word on the wire and in the row.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Networks => "networks",
            Self::Memberships => "memberships",
            Self::Tokens => "tokens",
            Self::Members => "members",
            Self::Invites => "invites",
            Self::Sessions => "sessions",
            Self::Workers => "workers",
            Self::OpenTasks => "open_tasks",
            Self::Inbox => "inbox",
            Self::WaitingClaims => "waiting_claims",
            Self::WaitingCalls => "waiting_calls",
            Self::Streams => "streams",
            Self::PushConfigs => "push_configs",
            Self::Remotes => "remotes",
            Self::DelegationDepth => "delegation_depth",
            Self::ArtifactBytes => "artifact_bytes",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::OF_USER.into_iter().chain(Self::OF_NETWORK).find(|quota| quota.as_str() == word)
    }

    /// How many there may be unless a system admin says otherwise.
    #[must_use]
    pub const fn default_max(self) -> i64 {
        match self {
            Self::Networks => limits::NETWORKS_PER_USER_COUNT,
            Self::Memberships => limits::MEMBERSHIPS_PER_USER_COUNT,
            Self::Tokens => limits::TOKENS_PER_USER_COUNT,
            Self::Members => limits::MEMBERS_PER_NETWORK_COUNT,
            Self::Invites => limits::INVITES_PER_NETWORK_COUNT,
            Self::Sessions => limits::SESSIONS_PER_NETWORK_COUNT,
            Self::Workers => limits::WORKERS_PER_NETWORK_COUNT,
            Self::OpenTasks => limits::OPEN_TASKS_PER_NETWORK_COUNT,
            Self::Inbox => limits::INBOX_PER_RECIPIENT_COUNT,
            Self::WaitingClaims => limits::WAITING_CLAIMS_PER_NETWORK_COUNT,
            Self::WaitingCalls => limits::WAITING_CALLS_PER_NETWORK_COUNT,
            Self::Streams => limits::STREAMS_PER_NETWORK_COUNT,
            Self::PushConfigs => limits::PUSH_CONFIGS_PER_NETWORK_COUNT,
            Self::Remotes => limits::REMOTES_PER_NETWORK_COUNT,
            Self::DelegationDepth => limits::DELEGATION_DEPTH_COUNT,
            Self::ArtifactBytes => limits::ARTIFACT_BYTES_PER_NETWORK,
        }
    }

    /// The highest number it can be set to.
    #[must_use]
    pub const fn highest_max(self) -> i64 {
        match self {
            Self::DelegationDepth => limits::DELEGATION_DEPTH_MAX_COUNT,
            Self::ArtifactBytes => limits::ARTIFACT_BYTES_MAX,
            _ => limits::QUOTA_MAX_COUNT,
        }
    }

    /// Whether the subject as a whole has a count of it. Inboxes have one each, and a chain of parents is as long as it is.
    #[must_use]
    pub const fn is_counted(self) -> bool {
        !matches!(self, Self::Inbox | Self::DelegationDepth)
    }

    /// Whether one more may be added to so many; `max` is what a system admin set.
    pub fn admit(self, used: i64, max: Option<i64>) -> Result<(), Refusal> {
        let max = max.unwrap_or(self.default_max());
        if used < max { Ok(()) } else { Err(Refusal::QuotaExceeded { quota: self, max }) }
    }

    /// What has reached its limit, and what makes room.
    const fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Networks => ("this account owns", "networks", "delete some"),
            Self::Memberships => ("this account belongs to", "networks", "leave some"),
            Self::Tokens => ("this account has", "tokens", "revoke some"),
            Self::Members => ("this network has", "members", "remove some"),
            Self::Invites => ("this network has", "invites", "withdraw some"),
            Self::Sessions => ("this network has", "sessions", "reuse the aliases it has"),
            Self::Workers => ("this network has", "workers", "stop some"),
            Self::OpenTasks => ("this network has", "open tasks", "finish or cancel some"),
            Self::Inbox => ("this recipient has", "open deliveries", "wait until it works on them"),
            Self::WaitingClaims => ("this network has", "waiting claims", "run fewer workers"),
            Self::WaitingCalls => ("this network has", "waiting calls", "wait for fewer tasks at once"),
            Self::Streams => ("this network has", "open streams", "close some"),
            Self::PushConfigs => ("this network has", "push receivers", "delete some"),
            Self::Remotes => ("this network has", "remote agents", "remove some"),
            Self::DelegationDepth => ("this task has", "parents", "send it without a parent"),
            Self::ArtifactBytes => {
                ("this network has", "bytes of artifacts", "wait until old ones have left")
            }
        }
    }

    /// The message for the caller.
    pub(crate) fn exceeded(self, max: i64) -> String {
        let (who_has, what, remedy) = self.words();
        let count = Grouped(max);
        format!("{who_has} {count} {what}, its limit; {remedy}, or ask a system admin to raise the limit")
    }
}

/// A number with commas between its thousands.
pub(crate) struct Grouped(pub(crate) i64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (at, digit) in digits.char_indices() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_more_is_admitted_below_the_limit_and_not_at_it() {
        let default = Quota::Networks.default_max();
        assert_eq!(Quota::Networks.admit(default - 1, None), Ok(()));
        let refusal = Refusal::QuotaExceeded { quota: Quota::Networks, max: default };
        assert_eq!(Quota::Networks.admit(default, None), Err(refusal));
        assert_eq!(Quota::Networks.admit(default, Some(default + 1)), Ok(()));
        assert!(Quota::Networks.admit(0, Some(0)).is_err());
    }

    #[test]
    fn a_refusal_says_how_many_what_makes_room_and_whom_to_ask() {
        let refusal = Quota::OpenTasks.admit(100_000, None).unwrap_err();
        assert_eq!(refusal.code(), "quota_exceeded");
        assert_eq!(
            refusal.message(),
            "this network has 100,000 open tasks, its limit; finish or cancel some, or ask a system admin to raise the limit"
        );
    }

    #[test]
    fn every_quota_is_read_back_from_its_word() {
        for quota in Quota::OF_USER.into_iter().chain(Quota::OF_NETWORK) {
            assert_eq!(Quota::parse(quota.as_str()), Some(quota));
        }
        assert_eq!(Quota::parse("everything"), None);
    }
}
