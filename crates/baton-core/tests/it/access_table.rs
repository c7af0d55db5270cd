//! Who may do what in a network, as one table; tasks are in `state_table.rs` but for reading them.
//!
//! `y` yes, `.` permission_denied, `?` network not found, `T` task_not_found, `X` access denied to requested
//! network, `W` no write access to this network, `U` user_token_required, `N` network_token_required,
//! `B` not below one's own role, `L` the owner cannot leave.

use baton_core::access::{HubAction, TaskReach, authorize, authorize_on_hub, is_audited, task_reach};
use baton_core::{
    Action, Caller, NetworkRole, Parties, Principal, Refusal, SystemRole, TaskAction, TokenScope,
};

use super::fixtures::*;

use NetworkRole::{Admin, Member, Owner, Viewer};

/// The nodes are `bob` (asg), `eve` (oth), `eve` as coordinator (coo), `bob` of an owner who became a viewer
/// (asv) or left (asx), and one without an alias (new).
#[rustfmt::skip]
const TABLE: &str = "
#                     own adm mem vie out sys asg oth coo asv asx new
read_network           y   y   y   y   ?   y   y   y   y   y   .   y
watch_network          y   y   y   y   ?   y   U   U   U   U   U   U
read_task              y   y   y   y   T   y   y   .   y   y   .   .
push_task              y   y   y   .   T   .   y   .   y   .   .   .
read_inbox_of_bob      y   y   y   y   ?   y   y   .   .   y   .   .
ack_inbox_of_bob       y   y   y   .   ?   y   y   .   .   .   .   .
listen_to_bob          N   N   N   N   ?   N   y   .   .   y   .   .
listen_to_self         y   y   y   y   ?   y   .   .   .   .   .   .
report_status          N   N   N   N   N   N   y   y   y   .   .   y
send                   y   y   y   .   X   .   y   y   y   .   .   .
broadcast              y   y   y   .   X   .   y   y   y   .   .   .
mint_node_token        y   y   y   W   W   W   U   U   U   U   U   U
mint_coordinator       y   y   .   W   W   W   U   U   U   U   U   U
list_members           y   y   .   .   ?   .   U   U   U   U   U   U
add_viewer             y   y   .   .   ?   .   U   U   U   U   U   U
add_member             y   y   .   .   ?   .   U   U   U   U   U   U
add_admin              y   B   .   .   ?   .   U   U   U   U   U   U
add_owner              B   B   .   .   ?   .   U   U   U   U   U   U
invite_member          y   y   .   .   ?   .   U   U   U   U   U   U
invite_admin           y   B   .   .   ?   .   U   U   U   U   U   U
invite_owner           B   B   .   .   ?   .   U   U   U   U   U   U
remove_member          y   y   .   .   ?   .   U   U   U   U   U   U
remove_admin           y   B   .   .   ?   .   U   U   U   U   U   U
remove_owner           B   B   .   .   ?   .   U   U   U   U   U   U
member_to_admin        y   .   .   .   ?   .   U   U   U   U   U   U
member_to_owner        B   .   .   .   ?   .   U   U   U   U   U   U
owner_to_member        B   .   .   .   ?   .   U   U   U   U   U   U
manage_invites         y   y   .   .   ?   .   U   U   U   U   U   U
manage_own_tokens      y   y   y   .   ?   .   U   U   U   U   U   U
manage_all_tokens      y   y   .   .   ?   .   U   U   U   U   U   U
leave                  L   y   y   y   ?   y   U   U   U   U   U   U
manage_aliases         y   y   .   .   ?   .   U   U   U   U   U   U
manage_remotes         y   y   .   .   ?   .   U   U   U   U   U   U
manage_delegation      y   y   .   .   ?   .   U   U   U   U   U   U
rename_network         y   .   .   .   ?   .   U   U   U   U   U   U
delete_network         y   .   .   .   ?   .   U   U   U   U   U   U
";

