//! Where a command's futures run: one thread, which is all a command needs.

use std::process::ExitCode;

use super::failure::Failure;

/// Runs a command to its end. A look-up of a name that still hangs then is left behind.
pub(crate) fn block_on(work: impl Future<Output = Result<ExitCode, Failure>>) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Failure::System)?;
    let done = runtime.block_on(work);
    runtime.shutdown_background();
    done
}
