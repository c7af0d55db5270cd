//! A connection is an open file, and systems allow few by default: the hub takes all it is allowed.

use baton_core::limits;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit on open files as far as the system lets us; answers how many connections that leaves room for.
pub fn raise() -> usize {
    let old = getrlimit(Resource::Nofile);
    // Without a limit the kernel's own still holds, and it refuses "infinity" here.
    let wanted = old.maximum.unwrap_or((limits::CONNECTIONS_MAX_COUNT + limits::FILES_RESERVED_COUNT) as u64);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: old.maximum });
    let files = if raised.is_ok() { Some(wanted) } else { old.current };
    let files = files.and_then(|files| usize::try_from(files).ok()).unwrap_or(usize::MAX);
    files.saturating_sub(limits::FILES_RESERVED_COUNT).clamp(1, limits::CONNECTIONS_MAX_COUNT)
}
