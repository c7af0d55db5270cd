//! The `baton` binary.

mod a2a;
mod cli;
mod client;
mod control;
mod data_folder;
mod events;
#[cfg(test)]
mod fixture;
mod hub;
mod mcp;
mod openapi;
mod outbound;
mod peer;
mod profile;
mod rest;
mod server;
mod service;
mod web;
mod worker;

fn main() -> std::process::ExitCode {
    cli::run()
}
