// A class for each error code, from docs/errors.md. Made by `npm run generate`; do not edit.

import { BatonError } from "../baton-error.js";

/** Every code of docs/errors.md. `<status>` stands for the status of a task. */
export type ErrorCode =
  | "access denied to requested network"
  | "alias_in_use"
  | "alias_not_found"
  | "artifact_not_found"
  | "artifact_quota_exceeded"
  | "artifact_too_large"
  | "body too large"
  | "busy"
  | "content-type must be application/json"
  | "content-type must be application/json or application/x-ndjson"
  | "cross_network_parent"
  | "database_damaged"
  | "delegation_cycle"
  | "delegation_too_deep"
  | "duplicate header"
  | "host not allowed"
  | "idempotency_key_reused"
  | "incorrect current password"
  | "internal_error"
  | "invalid JSON"
  | "invalid input"
  | "invalid invite code"
  | "invalid username or password"
  | "invitation_not_found"
  | "invite code expired"
  | "invite code fully used"
  | "lease_lost"
  | "lease_still_runs"
  | "login_locked"
  | "message not found or already acknowledged"
  | "method not allowed"
  | "network name already exists"
  | "network not found"
  | "network_id and node_name required"
  | "network_id_required"
  | "network_token_required"
  | "no write access to this network"
  | "no_evidence"
  | "not a member"
  | "not found"
  | "not_an_option"
  | "origin not allowed"
  | "outcome_unknown"
  | "password is too common"
  | "password must be at least 8 characters"
  | "permission_denied"
  | "quota_exceeded"
  | "rate_limited"
  | "read_took_too_long"
  | "registration is closed"
  | "remote_card_key_changed"
  | "remote_card_signature_broken"
  | "remote_card_unsigned"
  | "reply_task_not_found"
  | "reply_task_terminal"
  | "shutting_down"
  | "starting"
  | "storage_unavailable"
  | "task is terminal (<status>)"
  | "task status is <status>, not retryable"
  | "task status is <status>, not running"
  | "task status is <status>, not waiting_input"
  | "task_already_retried"
  | "task_exists"
  | "task_is_running"
  | "task_is_waiting_input"
  | "task_not_found"
  | "task_not_overdue"
  | "the body was cut off"
  | "the request took too long to arrive"
  | "token not found"
  | "too_many_exports"
  | "tree_too_large"
  | "unauthorized"
  | "user already a member"
  | "user already invited"
  | "user not found"
  | "user_token_required"
  | "username already taken"
  | "username contains invalid characters"
  | "username must be at least 2 characters"
  | "username too long (max 50)";

/** `access denied to requested network`: The network to send to does not exist, or you are not a member; the two are answered alike. */
export class AccessDeniedToRequestedNetwork extends BatonError<"access denied to requested network"> {
  static override readonly remedies: readonly string[] = [
    "check the id with `GET /api/networks`, or ask for an invite",
  ];
}

/** `alias_in_use`: The alias is the username of a member, belongs to another token, or is in use by a live session. */
export class AliasInUse extends BatonError<"alias_in_use"> {
  static override readonly remedies: readonly string[] = [
    "the alias is in use; choose another, or try again a minute after its agent has stopped",
    "the alias belongs to another user; choose another, or ask a network admin to hand it over to you",
    "the alias looks like another name in this network; choose one that is easier to tell apart",
    "join with another account, or ask an admin of the network to remove the agent",
  ];
}

/** `alias_not_found`: No agent in the network has this alias. */
export class AliasNotFound extends BatonError<"alias_not_found"> {
  static override readonly remedies: readonly string[] = [
    "check the spelling, or create a token with this alias; `GET /api/status` lists the agents",
  ];
}

/** `artifact_not_found`: The network has no artifact with this SHA-256, or you may not read it; the two are answered alike. */
export class ArtifactNotFound extends BatonError<"artifact_not_found"> {
  static override readonly remedies: readonly string[] = [
    "this network has no artifact of this name that you can read",
  ];
}

