//! The contract's table of who may do what (section 2): the things one can want, and for each the least role,
//! the token it needs and how it is refused. Applying the table to a caller is in `access.rs`.

use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::role::NetworkRole;
use crate::task::Parties;

/// Something a caller wants in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'a> {
    /// See the network, its agents' status and its counts.
    ReadNetwork,
    /// Stream every event of the network.
    WatchNetwork,
    /// Read the open deliveries of the user or agent with this name.
    ReadInbox(&'a str),
    /// Acknowledge a delivery of the user or agent with this name.
    AckInbox(&'a str),
    /// Stream what happens to somebody.
    Listen(&'a Principal),
    /// Report an agent's status; under which alias is decided by `bind_alias`.
    ReportStatus,
    /// Send a task or a message.
    Send,
    /// Send a message to every live session.
    Broadcast,
    /// Hand in packets that the hub did not see itself.
    ReportEvidence,
    /// Do something to one task.
    Task {
        /// What to do.
        action: TaskAction,
        /// The task's two ends; none when there is no such task, and then only role and token are judged.
        parties: Option<Parties<'a>>,
    },
    /// Make a node token.
    MintNodeToken,
    /// Make a node token that reaches every task.
    MintCoordinatorToken,
    /// See who is a member.
    ListMembers,
    /// Invite a user, who becomes a member on accepting.
    AddMember {
        /// As what.
        role: NetworkRole,
    },
    /// Make a code that makes somebody a member.
    Invite {
        /// As what.
        role: NetworkRole,
    },
    /// End somebody's membership, or withdraw their invitation.
    RemoveMember {
        /// What they are.
        role: NetworkRole,
    },
    /// End one's own membership.
    Leave,
    /// Change what a member is.
    ChangeRole {
        /// What they are.
        from: NetworkRole,
        /// What they are to be.
        to: NetworkRole,
    },
    /// See and withdraw codes that make somebody a member.
    ManageInvites,
    /// See and revoke node tokens: one's own, or everybody's.
    ManageTokens {
        /// Only one's own.
        own: bool,
    },
    /// See who owns which alias, and hand aliases over.
    ManageAliases,
    /// Register, list or remove remote agents that tasks are handed to.
    ManageRemotes,
    /// See and set how many tasks a chain of parents may have.
    ManageDelegation,
    /// Give the network another name.
    RenameNetwork,
    /// End the network.
    DeleteNetwork,
}

/// Something a caller wants with one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskAction {
    /// See it, its messages, events and evidence.
    Read,
    /// Say that it was seen.
    Ack,
    /// Report working on it.
    Start,
    /// Take it up under a lease.
    Claim,
    /// Keep the lease.
    Extend,
    /// End it with a reply.
    Reply,
    /// End it with a completion report.
    Complete,
    /// Ask its sender for input.
    AskSender,
    /// Give the input that was asked for.
    Answer,
    /// Send its events to an external push receiver.
    Notify,
    /// Cancel it.
    Cancel,
    /// Make a new task of it.
    Retry,
    /// Give it to another agent.
    Reassign,
}

/// A row of the table: who may do this to a task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskRule {
    pub(crate) least_role: NetworkRole,
    /// Which agents may, by what the task is to them.
    pub(crate) agents: Agents,
    /// Whether only an agent does this.
    pub(crate) is_for_nodes: bool,
    /// Whether a system admin may do it in a network of others.
    pub(crate) is_on_admin_path: bool,
}

/// Which agents may do something to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agents {
    /// The sender, the assignee, and coordinators.
    Party,
    Sender,
    Assignee,
}

impl TaskRule {
    const fn of(least_role: NetworkRole, agents: Agents) -> Self {
        Self { least_role, agents, is_for_nodes: false, is_on_admin_path: false }
    }

    const fn for_nodes(self) -> Self {
        Self { is_for_nodes: true, ..self }
    }

    const fn for_admins_too(self) -> Self {
        Self { is_on_admin_path: true, ..self }
    }
}

