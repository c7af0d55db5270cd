//! The loop guard: how long a chain of parents may be, and who may stand in it twice. A task that is sent under a parent is
//! delegated work; without a bound, agents that hand the same work to each other would never end.

use super::Facts;
use crate::command::SendTask;
use crate::refusal::Refusal;
use crate::task::ChainTask;

/// Refuses a send whose chain of parents is too long, or whose recipient has an open task in it. A longer chain than is
/// allowed is refused first: it was not read to its root, so nobody knows who else stands in it.
pub(super) fn check(send: &SendTask, facts: &Facts) -> Result<(), Refusal> {
    let Facts { chain, max_chain, .. } = facts;
    if chain.len() > *max_chain {
        return Err(Refusal::DelegationTooDeep { max: *max_chain });
    }
    let is_at_work = |task: &ChainTask| task.is_open && task.to == send.to;
    if send.allow_cycle || !chain.iter().any(is_at_work) {
        return Ok(());
    }
    Err(Refusal::DelegationCycle { to: send.to.clone(), chain: chain.iter().rev().cloned().collect() })
}