/** `artifact_quota_exceeded`: The upload does not fit into the network's quota for artifacts. */
export class ArtifactQuotaExceeded extends BatonError<"artifact_quota_exceeded"> {
  static override readonly remedies: readonly string[] = [
    "this network has 10,737,000,000 of 10,737,418,240 bytes of artifacts, and the upload does not fit; wait until old ones are deleted, or ask a system admin to raise artifact_bytes",
  ];
}

/** `artifact_too_large`: The upload is larger than an artifact may be. */
export class ArtifactTooLarge extends BatonError<"artifact_too_large"> {
  static override readonly remedies: readonly string[] = [
    "an artifact must be at most 1,073,741,824 bytes; send it in pieces",
  ];
}

/** `body too large`: The body is larger than the hub reads. */
export class BodyTooLarge extends BatonError<"body too large"> {
  static override readonly remedies: readonly string[] = ["send less at a time"];
}

/** `busy`: Too many calls of this account are waiting, other writes were in the way, or the hub has no memory left for large answers. */
export class Busy extends BatonError<"busy"> {
  static override readonly remedies: readonly string[] = ["too many calls are waiting; try again in a moment"];
}

/** `content-type must be application/json`: The `content-type` of the body is not JSON. */
export class ContentTypeMustBeApplicationJson extends BatonError<"content-type must be application/json"> {
  static override readonly remedies: readonly string[] = ["send the header `content-type: application/json`"];
}

/** `content-type must be application/json or application/x-ndjson`: The `content-type` of packets is neither JSON nor lines of JSON. */
export class ContentTypeMustBeApplicationJsonOrApplicationXNdjson extends BatonError<"content-type must be application/json or application/x-ndjson"> {
  static override readonly remedies: readonly string[] = ["send the header `content-type` with one of the two"];
}

/** `cross_network_parent`: The parent task is not in this network. */
export class CrossNetworkParent extends BatonError<"cross_network_parent"> {
  static override readonly remedies: readonly string[] = [
    "pass a task of the same network as the parent, or no parent",
  ];
}

/** `database_damaged`: The database file of the hub is damaged; writes are refused until its operator restores a backup. */
export class DatabaseDamaged extends BatonError<"database_damaged"> {
  static override readonly remedies: readonly string[] = [
    "the hub's database is damaged and accepts no writes; its operator must stop the hub, run `baton hub check`, and restore a backup with `baton hub restore`",
  ];
}

/** `delegation_cycle`: The recipient has an open task in the chain of parents of the new task; `details` has the chain, root first. */
export class DelegationCycle extends BatonError<"delegation_cycle"> {
  static override readonly remedies: readonly string[] = ["send it to another agent, or pass `allow_cycle`"];
}

/** `delegation_too_deep`: The chain of parents of a new task is longer than its network allows. */
export class DelegationTooDeep extends BatonError<"delegation_too_deep"> {
  static override readonly remedies: readonly string[] = [
    "send it without a parent, or have a system admin raise `delegation_depth` of the network",
  ];
}

/** `duplicate header`: A header that may appear once was sent twice. */
export class DuplicateHeader extends BatonError<"duplicate header"> {
  static override readonly remedies: readonly string[] = ["send Host and Authorization once each"];
}

/** `host not allowed`: The `Host` header is not an address of this hub. */
export class HostNotAllowed extends BatonError<"host not allowed"> {
  static override readonly remedies: readonly string[] = [
    "call the hub by its IP address or localhost, or start it with --behind-proxy if a proxy is in front",
  ];
}

/** `idempotency_key_reused`: The key was already used with different arguments. */
export class IdempotencyKeyReused extends BatonError<"idempotency_key_reused"> {
  static override readonly remedies: readonly string[] = [
    "this idempotency_key was already used with different arguments; use a new key",
  ];
}

/** `incorrect current password`: The current password is wrong. */
export class IncorrectCurrentPassword extends BatonError<"incorrect current password"> {
  static override readonly remedies: readonly string[] = ["old_password must be your current password"];
}

/** `internal_error`: An error inside the hub. */
export class InternalError extends BatonError<"internal_error"> {
  static override readonly remedies: readonly string[] = [
    "the call may or may not have had an effect; check before you repeat it",
  ];
}

