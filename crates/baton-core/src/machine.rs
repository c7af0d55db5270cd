//! The task state machine: the table of the wire contract, row by row, and nothing else.
//! What a step needs beside the status, and what it brings with it, is in `decide/`.

use crate::status::{Ending, Status};

/// One way a task may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The assignee has seen it.
    Acknowledge,
    /// The assignee reports working on it, or claims it.
    TakeUp,
    /// The worker's lease lapsed. A task that waits for its sender continues waiting.
    Lapse,
    /// The worker's lease lapsed once too often.
    GiveUp,
    /// The run takes longer than it may.
    TimeOut,
    /// The worker has a question.
    Ask,
    /// The sender answers it, and nobody works on the task.
    Answer,
    /// The sender answers it to the worker that waits for the answer.
    Resume,
    /// A reply or a completion.
    End(Ending),
    /// Somebody calls it off.
    Cancel,
    /// Its time is over.
    Expire,
    /// Somebody else is to do it.
    Reassign,
}

/// Where a step leads from a status, or nothing when the table has no such row.
/// A task begins as delivered; no row begins in a terminal status.
pub(crate) const fn next(from: Status, step: Step) -> Option<Status> {
    use Status::{Acked, Cancelled, Delivered, Expired, Failed, Replied, Running, WaitingInput};
    Some(match (from, step) {
        (Delivered, Step::Acknowledge) => Acked,
        (Delivered | Acked, Step::TakeUp) => Running,
        (Running, Step::Lapse) => Delivered,
        (Running, Step::GiveUp | Step::TimeOut) => Failed,
        (Running, Step::Ask) => WaitingInput,
        (WaitingInput, Step::Lapse) => WaitingInput,
        (WaitingInput, Step::Answer) => Delivered,
        (WaitingInput, Step::Resume) => Running,
        (Delivered | Acked | Running, Step::End(Ending::Replied)) => Replied,
        (Delivered | Acked | Running, Step::End(Ending::Failed | Ending::Rejected)) => Failed,
        (Delivered | Acked | Running, Step::End(Ending::Cancelled)) => Cancelled,
        (Delivered | Acked | Running | WaitingInput, Step::Cancel) => Cancelled,
        (Delivered | Acked | Running | WaitingInput, Step::Expire) => Expired,
        (Delivered | Acked | Running, Step::Reassign) => Delivered,
        _ => return None,
    })
}
