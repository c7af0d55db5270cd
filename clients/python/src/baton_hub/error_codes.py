"""One error class for each code of docs/errors.md. Made by generate.py; do not edit."""

from __future__ import annotations

import re

from .errors import BatonError


class AccessDeniedToRequestedNetwork(BatonError):
    """The network to send to does not exist, or you are not a member; the two are answered alike."""

    default_code = "access denied to requested network"
    remedies = (
        "check the id with `GET /api/networks`, or ask for an invite",
    )


class AliasInUse(BatonError):
    """The alias is the username of a member, belongs to another token, or is in use by a live session ·
    The alias belongs to another user · The alias looks like an alias or a member's username of the network
    · The username of the user who wants to join is, or looks like, an agent's alias."""

    default_code = "alias_in_use"
    remedies = (
        "the alias is in use; choose another, or try again a minute after its agent has stopped",
        "the alias belongs to another user; choose another, or ask a network admin to hand it over to you",
        "the alias looks like another name in this network; choose one that is easier to tell apart",
        "join with another account, or ask an admin of the network to remove the agent",
    )


class AliasNotFound(BatonError):
    """No agent in the network has this alias."""

    default_code = "alias_not_found"
    remedies = (
        "check the spelling, or create a token with this alias; `GET /api/status` lists the agents",
    )


class ArtifactNotFound(BatonError):
    """The network has no artifact with this SHA-256, or you may not read it; the two are answered alike."""

    default_code = "artifact_not_found"
    remedies = (
        "this network has no artifact of this name that you can read",
    )


class ArtifactQuotaExceeded(BatonError):
    """The upload does not fit into the network's quota for artifacts."""

    default_code = "artifact_quota_exceeded"


class ArtifactTooLarge(BatonError):
    """The upload is larger than an artifact may be."""

    default_code = "artifact_too_large"


class BodyTooLarge(BatonError):
    """The body is larger than the hub reads."""

    default_code = "body too large"
    remedies = (
        "send less at a time",
    )


class Busy(BatonError):
    """Too many calls of this account are waiting, other writes were in the way, or the hub has no memory
    left for large answers."""

    default_code = "busy"
    remedies = (
        "too many calls are waiting; try again in a moment",
    )


class ContentTypeMustBeApplicationJson(BatonError):
    """The `content-type` of the body is not JSON."""

    default_code = "content-type must be application/json"
    remedies = (
        "send the header `content-type: application/json`",
    )


class ContentTypeMustBeApplicationJsonOrApplicationXNdjson(BatonError):
    """The `content-type` of packets is neither JSON nor lines of JSON."""

    default_code = "content-type must be application/json or application/x-ndjson"
    remedies = (
        "send the header `content-type` with one of the two",
    )


class CrossNetworkParent(BatonError):
    """The parent task is not in this network."""

    default_code = "cross_network_parent"
    remedies = (
        "pass a task of the same network as the parent, or no parent",
    )


class DatabaseDamaged(BatonError):
    """The database file of the hub is damaged; writes are refused until its operator restores a backup."""

    default_code = "database_damaged"
    remedies = (
        "the hub's database is damaged and accepts no writes; its operator must stop the hub, run `baton hub check`, and restore a backup with `baton hub restore`",
    )


class DelegationCycle(BatonError):
    """The recipient has an open task in the chain of parents of the new task; `details` has the chain,
    root first."""

    default_code = "delegation_cycle"
    remedies = (
        "send it to another agent, or pass `allow_cycle`",
    )


class DelegationTooDeep(BatonError):
    """The chain of parents of a new task is longer than its network allows."""

    default_code = "delegation_too_deep"
    remedies = (
        "send it without a parent, or have a system admin raise `delegation_depth` of the network",
    )


class DuplicateHeader(BatonError):
    """A header that may appear once was sent twice."""

    default_code = "duplicate header"
    remedies = (
        "send Host and Authorization once each",
    )


class HostNotAllowed(BatonError):
    """The `Host` header is not an address of this hub."""

    default_code = "host not allowed"
    remedies = (
        "call the hub by its IP address or localhost, or start it with --behind-proxy if a proxy is in front",
    )


