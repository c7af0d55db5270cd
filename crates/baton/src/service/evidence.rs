//! The evidence of a network: what the hub saw, phrased as A2A packets and written down in the transaction of what
//! happened (`packet`, `record`), signed soon after (`seal`), stored together and compressed then (`bundling`), and read by anybody who may read the network.
//!
//! An event says that something was visible to the hub. It does not say that it was right.

pub(crate) mod bundling;
pub(crate) mod change;
pub(crate) mod export;
mod export_body;
pub(crate) mod packet;
pub(crate) mod page;
pub(crate) mod proof;
mod reader;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod salt;
pub(crate) mod seal;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use salt::{Digested, DigestedPart, Salt};
