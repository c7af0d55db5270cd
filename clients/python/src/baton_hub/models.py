"""What the hub reads and answers, as `GET /openapi.json` describes it. Made by generate.py; do not edit.

A hub that is newer may answer with more keys and with values of `Literal` types that are not listed here. They are
passed on as they came."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict


class A2aError(TypedDict):
    error: dict[str, Any]


class A2aResponseRequired(TypedDict):
    """What every `A2aResponse` has."""

    jsonrpc: Literal["2.0"]


class A2aResponse(A2aResponseRequired, total=False):
    error: dict[str, Any]
    result: dict[str, Any]


class AckOfDelivery(TypedDict, total=False):
    """The body of `POST /api/inbox/:id/ack`: the inbox is the caller's own."""

    network_id: str | None


TaskId: TypeAlias = str
"""A task."""

class Acked(TypedDict):
    """Whether it changed anything."""

    ok: bool
    task_id: TaskId
    updated: int


ActorToken: TypeAlias = str
"""How history and evidence name the token that acted."""
Time: TypeAlias = str
"""UTC, to the second."""

class AgentDayRequired(TypedDict):
    """What every `AgentDay` has."""

    ended: int
    """Tasks that ended with a result: replied and failed."""
    failed: int
    replied: int
    since: Time
    """Tasks sent since then count: whole hours."""


class AgentDay(AgentDayRequired, total=False):
    """The figures of an agent's last day."""

    p50_seconds: float | None
    """Half of them took no longer than this, from the send to the end; null if none ended."""
    success_rate: float | None
    """Replied of ended, 0 to 1; null if none ended."""


Alias: TypeAlias = str
"""The name an agent has in its network: letters, digits, `_`, `.` and `-`."""
NetworkId: TypeAlias = str
"""A network."""

class SkillRequired(TypedDict):
    """What every `Skill` has."""

    id: str
    """1-64 of A-Z a-z 0-9 . _ -."""


class Skill(SkillRequired, total=False):
    """One thing an agent can do."""

    description: str | None
    """In a sentence."""
    examples: list[str]
    """Tasks it is for, in words."""
    input_modes: list[str]
    """Media types of what it is given, if not those of its agent."""
    name: str | None
    """What people call it."""
    output_modes: list[str]
    """Media types of what it gives, if not those of its agent."""
    tags: list[str]
    """Words to find it by."""


class SessionRequired(TypedDict):
    """What every `Session` has."""

    alias: Alias
    last_seen_at: Time
    network_id: NetworkId
    registered_at: Time
    resume_id: str
    status: str
    updated_at: Time


class Session(SessionRequired, total=False):
    """A session row, in the contract's order."""

    agent: str | None
    description: str | None
    """What it says of itself."""
    hostname: str | None
    model: str | None
    node_id: str | None
    output: str | None
    progress: int | None
    project_dir: str | None
    score: float | None
    server: str | None
    session_id: str | None
    skills: list[Skill]
    task: str | None
    version: str | None


class TaskProgressRequired(TypedDict):
    """What every `TaskProgress` has."""

    at: Time
    """When it was reported."""


class TaskProgress(TaskProgressRequired, total=False):
    """How far the work on a task is."""

    message: str | None
    percent: int | None


class WorkedOnRequired(TypedDict):
    """What every `WorkedOn` has."""

    attempt: int
    content: str
    """Its beginning."""
    since: Time
    task_id: TaskId


class WorkedOn(WorkedOnRequired, total=False):
    """A task that an agent works on."""

    progress: TaskProgress | None


class WorkerRequired(TypedDict):
    """What every `Worker` has."""

    last_seen_at: Time
    started_at: Time
    worker_id: str


class Worker(WorkerRequired, total=False):
    """A running worker."""

    concurrency: int | None
    hostname: str | None
    project_dir: str | None
    version: str | None


class AgentRequired(TypedDict):
    """What every `Agent` has."""

    alias: Alias
    day: AgentDay
    leases: int
    """The leases it holds."""
    network_id: NetworkId
    queue: int
    """Open deliveries in its inbox."""
    status: str
    """offline, or what it last reported; of an agent that reports nothing: working if it holds a lease,
    else idle."""
    works_on: list[WorkedOn]
    """The tasks it works on that the caller may see, the newest first, at most 10."""


class Agent(AgentRequired, total=False):
    """An agent."""

    description: str | None
    last_seen_at: Time | None
    progress: int | None
    """How far it is in percent, if that is known of a task it works on, or its session reports it."""
    session: Session | None
    skills: list[Skill]
    workers: list[Worker] | None
    """Its workers that were seen within the last 90 seconds, at most 20."""


class AgentsRequired(TypedDict):
    """What every `Agents` has."""

    agents: list[Agent]
    ok: bool


class Agents(AgentsRequired, total=False):
    """A page of agents by network and alias."""

    next_cursor: str | None


class CatalogEntry(TypedDict):
    displayName: str
    identifier: str
    """`urn:baton:agent:NETWORK:ALIAS`."""
    mediaType: str
    """The same, as earlier drafts call it."""
    type: str
    """`application/a2a-agent-card+json`."""
    url: str
    """The agent's card."""


class CatalogHostRequired(TypedDict):
    """What every `CatalogHost` has."""

    displayName: str
    """The provider in the hub's settings, else its address."""


class CatalogHost(CatalogHostRequired, total=False):
    documentationUrl: str | None


class AiCatalogRequired(TypedDict):
    """What every `AiCatalog` has."""

    entries: list[CatalogEntry]
    """In the order of networks and aliases."""
    host: CatalogHost
    specVersion: str
    """Of the draft."""


class AiCatalog(AiCatalogRequired, total=False):
    """A page of the hub's agents, in the form of the AI Catalog draft."""

    next: str | None
    """The next page; a page may be short, even empty, and have one."""


class AliasHandOver(TypedDict):
    user_id: str
    """The member it goes to."""


UserId: TypeAlias = str
"""A user."""
Username: TypeAlias = str
"""The name a user has on the hub."""

class OwnedAliasRequired(TypedDict):
    """What every `OwnedAlias` has."""

    alias: Alias