class IdempotencyKeyReused(BatonError):
    """The key was already used with different arguments."""

    default_code = "idempotency_key_reused"
    remedies = (
        "this idempotency_key was already used with different arguments; use a new key",
    )


class IncorrectCurrentPassword(BatonError):
    """The current password is wrong."""

    default_code = "incorrect current password"
    remedies = (
        "old_password must be your current password",
    )


class InternalError(BatonError):
    """An error inside the hub."""

    default_code = "internal_error"
    remedies = (
        "the call may or may not have had an effect; check before you repeat it",
    )


class InvalidJSON(BatonError):
    """The body is not JSON."""

    default_code = "invalid JSON"
    remedies = (
        "send one JSON object in UTF-8",
    )


class InvalidInput(BatonError):
    """A field breaks its rule; `details` says which and how."""

    default_code = "invalid input"
    remedies = (
        "change that field as its `rule` says",
    )


class InvalidInviteCode(BatonError):
    """No invite has this code."""

    default_code = "invalid invite code"
    remedies = (
        "no invite has this code; check it, or ask for a new invite",
    )


class InvalidUsernameOrPassword(BatonError):
    """The username or the password is wrong."""

    default_code = "invalid username or password"
    remedies = (
        "check the username and the password",
    )


class InvitationNotFound(BatonError):
    """No pending invitation of yours to this network."""

    default_code = "invitation_not_found"
    remedies = (
        "you have no pending invitation to this network; `GET /api/invitations` lists yours",
    )


class InviteCodeExpired(BatonError):
    """The invite has expired, or the user who made it may no longer invite."""

    default_code = "invite code expired"
    remedies = (
        "this invite has expired; ask for a new one",
    )


class InviteCodeFullyUsed(BatonError):
    """The invite has been used as often as it allows."""

    default_code = "invite code fully used"
    remedies = (
        "this invite has been used up; ask for a new one",
    )


class LeaseLost(BatonError):
    """The lease has expired or was withdrawn, or its task has ended."""

    default_code = "lease_lost"
    remedies = (
        "the lease has expired or was withdrawn; stop working on this task",
    )


class LeaseStillRuns(BatonError):
    """The lease has time left. Used inside the hub only."""

    default_code = "lease_still_runs"
    remedies = (
        "nothing",
    )


class LoginLocked(BatonError):
    """Too many logins with this username failed."""

    default_code = "login_locked"
    remedies = (
        "wait for `retry_after_ms`",
    )


class MessageNotFoundOrAlreadyAcknowledged(BatonError):
    """No delivery with this id is waiting for your acknowledgement."""

    default_code = "message not found or already acknowledged"
    remedies = (
        "no delivery with this id is waiting for your acknowledgement; get_inbox lists those that are",
    )


class MethodNotAllowed(BatonError):
    """The path exists, with other methods."""

    default_code = "method not allowed"
    remedies = (
        "use a method that the header `allow` lists",
    )


class NetworkNameAlreadyExists(BatonError):
    """You already have a network with this name."""

    default_code = "network name already exists"
    remedies = (
        "you already have a network with this name; choose another name",
    )


class NetworkNotFound(BatonError):
    """The network does not exist, or you are not a member; the two are answered alike."""

    default_code = "network not found"
    remedies = (
        "check the id with `GET /api/networks`, or ask for an invite",
    )


class NetworkIdAndNodeNameRequired(BatonError):
    """The call to create a token does not name the network and the node."""

    default_code = "network_id and node_name required"
    remedies = (
        "pass network_id and node_name",
    )


class NetworkIdRequired(BatonError):
    """You do not belong to exactly one network, and the call names none."""

    default_code = "network_id_required"
    remedies = (
        "pass network_id: you do not belong to exactly one network, so the hub cannot choose it for you",
    )


class NetworkTokenRequired(BatonError):
    """Only a node token can make this call."""

    default_code = "network_token_required"
    remedies = (
        "use a node token (ntok_…): only agents make this call",
    )


class NoWriteAccessToThisNetwork(BatonError):
    """You try to create a token for a network you may not write to."""

    default_code = "no write access to this network"
    remedies = (
        "ask an admin of the network to make you a member",
    )