/** `invalid JSON`: The body is not JSON. */
export class InvalidJSON extends BatonError<"invalid JSON"> {
  static override readonly remedies: readonly string[] = ["send one JSON object in UTF-8"];
}

/** `invalid input`: A field breaks its rule; `details` says which and how. */
export class InvalidInput extends BatonError<"invalid input"> {
  static override readonly remedies: readonly string[] = ["change that field as its `rule` says"];
}

/** `invalid invite code`: No invite has this code. */
export class InvalidInviteCode extends BatonError<"invalid invite code"> {
  static override readonly remedies: readonly string[] = ["no invite has this code; check it, or ask for a new invite"];
}

/** `invalid username or password`: The username or the password is wrong. */
export class InvalidUsernameOrPassword extends BatonError<"invalid username or password"> {
  static override readonly remedies: readonly string[] = ["check the username and the password"];
}

/** `invitation_not_found`: No pending invitation of yours to this network. */
export class InvitationNotFound extends BatonError<"invitation_not_found"> {
  static override readonly remedies: readonly string[] = [
    "you have no pending invitation to this network; `GET /api/invitations` lists yours",
  ];
}

/** `invite code expired`: The invite has expired, or the user who made it may no longer invite. */
export class InviteCodeExpired extends BatonError<"invite code expired"> {
  static override readonly remedies: readonly string[] = ["this invite has expired; ask for a new one"];
}

/** `invite code fully used`: The invite has been used as often as it allows. */
export class InviteCodeFullyUsed extends BatonError<"invite code fully used"> {
  static override readonly remedies: readonly string[] = ["this invite has been used up; ask for a new one"];
}

/** `lease_lost`: The lease has expired or was withdrawn, or its task has ended. */
export class LeaseLost extends BatonError<"lease_lost"> {
  static override readonly remedies: readonly string[] = [
    "the lease has expired or was withdrawn; stop working on this task",
  ];
}

/** `lease_still_runs`: The lease has time left. Used inside the hub only. */
export class LeaseStillRuns extends BatonError<"lease_still_runs"> {
  static override readonly remedies: readonly string[] = [];
}

/** `login_locked`: Too many logins with this username failed. */
export class LoginLocked extends BatonError<"login_locked"> {
  static override readonly remedies: readonly string[] = ["wait for `retry_after_ms`"];
}

/** `message not found or already acknowledged`: No delivery with this id is waiting for your acknowledgement. */
export class MessageNotFoundOrAlreadyAcknowledged extends BatonError<"message not found or already acknowledged"> {
  static override readonly remedies: readonly string[] = [
    "no delivery with this id is waiting for your acknowledgement; get_inbox lists those that are",
  ];
}

/** `method not allowed`: The path exists, with other methods. */
export class MethodNotAllowed extends BatonError<"method not allowed"> {
  static override readonly remedies: readonly string[] = ["use a method that the header `allow` lists"];
}

/** `network name already exists`: You already have a network with this name. */
export class NetworkNameAlreadyExists extends BatonError<"network name already exists"> {
  static override readonly remedies: readonly string[] = [
    "you already have a network with this name; choose another name",
  ];
}

/** `network not found`: The network does not exist, or you are not a member; the two are answered alike. */
export class NetworkNotFound extends BatonError<"network not found"> {
  static override readonly remedies: readonly string[] = [
    "check the id with `GET /api/networks`, or ask for an invite",
  ];
}

/** `network_id and node_name required`: The call to create a token does not name the network and the node. */
export class NetworkIdAndNodeNameRequired extends BatonError<"network_id and node_name required"> {
  static override readonly remedies: readonly string[] = ["pass network_id and node_name"];
}

/** `network_id_required`: You do not belong to exactly one network, and the call names none. */
export class NetworkIdRequired extends BatonError<"network_id_required"> {
  static override readonly remedies: readonly string[] = [
    "pass network_id: you do not belong to exactly one network, so the hub cannot choose it for you",
  ];
}

