//! The wire strings, byte for byte.

use baton_core::{Quota, Refusal, Status};

use super::fixtures::{alias, task_id};

#[test]
fn every_refusal_has_the_contracts_wire_string() {
    let status = Status::Running;
    let table = [
        (Refusal::Unauthorized, "unauthorized"),
        (Refusal::WrongCredentials, "invalid username or password"),
        (Refusal::RateLimited { retry_after_ms: 1 }, "rate_limited"),
        (Refusal::TooManyRequests { limit: 1, retry_after_ms: 1 }, "rate_limited"),
        (Refusal::TooManyExports { retry_after_ms: 1 }, "too_many_exports"),
        (Refusal::LoginLocked { retry_after_ms: 1 }, "login_locked"),
        (Refusal::PermissionDenied, "permission_denied"),
        (Refusal::NetworkNotNamed, "permission_denied"),
        (Refusal::TokenHasNoAlias, "permission_denied"),
        (Refusal::RoleNotBelowYours, "permission_denied"),
        (Refusal::UserTokenRequired, "user_token_required"),
        (Refusal::NetworkTokenRequired, "network_token_required"),
        (Refusal::NetworkIdRequired, "network_id_required"),
        (Refusal::NetworkAccessDenied, "access denied to requested network"),
        (Refusal::NoWriteAccess, "no write access to this network"),
        (Refusal::NetworkNotFound, "network not found"),
        (Refusal::NetworkNameTaken, "network name already exists"),
        (Refusal::TokenNotFound, "token not found"),
        (Refusal::MintFieldsMissing, "network_id and node_name required"),
        (Refusal::UserNotFound, "user not found"),
        (Refusal::AlreadyMember, "user already a member"),
        (Refusal::NotAMember, "not a member"),
        (Refusal::InviteUnknown, "invalid invite code"),
        (Refusal::InviteUsedUp, "invite code fully used"),
        (Refusal::InviteExpired, "invite code expired"),
        (Refusal::TaskNotFound, "task_not_found"),
        (Refusal::ReplyTaskNotFound, "reply_task_not_found"),
        (Refusal::ReplyTaskTerminal { status: Status::Failed }, "reply_task_terminal"),
        (Refusal::TaskIsTerminal { status: Status::Expired }, "task is terminal (expired)"),
        (Refusal::TaskNotRetryable { status }, "task status is running, not retryable"),
        (Refusal::AlreadyRetried { retried_to: task_id(1) }, "task_already_retried"),
        (Refusal::TaskIsRunning, "task_is_running"),
        (Refusal::TaskIsWaitingInput, "task_is_waiting_input"),
        (Refusal::TaskIsNotRunning { status: Status::Acked }, "task status is acked, not running"),
        (Refusal::TaskIsNotWaitingInput { status }, "task status is running, not waiting_input"),
        (Refusal::NotAnOption { options: vec!["yes".into()] }, "not_an_option"),
        (Refusal::TaskExists, "task_exists"),
        (Refusal::LeaseLost, "lease_lost"),
        (Refusal::LeaseStillRuns, "lease_still_runs"),
        (Refusal::TaskNotOverdue, "task_not_overdue"),
        (Refusal::MessageNotOpen, "message not found or already acknowledged"),
        (Refusal::CrossNetworkParent, "cross_network_parent"),
        (Refusal::DelegationTooDeep { max: 16 }, "delegation_too_deep"),
        (Refusal::DelegationCycle { to: alias("bob"), chain: Vec::new() }, "delegation_cycle"),
        (Refusal::TreeTooLarge { open: 1_001, examined: 2_000 }, "tree_too_large"),
        (Refusal::IdempotencyKeyReused, "idempotency_key_reused"),
        (Refusal::AliasNotFound, "alias_not_found"),
        (Refusal::AliasInUse, "alias_in_use"),
        (Refusal::QuotaExceeded { quota: Quota::Networks, max: 50 }, "quota_exceeded"),
        (Refusal::invalid("alias", "is odd"), "invalid input"),
        (Refusal::RegistrationClosed, "registration is closed"),
        (Refusal::UsernameTooShort, "username must be at least 2 characters"),
        (Refusal::UsernameTooLong, "username too long (max 50)"),
        (Refusal::UsernameHasInvalidCharacters, "username contains invalid characters"),
        (Refusal::UsernameTaken, "username already taken"),
        (Refusal::PasswordTooShort, "password must be at least 8 characters"),
        (Refusal::PasswordTooCommon, "password is too common"),
        (Refusal::WrongOldPassword, "incorrect current password"),
    ];
    for (refusal, code) in table {
        assert_eq!(refusal.code(), code);
        assert!(!refusal.message().is_empty(), "{code} has a sentence");
    }
}
