// The hub's types, from clients/openapi.json. Made by `npm run generate`; do not edit.

export interface A2aError {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly status: string;
  };
}

export interface A2aResponse {
  readonly error?: {
    readonly code: number;
    readonly message: string;
  };
  readonly jsonrpc: "2.0" | (string & {});
  readonly result?: { readonly [key: string]: unknown };
}

/** The body of `POST /api/inbox/:id/ack`: the inbox is the caller's own. */
export interface AckOfDelivery {
  readonly network_id?: string | null;
}

/** Whether it changed anything. */
export interface Acked {
  readonly ok: boolean;
  readonly task_id: TaskId;
  readonly updated: number;
}

/** How history and evidence name the token that acted */
export type ActorToken = string;

/** An agent. */
export interface Agent {
  readonly alias: Alias;
  readonly day: AgentDay;
  readonly description?: string | null;
  readonly last_seen_at?: Time | null;
  /** The leases it holds */
  readonly leases: number;
  readonly network_id: NetworkId;
  /** How far it is in percent, if that is known of a task it works on, or its session reports it */
  readonly progress?: number | null;
  /** Open deliveries in its inbox */
  readonly queue: number;
  readonly session?: Session | null;
  readonly skills?: readonly Skill[];
  /** offline, or what it last reported; of an agent that reports nothing: working if it holds a lease, else idle */
  readonly status: string;
  /** Its workers that were seen within the last 90 seconds, at most 20 */
  readonly workers?: readonly Worker[] | null;
  /** The tasks it works on that the caller may see, the newest first, at most 10 */
  readonly works_on: readonly WorkedOn[];
}

/** The figures of an agent's last day. */
export interface AgentDay {
  /** Tasks that ended with a result: replied and failed */
  readonly ended: number;
  readonly failed: number;
  /** Half of them took no longer than this, from the send to the end; null if none ended */
  readonly p50_seconds?: number | null;
  readonly replied: number;
  /** Tasks sent since then count: whole hours */
  readonly since: Time;
  /** Replied of ended, 0 to 1; null if none ended */
  readonly success_rate?: number | null;
}

/** A page of agents by network and alias. */
export interface Agents {
  readonly agents: readonly Agent[];
  readonly next_cursor?: string | null;
  readonly ok: boolean;
}

/** A page of the hub's agents, in the form of the AI Catalog draft. */
export interface AiCatalog {
  /** In the order of networks and aliases */
  readonly entries: readonly CatalogEntry[];
  readonly host: CatalogHost;
  /** The next page; a page may be short, even empty, and have one */
  readonly next?: string | null;
  /** Of the draft */
  readonly specVersion: string;
}

/** The name an agent has in its network: letters, digits, `_`, `.` and `-` */
export type Alias = string;

export interface AliasHandOver {
  /** The member it goes to. */
  readonly user_id: string;
}

export interface Aliases {
  readonly aliases: readonly OwnedAlias[];
  readonly next_cursor?: string | null;
  readonly ok: boolean;
}

/** The body of `POST /api/tasks/:id/answer`. */
export interface AnswerToQuestion {
  /** Artifacts that come with it, uploaded with `PUT /api/artifacts` */
  readonly artifacts?: readonly ArtifactReference[] | null;
  /** The answer, one of the options if there are any */
  readonly text: string;
}

/** Where the task stands now. */
export interface Answered {
  readonly message_id: MessageId;
  readonly ok: boolean;
  readonly status: Status;
  readonly task_id: TaskId;
}

/** An artifact, or a reference to one. */
export interface Artifact {
  /** What its agent calls the artifact that it is a part of. */
  readonly artifact_id?: string | null;
  readonly created_at?: Time | null;
  readonly description?: string | null;
  readonly media_type: MediaType;
  readonly name: ArtifactName;
  /** The part itself, with one of `text`, `url` and `data`: its bytes are not stored elsewhere. */
  readonly part?: { readonly [key: string]: unknown } | null;
  readonly sha256: ArtifactHash;
  /** In bytes. */
  readonly size: number;
  readonly source?: ArtifactSource | null;
}

/** The SHA-256 of an artifact's bytes, by which it is called */
export type ArtifactHash = string;

/** The name of an artifact: at most 255 bytes, and no path */
export type ArtifactName = string;

/** A reference to an artifact that was uploaded. */
export interface ArtifactReference {
  /** What it is, in a sentence */
  readonly description?: string | null;
  /** By default as it was uploaded */
  readonly media_type?: string | null;
  /** What it is called here; by default as it was uploaded */
  readonly name?: string | null;
  /** Of its bytes */
  readonly sha256: string;
}

/** Where it stands in the task's history. */
export interface ArtifactShared {
  readonly artifact_id: string;
  /** The number of the task's event */
  readonly event: number;
  readonly ok: boolean;
  readonly status: Status;
  readonly task_id: TaskId;
}

/** What a reference to an artifact came with */
export type ArtifactSource = "task" | "message" | "reply" | "work" | (string & {});

/** The artifact. */
export interface ArtifactUploaded {
  readonly artifact: Artifact;
  readonly ok: boolean;
}

/** A page of artifacts. */
export interface Artifacts {
  readonly artifacts: readonly Artifact[];
  readonly next_cursor?: string | null;
  readonly ok: boolean;
}

/** It waits. */
export interface Asked {
  readonly message_id: MessageId;
  readonly ok: boolean;
  readonly status: Status;
  readonly task_id: TaskId;
}

/** The groups. */
export interface Attention {
  readonly expiring: AttentionList;
  readonly failing: AttentionList;
  readonly stuck: AttentionList;
  readonly waiting_input: AttentionList;
}

/** One group: how many, and the first of them. */
export interface AttentionList {
  readonly count: number;
  /** There were more tasks than are looked at. */
  readonly count_is_at_least: boolean;
  readonly tasks: readonly AttentionTask[];
}

