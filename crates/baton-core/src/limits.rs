//! Every number of the hub and its tools, each with its unit in its name or its type, and nowhere else: a test
//! (`no_limit_stands_outside_the_limits`) reads the sources for others. The evidence crate, which is used alone, has its
//! own in `baton_evidence::limits`. The wire contract gives most of them; those it leaves open are marked "ours".
//! What is counted in characters is counted in Unicode scalar values.

mod accounts;
mod agents;
mod artifacts;
mod background;
mod evidence;
mod http;
mod oauth;
mod outbound;
mod pages;
mod postgres;
mod store;
mod tasks;
mod tools;

pub use accounts::*;
pub use agents::*;
pub use artifacts::*;
pub use background::*;
pub use evidence::*;
pub use http::*;
pub use oauth::*;
pub use outbound::*;
pub use pages::*;
pub use postgres::*;
pub use store::*;
pub use tasks::*;
pub use tools::*;
