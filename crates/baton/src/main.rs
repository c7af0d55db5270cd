//! The `baton` binary.

mod cli;
mod hub;
mod rest;
mod service;

fn main() -> std::process::ExitCode {
    cli::run()
}