/** `network_token_required`: Only a node token can make this call. */
export class NetworkTokenRequired extends BatonError<"network_token_required"> {
  static override readonly remedies: readonly string[] = ["use a node token (ntok_…): only agents make this call"];
}

/** `no write access to this network`: You try to create a token for a network you may not write to. */
export class NoWriteAccessToThisNetwork extends BatonError<"no write access to this network"> {
  static override readonly remedies: readonly string[] = ["ask an admin of the network to make you a member"];
}

/** `no_evidence`: Nothing has been recorded there. */
export class NoEvidence extends BatonError<"no_evidence"> {
  static override readonly remedies: readonly string[] = [
    "ask again when something has been recorded, or for a smaller index or size",
  ];
}

/** `not a member`: The user is not a member of this network. */
export class NotAMember extends BatonError<"not a member"> {
  static override readonly remedies: readonly string[] = ["`GET /api/networks/{network}/members` lists them"];
}

/** `not found`: There is no such path. */
export class NotFound extends BatonError<"not found"> {
  static override readonly remedies: readonly string[] = ["GET /openapi.json lists every path"];
}

/** `not_an_option`: The question has options, and the answer is not one of them. */
export class NotAnOption extends BatonError<"not_an_option"> {
  static override readonly remedies: readonly string[] = [
    "answer with exactly one of the options, which the message names",
  ];
}

/** `origin not allowed`: A web page of another origin makes the call. */
export class OriginNotAllowed extends BatonError<"origin not allowed"> {
  static override readonly remedies: readonly string[] = ["start the hub with --cors-origin and this origin"];
}

/** `outcome_unknown`: The hub does not know whether the change was committed: it stopped, lost its connection to the database, or the disk did not confirm it. */
export class OutcomeUnknown extends BatonError<"outcome_unknown"> {
  static override readonly remedies: readonly string[] = [
    "the change may or may not have been made; check before you repeat it",
  ];
}

/** `password is too common`: The password is on a list of common passwords. */
export class PasswordIsTooCommon extends BatonError<"password is too common"> {
  static override readonly remedies: readonly string[] = [
    "this password is on a public list of common passwords; choose another",
  ];
}

/** `password must be at least 8 characters`: The password is too short. */
export class PasswordMustBeAtLeast8Characters extends BatonError<"password must be at least 8 characters"> {
  static override readonly remedies: readonly string[] = ["choose a longer password"];
}

/** `permission_denied`: You may see the thing, but not do this to it. */
export class PermissionDenied extends BatonError<"permission_denied"> {
  static override readonly remedies: readonly string[] = [
    "ask an admin of the network for a higher role, or use a token that has one",
    "pass network_id: a user token is not tied to one network",
    "this token has no alias yet: call report_status first",
    "you can give, change or remove only roles below your own, and nobody can be made owner",
    "the owner cannot leave a network; delete the network instead",
  ];
}

/** `quota_exceeded`: The account or the network has reached a limit. */
export class QuotaExceeded extends BatonError<"quota_exceeded"> {
  static override readonly remedies: readonly string[] = [
    "this network has 100,000 open tasks, its limit; finish or cancel some, or ask a system admin to raise the limit",
  ];
}

/** `rate_limited`: This token or address makes too many calls. */
export class RateLimited extends BatonError<"rate_limited"> {
  static override readonly remedies: readonly string[] = ["wait for `retry_after_ms`"];
}

/** `read_took_too_long`: A read took longer than the hub allows and was stopped. */
export class ReadTookTooLong extends BatonError<"read_took_too_long"> {
  static override readonly remedies: readonly string[] = [
    "ask for less: one network, a shorter time or a narrower filter",
  ];
}

/** `registration is closed`: Registration is closed on this hub. */
export class RegistrationIsClosed extends BatonError<"registration is closed"> {
  static override readonly remedies: readonly string[] = [
    "registration is closed on this hub; ask its operator for an account",
  ];
}

/** `remote_card_key_changed`: The card of a remote agent is signed by another key than the pinned one. */
export class RemoteCardKeyChanged extends BatonError<"remote_card_key_changed"> {
  static override readonly remedies: readonly string[] = [
    "ask whoever runs the agent; if the new key is theirs, pin it with `baton node pin-remote`",
  ];
}

