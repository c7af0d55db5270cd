//! A command's process group: the command and every child it starts that does not leave the group on purpose.
//! Signals go to the whole group, so that nothing a command started outlives it.

use baton_core::limits;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use std::time::Duration;
use tokio::time::{Instant, sleep};

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

    /// Whether any process of the group runs. One that has ended and that its parent has not looked at yet (in a
    /// container it may be nobody's job) counts for the system, but not here.
    pub(crate) fn is_there(self) -> bool {
        test_kill_process_group(self.0) != Err(Errno::SRCH) && self.has_running_member().unwrap_or(true)
    }

    /// Looks through the list of processes; none where the system has no such list.
    fn has_running_member(self) -> Option<bool> {
        let processes = std::fs::read_dir("/proc").ok()?.map_while(Result::ok);
        let mut is_list = false;
        for process in processes {
            // Something that is not a process, or has just exited, has none of this.
            let Ok(stat) = std::fs::read_to_string(process.path().join("stat")) else { continue };
            let Some((state, group)) = state_and_group(&stat) else { continue };
            is_list = true;
            if group == self.number() && !matches!(state, 'Z' | 'X') {
                return Some(true);
            }
        }
        is_list.then_some(false)
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
            sleep(limits::GROUP_LOOK_EVERY).await;
        }
    }
}

/// From a line of `/proc/N/stat`: `N (name) state parent group …`. The name may hold anything, also brackets.
fn state_and_group(stat: &str) -> Option<(char, i32)> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;

    #[test]
    fn a_process_is_read_whatever_its_name() {
        assert_eq!(state_and_group("12 (a) b (c) S 1 34 34 0"), Some(('S', 34)));
        assert_eq!(state_and_group("12 (a"), None);
    }

    #[test]
    fn a_group_whose_last_process_ended_unseen_is_gone() {
        let mut child = std::process::Command::new("sleep").arg("60").process_group(0).spawn().unwrap();
        let group = Group::led_by(child.id()).unwrap();
        assert!(group.is_there());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        // Nobody waits for the child: it stays in the list, and the end does not wait for it.
        runtime.block_on(group.end(Duration::from_secs(60)));
        assert!(!group.is_there());
        child.wait().unwrap();
    }
}
