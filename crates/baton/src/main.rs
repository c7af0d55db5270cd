//! The `baton` binary.

mod cli;
mod events;
#[cfg(test)]
mod fixture;
mod hub;
mod mcp;
mod rest;
mod service;

fn main() -> std::process::ExitCode {
    cli::run()
}
