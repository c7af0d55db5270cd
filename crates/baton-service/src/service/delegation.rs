//! The chain of parents of a new task, read for the loop guard in the send's own transaction. A send without a parent reads
//! nothing of this.

use baton_core::{ChainTask, Facts, NetworkId, ParentTask, Quota, TaskId};
use baton_store::Snapshot;

use super::Error;

/// Fills in the parent, its chain up to one task more than the network allows, and how many that are.
pub(super) fn fill_in(
    rows: &dyn Snapshot,
    network: &NetworkId,
    parent: &TaskId,
    facts: &mut Facts,
) -> Result<(), Error> {
    let max = rows.delegation_depth(network)?.unwrap_or(Quota::DelegationDepth.default_max());
    facts.max_chain = usize::try_from(max).unwrap_or_default();
    let mut next = Some(parent.clone());
    while facts.chain.len() <= facts.max_chain
        && let Some(id) = next
    {
        // A parent that has left by retention ends the chain.
        let Some(task) = rows.tree_task(network, &id)? else { break };
        if facts.parent.is_none() {
            let (from, to) = (task.from, task.to.clone());
            facts.parent = Some(ParentTask { id: id.clone(), network_id: network.clone(), from, to });
        }
        facts.chain.push(ChainTask { id, to: task.to, is_open: !task.status.is_terminal() });
        next = task.parent_task_id;
    }
    Ok(())
}
