//! The `baton` binary.

mod cli;
#[allow(dead_code, unused_imports)] // the tools that use all of it follow
mod client;
mod control;
mod data_folder;
mod events;
#[cfg(test)]
mod fixture;
mod hub;
mod mcp;
#[allow(dead_code)]
mod profile;
mod rest;
mod server;
mod service;
mod worker;

fn main() -> std::process::ExitCode {
    cli::run()
}