class OwnedAlias(OwnedAliasRequired, total=False):
    last_used_at: Time | None
    owner: Username | None
    owner_id: UserId | None


class AliasesRequired(TypedDict):
    """What every `Aliases` has."""

    aliases: list[OwnedAlias]
    ok: bool


class Aliases(AliasesRequired, total=False):
    next_cursor: str | None


class ArtifactReferenceRequired(TypedDict):
    """What every `ArtifactReference` has."""

    sha256: str
    """Of its bytes."""


class ArtifactReference(ArtifactReferenceRequired, total=False):
    """A reference to an artifact that was uploaded."""

    description: str | None
    """What it is, in a sentence."""
    media_type: str | None
    """By default as it was uploaded."""
    name: str | None
    """What it is called here; by default as it was uploaded."""


class AnswerToQuestionRequired(TypedDict):
    """What every `AnswerToQuestion` has."""

    text: str
    """The answer, one of the options if there are any."""


class AnswerToQuestion(AnswerToQuestionRequired, total=False):
    """The body of `POST /api/tasks/:id/answer`."""

    artifacts: list[ArtifactReference] | None
    """Artifacts that come with it, uploaded with `PUT /api/artifacts`."""


MessageId: TypeAlias = str
"""A delivery; a task's first has the task's id."""
Status: TypeAlias = Literal["delivered", "acked", "running", "waiting_input", "replied", "failed", "cancelled", "expired"]
"""The status of a task."""

class Answered(TypedDict):
    """Where the task stands now."""

    message_id: MessageId
    ok: bool
    status: Status
    task_id: TaskId


ArtifactHash: TypeAlias = str
"""The SHA-256 of an artifact's bytes, by which it is called."""
ArtifactName: TypeAlias = str
"""The name of an artifact: at most 255 bytes, and no path."""
ArtifactSource: TypeAlias = Literal["task", "message", "reply", "work"]
"""What a reference to an artifact came with."""
MediaType: TypeAlias = str
"""What sort of bytes an artifact has."""

class ArtifactRequired(TypedDict):
    """What every `Artifact` has."""

    media_type: MediaType
    name: ArtifactName
    sha256: ArtifactHash
    size: int
    """In bytes."""


class Artifact(ArtifactRequired, total=False):
    """An artifact, or a reference to one."""

    artifact_id: str | None
    """What its agent calls the artifact that it is a part of."""
    created_at: Time | None
    description: str | None
    part: dict[str, Any] | None
    """The part itself, with one of `text`, `url` and `data`: its bytes are not stored elsewhere."""
    source: ArtifactSource | None


class ArtifactShared(TypedDict):
    """Where it stands in the task's history."""

    artifact_id: str
    event: int
    """The number of the task's event."""
    ok: bool
    status: Status
    task_id: TaskId


class ArtifactUploaded(TypedDict):
    """The artifact."""

    artifact: Artifact
    ok: bool


class ArtifactsRequired(TypedDict):
    """What every `Artifacts` has."""

    artifacts: list[Artifact]
    ok: bool


class Artifacts(ArtifactsRequired, total=False):
    """A page of artifacts."""

    next_cursor: str | None


class Asked(TypedDict):
    """It waits."""

    message_id: MessageId
    ok: bool
    status: Status
    task_id: TaskId


class AttentionTask(TypedDict):
    created_at: Time
    expires_at: Time
    from_name: str
    status: Status
    task_id: TaskId
    title: str
    """The beginning of its text, read once it is known that the task is shown."""
    to_name: str
    why: str


class AttentionList(TypedDict):
    """One group: how many, and the first of them."""

    count: int
    count_is_at_least: bool
    """There were more tasks than are looked at."""
    tasks: list[AttentionTask]


class Attention(TypedDict):
    """The groups."""

    expiring: AttentionList
    failing: AttentionList
    stuck: AttentionList
    waiting_input: AttentionList


class AuditEntryRequired(TypedDict):
    """What every `AuditEntry` has."""

    action: str
    actor: str
    at: Time
    detail: str
    id: int
    subject: str


class AuditEntry(AuditEntryRequired, total=False):
    network_id: NetworkId | None


class AuditLogRequired(TypedDict):
    """What every `AuditLog` has."""

    entries: list[AuditEntry]
    ok: bool


class AuditLog(AuditLogRequired, total=False):
    next_cursor: int | None


class BroadcastSent(TypedDict):
    """Who got it."""

    message_ids: list[MessageId]
    ok: bool
    recipients: int


class BrowserPasswordChanged(TypedDict):
    ok: bool
    revoked: int


NetworkRole: TypeAlias = Literal["viewer", "member", "admin", "owner"]
"""What a user is in a network."""

class NetworkRequired(TypedDict):
    """What every `Network` has."""

    created_at: Time
    network_id: NetworkId
    network_name: str
    owner_id: UserId
    public_cards: bool
    """Whether its agents' A2A cards are for everybody."""
    updated_at: Time


class Network(NetworkRequired, total=False):
    """A network, and what the caller is in it."""

    description: str | None
    member_role: NetworkRole | None


SystemRole: TypeAlias = Literal["user", "admin"]
"""What a user is on the hub."""

class UserRequired(TypedDict):
    """What every `User` has."""

    role: SystemRole
    user_id: UserId
    username: Username


class User(UserRequired, total=False):
    """A user, without what is nobody's business."""

    display_name: str | None
    email: str | None
    must_change_password: bool
    """Shown only while it asks for something."""


class BrowserSessionRequired(TypedDict):
    """What every `BrowserSession` has."""

    must_change_password: bool
    networks: list[Network]
    ok: bool
    user: User
    version: str


class BrowserSession(BrowserSessionRequired, total=False):
    next_cursor: str | None
    """There are more networks: the cursor of the rest, for `GET /api/networks`."""


class BrowserSessionOpenedRequired(TypedDict):
    """What every `BrowserSessionOpened` has."""

    must_change_password: bool
    ok: bool
    user: User


class BrowserSessionOpened(BrowserSessionOpenedRequired, total=False):
    network_id: NetworkId | None


