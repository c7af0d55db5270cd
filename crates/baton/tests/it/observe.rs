//! What an operator sees of a hub: its figures, its request ids, the traces tasks belong to.

mod figures;
mod ids;
pub(crate) mod page;
mod ready;
mod spans;
mod traces;
