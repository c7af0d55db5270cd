//! The `baton` binary.

mod a2a;
mod backup;
mod body;
mod cli;
mod client;
mod control;
mod data_folder;
mod error;
mod events;
#[cfg(test)]
mod fixture;
mod hub;
mod json_depth;
mod mcp;
mod metrics;
mod objects;
mod openapi;
mod outbound;
mod peer;
mod profile;
mod random;
mod rest;
mod server;
mod service;
mod trace;
mod turns;
mod web;
mod worker;

// A request allocates some two hundred small blocks, and its answer is built on other threads than it is freed on: glibc's
// allocator takes twice the time for that, and musl's has one lock for all threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::run()
}