impl TaskAction {
    /// Who may.
    pub(crate) const fn rule(self) -> TaskRule {
        use NetworkRole::{Member, Viewer};
        match self {
            Self::Read => TaskRule::of(Viewer, Agents::Party),
            Self::Notify => TaskRule::of(Member, Agents::Party),
            Self::Cancel | Self::Retry | Self::Reassign => {
                TaskRule::of(Member, Agents::Party).for_admins_too()
            }
            Self::Answer => TaskRule::of(Member, Agents::Sender),
            Self::Ack | Self::Reply => TaskRule::of(Member, Agents::Assignee).for_admins_too(),
            Self::Start | Self::Claim | Self::Extend | Self::Complete | Self::AskSender => {
                TaskRule::of(Member, Agents::Assignee).for_nodes()
            }
        }
    }
}

impl Action<'_> {
    /// The least role that may do this; a node token stands on its owner's role.
    pub const fn least_role(self) -> NetworkRole {
        match self {
            Self::ReadNetwork | Self::WatchNetwork | Self::ReadInbox(_) | Self::Listen(_) | Self::Leave => {
                NetworkRole::Viewer
            }
            Self::Task { action, .. } => action.rule().least_role,
            Self::Send | Self::Broadcast | Self::AckInbox(_) | Self::ReportStatus | Self::ReportEvidence => {
                NetworkRole::Member
            }
            Self::MintNodeToken | Self::ManageTokens { own: true } => NetworkRole::Member,
            Self::ManageInvites | Self::ManageAliases | Self::ManageTokens { own: false } => {
                NetworkRole::Admin
            }
            Self::MintCoordinatorToken | Self::ListMembers | Self::ManageRemotes | Self::ManageDelegation => {
                NetworkRole::Admin
            }
            Self::AddMember { .. } | Self::Invite { .. } | Self::RemoveMember { .. } => NetworkRole::Admin,
            Self::ChangeRole { .. } | Self::RenameNetwork | Self::DeleteNetwork => NetworkRole::Owner,
        }
    }

    /// Whether node tokens are turned away, whatever their owner is.
    pub(crate) const fn is_for_users(self) -> bool {
        match self {
            Self::WatchNetwork | Self::MintNodeToken | Self::MintCoordinatorToken | Self::ListMembers => true,
            Self::AddMember { .. } | Self::Invite { .. } | Self::RemoveMember { .. } => true,
            Self::ChangeRole { .. } | Self::RenameNetwork | Self::DeleteNetwork => true,
            Self::ManageRemotes | Self::ManageInvites | Self::ManageTokens { .. } => true,
            Self::Leave | Self::ManageAliases | Self::ManageDelegation => true,
            Self::ReadNetwork | Self::ReadInbox(_) | Self::AckInbox(_) | Self::Listen(_) => false,
            Self::ReportStatus | Self::ReportEvidence | Self::Send | Self::Broadcast => false,
            Self::Task { .. } => false,
        }
    }

    /// Whether user tokens are turned away, because only an agent does this.
    pub(crate) const fn is_for_nodes(self) -> bool {
        match self {
            Self::Task { action, .. } => action.rule().is_for_nodes,
            _ => matches!(self, Self::ReportStatus),
        }
    }

    /// Whether a system admin may write this in a network of others.
    pub(crate) const fn is_on_admin_path(self) -> bool {
        match self {
            Self::Task { action, .. } => action.rule().is_on_admin_path,
            _ => matches!(self, Self::AckInbox(_)),
        }
    }

    /// How somebody is refused who may not even see the network: as if it did not exist.
    pub(crate) const fn unseen(self) -> Refusal {
        match self {
            Self::Task { action: TaskAction::Reply, .. } => Refusal::ReplyTaskNotFound,
            Self::Task { .. } => Refusal::TaskNotFound,
            Self::Send | Self::Broadcast => Refusal::NetworkAccessDenied,
            Self::MintNodeToken | Self::MintCoordinatorToken => Refusal::NoWriteAccess,
            _ => Refusal::NetworkNotFound,
        }
    }

    /// How a member is refused whose role is too low.
    pub(crate) fn denied(self, role: NetworkRole) -> Refusal {
        match self {
            Self::MintNodeToken | Self::MintCoordinatorToken if role < NetworkRole::Member => {
                Refusal::NoWriteAccess
            }
            _ => Refusal::PermissionDenied,
        }
    }
}