export interface AttentionTask {
  readonly created_at: Time;
  readonly expires_at: Time;
  readonly from_name: string;
  readonly status: Status;
  readonly task_id: TaskId;
  /** The beginning of its text, read once it is known that the task is shown. */
  readonly title: string;
  readonly to_name: string;
  readonly why: string;
}

export interface AuditEntry {
  readonly action: string;
  readonly actor: string;
  readonly at: Time;
  readonly detail: string;
  readonly id: number;
  readonly network_id?: NetworkId | null;
  readonly subject: string;
}

export interface AuditLog {
  readonly entries: readonly AuditEntry[];
  readonly next_cursor?: number | null;
  readonly ok: boolean;
}

/** Who got it. */
export interface BroadcastSent {
  readonly message_ids: readonly MessageId[];
  readonly ok: boolean;
  readonly recipients: number;
}

export interface BrowserPasswordChanged {
  readonly ok: boolean;
  readonly revoked: number;
}

export interface BrowserSession {
  readonly must_change_password: boolean;
  readonly networks: readonly Network[];
  /** There are more networks: the cursor of the rest, for `GET /api/networks`. */
  readonly next_cursor?: string | null;
  readonly ok: boolean;
  readonly user: User;
  readonly version: string;
}

export interface BrowserSessionOpened {
  readonly must_change_password: boolean;
  readonly network_id?: NetworkId | null;
  readonly ok: boolean;
  readonly user: User;
}

/** The body of `POST /api/tasks/:id/cancel`. */
export interface Cancel {
  /** Cancel all open descendants too, in the same transaction. A task that has ended may have open ones */
  readonly cascade?: boolean | null;
  /** Why; it becomes the task's result */
  readonly reason?: string | null;
}

/** Why nothing was cancelled: the task had ended, or too many tasks are open below it. */
export type CancelRefused = Cancelled | Error;

/** Whether it was cancelled. A task that has ended, or is not there, is answered and not an error. */
export interface Cancelled {
  /** Whether the task itself was cancelled: not if it had ended and only its descendants were. */
  readonly cancelled: boolean;
  /** With `cascade`: how many tasks below it were cancelled with it; absent if none were. */
  readonly cancelled_descendants?: number;
  readonly ok: boolean;
  /** Without `cascade`: how many tasks below it are still open, counted up to 1,000; absent if none are. */
  readonly open_descendants?: number;
  readonly task_id: string;
}

/** The public keys that cards are signed with. */
export interface CardKeySet {
  readonly keys: readonly CardPublicKey[];
}

/** The public half, as RFC 8037 writes it. */
export interface CardPublicKey {
  readonly alg: string;
  readonly crv: string;
  /** Its thumbprint (RFC 7638), by which a signature names it */
  readonly kid: string;
  readonly kty: string;
  readonly use: string;
  /** The key's 32 bytes, base64url */
  readonly x: string;
}

export interface CatalogEntry {
  readonly displayName: string;
  /** `urn:baton:agent:NETWORK:ALIAS` */
  readonly identifier: string;
  /** The same, as earlier drafts call it */
  readonly mediaType: string;
  /** `application/a2a-agent-card+json` */
  readonly type: string;
  /** The agent's card */
  readonly url: string;
}

export interface CatalogHost {
  /** The provider in the hub's settings, else its address */
  readonly displayName: string;
  readonly documentationUrl?: string | null;
}

/** The body of `POST /api/claim`. */
export interface Claim {
  /** 60 by default */
  readonly lease_seconds?: number | null;
  /** So many tasks at most, each under a lease of its own; then the answer has `tasks` */
  readonly max?: number | null;
  /** 0 by default */
  readonly wait_seconds?: number | null;
}

/** What `POST /api/claim` answers: one task, or with `max` a list. */
export type ClaimAnswer = Claimed | ClaimedTasks;

/** A claim that goes with the reply to the task before. */
export interface ClaimNext {
  /** 60 by default */
  readonly lease_seconds?: number | null;
  /** 0 by default */
  readonly wait_seconds?: number | null;
}

/** A task and the lease on it, or no task. */
export interface Claimed {
  /** What came with the task, and what its work has brought so far. */
  readonly artifacts?: readonly Artifact[] | null;
  readonly lease_expires_at?: Time | null;
  readonly lease_id?: LeaseId | null;
  /** The messages on the task, oldest first; only the newest if there are many. */
  readonly messages?: readonly TaskMessage[] | null;
  readonly ok: boolean;
  readonly task: Task | null;
  /** The trace the task was sent in. */
  readonly traceparent?: string | null;
}

/** A task under a lease. */
export interface ClaimedTask {
  /** What came with it, and what its work has brought so far. */
  readonly artifacts: readonly Artifact[];
  readonly lease_expires_at?: Time | null;
  readonly lease_id: LeaseId;
  /** The messages on it, oldest first; only the newest if there are many. */
  readonly messages: readonly TaskMessage[];
  readonly task: Task;
  /** The trace it was sent in. */
  readonly traceparent?: string | null;
}

/** Tasks, each with its lease; none if there were none. */
export interface ClaimedTasks {
  readonly ok: boolean;
  readonly tasks: readonly ClaimedTask[];
}

/** A completion, in the contract's order. */
export interface Completion {
  readonly artifacts: unknown;
  readonly completed_at: Time;
  readonly duration_minutes?: number | null;
  /** Counts the network's completions */
  readonly id: number;
  readonly network_id: NetworkId;
  readonly result: string;
  /** If `result` is only the beginning. */
  readonly result_truncated?: boolean;
  readonly score?: number | null;
  readonly session_name: string;
  readonly task: string;
  /** If `task` is only the beginning. */
  readonly task_truncated?: boolean;
}

