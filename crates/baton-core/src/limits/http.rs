//! Connections, requests, streams and the memory they may take.

use std::time::Duration;

use super::TEXT_MAX_BYTES;

// Sockets.

/// Largest JSON body (ours). The longest text fits with every character escaped: six bytes for one.
pub const JSON_BODY_MAX_BYTES: usize = 8 * TEXT_MAX_BYTES;
/// Largest JSON body of a call without a token (ours).
pub const PUBLIC_BODY_MAX_BYTES: usize = 16 * 1024;
/// Fields of a gRPC message, those of its parts and of each element of a list among them (ours). An empty part takes two
/// bytes of a message and a hundred times that in memory.
pub const GRPC_ELEMENTS_MAX_COUNT: usize = 50_000;
/// Deepest nesting of a gRPC message (prost: 100).
pub const GRPC_DEPTH_MAX: usize = 100;
/// Largest request head (ours).
pub const HEADERS_MAX_BYTES: usize = 16 * 1024;
/// Most requests in flight on one connection of HTTP/2 (ours). A client with more opens another connection.
pub const HTTP2_STREAMS_MAX_COUNT: u32 = 128;
/// What all requests of one connection of HTTP/2 may send ahead of being read (ours).
pub const HTTP2_WINDOW_BYTES: u32 = 1024 * 1024;
/// Longest a request may take to arrive (ours).
pub const REQUEST_READ_MAX_SECONDS: u32 = 30;
/// Longest a TLS handshake may take (ours).
pub const TLS_HANDSHAKE_MAX_SECONDS: u32 = 10;
/// How often the hub looks whether the files of its certificate have changed (ours).
pub const CERTIFICATE_LOOK_EVERY: Duration = Duration::from_secs(2);
/// Largest file of a certificate chain or a key (ours).
pub const CERTIFICATE_FILE_MAX_BYTES: u64 = 1024 * 1024;
/// Most open connections, if the system gives the hub that many files (ours).
pub const CONNECTIONS_MAX_COUNT: usize = 50_000;
/// Longest a stopping hub waits for requests in flight (ours).
pub const DRAIN_MAX_SECONDS: u32 = 10;
/// A comment keeps a quiet stream open; the contract allows 15 to 30 seconds.
pub const STREAM_COMMENT_SECONDS: u32 = 20;
/// A revoked token's open streams end within this time.
pub const REVOKED_STREAM_ENDS_SECONDS: u32 = 15;
/// Most open streams of one token (ours).
pub const STREAMS_PER_TOKEN_MAX_COUNT: usize = 64;
/// Longest name of a request that is taken over from its caller (ours).
pub const REQUEST_ID_MAX_CHARS: usize = 64;
/// Longest line that either side of the control socket reads (ours).
pub const CONTROL_LINE_MAX_BYTES: u64 = 4096;
/// Longest either side of the control socket waits for a line; a reset computes a password hash (ours).
pub const CONTROL_LINE_MAX: Duration = Duration::from_secs(30);
/// How often the hub reports there how far a copy is (ours).
pub const COPY_REPORTED_EVERY: Duration = Duration::from_secs(1);
/// Rows that a stream reads at once; one that has much to catch up on takes turns with the others (ours).
pub const STREAM_PAGE_COUNT: usize = 64;
/// Pages that a listener may fall behind before it reads for itself (ours).
pub const STREAM_PAGES_BEHIND_COUNT: usize = 32;
/// When a caller that was refused for too much at once may try again (ours).
pub const RETRY_AFTER_MILLIS: u64 = 1_000;
/// Tokens whose callers are kept in memory; past it the memory is emptied (ours).
pub const CALLERS_KNOWN_MAX_COUNT: usize = 100_000;
/// Commits, or frames, that a slow listener may be behind before it misses some (ours).
pub const LISTENER_BEHIND_MAX_COUNT: usize = 64;
/// A hub that committed within this time is ready without a write of its own (ours).
pub const READY_AFTER_COMMIT: Duration = Duration::from_secs(5);
/// How long the answer to a readiness check is kept (ours).
pub const READINESS_KEPT: Duration = Duration::from_secs(1);
/// A database that takes longer than this to answer is not ready (ours).
pub const READINESS_WAIT_MAX: Duration = Duration::from_secs(2);
/// Shortest token for `/metrics` (ours).
pub const METRICS_TOKEN_MIN_CHARS: usize = 16;
/// Connections that may wait to be accepted; beyond it the system lets callers try again in a second (ours). It may
/// allow less.
pub const ACCEPTS_WAITING_MAX_COUNT: u32 = 4096;
/// Pause after the system refused a connection: out of files or memory, which passes (ours).
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Longest a call waits for a hub that starts (ours). Most hubs are there sooner, and their callers need not come
/// back.
pub const START_WAIT_MAX: Duration = Duration::from_secs(1);
/// Longest the rest of a body that is too large is still read (ours).
pub const DISCARD_MAX: Duration = Duration::from_secs(5);
/// What an answer that is complete may take to leave when the hub stops (ours).
pub const STOP_FLUSH_MAX: Duration = Duration::from_secs(1);
/// Files kept free for the database, the log and the control socket (ours).
pub const FILES_RESERVED_COUNT: usize = 256;

