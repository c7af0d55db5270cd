//! The rules of the hub, pure: ids and limits, who may do what, and the task state machine.
//! No async, no I/O, no clock, no randomness, no SQL, no HTTP, no JSON: times and random bytes are handed in.
//!
//! A call on a task takes two questions, in this order and in the store's transaction: [`access::authorize`]
//! (may this caller?), then [`decide()`] (does this task?). The answer is a [`Transition`] to apply whole, or a
//! [`Refusal`] and nothing has happened.

pub mod access;
mod action;
mod alias;
mod artifact;
pub mod attention;
mod binding;
mod bounded;
mod browser;
mod caller;
mod clock_jumps;
mod command;
mod decide;
mod effects;
mod event;
mod fair_share;
pub mod hex;
mod histogram;
mod ids;
mod kind;
mod latency;
pub mod limits;
mod login_guard;
mod look_alike;
mod machine;
mod name_rule;
mod network_choice;
pub mod oauth;
pub mod oidc;
mod password;
mod presence;
mod principal;
mod priority;
mod progress;
mod question;
mod quota;
mod refusal;
mod role;
mod run_terms;
#[cfg(feature = "schemas")]
mod schemas;
mod secret;
mod status;
mod task;
mod time;
mod trace_parent;
mod transition;
mod username;
mod uuid;
mod wire;

pub use self::uuid::{ContextId, MessageId, TaskId, UUID_RANDOM_BYTES};
pub use action::{Action, TaskAction};
pub use alias::Alias;
pub use artifact::{ArtifactDescription, ArtifactHash, ArtifactName, ArtifactRef, ArtifactSource, MediaType};
pub use binding::{AliasFacts, bind_alias, mint_alias};
pub use bounded::{
    ArtifactId, CallWaitSeconds, ContextText, IdempotencyKey, InputTtlSeconds, LeaseSeconds, MessageText,
    ProgressMessage, ProgressOutput, Reason, ReplyText, ResultText, RetryBackoffSeconds, RunTimeoutSeconds,
    Seconds, TaskText, Text, TokenLifeSeconds, TtlSeconds, WaitSeconds,
};
pub use browser::browser_session_ends;
pub use caller::{Caller, NodeCaller, UserCaller};
pub use clock_jumps::{ClockJumps, ClockMove, ClockWatch};
pub use command::{Command, SendTask};
pub use decide::{Context, Facts, decide};
pub use effects::{
    Delivered, Delivery, DeliveryContent, DueChange, Effects, InboxChange, LeaseUpdate, NewTask, Notice,
    ProgressUpdate, RowChange,
};
pub use event::{Event, EventText};
pub use fair_share::{FairShare, ShareRequest, Shares, Ticket};
pub use histogram::{Counted, Histogram};
pub use ids::{ActorToken, LeaseId, NetworkId, TokenId, UserId};
pub use kind::Kind;
pub use latency::Latencies;
pub use login_guard::login_lock_seconds;
pub use look_alike::{NameSkeletons, UNICODE_VERSION};
pub use name_rule::check_network_name;
pub use network_choice::{DefaultNetwork, NetworkChoice, choose_network};
pub use password::check_password;
pub use presence::Presence;
pub use principal::{Principal, PrincipalKind};
pub use priority::Priority;
pub use progress::{Percent, Progress};
pub use question::{MessageKind, Question, QuestionLease, QuestionOptions, QuestionTerms, TaskMessage};
pub use quota::Quota;
pub use refusal::{Class, Refusal};
pub use role::{NetworkRole, SystemRole, TokenScope};
pub use run_terms::{MaxAttempts, RunTerms};
pub use secret::{
    AccessToken, AuthorizationCode, BearerToken, InviteCode, NodeToken, RefreshToken, SECRET_RANDOM_BYTES,
    UserToken,
};
pub use status::{Ending, Status};
pub use task::{ChainTask, Lease, ParentTask, Parties, TaskSnapshot};
pub use time::{MonotonicMillis, UnixMillis};
pub use trace_parent::TraceParent;
pub use transition::Transition;
pub use username::Username;