/** The completions. */
export interface Completions {
  readonly completions: readonly Completion[];
  readonly next_cursor?: string | null;
  readonly ok: boolean;
}

/** What the longer log has beside the shorter one. */
export interface ConsistencyProof {
  readonly from: number;
  readonly hashes: readonly string[];
  readonly ok: boolean;
  readonly to: number;
}

/** A conversation: the id of the task that began it */
export type ContextId = string;

/** A delivery, in the contract's order. */
export interface Delivery {
  readonly content: string;
  /** If `content` is only the beginning; `GET /api/tasks/:id` has all of a task's. */
  readonly content_truncated?: boolean;
  readonly context?: string | null;
  readonly created_at: Time;
  readonly from_session: string;
  readonly id: MessageId;
  readonly network_id: NetworkId;
  readonly priority: Priority;
  readonly task_id?: TaskId | null;
  readonly type: string;
}

/** It is acknowledged. */
export interface DeliveryAcked {
  readonly ok: boolean;
}

/** `{"ok":true}`. */
export interface Done {
  readonly ok: boolean;
}

/** The three ends an agent can give. */
export type Ending = "replied" | "failed" | "cancelled";

/** The body of a failure; `ok` and `error` first, as the contract prints them. */
export interface Error {
  readonly details?: readonly ErrorDetail[];
  readonly error: string;
  readonly message?: string | null;
  readonly ok: boolean;
  readonly retry_after_ms?: number | null;
  readonly task_status?: Status | null;
}

/** More about a failure: a field that breaks its rule, or a task of the chain of parents that a send was refused for. */
export type ErrorDetail =
  | {
      readonly field: string;
      readonly rule: string;
    }
  | {
      readonly task_id: TaskId;
      readonly to_name: string;
    };

/** The events as the log has them, and how long it is. */
export interface EvidenceEvents {
  readonly events: readonly { readonly [key: string]: unknown }[];
  readonly ok: boolean;
  readonly size: number;
}

/** The public key. */
export interface EvidenceKey {
  readonly key: string;
  readonly ok: boolean;
}

export interface Health {
  readonly api_version: string;
  readonly ok: boolean;
  readonly transport: string;
  readonly uptime: number;
  readonly version: string;
}

/** What lies in it. */
export interface Inbox {
  readonly messages: readonly Delivery[];
  readonly next_cursor?: string | null;
  readonly ok: boolean;
}

/** The way from the event to the root. */
export interface InclusionProof {
  readonly hashes: readonly string[];
  readonly index: number;
  readonly leaf_hash: string;
  readonly ok: boolean;
  readonly size: number;
}

export interface Invitation {
  readonly created_at: Time;
  readonly invited_by: Username;
  readonly network_id: NetworkId;
  readonly network_name: string;
  readonly role: NetworkRole;
}

export interface Invitations {
  readonly invitations: readonly Invitation[];
  readonly ok: boolean;
}

export interface Invite {
  readonly created_at: Time;
  readonly created_by: Username;
  readonly expires_at?: Time | null;
  readonly invite_id: InviteId;
  readonly max_uses: number;
  readonly role: NetworkRole;
  readonly uses: number;
}

export interface InviteCreated {
  readonly invite_code: Secret;
  readonly ok: boolean;
}

/** An invite's id. */
export type InviteId = string;

/** What an invite code leads to. */
export interface InvitePreview {
  readonly invited_by: Username;
  readonly is_member: boolean;
  readonly network_id: NetworkId;
  readonly network_name: string;
  readonly ok: boolean;
  /** What joining makes the caller, or what they are already. */
  readonly role: NetworkRole;
}

export interface Invites {
  readonly invites: readonly Invite[];
  readonly next_cursor?: string | null;
  readonly ok: boolean;
}

export interface Join {
  readonly invite_code: string;
}

export interface Joined {
  readonly network_id: NetworkId;
  readonly ok: boolean;
  readonly role: NetworkRole;
}

/** What sort of work a task is */
export type Kind = string;

/** How long the tasks took that were replied to or failed in the last hour, from creation to end, within 5 %. */
export interface LastHour {
  readonly p50_ms?: number | null;
  readonly p95_ms?: number | null;
}

/** Until when it holds. */
export interface LeaseExtended {
  readonly lease_expires_at: Time;
  readonly ok: boolean;
}

/** The body of `POST /api/leases/:id/extend`. */
export interface LeaseExtension {
  readonly lease_seconds?: number | null;
  /**
   * What the agent's session shows as its output from now on, at most 4000 characters. It is not appended to the task's
   * output: workers of earlier releases send the same text again with each extension
   */
  readonly output?: string | null;
  readonly progress?: number | null;
}

/** One worker's hold on one task */
export type LeaseId = string;

export interface LoggedIn {
  readonly expires_at?: Time | null;
  readonly network_id?: NetworkId | null;
  readonly ok: boolean;
  readonly token: Secret;
  readonly user: User;
}

export interface Login {
  /**
   * When the token ends by itself, from now. A tool's lasts until it is revoked if this is absent; a browser's ends when it
   * is not used.
   */
  readonly expires_in_seconds?: number | null;
  readonly password: string;
  readonly username: string;
}

/** What sort of bytes an artifact has */
export type MediaType = string;

export interface Member {
  readonly display_name?: string | null;
  readonly invited_by?: string | null;
  readonly joined_at: Time;
  readonly role: NetworkRole;
  readonly user_id: UserId;
  readonly username: Username;
}

export interface MemberInvited {
  readonly ok: boolean;
  /** Always true: the user becomes a member on accepting. */
  readonly pending: boolean;
}

export interface Members {
  readonly members: readonly Member[];
  readonly next_cursor?: string | null;
  readonly ok: boolean;
  /** Invited users who have not answered yet; they are not members. */
  readonly pending: readonly PendingMember[];
}

