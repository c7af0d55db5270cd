//! A command's process group: the command and every child it starts that does not leave the group on purpose.
//! Signals go to the whole group, so that nothing a command started outlives it.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often a group that was told to end is looked at; the system has no event for the end of a group.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A process group, named by the process that leads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Group(Pid);

impl Group {
    /// The group led by this process.
    pub(crate) fn led_by(pid: u32) -> Option<Self> {
        i32::try_from(pid).ok().and_then(Pid::from_raw).map(Self)
    }

    pub(crate) fn number(self) -> i32 {
        self.0.as_raw_nonzero().get()
    }

    /// Sends a signal to every process of the group; one that has ended takes none.
    pub(crate) fn signal(self, signal: Signal) {
        if let Err(error) = kill_process_group(self.0, signal)
            && error != Errno::SRCH
        {
            tracing::warn!(group = self.number(), ?signal, %error, "a signal could not be sent");
        }
    }

    /// Whether any process of the group is left.
    pub(crate) fn is_there(self) -> bool {
        test_kill_process_group(self.0) != Err(Errno::SRCH)
    }

    /// TERM, and KILL for what is left after the grace. Returns when the group is gone, or has been killed.
    pub(crate) async fn end(self, grace: Duration) {
        if !self.is_there() {
            return;
        }
        self.signal(Signal::TERM);
        let until = Instant::now() + grace;
        while self.is_there() {
            if Instant::now() >= until {
                return self.signal(Signal::KILL);
            }
            sleep(LOOK_EVERY).await;
        }
    }
}
