//! The proof: what the hub does beside its peers, how it grows, how many streams it holds, how it lasts, and what one
//! tenant notices of another's attacks.
//!
//! One file per part (`lives`, `growth`, `streams`, `soak`, `start`, `fairness`, `hostile`); around them the servers that are started and
//! always ended, and the page made of what was measured. The load on the hub is `baton bench`'s own, file by file,
//! so that both measure alike.

mod account;
mod attack;
mod cli;
mod failure;
mod fairness;
mod figures;
mod growth;
mod hostile;
mod left;
mod lives;
mod machine;
mod memory;
mod page;
mod processor;
mod rows;
mod server;
mod soak;
mod start;
mod streams;
mod usage;
mod victim;
mod watch;
mod wire;

#[path = "../../crates/baton/src/cli/bench/connection.rs"]
mod connection;
#[path = "../../crates/baton/src/cli/bench/disk.rs"]
mod disk;
#[path = "../../crates/baton/src/cli/bench/histogram.rs"]
mod histogram;
#[path = "../../crates/baton/src/cli/bench/request.rs"]
mod request;
#[path = "../../crates/baton/src/cli/bench/stream.rs"]
mod stream;
#[path = "../../crates/baton/src/cli/bench/tally.rs"]
mod tally;
#[path = "../../crates/baton/src/cli/bench/tenant.rs"]
#[allow(dead_code)]
mod tenant;
#[path = "../../crates/baton/src/cli/bench/trouble.rs"]
#[allow(dead_code)]
mod trouble;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::Proof::parse().run()
}