export interface Message {
  readonly content: string;
  /** If `content` is only the beginning. */
  readonly content_truncated?: boolean;
  readonly created_at: Time;
  readonly from_alias: string;
  readonly id: MessageId;
  readonly network_id: NetworkId;
  readonly priority: Priority;
  readonly to_alias: string;
  readonly type: string;
}

/** A delivery; a task's first has the task's id */
export type MessageId = string;

/** What a message is to its task's conversation */
export type MessageKind = "question" | "answer" | "message" | (string & {});

/** The deliveries, newest first. */
export interface Messages {
  readonly messages: readonly Message[];
  readonly next_cursor?: string | null;
  readonly ok: boolean;
}

/**
 * What happened in a step. The durations are of tasks that were replied to or failed in it, from creation to end,
 * within 5 %.
 */
export interface Minute {
  readonly at: Time;
  readonly cancelled: number;
  readonly expired: number;
  readonly failed: number;
  readonly p50_ms?: number | null;
  readonly p95_ms?: number | null;
  readonly replied: number;
  readonly sent: number;
}

/** A network, and what the caller is in it. */
export interface Network {
  readonly created_at: Time;
  readonly description?: string | null;
  readonly member_role?: NetworkRole | null;
  readonly network_id: NetworkId;
  readonly network_name: string;
  readonly owner_id: UserId;
  /** Whether its agents' A2A cards are for everybody. */
  readonly public_cards: boolean;
  readonly updated_at: Time;
}

export interface NetworkChange {
  readonly name?: string | null;
  /** Whether the A2A cards of its agents are for everybody; else they need a token. */
  readonly public_cards?: boolean | null;
}

export interface NetworkCreated {
  readonly network_id: NetworkId;
  readonly network_name: string;
  readonly ok: boolean;
}

/** A network */
export type NetworkId = string;

/** What a user is in a network */
export type NetworkRole = "viewer" | "member" | "admin" | "owner";

export interface NetworkShown {
  readonly network: Network;
  readonly ok: boolean;
  readonly stats: NetworkStats;
}

export interface NetworkStats {
  readonly nodes: number;
  readonly sessions: number;
  readonly tasks: readonly NetworkStatusCount[];
}

export interface NetworkStatusCount {
  readonly count: number;
  readonly status: Status;
}

export interface Networks {
  readonly networks: readonly Network[];
  readonly next_cursor?: string | null;
  readonly ok: boolean;
}

/** The message and its recipient. */
export interface NewBroadcast {
  /** Only agents with this server label */
  readonly filter_server?: string | null;
  /** Only agents with this status */
  readonly filter_status?: string | null;
  /** The message */
  readonly message: string;
  /** The network; a node token has only its own */
  readonly network_id?: string | null;
}

export interface NewInvite {
  readonly expires_days?: number | null;
  readonly max_uses?: number | null;
  readonly role?: NetworkRole | null;
}

export interface NewMember {
  readonly role?: NetworkRole | null;
  readonly user_id: string;
}

export interface NewNetwork {
  readonly description?: string | null;
  readonly name: string;
}

export interface NewNodeToken {
  /** When it ends by itself, from now; it lasts until it is revoked if this is absent. */
  readonly expires_in_seconds?: number | null;
  readonly network_id?: string | null;
  readonly node_name?: string | null;
  readonly scope?: TokenScope | null;
}

export interface NewRemote {
  readonly alias: string;
  readonly card_url: string;
  /** A bearer token to show it */
  readonly credential?: string | null;
  /** The thumbprint of the key that has to have signed its card (RFC 7638 with SHA-256, base64url); without it, the key that signed it now */
  readonly pinned_key?: string | null;
}

/** What is to be sent. */
export interface NewTask {
  /** The agent to send to */
  readonly alias: string;
  /** Send it even if the agent has an open task in the chain of parents */
  readonly allow_cycle?: boolean | null;
  /** Artifacts to send along, uploaded with PUT /api/artifacts */
  readonly artifacts?: readonly ArtifactReference[] | null;
  /** Anything the agent should know beside the task */
  readonly context?: string | null;
  /** The same key and arguments give the first answer again, for 24 hours */
  readonly idempotency_key?: string | null;
  /** 1-64 of a-z0-9._- */
  readonly kind?: string | null;
  /** How many deliveries there may be before a lapsed lease makes the task fail, 3 by default */
  readonly max_attempts?: number | null;
  /** Your own notes, any JSON */
  readonly meta?: unknown;
  /** The network; a node token has only its own */
  readonly network_id?: string | null;
  /** The task this one is part of */
  readonly parent_task_id?: string | null;
  readonly priority?: PriorityOfTask | null;
  /** How long the task waits after a lapsed lease until it is delivered again, 0 by default */
  readonly retry_backoff_seconds?: number | null;
  /** How long one run may take; after that the task fails with run_timeout. No limit by default */
  readonly run_timeout_seconds?: number | null;
  /** What is to be done */
  readonly task: string;
  /** Seconds the task may wait before an agent starts it, 3600 by default */
  readonly ttl_seconds?: number | null;
  /** Wait so long for the task to end or to ask for input; 0 by default */
  readonly wait_seconds?: number | null;
}

/** The tasks. */
export interface NewTasks {
  /** Bodies of `POST /api/task`, without `wait_seconds` */
  readonly tasks: readonly NewTask[];
}

export interface NodeToken {
  /** The OAuth client that its owner allowed to act; absent if it is not a grant. */
  readonly client_id?: string | null;
  readonly created_at: Time;
  readonly expires_at?: Time | null;
  readonly last_used_at?: Time | null;
  /** None until its first report binds one. */
  readonly node_name?: string | null;
  readonly owner: Username;
  readonly scope: TokenScope;
  readonly token_id: TokenId;
}