class Cancel(TypedDict, total=False):
    """The body of `POST /api/tasks/:id/cancel`."""

    cascade: bool | None
    """Cancel all open descendants too, in the same transaction. A task that has ended may have open ones."""
    reason: str | None
    """Why; it becomes the task's result."""


class CancelledRequired(TypedDict):
    """What every `Cancelled` has."""

    cancelled: bool
    """Whether the task itself was cancelled: not if it had ended and only its descendants were."""
    ok: bool
    task_id: str


class Cancelled(CancelledRequired, total=False):
    """Whether it was cancelled. A task that has ended, or is not there, is answered and not an error."""

    cancelled_descendants: int
    """With `cascade`: how many tasks below it were cancelled with it; absent if none were."""
    open_descendants: int
    """Without `cascade`: how many tasks below it are still open, counted up to 1,000; absent if none are."""


ErrorDetail: TypeAlias = dict[str, Any]
"""More about a failure: a field that breaks its rule, or a task of the chain of parents that a send was
refused for."""

class ErrorRequired(TypedDict):
    """What every `Error` has."""

    error: str
    ok: bool


class Error(ErrorRequired, total=False):
    """The body of a failure; `ok` and `error` first, as the contract prints them."""

    details: list[ErrorDetail]
    message: str | None
    retry_after_ms: int | None
    task_status: Status | None


CancelRefused: TypeAlias = Cancelled | Error
"""Why nothing was cancelled: the task had ended, or too many tasks are open below it."""

class CardPublicKey(TypedDict):
    """The public half, as RFC 8037 writes it."""

    alg: str
    crv: str
    kid: str
    """Its thumbprint (RFC 7638), by which a signature names it."""
    kty: str
    use: str
    x: str
    """The key's 32 bytes, base64url."""


class CardKeySet(TypedDict):
    """The public keys that cards are signed with."""

    keys: list[CardPublicKey]


class Claim(TypedDict, total=False):
    """The body of `POST /api/claim`."""

    lease_seconds: int | None
    """60 by default."""
    max: int | None
    """So many tasks at most, each under a lease of its own; then the answer has `tasks`."""
    wait_seconds: int | None
    """0 by default."""


LeaseId: TypeAlias = str
"""One worker's hold on one task."""
ContextId: TypeAlias = str
"""A conversation: the id of the task that began it."""
Kind: TypeAlias = str
"""What sort of work a task is."""
Priority: TypeAlias = Literal["high", "normal", "low"]
"""How urgent a delivery is."""

class TaskRequired(TypedDict):
    """What every `Task` has."""

    attempt: int
    content: str
    context_id: ContextId
    created_at: Time
    delivered_at: Time
    evidence_salt: str
    """Hex; what the evidence's digests of the texts are keyed with."""
    expires_at: Time
    from_name: str
    kind: Kind
    meta: Any
    network_id: NetworkId
    priority: Priority
    requires_response: bool
    scope: str
    status: Status
    task_id: TaskId
    to_name: str


class Task(TaskRequired, total=False):
    """A task row."""

    completed_at: Time | None
    content_truncated: bool
    """In a list, if `content` is only the beginning; `GET /api/tasks/:id` has all of it."""
    context: str | None
    in_reply_to: TaskId | None
    max_attempts: int | None
    """How many deliveries there may be, if not 3."""
    parent_task_id: TaskId | None
    parts: list[Any] | None
    progress: TaskProgress | None
    rejected: bool
    """True if its agent declined it; its status is `failed`."""
    result: str | None
    result_truncated: bool
    """In a list, if `result` is only the beginning."""
    retry_backoff_seconds: int | None
    """Seconds to wait after an expired lease before redelivery, if it does."""
    retry_of: TaskId | None
    run_timeout_seconds: int | None
    """How long one run may take, if that is limited."""
    started_at: Time | None


MessageKind: TypeAlias = Literal["question", "answer", "message"]
"""What a message is to its task's conversation."""

class TaskMessageRequired(TypedDict):
    """What every `TaskMessage` has."""

    content: str
    created_at: Time
    from_name: str
    kind: MessageKind
    message_id: MessageId


class TaskMessage(TaskMessageRequired, total=False):
    """A message on a task between its text and its result."""

    artifacts: list[Artifact]
    """What came with it."""
    auth_required: bool
    """True if the question asks its sender to authenticate."""
    meta: Any
    options: list[str] | None
    """The answers that a question takes; any, if it has none."""
    parts: list[Any] | None


class ClaimedRequired(TypedDict):
    """What every `Claimed` has."""

    ok: bool
    task: Task | None


class Claimed(ClaimedRequired, total=False):
    """A task and the lease on it, or no task."""

    artifacts: list[Artifact] | None
    """What came with the task, and what its work has brought so far."""
    lease_expires_at: Time | None
    lease_id: LeaseId | None
    messages: list[TaskMessage] | None
    """The messages on the task, oldest first; only the newest if there are many."""
    traceparent: str | None
    """The trace the task was sent in."""


class ClaimedTaskRequired(TypedDict):
    """What every `ClaimedTask` has."""

    artifacts: list[Artifact]
    """What came with it, and what its work has brought so far."""
    lease_id: LeaseId
    messages: list[TaskMessage]
    """The messages on it, oldest first; only the newest if there are many."""
    task: Task


class ClaimedTask(ClaimedTaskRequired, total=False):
    """A task under a lease."""

    lease_expires_at: Time | None
    traceparent: str | None
    """The trace it was sent in."""


class ClaimedTasks(TypedDict):
    """Tasks, each with its lease; none if there were none."""

    ok: bool
    tasks: list[ClaimedTask]


ClaimAnswer: TypeAlias = Claimed | ClaimedTasks
"""What `POST /api/claim` answers: one task, or with `max` a list."""

class ClaimNext(TypedDict, total=False):
    """A claim that goes with the reply to the task before."""

    lease_seconds: int | None
    """60 by default."""
    wait_seconds: int | None
    """0 by default."""


class CompletionRequired(TypedDict):
    """What every `Completion` has."""

    artifacts: Any
    completed_at: Time
    id: int
    """Counts the network's completions."""
    network_id: NetworkId
    result: str
    session_name: str
    task: str


