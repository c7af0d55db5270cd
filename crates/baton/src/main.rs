//! The `baton` binary.

mod a2a;
mod backup;
mod cli;
mod client;
mod control;
mod data_folder;
mod events;
#[cfg(test)]
mod fixture;
mod hub;
mod json_depth;
mod mcp;
mod metrics;
mod openapi;
mod outbound;
mod peer;
mod profile;
mod rest;
mod server;
mod service;
mod trace;
mod web;
mod worker;

// musl's own allocator has one lock for all threads.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::run()
}