/** `remote_card_signature_broken`: The card of a remote agent has a signature that does not match it or cannot be checked. */
export class RemoteCardSignatureBroken extends BatonError<"remote_card_signature_broken"> {
  static override readonly remedies: readonly string[] = ["ask whoever runs the agent to sign the card again"];
}

/** `remote_card_unsigned`: The card of a remote agent is not signed, and a key is pinned. */
export class RemoteCardUnsigned extends BatonError<"remote_card_unsigned"> {
  static override readonly remedies: readonly string[] = [
    "ask whoever runs the agent; to accept an unsigned card, remove the agent and add it again",
  ];
}

/** `reply_task_not_found`: The task to reply to does not exist, or you may not read it. */
export class ReplyTaskNotFound extends BatonError<"reply_task_not_found"> {
  static override readonly remedies: readonly string[] = [
    "check the id with `GET /api/tasks`, and that your token is of its network",
  ];
}

/** `reply_task_terminal`: The task replied to has ended. */
export class ReplyTaskTerminal extends BatonError<"reply_task_terminal"> {
  static override readonly remedies: readonly string[] = ["stop working on it; nothing was written"];
}

/** `shutting_down`: The hub is stopping. */
export class ShuttingDown extends BatonError<"shutting_down"> {
  static override readonly remedies: readonly string[] = ["the hub is stopping; try again when it is back"];
}

/** `starting`: The hub is starting. */
export class Starting extends BatonError<"starting"> {
  static override readonly remedies: readonly string[] = ["the hub is starting; try again in a moment"];
}

/** `storage_unavailable`: The hub's disk is full, read-only or gone. */
export class StorageUnavailable extends BatonError<"storage_unavailable"> {
  static override readonly remedies: readonly string[] = ["the hub cannot use its disk; nothing was changed"];
}

/** `task is terminal (<status>)`: The task has ended, and that is final. */
export class TaskIsTerminal extends BatonError<"task is terminal (<status>)"> {
  static override readonly remedies: readonly string[] = [
    "retry it if it failed, was cancelled or expired, or send a new one",
  ];
}

/** `task status is <status>, not retryable`: The task is open or was replied to. */
export class TaskStatusIsNotRetryable extends BatonError<"task status is <status>, not retryable"> {
  static override readonly remedies: readonly string[] = ["cancel it first if it is open, or send a new one"];
}

/** `task status is <status>, not running`: The task is not running, so no worker can ask a question about it. */
export class TaskStatusIsNotRunning extends BatonError<"task status is <status>, not running"> {
  static override readonly remedies: readonly string[] = ["claim or start the task first"];
}

/** `task status is <status>, not waiting_input`: The task has not asked a question. */
export class TaskStatusIsNotWaitingInput extends BatonError<"task status is <status>, not waiting_input"> {
  static override readonly remedies: readonly string[] = ["send a new task, or a message to its agent"];
}

/** `task_already_retried`: The task was already retried; callers get the answer of that retry. */
export class TaskAlreadyRetried extends BatonError<"task_already_retried"> {
  static override readonly remedies: readonly string[] = ["use the task it was retried as"];
}

/** `task_exists`: A task with this id already exists. */
export class TaskExists extends BatonError<"task_exists"> {
  static override readonly remedies: readonly string[] = ["send it again; it gets a new id"];
}

/** `task_is_running`: A worker is already working on the task. */
export class TaskIsRunning extends BatonError<"task_is_running"> {
  static override readonly remedies: readonly string[] = ["wait for it to finish, or reassign it"];
}

/** `task_is_waiting_input`: The task is waiting for an answer from its sender. */
export class TaskIsWaitingInput extends BatonError<"task_is_waiting_input"> {
  static override readonly remedies: readonly string[] = [
    "the task is waiting for an answer from its sender; answer or cancel it first",
  ];
}