class Completion(CompletionRequired, total=False):
    """A completion, in the contract's order."""

    duration_minutes: float | None
    result_truncated: bool
    """If `result` is only the beginning."""
    score: float | None
    task_truncated: bool
    """If `task` is only the beginning."""


class CompletionsRequired(TypedDict):
    """What every `Completions` has."""

    completions: list[Completion]
    ok: bool


class Completions(CompletionsRequired, total=False):
    """The completions."""

    next_cursor: str | None


ConsistencyProof = TypedDict("ConsistencyProof", {"from": int, "hashes": list[str], "ok": bool, "to": int})


class DeliveryRequired(TypedDict):
    """What every `Delivery` has."""

    content: str
    created_at: Time
    from_session: str
    id: MessageId
    network_id: NetworkId
    priority: Priority
    type: str


class Delivery(DeliveryRequired, total=False):
    """A delivery, in the contract's order."""

    content_truncated: bool
    """If `content` is only the beginning; `GET /api/tasks/:id` has all of a task's."""
    context: str | None
    task_id: TaskId | None


class DeliveryAcked(TypedDict):
    """It is acknowledged."""

    ok: bool


class Done(TypedDict):
    """`{"ok":true}`."""

    ok: bool


Ending: TypeAlias = Literal["replied", "failed", "cancelled"]
"""The three ends an agent can give."""

class EvidenceEvents(TypedDict):
    """The events as the log has them, and how long it is."""

    events: list[dict[str, Any]]
    ok: bool
    size: int


class EvidenceKey(TypedDict):
    """The public key."""

    key: str
    ok: bool


class Health(TypedDict):
    api_version: str
    ok: bool
    transport: str
    uptime: int
    version: str


class InboxRequired(TypedDict):
    """What every `Inbox` has."""

    messages: list[Delivery]
    ok: bool


class Inbox(InboxRequired, total=False):
    """What lies in it."""

    next_cursor: str | None


class InclusionProof(TypedDict):
    """The way from the event to the root."""

    hashes: list[str]
    index: int
    leaf_hash: str
    ok: bool
    size: int


class Invitation(TypedDict):
    created_at: Time
    invited_by: Username
    network_id: NetworkId
    network_name: str
    role: NetworkRole


class Invitations(TypedDict):
    invitations: list[Invitation]
    ok: bool


InviteId: TypeAlias = str
"""An invite's id."""

class InviteRequired(TypedDict):
    """What every `Invite` has."""

    created_at: Time
    created_by: Username
    invite_id: InviteId
    max_uses: int
    role: NetworkRole
    uses: int


class Invite(InviteRequired, total=False):
    expires_at: Time | None


Secret: TypeAlias = str
"""A secret, shown this once."""

class InviteCreated(TypedDict):
    invite_code: Secret
    ok: bool


class InvitePreview(TypedDict):
    """What an invite code leads to."""

    invited_by: Username
    is_member: bool
    network_id: NetworkId
    network_name: str
    ok: bool
    role: NetworkRole
    """What joining makes the caller, or what they are already."""


class InvitesRequired(TypedDict):
    """What every `Invites` has."""

    invites: list[Invite]
    ok: bool


class Invites(InvitesRequired, total=False):
    next_cursor: str | None


class Join(TypedDict):
    invite_code: str


class Joined(TypedDict):
    network_id: NetworkId
    ok: bool
    role: NetworkRole


class LastHour(TypedDict, total=False):
    """How long the tasks took that were replied to or failed in the last hour, from creation to end,
    within 5 %."""

    p50_ms: int | None
    p95_ms: int | None


class LeaseExtended(TypedDict):
    """Until when it holds."""

    lease_expires_at: Time
    ok: bool


class LeaseExtension(TypedDict, total=False):
    """The body of `POST /api/leases/:id/extend`."""

    lease_seconds: int | None
    output: str | None
    """What the agent's session shows as its output from now on, at most 4000 characters. It is not
    appended to the task's output: workers of earlier releases send the same text again with each
    extension."""
    progress: int | None


class LoggedInRequired(TypedDict):
    """What every `LoggedIn` has."""

    ok: bool
    token: Secret
    user: User


class LoggedIn(LoggedInRequired, total=False):
    expires_at: Time | None
    network_id: NetworkId | None


class LoginRequired(TypedDict):
    """What every `Login` has."""

    password: str
    username: str


class Login(LoginRequired, total=False):
    expires_in_seconds: int | None
    """When the token ends by itself, from now. A tool's lasts until it is revoked if this is absent; a
    browser's ends when it is not used."""


class MemberRequired(TypedDict):
    """What every `Member` has."""

    joined_at: Time
    role: NetworkRole
    user_id: UserId
    username: Username


class Member(MemberRequired, total=False):
    display_name: str | None
    invited_by: str | None


class MemberInvited(TypedDict):
    ok: bool
    pending: bool
    """Always true: the user becomes a member on accepting."""


class PendingMember(TypedDict):
    created_at: Time
    invited_by: Username
    role: NetworkRole
    """What they become on accepting."""
    user_id: UserId
    username: Username


class MembersRequired(TypedDict):
    """What every `Members` has."""

    members: list[Member]
    ok: bool
    pending: list[PendingMember]
    """Invited users who have not answered yet; they are not members."""


class Members(MembersRequired, total=False):
    next_cursor: str | None


class MessageRequired(TypedDict):
    """What every `Message` has."""

    content: str
    created_at: Time
    from_alias: str
    id: MessageId
    network_id: NetworkId
    priority: Priority
    to_alias: str
    type: str


class Message(MessageRequired, total=False):
    content_truncated: bool
    """If `content` is only the beginning."""


class MessagesRequired(TypedDict):
    """What every `Messages` has."""

    messages: list[Message]
    ok: bool


class Messages(MessagesRequired, total=False):
    """The deliveries, newest first."""

    next_cursor: str | None


class MinuteRequired(TypedDict):
    """What every `Minute` has."""

    at: Time
    cancelled: int
    expired: int
    failed: int
    replied: int
    sent: int


class Minute(MinuteRequired, total=False):
    """What happened in a step. The durations are of tasks that were replied to or failed in it, from
    creation to end, within 5 %."""

    p50_ms: int | None
    p95_ms: int | None