#[test]
fn every_action_is_allowed_or_refused_as_the_table_says() {
    let mut rows = TABLE.trim().lines();
    let head = rows.next().unwrap().trim_start_matches('#');
    for row in rows {
        let mut marks = row.split_whitespace();
        let action = marks.next().unwrap();
        assert_eq!(marks.clone().count(), head.split_whitespace().count(), "{action} has every column");
        for (caller, mark) in head.split_whitespace().zip(marks) {
            let got = attempt(caller, action);
            assert_eq!(got, expected(mark, caller, action), "{caller} wants {action}");
        }
    }
}

fn attempt(caller: &str, action: &str) -> Result<(), Refusal> {
    let (caller, role) = caller_named(caller);
    let (ada, bob, uma) = (node("ada"), node("bob"), user("uma"));
    let bob_alias = alias("bob");
    let action = match action {
        "read_network" => Action::ReadNetwork,
        "watch_network" => Action::WatchNetwork,
        "read_task" => {
            Action::Task { action: TaskAction::Read, parties: Some(Parties { from: &ada, to: &bob_alias }) }
        }
        "push_task" => {
            Action::Task { action: TaskAction::Notify, parties: Some(Parties { from: &ada, to: &bob_alias }) }
        }
        "manage_invites" => Action::ManageInvites,
        "manage_own_tokens" => Action::ManageTokens { own: true },
        "manage_all_tokens" => Action::ManageTokens { own: false },
        "leave" => Action::Leave,
        "manage_aliases" => Action::ManageAliases,
        "manage_remotes" => Action::ManageRemotes,
        "manage_delegation" => Action::ManageDelegation,
        "read_inbox_of_bob" => Action::ReadInbox("bob"),
        "ack_inbox_of_bob" => Action::AckInbox("bob"),
        "listen_to_bob" => Action::Listen(&bob),
        "listen_to_self" => Action::Listen(&uma),
        "report_status" => Action::ReportStatus,
        "send" => Action::Send,
        "broadcast" => Action::Broadcast,
        "mint_node_token" => Action::MintNodeToken,
        "mint_coordinator" => Action::MintCoordinatorToken,
        "list_members" => Action::ListMembers,
        "add_viewer" => Action::AddMember { role: Viewer },
        "add_member" => Action::AddMember { role: Member },
        "add_admin" => Action::AddMember { role: Admin },
        "add_owner" => Action::AddMember { role: Owner },
        "invite_member" => Action::Invite { role: Member },
        "invite_admin" => Action::Invite { role: Admin },
        "invite_owner" => Action::Invite { role: Owner },
        "remove_member" => Action::RemoveMember { role: Member },
        "remove_admin" => Action::RemoveMember { role: Admin },
        "remove_owner" => Action::RemoveMember { role: Owner },
        "member_to_admin" => Action::ChangeRole { from: Member, to: Admin },
        "member_to_owner" => Action::ChangeRole { from: Member, to: Owner },
        "owner_to_member" => Action::ChangeRole { from: Owner, to: Member },
        "rename_network" => Action::RenameNetwork,
        "delete_network" => Action::DeleteNetwork,
        _ => panic!("no action {action}"),
    };
    authorize(&caller, &network(), role, action)
}

fn caller_named(name: &str) -> (Caller, Option<NetworkRole>) {
    let user = |role| (user_caller("uma", SystemRole::User), role);
    match name {
        "own" => user(Some(Owner)),
        "adm" => user(Some(Admin)),
        "mem" => user(Some(Member)),
        "vie" => user(Some(Viewer)),
        "out" => user(None),
        "sys" => (user_caller("uma", SystemRole::Admin), None),
        "asg" => (node_caller(Some("bob"), TokenScope::Node), Some(Owner)),
        "oth" => (node_caller(Some("eve"), TokenScope::Node), Some(Owner)),
        "coo" => (node_caller(Some("eve"), TokenScope::Coordinator), Some(Owner)),
        "asv" => (node_caller(Some("bob"), TokenScope::Node), Some(Viewer)),
        "asx" => (node_caller(Some("bob"), TokenScope::Node), None),
        "new" => (node_caller(None, TokenScope::Node), Some(Owner)),
        _ => panic!("no caller {name}"),
    }
}

