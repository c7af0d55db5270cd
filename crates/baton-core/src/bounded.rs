//! Texts and durations that cannot be out of bounds, one type per field of the contract.
//! The bounds are const parameters, so that a task's text is never taken for a reason.

use std::borrow::Cow;
use std::fmt;

use crate::limits;
use crate::refusal::Refusal;

/// Text of at least `MIN` characters and at most `MAX`, which are characters or bytes of UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text<const MIN: usize, const MAX: usize, const IN_BYTES: bool = false>(String);

/// What a task asks for.
pub type TaskText = Text<1, { limits::TEXT_MAX_BYTES }, true>;
/// What is sent along with a task.
pub type ContextText = Text<0, { limits::CONTEXT_MAX_BYTES }, true>;
/// A message, a question or an answer.
pub type MessageText = Text<1, { limits::TEXT_MAX_BYTES }, true>;
/// What `send_reply` says. It may be empty only where artifacts come with it.
pub type ReplyText = Text<0, { limits::TEXT_MAX_BYTES }, true>;
/// What `report_completion` says.
pub type ResultText = Text<1, { limits::TEXT_MAX_BYTES }, true>;
/// Why a task was cancelled; empty says as little as none.
pub type Reason = Text<0, { limits::REASON_MAX_CHARS }>;
/// What an agent calls an artifact that it shares before the end.
pub type ArtifactId = Text<1, { limits::ARTIFACT_ID_MAX_CHARS }>;
/// What a worker is doing, in a progress report.
pub type ProgressMessage = Text<1, { limits::PROGRESS_MESSAGE_MAX_CHARS }>;
/// What a worker's command printed, in a progress report.
pub type ProgressOutput = Text<0, { limits::PROGRESS_OUTPUT_MAX_BYTES }, true>;
/// The key that makes a repeated send harmless.
pub type IdempotencyKey = Text<1, { limits::IDEMPOTENCY_KEY_MAX_CHARS }>;

impl<const MIN: usize, const MAX: usize, const IN_BYTES: bool> Text<MIN, MAX, IN_BYTES> {
    /// Takes the text of `field`, or says which bound it breaks.
    pub fn parse(field: &'static str, text: &str) -> Result<Self, Refusal> {
        // A text with no more bytes than allowed characters needs no counting.
        if text.len() > MAX && (IN_BYTES || text.chars().nth(MAX).is_some()) {
            let unit = if IN_BYTES { "bytes of UTF-8" } else { "characters" };
            return Err(Refusal::invalid(field, format!("must be at most {MAX} {unit}")));
        }
        if text.chars().take(MIN).count() < MIN {
            let rule: Cow<'static, str> = match MIN {
                1 => "must not be empty".into(),
                _ => format!("must be at least {MIN} characters").into(),
            };
            return Err(Refusal::invalid(field, rule));
        }
        Ok(Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MIN: usize, const MAX: usize, const IN_BYTES: bool> fmt::Display for Text<MIN, MAX, IN_BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `MIN` to `MAX` seconds; `DEFAULT` when a caller names none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seconds<const MIN: u32, const MAX: u32, const DEFAULT: u32>(u32);

/// How long a task may wait to be taken up.
pub type TtlSeconds =
    Seconds<{ limits::TTL_MIN_SECONDS }, { limits::TTL_MAX_SECONDS }, { limits::TTL_DEFAULT_SECONDS }>;
/// How long a question may wait for its answer.
pub type InputTtlSeconds = Seconds<
    { limits::INPUT_TTL_MIN_SECONDS },
    { limits::INPUT_TTL_MAX_SECONDS },
    { limits::INPUT_TTL_DEFAULT_SECONDS },
>;
/// How long a worker holds a task without a sign of life.
pub type LeaseSeconds =
    Seconds<{ limits::LEASE_MIN_SECONDS }, { limits::LEASE_MAX_SECONDS }, { limits::LEASE_DEFAULT_SECONDS }>;
/// How long a task whose lease lapsed waits until it is delivered again.
pub type RetryBackoffSeconds = Seconds<0, { limits::RETRY_BACKOFF_MAX_SECONDS }, 0>;
/// How long one run of a task may take.
pub type RunTimeoutSeconds = Seconds<
    { limits::RUN_TIMEOUT_MIN_SECONDS },
    { limits::RUN_TIMEOUT_MAX_SECONDS },
    { limits::RUN_TIMEOUT_MAX_SECONDS },
>;
/// How long a new token lasts.
pub type TokenLifeSeconds = Seconds<
    { limits::TOKEN_LIFE_MIN_SECONDS },
    { limits::TOKEN_LIFE_MAX_SECONDS },
    { limits::TOKEN_LIFE_MAX_SECONDS },
>;
/// How long a claim waits for work.
pub type WaitSeconds = Seconds<0, { limits::WAIT_MAX_SECONDS }, 0>;
/// How long a send or a look waits for its task to continue.
pub type CallWaitSeconds = Seconds<0, { limits::CALL_WAIT_MAX_SECONDS }, 0>;

impl<const MIN: u32, const MAX: u32, const DEFAULT: u32> Seconds<MIN, MAX, DEFAULT> {
    /// Takes the seconds of `field`, or says what the bounds are.
    pub fn parse(field: &'static str, seconds: i64) -> Result<Self, Refusal> {
        match u32::try_from(seconds) {
            Ok(seconds) if (MIN..=MAX).contains(&seconds) => Ok(Self(seconds)),
            _ => Err(Refusal::invalid(field, format!("must be {MIN} to {MAX} seconds"))),
        }
    }

    /// The seconds.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<const MIN: u32, const MAX: u32, const DEFAULT: u32> Default for Seconds<MIN, MAX, DEFAULT> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}