class NetworkChange(TypedDict, total=False):
    name: str | None
    public_cards: bool | None
    """Whether the A2A cards of its agents are for everybody; else they need a token."""


class NetworkCreated(TypedDict):
    network_id: NetworkId
    network_name: str
    ok: bool


class NetworkStatusCount(TypedDict):
    count: int
    status: Status


class NetworkStats(TypedDict):
    nodes: int
    sessions: int
    tasks: list[NetworkStatusCount]


class NetworkShown(TypedDict):
    network: Network
    ok: bool
    stats: NetworkStats


class NetworksRequired(TypedDict):
    """What every `Networks` has."""

    networks: list[Network]
    ok: bool


class Networks(NetworksRequired, total=False):
    next_cursor: str | None


class NewBroadcastRequired(TypedDict):
    """What every `NewBroadcast` has."""

    message: str
    """The message."""


class NewBroadcast(NewBroadcastRequired, total=False):
    """The message and its recipient."""

    filter_server: str | None
    """Only agents with this server label."""
    filter_status: str | None
    """Only agents with this status."""
    network_id: str | None
    """The network; a node token has only its own."""


class NewInvite(TypedDict, total=False):
    expires_days: int | None
    max_uses: int | None
    role: NetworkRole | None


class NewMemberRequired(TypedDict):
    """What every `NewMember` has."""

    user_id: str


class NewMember(NewMemberRequired, total=False):
    role: NetworkRole | None


class NewNetworkRequired(TypedDict):
    """What every `NewNetwork` has."""

    name: str


class NewNetwork(NewNetworkRequired, total=False):
    description: str | None


TokenScope: TypeAlias = Literal["node", "coordinator"]
"""How far a node token reaches."""

class NewNodeToken(TypedDict, total=False):
    expires_in_seconds: int | None
    """When it ends by itself, from now; it lasts until it is revoked if this is absent."""
    network_id: str | None
    node_name: str | None
    scope: TokenScope | None


class NewRemoteRequired(TypedDict):
    """What every `NewRemote` has."""

    alias: str
    card_url: str


class NewRemote(NewRemoteRequired, total=False):
    credential: str | None
    """A bearer token to show it."""
    pinned_key: str | None
    """The thumbprint of the key that has to have signed its card (RFC 7638 with SHA-256, base64url);
    without it, the key that signed it now."""


PriorityOfTask: TypeAlias = Literal["high", "normal", "low"]
"""How urgent something is."""

class NewTaskRequired(TypedDict):
    """What every `NewTask` has."""

    alias: str
    """The agent to send to."""
    task: str
    """What is to be done."""


class NewTask(NewTaskRequired, total=False):
    """What is to be sent."""

    allow_cycle: bool | None
    """Send it even if the agent has an open task in the chain of parents."""
    artifacts: list[ArtifactReference] | None
    """Artifacts to send along, uploaded with PUT /api/artifacts."""
    context: str | None
    """Anything the agent should know beside the task."""
    idempotency_key: str | None
    """The same key and arguments give the first answer again, for 24 hours."""
    kind: str | None
    """1-64 of a-z0-9._-."""
    max_attempts: int | None
    """How many deliveries there may be before a lapsed lease makes the task fail, 3 by default."""
    meta: Any
    """Your own notes, any JSON."""
    network_id: str | None
    """The network; a node token has only its own."""
    parent_task_id: str | None
    """The task this one is part of."""
    priority: PriorityOfTask | None
    retry_backoff_seconds: int | None
    """How long the task waits after a lapsed lease until it is delivered again, 0 by default."""
    run_timeout_seconds: int | None
    """How long one run may take; after that the task fails with run_timeout. No limit by default."""
    ttl_seconds: int | None
    """Seconds the task may wait before an agent starts it, 3600 by default."""
    wait_seconds: int | None
    """Wait so long for the task to end or to ask for input; 0 by default."""


class NewTasks(TypedDict):
    """The tasks."""

    tasks: list[NewTask]
    """Bodies of `POST /api/task`, without `wait_seconds`."""


TokenId: TypeAlias = str
"""A token, not its secret."""

class NodeTokenRequired(TypedDict):
    """What every `NodeToken` has."""

    created_at: Time
    owner: Username
    scope: TokenScope
    token_id: TokenId


class NodeToken(NodeTokenRequired, total=False):
    client_id: str | None
    """The OAuth client that its owner allowed to act; absent if it is not a grant."""
    expires_at: Time | None
    last_used_at: Time | None
    node_name: str | None
    """None until its first report binds one."""


class NodeTokenMintedRequired(TypedDict):
    """What every `NodeTokenMinted` has."""

    ok: bool
    token: Secret
    token_id: TokenId


class NodeTokenMinted(NodeTokenMintedRequired, total=False):
    expires_at: Time | None


class NodeTokensRequired(TypedDict):
    """What every `NodeTokens` has."""

    ok: bool
    tokens: list[NodeToken]


class NodeTokens(NodeTokensRequired, total=False):
    next_cursor: str | None


class OauthProblem(TypedDict):
    """Why a request that names its client cannot be allowed."""

    error: str
    message: str
    redirect_to: str
    """Where the client is notified."""


class OauthAskedRequired(TypedDict):
    """What every `OauthAsked` has."""

    client_id: str
    client_name: str
    """What the client calls itself; nobody has checked it."""
    is_on_this_machine: bool
    """Whether that is a program on the user's own machine."""
    ok: bool
    returns_to: str
    """The host, or the scheme of an app, that the user is sent back to."""
    suggested_alias: str
    """An alias to begin with."""
    username: Username


class OauthAsked(OauthAskedRequired, total=False):
    """What the page shows."""

    problem: OauthProblem | None


class OauthDecided(TypedDict):
    ok: bool
    redirect_to: str
    """Where the browser goes now."""