export interface NodeTokenMinted {
  readonly expires_at?: Time | null;
  readonly ok: boolean;
  readonly token: Secret;
  readonly token_id: TokenId;
}

export interface NodeTokens {
  readonly next_cursor?: string | null;
  readonly ok: boolean;
  readonly tokens: readonly NodeToken[];
}

/** What the page shows. */
export interface OauthAsked {
  readonly client_id: string;
  /** What the client calls itself; nobody has checked it. */
  readonly client_name: string;
  /** Whether that is a program on the user's own machine. */
  readonly is_on_this_machine: boolean;
  readonly ok: boolean;
  readonly problem?: OauthProblem | null;
  /** The host, or the scheme of an app, that the user is sent back to. */
  readonly returns_to: string;
  /** An alias to begin with. */
  readonly suggested_alias: string;
  readonly username: Username;
}

export interface OauthDecided {
  readonly ok: boolean;
  /** Where the browser goes now. */
  readonly redirect_to: string;
}

export interface OauthDecision {
  /** Whom the client acts as: an alias of one's own, or a new one. */
  readonly alias?: string | null;
  /** Whether the client may act; the rest counts only then. */
  readonly allow: boolean;
  readonly network_id?: string | null;
  readonly request: OauthRequest;
}

/** Why a request that names its client cannot be allowed. */
export interface OauthProblem {
  readonly error: string;
  readonly message: string;
  /** Where the client is notified. */
  readonly redirect_to: string;
}

/** The parameters of an authorization request (RFC 6749, 7636, 8707). */
export interface OauthRequest {
  /** As registered, or the URL of a client-id metadata document */
  readonly client_id?: string | null;
  /** SHA-256 of the verifier, in base64url */
  readonly code_challenge?: string | null;
  /** `S256` */
  readonly code_challenge_method?: string | null;
  /** One of the client's */
  readonly redirect_uri?: string | null;
  /** The hub's MCP door */
  readonly resource?: string | null;
  /** `code` */
  readonly response_type?: string | null;
  /** Left aside: a grant is for one alias, as a node token is */
  readonly scope?: string | null;
  /** Returned to the client as it is */
  readonly state?: string | null;
}

export interface Overview {
  readonly attention: Attention;
  readonly last_hour: LastHour;
  readonly minutes: readonly Minute[];
  readonly now: Time;
  readonly ok: boolean;
  /** How many minutes a step of `minutes` takes: 1 for an hour, more for longer */
  readonly step_minutes: number;
  readonly tasks: OverviewOfTasks;
}

export interface OverviewOfTasks {
  readonly by_status: readonly StatusCount[];
  /** Tasks that are delivered, acked, running or waiting for input */
  readonly open: number;
  readonly total: number;
}

export interface OwnedAlias {
  readonly alias: Alias;
  readonly last_used_at?: Time | null;
  readonly owner?: Username | null;
  readonly owner_id?: UserId | null;
}

/** What became of one packet. */
export type PacketOutcome =
  | {
      readonly index: number;
      readonly known: boolean;
    }
  | {
      readonly error: { readonly [key: string]: unknown };
    };

/** What became of all of them. */
export interface PacketsReported {
  /** There before, handed in by the same reporter. */
  readonly known: number;
  readonly ok: boolean;
  /** In the order they came. */
  readonly packets: readonly PacketOutcome[];
  /** Now in the log. */
  readonly recorded: number;
  /** Not taken; each says why. */
  readonly refused: number;
}

/** A part as it is given: exactly one of `text`, `raw`, `url`, `data` and `sha256`. */
export interface Part {
  /** Any JSON */
  readonly data?: unknown;
  readonly filename?: string | null;
  readonly media_type?: string | null;
  readonly metadata?: { readonly [key: string]: unknown } | null;
  /** Bytes, as base64 */
  readonly raw?: string | null;
  /** An artifact that was uploaded with `PUT /api/artifacts` */
  readonly sha256?: string | null;
  readonly text?: string | null;
  readonly url?: string | null;
}

export interface PasswordChange {
  readonly new_password: string;
  readonly old_password: string;
}

export interface PasswordChanged {
  readonly ok: boolean;
  readonly revoked: number;
  readonly token: Secret;
}

export interface PendingMember {
  readonly created_at: Time;
  readonly invited_by: Username;
  /** What they become on accepting. */
  readonly role: NetworkRole;
  readonly user_id: UserId;
  readonly username: Username;
}

export interface PinRemoteKey {
  /** The key's thumbprint: RFC 7638 with SHA-256, base64url */
  readonly pinned_key: string;
}

/** Whether an actor is a user or an agent */
export type PrincipalKind = "user" | "node" | "hub" | (string & {});

/** How urgent a delivery is */
export type Priority = "high" | "normal" | "low" | (string & {});

/** How urgent something is. */
export type PriorityOfTask = "high" | "normal" | "low";

export interface Profile {
  readonly alias?: Alias | null;
  readonly current_network?: NetworkId | null;
  readonly networks: readonly Network[];
  /** There are more networks: the cursor of the rest, for `GET /api/networks`. */
  readonly next_cursor?: string | null;
  readonly ok: boolean;
  readonly user: User;
}

export interface ProfileChange {
  readonly display_name?: string | null;
  readonly email?: string | null;
}

/** The body of `POST /api/tasks/:id/progress`. */
export interface ProgressReport {
  /** The lease you hold */
  readonly lease_id: string;
  /** What is being done */
  readonly message?: string | null;
  /**
   * What was printed since the last report, at most 64 KiB of UTF-8. It is appended to the task's output, of which the
   * last 64 KiB are kept
   */
  readonly output?: string | null;
  /** How far it is */
  readonly percent?: number | null;
}

