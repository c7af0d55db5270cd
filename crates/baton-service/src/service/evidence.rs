//! The evidence of a network: what the hub saw, phrased as A2A packets and recorded in the transaction of what
//! happened (`packet`, `record`), signed soon after (`seal`), stored together and compressed then (`bundling`), and read by anybody who may read the network.
//!
//! An event says that something was visible to the hub. It does not say that it was right.

pub mod bundling;
pub mod change;
pub mod export;
mod export_body;
pub mod packet;
pub mod page;
pub mod proof;
mod reader;
pub mod record;
pub mod report;
pub mod salt;
pub mod seal;
#[cfg(test)]
mod tests;
mod tree;

pub use salt::{Digested, DigestedPart, Salt};