class OauthRequest(TypedDict, total=False):
    """The parameters of an authorization request (RFC 6749, 7636, 8707)."""

    client_id: str | None
    """As registered, or the URL of a client-id metadata document."""
    code_challenge: str | None
    """SHA-256 of the verifier, in base64url."""
    code_challenge_method: str | None
    """`S256`."""
    redirect_uri: str | None
    """One of the client's."""
    resource: str | None
    """The hub's MCP door."""
    response_type: str | None
    """`code`."""
    scope: str | None
    """Left aside: a grant is for one alias, as a node token is."""
    state: str | None
    """Returned to the client as it is."""


class OauthDecisionRequired(TypedDict):
    """What every `OauthDecision` has."""

    allow: bool
    """Whether the client may act; the rest counts only then."""
    request: OauthRequest


class OauthDecision(OauthDecisionRequired, total=False):
    alias: str | None
    """Whom the client acts as: an alias of one's own, or a new one."""
    network_id: str | None


class StatusCount(TypedDict):
    """How many tasks have a status."""

    count: int
    status: Status


class OverviewOfTasks(TypedDict):
    by_status: list[StatusCount]
    open: int
    """Tasks that are delivered, acked, running or waiting for input."""
    total: int


class Overview(TypedDict):
    attention: Attention
    last_hour: LastHour
    minutes: list[Minute]
    now: Time
    ok: bool
    step_minutes: int
    """How many minutes a step of `minutes` takes: 1 for an hour, more for longer."""
    tasks: OverviewOfTasks


PacketOutcome: TypeAlias = dict[str, Any]
"""What became of one packet."""

class PacketsReported(TypedDict):
    """What became of all of them."""

    known: int
    """There before, handed in by the same reporter."""
    ok: bool
    packets: list[PacketOutcome]
    """In the order they came."""
    recorded: int
    """Now in the log."""
    refused: int
    """Not taken; each says why."""


class Part(TypedDict, total=False):
    """A part as it is given: exactly one of `text`, `raw`, `url`, `data` and `sha256`."""

    data: Any
    """Any JSON."""
    filename: str | None
    media_type: str | None
    metadata: dict[str, Any] | None
    raw: str | None
    """Bytes, as base64."""
    sha256: str | None
    """An artifact that was uploaded with `PUT /api/artifacts`."""
    text: str | None
    url: str | None


class PasswordChange(TypedDict):
    new_password: str
    old_password: str


class PasswordChanged(TypedDict):
    ok: bool
    revoked: int
    token: Secret


class PinRemoteKey(TypedDict):
    pinned_key: str
    """The key's thumbprint: RFC 7638 with SHA-256, base64url."""


PrincipalKind: TypeAlias = Literal["user", "node", "hub"]
"""Whether an actor is a user or an agent."""

class ProfileRequired(TypedDict):
    """What every `Profile` has."""

    networks: list[Network]
    ok: bool
    user: User


class Profile(ProfileRequired, total=False):
    alias: Alias | None
    current_network: NetworkId | None
    next_cursor: str | None
    """There are more networks: the cursor of the rest, for `GET /api/networks`."""


class ProfileChange(TypedDict, total=False):
    display_name: str | None
    email: str | None


class ProgressReportRequired(TypedDict):
    """What every `ProgressReport` has."""

    lease_id: str
    """The lease you hold."""


class ProgressReport(ProgressReportRequired, total=False):
    """The body of `POST /api/tasks/:id/progress`."""

    message: str | None
    """What is being done."""
    output: str | None
    """What was printed since the last report, at most 64 KiB of UTF-8. It is appended to the task's
    output, of which the last 64 KiB are kept."""
    percent: int | None
    """How far it is."""


class ProgressReported(TypedDict):
    """It is written."""

    ok: bool
    task_id: TaskId


class QuestionRequired(TypedDict):
    """What every `Question` has."""

    question: str
    """What you need to know."""


class Question(QuestionRequired, total=False):
    """The body of `POST /api/tasks/:id/ask`."""

    artifacts: list[ArtifactReference] | None
    """Artifacts that come with it, uploaded with `PUT /api/artifacts`."""
    auth_required: bool | None
    """The sender has to authenticate somewhere before the work can continue; the question says where and
    how."""
    input_ttl_seconds: int | None
    """How long the question waits for its answer; 604800, which is 7 days, by default."""
    keep_lease: bool | None
    """Keep the lease and wait for the answer under it, extending it meanwhile; takes `lease_id`."""
    lease_id: str | None
    """The lease you hold; it ends with the question unless `keep_lease` is true."""
    options: list[str] | None
    """The answers to choose from, each of 1 to 80 characters; without them any answer is accepted."""


class QuotaRequired(TypedDict):
    """What every `Quota` has."""

    default_limit: int
    limit: int
    quota: str


class Quota(QuotaRequired, total=False):
    used: int | None
    """How many there are; null for `inbox`, which each recipient has its own of, and for
    `delegation_depth`."""


QuotaChange: TypeAlias = dict[str, int | None]
"""The new limit of each quota that is named; null for the default."""

class Quotas(TypedDict):
    """The quotas of an account or a network."""

    ok: bool
    quotas: list[Quota]


class Reassign(TypedDict):
    """The body of `POST /api/tasks/:id/reassign`."""

    new_alias: str
    """The agent that gets it."""


class Reassigned(TypedDict):
    """Who had it and who has it."""

    ok: bool
    reassigned_from: Alias
    reassigned_to: Alias
    task_id: TaskId


class Registered(TypedDict):
    network_id: NetworkId
    network_token: Secret
    ok: bool
    token: Secret
    user: User


class RegistrationRequired(TypedDict):
    """What every `Registration` has."""

    password: str
    username: str


class Registration(RegistrationRequired, total=False):
    display_name: str | None
    email: str | None


class RemoteRequired(TypedDict):
    """What every `Remote` has."""

    alias: str
    card_url: str
    created_at: Time
    created_by: str
    has_credential: bool
    network_id: NetworkId


class Remote(RemoteRequired, total=False):
    """A remote agent as it is shown."""

    card_error: str | None
    """Why its card was refused when the hub last read it, as an error code; null: it was accepted."""
    pinned_key: str | None
    """The thumbprint of the key that has to have signed its card; null: the card is not signed."""


class RemoteAdded(TypedDict):
    name: str
    """What it is called on its card."""
    ok: bool
    remote: Remote


