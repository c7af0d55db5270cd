//! How far the work on a task is, reported by its worker. It is not a step of the state machine: only the latest is
//! kept, without history.

use crate::bounded::ProgressMessage;
use crate::limits;
use crate::refusal::Refusal;

/// What a worker reports of its progress; what it leaves out stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// How much is done.
    pub percent: Option<Percent>,
    /// What is being done.
    pub message: Option<ProgressMessage>,
}

impl Progress {
    /// Whether it says nothing.
    pub const fn is_empty(&self) -> bool {
        self.percent.is_none() && self.message.is_none()
    }
}

/// A percentage, 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(u8);

impl Percent {
    /// Takes the percentage of `field`, or says what its bounds are.
    pub fn parse(field: &'static str, percent: i64) -> Result<Self, Refusal> {
        match u8::try_from(percent) {
            Ok(percent) if u32::from(percent) <= limits::PROGRESS_MAX_PERCENT => Ok(Self(percent)),
            _ => Err(Refusal::invalid(field, format!("must be 0 to {}", limits::PROGRESS_MAX_PERCENT))),
        }
    }

    /// The percentage.
    pub const fn get(self) -> u8 {
        self.0
    }
}