/** It is written. */
export interface ProgressReported {
  readonly ok: boolean;
  readonly task_id: TaskId;
}

/** The body of `POST /api/tasks/:id/ask`. */
export interface Question {
  /** Artifacts that come with it, uploaded with `PUT /api/artifacts` */
  readonly artifacts?: readonly ArtifactReference[] | null;
  /** The sender has to authenticate somewhere before the work can continue; the question says where and how */
  readonly auth_required?: boolean | null;
  /** How long the question waits for its answer; 604800, which is 7 days, by default */
  readonly input_ttl_seconds?: number | null;
  /** Keep the lease and wait for the answer under it, extending it meanwhile; takes `lease_id` */
  readonly keep_lease?: boolean | null;
  /** The lease you hold; it ends with the question unless `keep_lease` is true */
  readonly lease_id?: string | null;
  /** The answers to choose from, each of 1 to 80 characters; without them any answer is accepted */
  readonly options?: readonly string[] | null;
  /** What you need to know */
  readonly question: string;
}

export interface Quota {
  readonly default_limit: number;
  readonly limit: number;
  readonly quota: string;
  /** How many there are; null for `inbox`, which each recipient has its own of, and for `delegation_depth`. */
  readonly used?: number | null;
}

/** The new limit of each quota that is named; null for the default. */
export type QuotaChange = { readonly [key: string]: number | null };

/** The quotas of an account or a network. */
export interface Quotas {
  readonly ok: boolean;
  readonly quotas: readonly Quota[];
}

/** The body of `POST /api/tasks/:id/reassign`. */
export interface Reassign {
  /** The agent that gets it */
  readonly new_alias: string;
}

/** Who had it and who has it. */
export interface Reassigned {
  readonly ok: boolean;
  readonly reassigned_from: Alias;
  readonly reassigned_to: Alias;
  readonly task_id: TaskId;
}

export interface Registered {
  readonly network_id: NetworkId;
  readonly network_token: Secret;
  readonly ok: boolean;
  readonly token: Secret;
  readonly user: User;
}

export interface Registration {
  readonly display_name?: string | null;
  readonly email?: string | null;
  readonly password: string;
  readonly username: string;
}

/** A remote agent as it is shown. */
export interface Remote {
  readonly alias: string;
  /** Why its card was refused when the hub last read it, as an error code; null: it was accepted */
  readonly card_error?: string | null;
  readonly card_url: string;
  readonly created_at: Time;
  readonly created_by: string;
  readonly has_credential: boolean;
  readonly network_id: NetworkId;
  /** The thumbprint of the key that has to have signed its card; null: the card is not signed */
  readonly pinned_key?: string | null;
}

export interface RemoteAdded {
  /** What it is called on its card. */
  readonly name: string;
  readonly ok: boolean;
  readonly remote: Remote;
}

export interface RemoteKeyPinned {
  readonly ok: boolean;
  readonly remote: Remote;
}

export interface Remotes {
  readonly next_cursor?: string | null;
  readonly ok: boolean;
  readonly remotes: readonly Remote[];
}

/** What became of it. */
export interface Replied {
  /** What the reply refers to. */
  readonly artifacts?: readonly Artifact[];
  readonly message_id: MessageId;
  readonly next?: Claimed | null;
  readonly ok: boolean;
  readonly session_status?: string | null;
  readonly status?: Status | null;
  readonly task_id?: TaskId | null;
}

/** The body of `POST /api/tasks/:id/reply`. */
export interface Reply {
  /** What the task brought, uploaded with `PUT /api/artifacts` */
  readonly artifacts?: readonly ArtifactReference[] | null;
  readonly bare?: boolean | null;
  readonly claim_next?: ClaimNext | null;
  readonly lease_id?: string | null;
  /** With status `failed`: the agent declines the task */
  readonly rejected?: boolean | null;
  readonly status?: Ending | null;
  /** At least one character, unless artifacts come with a reply that succeeded */
  readonly text: string;
}

/** The new task. */
export interface Retried {
  readonly ok: boolean;
  readonly retried_to: TaskId;
  readonly retry_of: TaskId;
  readonly task_id: TaskId;
}

export interface RoleChange {
  readonly role: NetworkRole;
}

/** A secret, shown this once */
export type Secret = string;

/** A session row, in the contract's order. */
export interface Session {
  readonly agent?: string | null;
  readonly alias: Alias;
  /** What it says of itself. */
  readonly description?: string | null;
  readonly hostname?: string | null;
  readonly last_seen_at: Time;
  readonly model?: string | null;
  readonly network_id: NetworkId;
  readonly node_id?: string | null;
  readonly output?: string | null;
  readonly progress?: number | null;
  readonly project_dir?: string | null;
  readonly registered_at: Time;
  readonly resume_id: string;
  readonly score?: number | null;
  readonly server?: string | null;
  readonly session_id?: string | null;
  readonly skills?: readonly Skill[];
  readonly status: string;
  readonly task?: string | null;
  readonly updated_at: Time;
  readonly version?: string | null;
}

/** How many sessions have a status. */
export interface SessionCount {
  readonly count: number;
  readonly status: string;
}

export interface SessionSummary {
  readonly idle: number;
  readonly offline: number;
  readonly total: number;
  readonly working: number;
}

/** All sessions, as `GET /api/status` answers. */
export interface Sessions {
  readonly next_cursor?: string | null;
  readonly ok: boolean;
  readonly sessions: readonly Session[];
  /** Of all pages */
  readonly summary: SessionSummary;
}