class RemoteKeyPinned(TypedDict):
    ok: bool
    remote: Remote


class RemotesRequired(TypedDict):
    """What every `Remotes` has."""

    ok: bool
    remotes: list[Remote]


class Remotes(RemotesRequired, total=False):
    next_cursor: str | None


class RepliedRequired(TypedDict):
    """What every `Replied` has."""

    message_id: MessageId
    ok: bool


class Replied(RepliedRequired, total=False):
    """What became of it."""

    artifacts: list[Artifact]
    """What the reply refers to."""
    next: Claimed | None
    session_status: str | None
    status: Status | None
    task_id: TaskId | None


class ReplyRequired(TypedDict):
    """What every `Reply` has."""

    text: str
    """At least one character, unless artifacts come with a reply that succeeded."""


class Reply(ReplyRequired, total=False):
    """The body of `POST /api/tasks/:id/reply`."""

    artifacts: list[ArtifactReference] | None
    """What the task brought, uploaded with `PUT /api/artifacts`."""
    bare: bool | None
    claim_next: ClaimNext | None
    lease_id: str | None
    rejected: bool | None
    """With status `failed`: the agent declines the task."""
    status: Ending | None


class Retried(TypedDict):
    """The new task."""

    ok: bool
    retried_to: TaskId
    retry_of: TaskId
    task_id: TaskId


class RoleChange(TypedDict):
    role: NetworkRole


class SessionCount(TypedDict):
    """How many sessions have a status."""

    count: int
    status: str


class SessionSummary(TypedDict):
    idle: int
    offline: int
    total: int
    working: int


class SessionsRequired(TypedDict):
    """What every `Sessions` has."""

    ok: bool
    sessions: list[Session]
    summary: SessionSummary
    """Of all pages."""


class Sessions(SessionsRequired, total=False):
    """All sessions, as `GET /api/status` answers."""

    next_cursor: str | None


class SharedArtifactRequired(TypedDict):
    """What every `SharedArtifact` has."""

    artifact_id: str
    """Your id for the artifact; using it again replaces it, or appends with --append."""
    lease_id: str
    """The lease you hold."""
    parts: list[Part]


class SharedArtifact(SharedArtifactRequired, total=False):
    """The body of `POST /api/tasks/:id/artifacts`."""

    append: bool
    """Append to what was shared under this id instead of replacing it."""
    description: str | None
    last_chunk: bool
    """Whether nothing is added to it any more."""
    metadata: dict[str, Any] | None
    name: str | None


class SignInOptionsRequired(TypedDict):
    """What every `SignInOptions` has."""

    ok: bool
    open_registration: bool
    """Whether anybody may register."""


class SignInOptions(SignInOptionsRequired, total=False):
    issuer: str | None
    """The host of the OpenID Connect issuer that users may sign in with."""


class StatsOfNodes(TypedDict):
    total: int


class StatsOfSessions(TypedDict):
    by_status: list[SessionCount]


class StatsOfTasks(TypedDict):
    by_status: list[StatusCount]
    total: int


class Stats(TypedDict):
    """The counts."""

    nodes: StatsOfNodes
    ok: bool
    recent_tasks: list[Task]
    sessions: StatsOfSessions
    tasks: StatsOfTasks


class TaskEventRequired(TypedDict):
    """What every `TaskEvent` has."""

    actor: str
    created_at: Time
    created_at_ms: int
    """Since 1970: what lies between two events is often less than the wire's second."""
    detail: str
    id: int
    """Grows from event to event of a network."""
    n: int
    network_id: NetworkId
    task_id: TaskId
    to_status: Status


class TaskEvent(TaskEventRequired, total=False):
    actor_token: ActorToken | None
    from_status: Status | None


class TaskEventsRequired(TypedDict):
    """What every `TaskEvents` has."""

    count: int
    events: list[TaskEvent]
    ok: bool


class TaskEvents(TaskEventsRequired, total=False):
    """The events."""

    next_cursor: str | None


class WholeTask(Task):
    """A task's row with what belongs to it."""

    artifacts: list[Any]
    """What was reported with its completion, and what came with its text, its work and its reply."""
    messages: list[TaskMessage]
    """The messages on it, oldest first; only the newest if there are many."""


class TaskSentRequired(TypedDict):
    """What every `TaskSent` has."""

    message_id: TaskId
    ok: bool
    session_status: str
    task_id: TaskId


class TaskSent(TaskSentRequired, total=False):
    """What became of it."""

    ended: bool | None
    """With a wait: whether the task has ended."""
    queued: bool
    task: WholeTask | None


TaskOutcome: TypeAlias = TaskSent | Error
"""What became of one of several tasks: what `POST /api/task` answers, or the error it gives."""

class TaskWithArtifacts(Task, total=False):
    """A task's row with what it refers to."""

    artifacts: list[Artifact]
    """What came with its text, its work and its reply."""


class TaskShownRequired(TypedDict):
    """What every `TaskShown` has."""

    event_count: int
    """How many events the task has had, which is the number of the last: what `after` takes."""
    ok: bool
    task: TaskWithArtifacts


class TaskShown(TaskShownRequired, total=False):
    """The task."""

    message_count: int | None
    """How many there are."""
    messages: list[TaskMessage]
    """The messages on it, oldest first; only the newest if there are many."""
    retried_to: TaskId | None


class TaskTreeNodeRequired(TypedDict):
    """What every `TaskTreeNode` has."""

    created_at: Time
    depth: int
    """How far below the first node it is."""
    from_name: str
    kind: Kind
    status: Status
    task_id: TaskId
    to_name: str


class TaskTreeNode(TaskTreeNodeRequired, total=False):
    completed_at: Time | None
    parent_task_id: TaskId | None
    started_at: Time | None


class TaskTree(TypedDict):
    nodes: list[TaskTreeNode]
    """The chain of its ancestors, root first; the task; and all below it, each task followed by what is
    below it."""
    task_id: TaskId
    """The task that was asked for."""
    truncated: bool
    """Whether there are more: at most 1,000 nodes are shown, 32 levels up from the task and 32 down."""


class TaskTreeShown(TypedDict):
    """The tree."""

    ok: bool
    tree: TaskTree