class NoEvidence(BatonError):
    """Nothing has been recorded there."""

    default_code = "no_evidence"
    remedies = (
        "ask again when something has been recorded, or for a smaller index or size",
    )


class NotAMember(BatonError):
    """The user is not a member of this network."""

    default_code = "not a member"
    remedies = (
        "`GET /api/networks/{network}/members` lists them",
    )


class NotFound(BatonError):
    """There is no such path."""

    default_code = "not found"
    remedies = (
        "GET /openapi.json lists every path",
    )


class NotAnOption(BatonError):
    """The question has options, and the answer is not one of them."""

    default_code = "not_an_option"
    remedies = (
        "answer with exactly one of the options, which the message names",
    )


class OriginNotAllowed(BatonError):
    """A web page of another origin makes the call."""

    default_code = "origin not allowed"
    remedies = (
        "start the hub with --cors-origin and this origin",
    )


class OutcomeUnknown(BatonError):
    """The hub does not know whether the change was committed: it stopped, lost its connection to the
    database, or the disk did not confirm it."""

    default_code = "outcome_unknown"
    remedies = (
        "the change may or may not have been made; check before you repeat it",
    )


class PasswordIsTooCommon(BatonError):
    """The password is on a list of common passwords."""

    default_code = "password is too common"
    remedies = (
        "this password is on a public list of common passwords; choose another",
    )


class PasswordMustBeAtLeast8Characters(BatonError):
    """The password is too short."""

    default_code = "password must be at least 8 characters"
    remedies = (
        "choose a longer password",
    )


class PermissionDenied(BatonError):
    """You may see the thing, but not do this to it · A user token acts on a task and names no network ·
    The node token has no alias yet, so the hub cannot tell which agent acts · The call would give, change
    or remove a role at or above your own · The owner of a network tries to leave it."""

    default_code = "permission_denied"
    remedies = (
        "ask an admin of the network for a higher role, or use a token that has one",
        "pass network_id: a user token is not tied to one network",
        "this token has no alias yet: call report_status first",
        "you can give, change or remove only roles below your own, and nobody can be made owner",
        "the owner cannot leave a network; delete the network instead",
    )


class QuotaExceeded(BatonError):
    """The account or the network has reached a limit."""

    default_code = "quota_exceeded"


class RateLimited(BatonError):
    """This token or address makes too many calls · This token has too many requests in flight."""

    default_code = "rate_limited"
    remedies = (
        "wait for `retry_after_ms`",
    )


class ReadTookTooLong(BatonError):
    """A read took longer than the hub allows and was stopped."""

    default_code = "read_took_too_long"
    remedies = (
        "ask for less: one network, a shorter time or a narrower filter",
    )


class RegistrationIsClosed(BatonError):
    """Registration is closed on this hub."""

    default_code = "registration is closed"
    remedies = (
        "registration is closed on this hub; ask its operator for an account",
    )


class RemoteCardKeyChanged(BatonError):
    """The card of a remote agent is signed by another key than the pinned one."""

    default_code = "remote_card_key_changed"
    remedies = (
        "ask whoever runs the agent; if the new key is theirs, pin it with `baton node pin-remote`",
    )


class RemoteCardSignatureBroken(BatonError):
    """The card of a remote agent has a signature that does not match it or cannot be checked."""

    default_code = "remote_card_signature_broken"
    remedies = (
        "ask whoever runs the agent to sign the card again",
    )


class RemoteCardUnsigned(BatonError):
    """The card of a remote agent is not signed, and a key is pinned."""

    default_code = "remote_card_unsigned"
    remedies = (
        "ask whoever runs the agent; to accept an unsigned card, remove the agent and add it again",
    )


class ReplyTaskNotFound(BatonError):
    """The task to reply to does not exist, or you may not read it."""

    default_code = "reply_task_not_found"
    remedies = (
        "check the id with `GET /api/tasks`, and that your token is of its network",
    )


class ReplyTaskTerminal(BatonError):
    """The task replied to has ended."""

    default_code = "reply_task_terminal"
    remedies = (
        "stop working on it; nothing was written",
    )