/** The body of `POST /api/tasks/:id/artifacts`. */
export interface SharedArtifact {
  /** Append to what was shared under this id instead of replacing it */
  readonly append?: boolean;
  /** Your id for the artifact; using it again replaces it, or appends with --append */
  readonly artifact_id: string;
  readonly description?: string | null;
  /** Whether nothing is added to it any more */
  readonly last_chunk?: boolean;
  /** The lease you hold */
  readonly lease_id: string;
  readonly metadata?: { readonly [key: string]: unknown } | null;
  readonly name?: string | null;
  readonly parts: readonly Part[];
}

export interface SignInOptions {
  /** The host of the OpenID Connect issuer that users may sign in with. */
  readonly issuer?: string | null;
  readonly ok: boolean;
  /** Whether anybody may register. */
  readonly open_registration: boolean;
}

/** One thing an agent can do. */
export interface Skill {
  /** In a sentence */
  readonly description?: string | null;
  /** Tasks it is for, in words */
  readonly examples?: readonly string[];
  /** 1-64 of A-Z a-z 0-9 . _ - */
  readonly id: string;
  /** Media types of what it is given, if not those of its agent */
  readonly input_modes?: readonly string[];
  /** What people call it */
  readonly name?: string | null;
  /** Media types of what it gives, if not those of its agent */
  readonly output_modes?: readonly string[];
  /** Words to find it by */
  readonly tags?: readonly string[];
}

/** The counts. */
export interface Stats {
  readonly nodes: StatsOfNodes;
  readonly ok: boolean;
  readonly recent_tasks: readonly Task[];
  readonly sessions: StatsOfSessions;
  readonly tasks: StatsOfTasks;
}

export interface StatsOfNodes {
  readonly total: number;
}

export interface StatsOfSessions {
  readonly by_status: readonly SessionCount[];
}

export interface StatsOfTasks {
  readonly by_status: readonly StatusCount[];
  readonly total: number;
}

/** The status of a task */
export type Status =
  | "delivered"
  | "acked"
  | "running"
  | "waiting_input"
  | "replied"
  | "failed"
  | "cancelled"
  | "expired"
  | (string & {});

/** How many tasks have a status. */
export interface StatusCount {
  readonly count: number;
  readonly status: Status;
}

/** What a user is on the hub */
export type SystemRole = "user" | "admin" | (string & {});

/** A task row. */
export interface Task {
  readonly attempt: number;
  readonly completed_at?: Time | null;
  readonly content: string;
  /** In a list, if `content` is only the beginning; `GET /api/tasks/:id` has all of it. */
  readonly content_truncated?: boolean;
  readonly context?: string | null;
  readonly context_id: ContextId;
  readonly created_at: Time;
  readonly delivered_at: Time;
  /** Hex; what the evidence's digests of the texts are keyed with. */
  readonly evidence_salt: string;
  readonly expires_at: Time;
  readonly from_name: string;
  readonly in_reply_to?: TaskId | null;
  readonly kind: Kind;
  /** How many deliveries there may be, if not 3. */
  readonly max_attempts?: number | null;
  readonly meta: unknown;
  readonly network_id: NetworkId;
  readonly parent_task_id?: TaskId | null;
  readonly parts?: readonly unknown[] | null;
  readonly priority: Priority;
  readonly progress?: TaskProgress | null;
  /** True if its agent declined it; its status is `failed`. */
  readonly rejected?: boolean;
  readonly requires_response: boolean;
  readonly result?: string | null;
  /** In a list, if `result` is only the beginning. */
  readonly result_truncated?: boolean;
  /** Seconds to wait after an expired lease before redelivery, if it does. */
  readonly retry_backoff_seconds?: number | null;
  readonly retry_of?: TaskId | null;
  /** How long one run may take, if that is limited. */
  readonly run_timeout_seconds?: number | null;
  readonly scope: string;
  readonly started_at?: Time | null;
  readonly status: Status;
  readonly task_id: TaskId;
  readonly to_name: string;
}

export interface TaskEvent {
  readonly actor: string;
  readonly actor_token?: ActorToken | null;
  readonly created_at: Time;
  /** Since 1970: what lies between two events is often less than the wire's second. */
  readonly created_at_ms: number;
  readonly detail: string;
  readonly from_status?: Status | null;
  /** Grows from event to event of a network */
  readonly id: number;
  readonly n: number;
  readonly network_id: NetworkId;
  readonly task_id: TaskId;
  readonly to_status: Status;
}

/** The events. */
export interface TaskEvents {
  readonly count: number;
  readonly events: readonly TaskEvent[];
  readonly next_cursor?: string | null;
  readonly ok: boolean;
}

/** A task */
export type TaskId = string;

/** A message on a task between its text and its result. */
export interface TaskMessage {
  /** What came with it. */
  readonly artifacts?: readonly Artifact[];
  /** True if the question asks its sender to authenticate. */
  readonly auth_required?: boolean;
  readonly content: string;
  readonly created_at: Time;
  readonly from_name: string;
  readonly kind: MessageKind;
  readonly message_id: MessageId;
  readonly meta?: unknown;
  /** The answers that a question takes; any, if it has none. */
  readonly options?: readonly string[] | null;
  readonly parts?: readonly unknown[] | null;
}

/** What became of one of several tasks: what `POST /api/task` answers, or the error it gives. */
export type TaskOutcome = TaskSent | Error;

/** How far the work on a task is. */
export interface TaskProgress {
  /** When it was reported. */
  readonly at: Time;
  readonly message?: string | null;
  readonly percent?: number | null;
}

/** What became of it. */
export interface TaskSent {
  /** With a wait: whether the task has ended. */
  readonly ended?: boolean | null;
  readonly message_id: TaskId;
  readonly ok: boolean;
  readonly queued?: boolean;
  readonly session_status: string;
  readonly task?: WholeTask | null;
  readonly task_id: TaskId;
}

