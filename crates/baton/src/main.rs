//! The `baton` binary.

mod backup;
mod cli;
mod client;
mod data_folder;
mod profile;

// The rooms below, by their own names.
use baton_doors::{control, rest, server, worker};
use baton_service::{hub, metrics, objects, outbound, random, service, trace};

// A request allocates some two hundred small blocks, and its answer is built on other threads than it is freed on: glibc's
// allocator takes twice the time for that, and musl's has one lock for all threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::run()
}