class ShuttingDown(BatonError):
    """The hub is stopping."""

    default_code = "shutting_down"
    remedies = (
        "the hub is stopping; try again when it is back",
    )


class Starting(BatonError):
    """The hub is starting."""

    default_code = "starting"
    remedies = (
        "the hub is starting; try again in a moment",
    )


class StorageUnavailable(BatonError):
    """The hub's disk is full, read-only or gone."""

    default_code = "storage_unavailable"
    remedies = (
        "the hub cannot use its disk; nothing was changed",
    )


class TaskIsTerminal(BatonError):
    """The task has ended, and that is final."""

    default_code = "task is terminal (<status>)"
    remedies = (
        "retry it if it failed, was cancelled or expired, or send a new one",
    )


class TaskStatusIsNotRetryable(BatonError):
    """The task is open or was replied to."""

    default_code = "task status is <status>, not retryable"
    remedies = (
        "cancel it first if it is open, or send a new one",
    )


class TaskStatusIsNotRunning(BatonError):
    """The task is not running, so no worker can ask a question about it."""

    default_code = "task status is <status>, not running"
    remedies = (
        "claim or start the task first",
    )


class TaskStatusIsNotWaitingInput(BatonError):
    """The task has not asked a question."""

    default_code = "task status is <status>, not waiting_input"
    remedies = (
        "send a new task, or a message to its agent",
    )


class TaskAlreadyRetried(BatonError):
    """The task was already retried; callers get the answer of that retry."""

    default_code = "task_already_retried"
    remedies = (
        "use the task it was retried as",
    )


class TaskExists(BatonError):
    """A task with this id already exists."""

    default_code = "task_exists"
    remedies = (
        "send it again; it gets a new id",
    )


class TaskIsRunning(BatonError):
    """A worker is already working on the task."""

    default_code = "task_is_running"
    remedies = (
        "wait for it to finish, or reassign it",
    )


class TaskIsWaitingInput(BatonError):
    """The task is waiting for an answer from its sender."""

    default_code = "task_is_waiting_input"
    remedies = (
        "the task is waiting for an answer from its sender; answer or cancel it first",
    )


class TaskNotFound(BatonError):
    """The task does not exist, or you may not read it; the two are answered alike."""

    default_code = "task_not_found"
    remedies = (
        "check the id with `GET /api/tasks`, and that your token is of its network",
    )


class TaskNotOverdue(BatonError):
    """The task has time left. Used inside the hub only."""

    default_code = "task_not_overdue"
    remedies = (
        "nothing",
    )


class TheBodyWasCutOff(BatonError):
    """The connection ended before the whole body had arrived."""

    default_code = "the body was cut off"
    remedies = (
        "send the whole body again",
    )


class TheRequestTookTooLongToArrive(BatonError):
    """The body did not arrive in time."""

    default_code = "the request took too long to arrive"
    remedies = (
        "send the request again, with the whole body at once",
    )


class TokenNotFound(BatonError):
    """The token to revoke does not exist, or is not yours."""

    default_code = "token not found"
    remedies = (
        "`GET /api/auth/tokens` lists yours",
    )


class TooManyExports(BatonError):
    """Too many evidence exports are running or being downloaded."""

    default_code = "too_many_exports"
    remedies = (
        "wait for `retry_after_ms`",
    )


class TreeTooLarge(BatonError):
    """A cancel with `cascade` found more open descendants than can be cancelled together."""

    default_code = "tree_too_large"
    remedies = (
        "cancel its branches one by one; `GET /api/tasks/{id}/tree` shows them",
    )


class Unauthorized(BatonError):
    """The token is missing, unknown or revoked."""

    default_code = "unauthorized"
    remedies = (
        "send a valid token as `Authorization: Bearer …`",
    )


class UserAlreadyAMember(BatonError):
    """The user is already a member."""

    default_code = "user already a member"
    remedies = (
        "this user is already a member; change the role instead",
    )


class UserAlreadyInvited(BatonError):
    """The user has a pending invitation to this network."""

    default_code = "user already invited"
    remedies = (
        "the user has not answered yet; withdraw the invitation to invite them with another role",
    )


class UserNotFound(BatonError):
    """No user has this id."""

    default_code = "user not found"
    remedies = (
        "check the id; an admin of the hub sees all in `GET /api/users`",
    )