/** `task_not_found`: The task does not exist, or you may not read it; the two are answered alike. */
export class TaskNotFound extends BatonError<"task_not_found"> {
  static override readonly remedies: readonly string[] = [
    "check the id with `GET /api/tasks`, and that your token is of its network",
  ];
}

/** `task_not_overdue`: The task has time left. Used inside the hub only. */
export class TaskNotOverdue extends BatonError<"task_not_overdue"> {
  static override readonly remedies: readonly string[] = [];
}

/** `the body was cut off`: The connection ended before the whole body had arrived. */
export class TheBodyWasCutOff extends BatonError<"the body was cut off"> {
  static override readonly remedies: readonly string[] = ["send the whole body again"];
}

/** `the request took too long to arrive`: The body did not arrive in time. */
export class TheRequestTookTooLongToArrive extends BatonError<"the request took too long to arrive"> {
  static override readonly remedies: readonly string[] = ["send the request again, with the whole body at once"];
}

/** `token not found`: The token to revoke does not exist, or is not yours. */
export class TokenNotFound extends BatonError<"token not found"> {
  static override readonly remedies: readonly string[] = ["`GET /api/auth/tokens` lists yours"];
}

/** `too_many_exports`: Too many evidence exports are running or being downloaded. */
export class TooManyExports extends BatonError<"too_many_exports"> {
  static override readonly remedies: readonly string[] = ["wait for `retry_after_ms`"];
}

/** `tree_too_large`: A cancel with `cascade` found more open descendants than can be cancelled together. */
export class TreeTooLarge extends BatonError<"tree_too_large"> {
  static override readonly remedies: readonly string[] = [
    "cancel its branches one by one; `GET /api/tasks/{id}/tree` shows them",
  ];
}

/** `unauthorized`: The token is missing, unknown or revoked. */
export class Unauthorized extends BatonError<"unauthorized"> {
  static override readonly remedies: readonly string[] = ["send a valid token as `Authorization: Bearer …`"];
}

/** `user already a member`: The user is already a member. */
export class UserAlreadyAMember extends BatonError<"user already a member"> {
  static override readonly remedies: readonly string[] = ["this user is already a member; change the role instead"];
}

/** `user already invited`: The user has a pending invitation to this network. */
export class UserAlreadyInvited extends BatonError<"user already invited"> {
  static override readonly remedies: readonly string[] = [
    "the user has not answered yet; withdraw the invitation to invite them with another role",
  ];
}

/** `user not found`: No user has this id. */
export class UserNotFound extends BatonError<"user not found"> {
  static override readonly remedies: readonly string[] = [
    "check the id; an admin of the hub sees all in `GET /api/users`",
  ];
}

/** `user_token_required`: Only a user token can make this call. */
export class UserTokenRequired extends BatonError<"user_token_required"> {
  static override readonly remedies: readonly string[] = [
    "use a user token (utok_…): a node token cannot make this call",
  ];
}

/** `username already taken`: The username is reserved, or it is the same as or looks like another user's; case does not matter. */
export class UsernameAlreadyTaken extends BatonError<"username already taken"> {
  static override readonly remedies: readonly string[] = ["this username is taken or reserved; choose another"];
}

/** `username contains invalid characters`: The username has a character that is not allowed. */
export class UsernameContainsInvalidCharacters extends BatonError<"username contains invalid characters"> {
  static override readonly remedies: readonly string[] = [
    "a username can have letters, digits, '_', '-' and CJK characters",
  ];
}

/** `username must be at least 2 characters`: The username is too short. */
export class UsernameMustBeAtLeast2Characters extends BatonError<"username must be at least 2 characters"> {
  static override readonly remedies: readonly string[] = ["choose a username of 2 to 50 characters"];
}

/** `username too long (max 50)`: The username is too long. */
export class UsernameTooLong extends BatonError<"username too long (max 50)"> {
  static override readonly remedies: readonly string[] = ["choose a username of 2 to 50 characters"];
}