// Shares of memory: bytes of requests and answers that are read, built or sent.

/// Bodies up to this size reserve no memory; also the largest piece of a body that is sent at once (ours).
pub const SMALL_BODY_MAX_BYTES: usize = 64 * 1024;
/// Bytes in flight in all (ours).
pub const IN_FLIGHT_MAX_BYTES: usize = 128 * 1024 * 1024;
/// Of these, reserved for accounts that have none in flight (ours).
pub const IN_FLIGHT_KEPT_BYTES: usize = 32 * 1024 * 1024;
/// Bytes in flight of all tokens of one account, in whichever network (ours).
pub const IN_FLIGHT_PER_ACCOUNT_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Bytes in flight of one token (ours).
pub const IN_FLIGHT_PER_TOKEN_MAX_BYTES: usize = 32 * 1024 * 1024;
/// While an MCP call waits and nothing is reported, its caller gets that error after this much silence: well within the 60 s that
/// clients give a call by default (ours).
pub const MCP_PROGRESS_SILENCE_MAX: Duration = Duration::from_secs(15);
/// Resources that one MCP subscription watches (ours).
pub const MCP_SUBSCRIBED_MAX_COUNT: usize = 64;
/// Minimum interval between two notifications of one MCP subscription; changes in between are sent once (ours).
pub const MCP_UPDATES_EVERY: Duration = Duration::from_millis(200);
/// How often a client of MCP's tasks extension is asked to look at a task it has a handle to (ours).
pub const MCP_TASK_POLL_MILLIS: u64 = 1_000;
/// Of a question that a client cannot ask its user, its handle's status shows this much (ours).
pub const MCP_TASK_QUESTION_MAX_CHARS: usize = 1_000;
/// Longest a request waits for its share (ours).
pub const IN_FLIGHT_WAIT_MAX_SECONDS: u32 = 10;
/// Requests in flight of one token, those that wait included (ours).
pub const REQUESTS_PER_TOKEN_MAX_COUNT: usize = 2_048;
/// The slowest a client may read an answer that is waiting to be sent (ours).
pub const SEND_MIN_BYTES_PER_SECOND: u32 = 64 * 1024;
/// How far a client may fall behind that before its connection is closed (ours).
pub const SEND_GRACE_SECONDS: u32 = 10;
/// One client address may have all connections divided by this, unless the operator sets a number (ours).
pub const CONNECTIONS_PER_ADDRESS_DIVISOR: usize = 4;
/// For so long a client may keep an agent's card without asking again (ours).
pub const CARD_MAX_AGE_SECONDS: u32 = 60;
