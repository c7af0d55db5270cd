//! An agent's workers: each registers under an id of its own, repeats that every `limits::WORKER_SEEN_EVERY_SECONDS`, and
//! removes itself when it stops. One that is silent counts as gone, and its row is removed later (`sweep.rs`).

pub(crate) mod put;
pub(crate) mod remove;

use baton_core::{Action, Alias, Caller, NodeCaller, Refusal, access, limits};
use baton_store::Snapshot;

use super::place::role_in;
use super::{Error, permit};

/// The agent that a worker works as: its token's.
struct Worker {
    node: NodeCaller,
    alias: Alias,
    id: String,
}

impl Worker {
    /// Reads who calls and the id in the path.
    fn read(caller: &Caller, worker_id: String) -> Result<Self, Error> {
        let Caller::Node(node) = caller else { return Err(Refusal::NetworkTokenRequired.into()) };
        let is_id = (1..=limits::WORKER_ID_MAX_CHARS).contains(&worker_id.len())
            && worker_id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        if !is_id {
            let rule = format!("must be 1-{} of A-Z a-z 0-9 . _ -", limits::WORKER_ID_MAX_CHARS);
            return Err(Error::argument("worker_id", rule));
        }
        let alias = node.alias.clone().ok_or(Refusal::TokenHasNoAlias)?;
        Ok(Self { node: node.clone(), alias, id: worker_id })
    }

    /// Whether it may still report, asked in the transaction that writes: a token that was revoked meanwhile has no worker.
    fn authorize(&self, rows: &dyn Snapshot) -> Result<(), Error> {
        let caller = Caller::Node(self.node.clone());
        let network = &self.node.network_id;
        access::authorize(&caller, network, role_in(rows, &caller, network)?, Action::ReportStatus)?;
        permit::token_stands(rows, &caller)
    }
}