class TasksRequired(TypedDict):
    """What every `Tasks` has."""

    count: int
    ok: bool
    stats: list[StatusCount]
    tasks: list[Task]


class Tasks(TasksRequired, total=False):
    """A page."""

    next_cursor: str | None


class TasksSent(TypedDict):
    """What became of several tasks, in their order."""

    ok: bool
    results: list[TaskOutcome]


class TokenRequired(TypedDict):
    """What every `Token` has."""

    created_at: Time
    name: str
    scope: str
    token_id: TokenId


class Token(TokenRequired, total=False):
    client_id: str | None
    """The OAuth client that a user allowed to act; absent if it is not a grant."""
    expires_at: Time | None
    last_used_at: Time | None
    network_id: NetworkId | None


class TokensRequired(TypedDict):
    """What every `Tokens` has."""

    ok: bool
    tokens: list[Token]


class Tokens(TokensRequired, total=False):
    next_cursor: str | None


class UserListed(User):
    created_at: Time


class UsersRequired(TypedDict):
    """What every `Users` has."""

    ok: bool
    users: list[UserListed]


class Users(UsersRequired, total=False):
    next_cursor: str | None


class VisibleHandoffs(TypedDict):
    """Evidence events whose handoff is visible: a count beside the graph, never an edge of it. Counted by
    whole minutes, from `counted_since` on."""

    count: int
    counted_since: Time


class WorkEnds(TypedDict):
    """What became of an edge's tasks."""

    cancelled: int
    expired: int
    failed: int
    open: int
    replied: int
    total: int


class WorkEdge(WorkEnds):
    from_kind: PrincipalKind
    from_name: str
    to_name: str


class WorkGraph(TypedDict):
    edges: list[WorkEdge]
    edges_left_out: int
    """Edges beyond those shown."""
    ok: bool
    since: Time
    """The time that is counted: whole hours, not before counting began."""
    source: str
    tasks_read: int
    """Tasks created in that time."""
    truncated: bool
    """Some of these tasks are on no edge: their hour had more than 1,000."""
    until: Time
    visible_handoffs: VisibleHandoffs


class WorkerRemoved(TypedDict):
    ok: bool
    removed: bool
    """False if the agent had no such worker."""


class WorkerReport(TypedDict, total=False):
    """What the worker reports; it replaces what it reported before."""

    concurrency: int | None
    """Tasks to run at the same time."""
    description: str | None
    """What the agent is, in a sentence; kept when the worker stops."""
    hostname: str | None
    project_dir: str | None
    skills: list[Skill] | None
    """What the agent can do; kept when the worker stops."""
    version: str | None


class WorkerSeen(TypedDict):
    alias: str
    ok: bool
    worker_id: str


__all__ = ["A2aError", "A2aResponse", "AckOfDelivery", "Acked", "ActorToken", "Agent", "AgentDay", "Agents", "AiCatalog", "Alias", "AliasHandOver", "Aliases", "AnswerToQuestion", "Answered", "Artifact", "ArtifactHash", "ArtifactName", "ArtifactReference", "ArtifactShared", "ArtifactSource", "ArtifactUploaded", "Artifacts", "Asked", "Attention", "AttentionList", "AttentionTask", "AuditEntry", "AuditLog", "BroadcastSent", "BrowserPasswordChanged", "BrowserSession", "BrowserSessionOpened", "Cancel", "CancelRefused", "Cancelled", "CardKeySet", "CardPublicKey", "CatalogEntry", "CatalogHost", "Claim", "ClaimAnswer", "ClaimNext", "Claimed", "ClaimedTask", "ClaimedTasks", "Completion", "Completions", "ConsistencyProof", "ContextId", "Delivery", "DeliveryAcked", "Done", "Ending", "Error", "ErrorDetail", "EvidenceEvents", "EvidenceKey", "Health", "Inbox", "InclusionProof", "Invitation", "Invitations", "Invite", "InviteCreated", "InviteId", "InvitePreview", "Invites", "Join", "Joined", "Kind", "LastHour", "LeaseExtended", "LeaseExtension", "LeaseId", "LoggedIn", "Login", "MediaType", "Member", "MemberInvited", "Members", "Message", "MessageId", "MessageKind", "Messages", "Minute", "Network", "NetworkChange", "NetworkCreated", "NetworkId", "NetworkRole", "NetworkShown", "NetworkStats", "NetworkStatusCount", "Networks", "NewBroadcast", "NewInvite", "NewMember", "NewNetwork", "NewNodeToken", "NewRemote", "NewTask", "NewTasks", "NodeToken", "NodeTokenMinted", "NodeTokens", "OauthAsked", "OauthDecided", "OauthDecision", "OauthProblem", "OauthRequest", "Overview", "OverviewOfTasks", "OwnedAlias", "PacketOutcome", "PacketsReported", "Part", "PasswordChange", "PasswordChanged", "PendingMember", "PinRemoteKey", "PrincipalKind", "Priority", "PriorityOfTask", "Profile", "ProfileChange", "ProgressReport", "ProgressReported", "Question", "Quota", "QuotaChange", "Quotas", "Reassign", "Reassigned", "Registered", "Registration", "Remote", "RemoteAdded", "RemoteKeyPinned", "Remotes", "Replied", "Reply", "Retried", "RoleChange", "Secret", "Session", "SessionCount", "SessionSummary", "Sessions", "SharedArtifact", "SignInOptions", "Skill", "Stats", "StatsOfNodes", "StatsOfSessions", "StatsOfTasks", "Status", "StatusCount", "SystemRole", "Task", "TaskEvent", "TaskEvents", "TaskId", "TaskMessage", "TaskOutcome", "TaskProgress", "TaskSent", "TaskShown", "TaskTree", "TaskTreeNode", "TaskTreeShown", "TaskWithArtifacts", "Tasks", "TasksSent", "Time", "Token", "TokenId", "TokenScope", "Tokens", "User", "UserId", "UserListed", "Username", "Users", "VisibleHandoffs", "WholeTask", "WorkEdge", "WorkEnds", "WorkGraph", "WorkedOn", "Worker", "WorkerRemoved", "WorkerReport", "WorkerSeen"]