class UserTokenRequired(BatonError):
    """Only a user token can make this call."""

    default_code = "user_token_required"
    remedies = (
        "use a user token (utok_…): a node token cannot make this call",
    )


class UsernameAlreadyTaken(BatonError):
    """The username is reserved, or it is the same as or looks like another user's; case does not matter."""

    default_code = "username already taken"
    remedies = (
        "this username is taken or reserved; choose another",
    )


class UsernameContainsInvalidCharacters(BatonError):
    """The username has a character that is not allowed."""

    default_code = "username contains invalid characters"
    remedies = (
        "a username can have letters, digits, '_', '-' and CJK characters",
    )


class UsernameMustBeAtLeast2Characters(BatonError):
    """The username is too short."""

    default_code = "username must be at least 2 characters"
    remedies = (
        "choose a username of 2 to 50 characters",
    )


class UsernameTooLong(BatonError):
    """The username is too long."""

    default_code = "username too long (max 50)"
    remedies = (
        "choose a username of 2 to 50 characters",
    )


BY_CODE: dict[str, type[BatonError]] = {
    "access denied to requested network": AccessDeniedToRequestedNetwork,
    "alias_in_use": AliasInUse,
    "alias_not_found": AliasNotFound,
    "artifact_not_found": ArtifactNotFound,
    "artifact_quota_exceeded": ArtifactQuotaExceeded,
    "artifact_too_large": ArtifactTooLarge,
    "body too large": BodyTooLarge,
    "busy": Busy,
    "content-type must be application/json": ContentTypeMustBeApplicationJson,
    "content-type must be application/json or application/x-ndjson": ContentTypeMustBeApplicationJsonOrApplicationXNdjson,
    "cross_network_parent": CrossNetworkParent,
    "database_damaged": DatabaseDamaged,
    "delegation_cycle": DelegationCycle,
    "delegation_too_deep": DelegationTooDeep,
    "duplicate header": DuplicateHeader,
    "host not allowed": HostNotAllowed,
    "idempotency_key_reused": IdempotencyKeyReused,
    "incorrect current password": IncorrectCurrentPassword,
    "internal_error": InternalError,
    "invalid JSON": InvalidJSON,
    "invalid input": InvalidInput,
    "invalid invite code": InvalidInviteCode,
    "invalid username or password": InvalidUsernameOrPassword,
    "invitation_not_found": InvitationNotFound,
    "invite code expired": InviteCodeExpired,
    "invite code fully used": InviteCodeFullyUsed,
    "lease_lost": LeaseLost,
    "lease_still_runs": LeaseStillRuns,
    "login_locked": LoginLocked,
    "message not found or already acknowledged": MessageNotFoundOrAlreadyAcknowledged,
    "method not allowed": MethodNotAllowed,
    "network name already exists": NetworkNameAlreadyExists,
    "network not found": NetworkNotFound,
    "network_id and node_name required": NetworkIdAndNodeNameRequired,
    "network_id_required": NetworkIdRequired,
    "network_token_required": NetworkTokenRequired,
    "no write access to this network": NoWriteAccessToThisNetwork,
    "no_evidence": NoEvidence,
    "not a member": NotAMember,
    "not found": NotFound,
    "not_an_option": NotAnOption,
    "origin not allowed": OriginNotAllowed,
    "outcome_unknown": OutcomeUnknown,
    "password is too common": PasswordIsTooCommon,
    "password must be at least 8 characters": PasswordMustBeAtLeast8Characters,
    "permission_denied": PermissionDenied,
    "quota_exceeded": QuotaExceeded,
    "rate_limited": RateLimited,
    "read_took_too_long": ReadTookTooLong,
    "registration is closed": RegistrationIsClosed,
    "remote_card_key_changed": RemoteCardKeyChanged,
    "remote_card_signature_broken": RemoteCardSignatureBroken,
    "remote_card_unsigned": RemoteCardUnsigned,
    "reply_task_not_found": ReplyTaskNotFound,
    "reply_task_terminal": ReplyTaskTerminal,
    "shutting_down": ShuttingDown,
    "starting": Starting,
    "storage_unavailable": StorageUnavailable,
    "task_already_retried": TaskAlreadyRetried,
    "task_exists": TaskExists,
    "task_is_running": TaskIsRunning,
    "task_is_waiting_input": TaskIsWaitingInput,
    "task_not_found": TaskNotFound,
    "task_not_overdue": TaskNotOverdue,
    "the body was cut off": TheBodyWasCutOff,
    "the request took too long to arrive": TheRequestTookTooLongToArrive,
    "token not found": TokenNotFound,
    "too_many_exports": TooManyExports,
    "tree_too_large": TreeTooLarge,
    "unauthorized": Unauthorized,
    "user already a member": UserAlreadyAMember,
    "user already invited": UserAlreadyInvited,
    "user not found": UserNotFound,
    "user_token_required": UserTokenRequired,
    "username already taken": UsernameAlreadyTaken,
    "username contains invalid characters": UsernameContainsInvalidCharacters,
    "username must be at least 2 characters": UsernameMustBeAtLeast2Characters,
    "username too long (max 50)": UsernameTooLong,
}