fn expected(mark: &str, caller: &str, action: &str) -> Result<(), Refusal> {
    Err(match mark {
        "y" => return Ok(()),
        "." if caller == "new" => Refusal::TokenHasNoAlias,
        "." => Refusal::PermissionDenied,
        "?" => Refusal::NetworkNotFound,
        "T" => Refusal::TaskNotFound,
        "X" => Refusal::NetworkAccessDenied,
        "W" => Refusal::NoWriteAccess,
        "U" => Refusal::UserTokenRequired,
        "N" => Refusal::NetworkTokenRequired,
        "B" => Refusal::RoleNotBelowYours,
        "L" => Refusal::OwnerCannotLeave,
        _ => panic!("no mark {mark} for {action}"),
    })
}

#[test]
fn a_node_token_is_denied_in_every_network_but_its_own() {
    let caller = node_caller(Some("bob"), TokenScope::Coordinator);
    let got = authorize(&caller, &other_network(), Some(Owner), Action::ReadNetwork);
    assert_eq!(got, Err(Refusal::PermissionDenied));
}

#[test]
fn a_user_answers_only_the_questions_about_tasks_they_sent() {
    let bob = alias("bob");
    let answer = |from: &Principal| {
        let (caller, parties) = (user_caller("uma", SystemRole::User), Parties { from, to: &bob });
        let action = Action::Task { action: TaskAction::Answer, parties: Some(parties) };
        authorize(&caller, &network(), Some(Member), action)
    };
    assert_eq!(answer(&user("uma")), Ok(()));
    assert_eq!(answer(&user("otto")), Err(Refusal::PermissionDenied));
}

#[test]
fn a_user_and_a_node_of_the_same_name_are_not_taken_for_each_other() {
    let (from, to) = (user("ada"), alias("bob"));
    let action = Action::Task { action: TaskAction::Read, parties: Some(Parties { from: &from, to: &to }) };
    let got = authorize(&node_caller(Some("ada"), TokenScope::Node), &network(), Some(Owner), action);
    assert_eq!(got, Err(Refusal::PermissionDenied));
}

#[test]
fn lists_show_a_node_its_own_tasks_and_everybody_else_all_of_them() {
    let reach = |caller: &Caller, role| task_reach(caller, &network(), role);
    let user = user_caller("uma", SystemRole::User);
    assert_eq!(reach(&user, Some(Viewer)), Ok(TaskReach::Network));
    assert_eq!(reach(&user, None), Err(Refusal::NetworkNotFound));
    let node = node_caller(Some("bob"), TokenScope::Node);
    assert_eq!(reach(&node, Some(Member)), Ok(TaskReach::Own(alias("bob"))));
    let coordinator = node_caller(Some("bob"), TokenScope::Coordinator);
    assert_eq!(reach(&coordinator, Some(Member)), Ok(TaskReach::Network));
    let nameless = node_caller(None, TokenScope::Node);
    assert_eq!(reach(&nameless, Some(Member)), Err(Refusal::TokenHasNoAlias));
}

#[test]
fn a_reach_of_ones_own_shows_what_an_agent_sent_or_was_given_and_no_users_task_of_its_name() {
    let own = TaskReach::Own(alias("bob"));
    for (from, to, is_shown) in [
        (node("bob"), "eve", true),
        (node("ada"), "bob", true),
        (user("bob"), "eve", false),
        (node("ada"), "eve", false),
    ] {
        let to = alias(to);
        let parties = Parties { from: &from, to: &to };
        assert_eq!((own.shows(parties), TaskReach::Network.shows(parties)), (is_shown, true), "{parties:?}");
    }
}

#[test]
fn a_system_admin_is_audited_in_networks_of_others_only() {
    let admin = user_caller("uma", SystemRole::Admin);
    assert!(is_audited(&admin, None));
    assert!(!is_audited(&admin, Some(Viewer)));
    assert!(!is_audited(&user_caller("uma", SystemRole::User), None));
    assert!(!is_audited(&node_caller(Some("bob"), TokenScope::Node), None));
}

