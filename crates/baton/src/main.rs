//! The `baton` binary.

mod cli;
mod control;
mod data_folder;
mod events;
#[cfg(test)]
mod fixture;
mod hub;
mod mcp;
mod rest;
mod server;
mod service;
mod worker;

/// Less memory than the system's, and a little faster under load.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::run()
}