/** The task. */
export interface TaskShown {
  /** How many events the task has had, which is the number of the last: what `after` takes. */
  readonly event_count: number;
  /** How many there are. */
  readonly message_count?: number | null;
  /** The messages on it, oldest first; only the newest if there are many. */
  readonly messages?: readonly TaskMessage[];
  readonly ok: boolean;
  readonly retried_to?: TaskId | null;
  readonly task: TaskWithArtifacts;
}

export interface TaskTree {
  /** The chain of its ancestors, root first; the task; and all below it, each task followed by what is below it. */
  readonly nodes: readonly TaskTreeNode[];
  /** The task that was asked for. */
  readonly task_id: TaskId;
  /** Whether there are more: at most 1,000 nodes are shown, 32 levels up from the task and 32 down. */
  readonly truncated: boolean;
}

export interface TaskTreeNode {
  readonly completed_at?: Time | null;
  readonly created_at: Time;
  /** How far below the first node it is. */
  readonly depth: number;
  readonly from_name: string;
  readonly kind: Kind;
  readonly parent_task_id?: TaskId | null;
  readonly started_at?: Time | null;
  readonly status: Status;
  readonly task_id: TaskId;
  readonly to_name: string;
}

/** The tree. */
export interface TaskTreeShown {
  readonly ok: boolean;
  readonly tree: TaskTree;
}

/** A task's row with what it refers to. */
export type TaskWithArtifacts = Task & {
  /** What came with its text, its work and its reply. */
  readonly artifacts?: readonly Artifact[];
};

/** A page. */
export interface Tasks {
  readonly count: number;
  readonly next_cursor?: string | null;
  readonly ok: boolean;
  readonly stats: readonly StatusCount[];
  readonly tasks: readonly Task[];
}

/** What became of several tasks, in their order. */
export interface TasksSent {
  readonly ok: boolean;
  readonly results: readonly TaskOutcome[];
}

/** UTC, to the second */
export type Time = string;

export interface Token {
  /** The OAuth client that a user allowed to act; absent if it is not a grant. */
  readonly client_id?: string | null;
  readonly created_at: Time;
  readonly expires_at?: Time | null;
  readonly last_used_at?: Time | null;
  readonly name: string;
  readonly network_id?: NetworkId | null;
  readonly scope: string;
  readonly token_id: TokenId;
}

/** A token, not its secret */
export type TokenId = string;

/** How far a node token reaches */
export type TokenScope = "node" | "coordinator";

export interface Tokens {
  readonly next_cursor?: string | null;
  readonly ok: boolean;
  readonly tokens: readonly Token[];
}

/** A user, without what is nobody's business. */
export interface User {
  readonly display_name?: string | null;
  readonly email?: string | null;
  /** Shown only while it asks for something. */
  readonly must_change_password?: boolean;
  readonly role: SystemRole;
  readonly user_id: UserId;
  readonly username: Username;
}

/** A user */
export type UserId = string;

export type UserListed = User & {
  readonly created_at: Time;
};

/** The name a user has on the hub */
export type Username = string;

export interface Users {
  readonly next_cursor?: string | null;
  readonly ok: boolean;
  readonly users: readonly UserListed[];
}

/**
 * Evidence events whose handoff is visible: a count beside the graph, never an edge of it. Counted by whole minutes,
 * from `counted_since` on.
 */
export interface VisibleHandoffs {
  readonly count: number;
  readonly counted_since: Time;
}

/** A task's row with what belongs to it. */
export type WholeTask = Task & {
  /** What was reported with its completion, and what came with its text, its work and its reply. */
  readonly artifacts: readonly unknown[];
  /** The messages on it, oldest first; only the newest if there are many. */
  readonly messages: readonly TaskMessage[];
};

export type WorkEdge = WorkEnds & {
  readonly from_kind: PrincipalKind;
  readonly from_name: string;
  readonly to_name: string;
};

/** What became of an edge's tasks. */
export interface WorkEnds {
  readonly cancelled: number;
  readonly expired: number;
  readonly failed: number;
  readonly open: number;
  readonly replied: number;
  readonly total: number;
}

export interface WorkGraph {
  readonly edges: readonly WorkEdge[];
  /** Edges beyond those shown */
  readonly edges_left_out: number;
  readonly ok: boolean;
  /** The time that is counted: whole hours, not before counting began */
  readonly since: Time;
  readonly source: string;
  /** Tasks created in that time */
  readonly tasks_read: number;
  /** Some of these tasks are on no edge: their hour had more than 1,000 */
  readonly truncated: boolean;
  readonly until: Time;
  readonly visible_handoffs: VisibleHandoffs;
}

/** A task that an agent works on. */
export interface WorkedOn {
  readonly attempt: number;
  /** Its beginning */
  readonly content: string;
  readonly progress?: TaskProgress | null;
  readonly since: Time;
  readonly task_id: TaskId;
}

/** A running worker. */
export interface Worker {
  readonly concurrency?: number | null;
  readonly hostname?: string | null;
  readonly last_seen_at: Time;
  readonly project_dir?: string | null;
  readonly started_at: Time;
  readonly version?: string | null;
  readonly worker_id: string;
}

export interface WorkerRemoved {
  readonly ok: boolean;
  /** False if the agent had no such worker */
  readonly removed: boolean;
}

/** What the worker reports; it replaces what it reported before. */
export interface WorkerReport {
  /** Tasks to run at the same time */
  readonly concurrency?: number | null;
  /** What the agent is, in a sentence; kept when the worker stops */
  readonly description?: string | null;
  readonly hostname?: string | null;
  readonly project_dir?: string | null;
  /** What the agent can do; kept when the worker stops */
  readonly skills?: readonly Skill[] | null;
  readonly version?: string | null;
}

export interface WorkerSeen {
  readonly alias: string;
  readonly ok: boolean;
  readonly worker_id: string;
}