/** The class of each code. */
export const ERROR_CLASSES = {
  "access denied to requested network": AccessDeniedToRequestedNetwork,
  alias_in_use: AliasInUse,
  alias_not_found: AliasNotFound,
  artifact_not_found: ArtifactNotFound,
  artifact_quota_exceeded: ArtifactQuotaExceeded,
  artifact_too_large: ArtifactTooLarge,
  "body too large": BodyTooLarge,
  busy: Busy,
  "content-type must be application/json": ContentTypeMustBeApplicationJson,
  "content-type must be application/json or application/x-ndjson": ContentTypeMustBeApplicationJsonOrApplicationXNdjson,
  cross_network_parent: CrossNetworkParent,
  database_damaged: DatabaseDamaged,
  delegation_cycle: DelegationCycle,
  delegation_too_deep: DelegationTooDeep,
  "duplicate header": DuplicateHeader,
  "host not allowed": HostNotAllowed,
  idempotency_key_reused: IdempotencyKeyReused,
  "incorrect current password": IncorrectCurrentPassword,
  internal_error: InternalError,
  "invalid JSON": InvalidJSON,
  "invalid input": InvalidInput,
  "invalid invite code": InvalidInviteCode,
  "invalid username or password": InvalidUsernameOrPassword,
  invitation_not_found: InvitationNotFound,
  "invite code expired": InviteCodeExpired,
  "invite code fully used": InviteCodeFullyUsed,
  lease_lost: LeaseLost,
  lease_still_runs: LeaseStillRuns,
  login_locked: LoginLocked,
  "message not found or already acknowledged": MessageNotFoundOrAlreadyAcknowledged,
  "method not allowed": MethodNotAllowed,
  "network name already exists": NetworkNameAlreadyExists,
  "network not found": NetworkNotFound,
  "network_id and node_name required": NetworkIdAndNodeNameRequired,
  network_id_required: NetworkIdRequired,
  network_token_required: NetworkTokenRequired,
  "no write access to this network": NoWriteAccessToThisNetwork,
  no_evidence: NoEvidence,
  "not a member": NotAMember,
  "not found": NotFound,
  not_an_option: NotAnOption,
  "origin not allowed": OriginNotAllowed,
  outcome_unknown: OutcomeUnknown,
  "password is too common": PasswordIsTooCommon,
  "password must be at least 8 characters": PasswordMustBeAtLeast8Characters,
  permission_denied: PermissionDenied,
  quota_exceeded: QuotaExceeded,
  rate_limited: RateLimited,
  read_took_too_long: ReadTookTooLong,
  "registration is closed": RegistrationIsClosed,
  remote_card_key_changed: RemoteCardKeyChanged,
  remote_card_signature_broken: RemoteCardSignatureBroken,
  remote_card_unsigned: RemoteCardUnsigned,
  reply_task_not_found: ReplyTaskNotFound,
  reply_task_terminal: ReplyTaskTerminal,
  shutting_down: ShuttingDown,
  starting: Starting,
  storage_unavailable: StorageUnavailable,
  "task is terminal (<status>)": TaskIsTerminal,
  "task status is <status>, not retryable": TaskStatusIsNotRetryable,
  "task status is <status>, not running": TaskStatusIsNotRunning,
  "task status is <status>, not waiting_input": TaskStatusIsNotWaitingInput,
  task_already_retried: TaskAlreadyRetried,
  task_exists: TaskExists,
  task_is_running: TaskIsRunning,
  task_is_waiting_input: TaskIsWaitingInput,
  task_not_found: TaskNotFound,
  task_not_overdue: TaskNotOverdue,
  "the body was cut off": TheBodyWasCutOff,
  "the request took too long to arrive": TheRequestTookTooLongToArrive,
  "token not found": TokenNotFound,
  too_many_exports: TooManyExports,
  tree_too_large: TreeTooLarge,
  unauthorized: Unauthorized,
  "user already a member": UserAlreadyAMember,
  "user already invited": UserAlreadyInvited,
  "user not found": UserNotFound,
  user_token_required: UserTokenRequired,
  "username already taken": UsernameAlreadyTaken,
  "username contains invalid characters": UsernameContainsInvalidCharacters,
  "username must be at least 2 characters": UsernameMustBeAtLeast2Characters,
  "username too long (max 50)": UsernameTooLong,
} as const;
