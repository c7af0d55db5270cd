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

fn main() -> std::process::ExitCode {
    cli::run()
}
