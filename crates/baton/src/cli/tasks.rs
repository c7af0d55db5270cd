//! Commands about tasks: sending them, looking at them, changing their course, and watching a network at work.

mod acts;
mod ask;
mod follow;
mod history;
mod inbox;
mod inbox_wait;
mod interrupt;
mod list;
mod logs;
mod question;
mod reply;
mod report;
mod send;
pub(crate) mod send_key;
mod show;
mod status;
pub(crate) mod task_id;
mod tree;
mod view;
mod wait;
mod wait_for;
mod watch;
mod whole_result;

pub(crate) use wait::HubOutage;

use clap::Subcommand;
use std::process::ExitCode;

use super::failure::Failure;
use super::runtime::block_on;

#[derive(Debug, Subcommand)]
pub(crate) enum Tasks {
    /// Send a task to an agent, and optionally wait for its result
    Send(Box<send::Send>),
    /// Wait for tasks to end and print their results
    Wait(wait_for::WaitFor),
    /// List tasks, newest first
    #[command(name = "tasks")]
    List(list::List),
    /// Look at one task, ask about it, answer
    #[command(subcommand)]
    Task(show::TaskCommand),
    #[command(flatten)]
    Act(acts::Act),
    /// List your inbox
    Inbox(inbox::Inbox),
    /// Acknowledge an item in your inbox
    Ack(inbox::Ack),
    /// End a task with a result
    Reply(reply::Reply),
    /// Show the hub, its agents and task counts
    Status(status::Status),
    /// Watch the network live
    Watch(watch::Watch),
    /// Follow the events of the network, line by line
    Logs(logs::Logs),
}

impl Tasks {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Send(command) => command.run(),
            Self::Wait(command) => block_on(Box::pin(command.wait())),
            Self::List(command) => block_on(command.list()),
            Self::Task(command) => command.run(),
            Self::Act(command) => command.run(),
            Self::Inbox(command) => block_on(command.run()),
            Self::Ack(command) => block_on(command.ack()),
            Self::Reply(command) => command.run(),
            Self::Status(command) => block_on(command.show()),
            Self::Watch(command) => block_on(command.watch()),
            Self::Logs(command) => block_on(command.follow()),
        }
    }
}
