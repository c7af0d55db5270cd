//! The `baton` binary.

mod cli;
#[cfg(test)]
mod fixture;
mod hub;
mod mcp;
mod rest;
mod service;

fn main() -> std::process::ExitCode {
    cli::run()
}