#[test]
fn the_hub_itself_is_for_users_and_its_books_for_system_admins() {
    let (user, admin) = (user_caller("uma", SystemRole::User), user_caller("uma", SystemRole::Admin));
    let node = node_caller(Some("bob"), TokenScope::Coordinator);
    for action in
        [HubAction::ManageOwnAccount, HubAction::ListUsers, HubAction::ReadAuditLog, HubAction::ManageQuotas]
    {
        assert_eq!(authorize_on_hub(&admin, action), Ok(()));
        assert_eq!(authorize_on_hub(&node, action), Err(Refusal::UserTokenRequired));
    }
    assert_eq!(authorize_on_hub(&user, HubAction::ManageOwnAccount), Ok(()));
    assert_eq!(authorize_on_hub(&user, HubAction::ListUsers), Err(Refusal::PermissionDenied));
    assert_eq!(authorize_on_hub(&user, HubAction::ManageQuotas), Err(Refusal::PermissionDenied));
    assert_eq!(authorize_on_hub(&user, HubAction::ReadAuditLog), Err(Refusal::PermissionDenied));
}

#[test]
fn one_grants_only_roles_below_ones_own_and_owner_never() {
    for &granter in NetworkRole::ALL {
        assert!(!granter.may_grant(Owner));
        for &role in NetworkRole::ALL {
            assert_eq!(granter.may_grant(role), role < granter);
        }
    }
}

#[test]
fn an_invite_never_changes_what_a_member_already_is() {
    assert_eq!(NetworkRole::after_join(Some(Viewer), Admin), Viewer);
    assert_eq!(NetworkRole::after_join(Some(Owner), Member), Owner);
    assert_eq!(NetworkRole::after_join(None, Member), Member);
}

/// Whoever was allowed one thing is not asked again for what follows from it.
fn follows(more: Action<'_>, less: Action<'_>) {
    let names = TABLE.trim().lines().next().unwrap().trim_start_matches('#');
    let mut allowed = 0;
    for name in names.split_whitespace() {
        let (caller, role) = caller_named(name);
        if authorize(&caller, &network(), role, more).is_ok() {
            allowed += 1;
            assert_eq!(authorize(&caller, &network(), role, less), Ok(()), "{name} may {more:?}");
        }
    }
    assert!(allowed > 0, "nobody may {more:?}");
}

#[test]
fn whoever_may_send_a_task_or_answer_its_agent_may_be_told_of_it() {
    let eve = alias("eve");
    for sender in [node("bob"), user("uma")] {
        let parties = Some(Parties { from: &sender, to: &eve });
        let notify = Action::Task { action: TaskAction::Notify, parties };
        follows(Action::Task { action: TaskAction::Answer, parties }, notify);
    }
    for name in ["own", "adm", "mem", "asg", "oth", "coo"] {
        let (caller, role) = caller_named(name);
        let sender = caller.principal().unwrap();
        let parties = Some(Parties { from: &sender, to: &alias("ada") });
        let notify = Action::Task { action: TaskAction::Notify, parties };
        assert_eq!(authorize(&caller, &network(), role, Action::Send), Ok(()), "{name}");
        assert_eq!(authorize(&caller, &network(), role, notify), Ok(()), "{name}");
    }
}

#[test]
fn whoever_may_ack_what_lies_in_an_inbox_may_ack_the_tasks_in_it() {
    let (ada, bob) = (node("ada"), alias("bob"));
    let parties = Some(Parties { from: &ada, to: &bob });
    follows(Action::AckInbox("bob"), Action::Task { action: TaskAction::Ack, parties });
}

#[test]
fn whoever_may_do_anything_in_a_network_may_read_it() {
    let (ada, bob) = (node("ada"), alias("bob"));
    let parties = Some(Parties { from: &ada, to: &bob });
    for action in [TaskAction::Ack, TaskAction::Reply, TaskAction::Claim, TaskAction::Notify] {
        follows(Action::Task { action, parties }, Action::ReadNetwork);
    }
    for action in [Action::Send, Action::Broadcast, Action::ReportStatus, Action::AckInbox("bob")] {
        follows(action, Action::ReadNetwork);
    }
}
