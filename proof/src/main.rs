//! The proof: what the hub does beside its peers, how it grows, how many streams it holds, how it lasts, and what one
//! tenant notices of another's attacks.
//!
//! One file per part (`lives`, `growth`, `streams`, `soak`, `start`, `fairness`, `hostile`, `postgres`, `load`, `evidence`, `work`, `a2a`); around them
//! the servers that are started and always ended, the connections that load them (`connection`, `request`, `stream`,
//! `tally`), and the page made of what was measured.

mod a2a;
mod account;
mod attack;
mod cli;
mod connection;
mod disk;
mod evidence;
mod failure;
mod fairness;
mod figures;
mod growth;
mod histogram;
mod hostile;
mod left;
mod lives;
mod load;
mod machine;
mod memory;
mod metrics;
mod page;
mod postgres;
mod processor;
mod request;
mod rows;
mod server;
mod soak;
mod start;
mod stream;
mod streams;
mod tally;
mod tenant;
mod trouble;
mod usage;
mod victim;
mod watch;
mod wire;
mod work;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::Proof::parse().run()
}