# Codes that hold the status of a task.
BY_PATTERN: list[tuple[re.Pattern[str], type[BatonError]]] = [
    (re.compile(r"task\ is\ terminal\ \([a-z_]+\)"), TaskIsTerminal),
    (re.compile(r"task\ status\ is\ [a-z_]+,\ not\ retryable"), TaskStatusIsNotRetryable),
    (re.compile(r"task\ status\ is\ [a-z_]+,\ not\ running"), TaskStatusIsNotRunning),
    (re.compile(r"task\ status\ is\ [a-z_]+,\ not\ waiting_input"), TaskStatusIsNotWaitingInput),
]

__all__ = ["AccessDeniedToRequestedNetwork", "AliasInUse", "AliasNotFound", "ArtifactNotFound", "ArtifactQuotaExceeded", "ArtifactTooLarge", "BodyTooLarge", "Busy", "ContentTypeMustBeApplicationJson", "ContentTypeMustBeApplicationJsonOrApplicationXNdjson", "CrossNetworkParent", "DatabaseDamaged", "DelegationCycle", "DelegationTooDeep", "DuplicateHeader", "HostNotAllowed", "IdempotencyKeyReused", "IncorrectCurrentPassword", "InternalError", "InvalidInput", "InvalidInviteCode", "InvalidJSON", "InvalidUsernameOrPassword", "InvitationNotFound", "InviteCodeExpired", "InviteCodeFullyUsed", "LeaseLost", "LeaseStillRuns", "LoginLocked", "MessageNotFoundOrAlreadyAcknowledged", "MethodNotAllowed", "NetworkIdAndNodeNameRequired", "NetworkIdRequired", "NetworkNameAlreadyExists", "NetworkNotFound", "NetworkTokenRequired", "NoEvidence", "NoWriteAccessToThisNetwork", "NotAMember", "NotAnOption", "NotFound", "OriginNotAllowed", "OutcomeUnknown", "PasswordIsTooCommon", "PasswordMustBeAtLeast8Characters", "PermissionDenied", "QuotaExceeded", "RateLimited", "ReadTookTooLong", "RegistrationIsClosed", "RemoteCardKeyChanged", "RemoteCardSignatureBroken", "RemoteCardUnsigned", "ReplyTaskNotFound", "ReplyTaskTerminal", "ShuttingDown", "Starting", "StorageUnavailable", "TaskAlreadyRetried", "TaskExists", "TaskIsRunning", "TaskIsTerminal", "TaskIsWaitingInput", "TaskNotFound", "TaskNotOverdue", "TaskStatusIsNotRetryable", "TaskStatusIsNotRunning", "TaskStatusIsNotWaitingInput", "TheBodyWasCutOff", "TheRequestTookTooLongToArrive", "TokenNotFound", "TooManyExports", "TreeTooLarge", "Unauthorized", "UserAlreadyAMember", "UserAlreadyInvited", "UserNotFound", "UserTokenRequired", "UsernameAlreadyTaken", "UsernameContainsInvalidCharacters", "UsernameMustBeAtLeast2Characters", "UsernameTooLong"]
