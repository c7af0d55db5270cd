//! The operations whose time is compared, each a call as agents, tools and the dashboard make it.

use serde_json::json;
use std::time::{Duration, Instant};

use super::seed::{COMMON_WORD, RARE_WORD, Seeded};
use crate::connection::Connection;
use crate::failure::Failure;
use crate::histogram::Histogram;
use crate::lives::hub_client::Client;
use crate::request::{Address, request};
use crate::trouble::Trouble;

/// One kind of call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Operation {
    Send,
    Claim,
    Reply,
    Get,
    List,
    ListOfAgent,
    Inbox,
    SearchCommon,
    SearchRare,
    Overview,
    WorkGraph,
}

impl Operation {
    pub(super) const ALL: [Self; 11] = [
        Self::Send,
        Self::Claim,
        Self::Reply,
        Self::Get,
        Self::List,
        Self::ListOfAgent,
        Self::Inbox,
        Self::SearchCommon,
        Self::SearchRare,
        Self::Overview,
        Self::WorkGraph,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Claim => "claim",
            Self::Reply => "reply",
            Self::Get => "get",
            Self::List => "list, first page",
            Self::ListOfAgent => "list of an agent",
            Self::Inbox => "inbox",
            Self::SearchCommon => "search, a common word",
            Self::SearchRare => "search, a word of one task",
            Self::Overview => "overview",
            Self::WorkGraph => "work graph, the last day",
        }
    }

    /// Path of a read; none for what writes.
    fn path(self, seeded: &Seeded, call: usize) -> Option<String> {
        let network = &seeded.network_id;
        Some(match self {
            Self::Send | Self::Claim | Self::Reply => return None,
            Self::Get => format!("/api/tasks/{}", seeded.task_ids[call % seeded.task_ids.len()]),
            Self::List => format!("/api/tasks?network_id={network}"),
            Self::ListOfAgent => format!(
                "/api/tasks?network_id={network}&to_name={}",
                seeded.workers[call % seeded.workers.len()].alias
            ),
            Self::Inbox => "/api/inbox".to_owned(),
            Self::SearchCommon => format!("/api/tasks?network_id={network}&text={COMMON_WORD}"),
            Self::SearchRare => format!("/api/tasks?network_id={network}&text={RARE_WORD}"),
            Self::Overview => format!("/api/overview?network_id={network}"),
            Self::WorkGraph => format!("/api/work-graph?network_id={network}"),
        })
    }
}

/// One connection that measures.
pub(super) struct Probe<'a> {
    address: Address,
    seeded: &'a Seeded,
    connection: Connection,
    client: Client,
}

impl<'a> Probe<'a> {
    pub(super) async fn open(address: &Address, seeded: &'a Seeded) -> Result<Self, Trouble> {
        Ok(Self {
            address: address.clone(),
            seeded,
            connection: Connection::open(address).await?,
            client: Client::open(address, &seeded.sender, &seeded.probe).await?,
        })
    }

    /// Repeats the operation for a time.
    pub(super) async fn measure(
        &mut self,
        operation: Operation,
        length: Duration,
    ) -> Result<Histogram, Failure> {
        let mut latencies = Histogram::default();
        let started = Instant::now();
        let mut call = 0;
        while started.elapsed() < length {
            let took = match operation.path(self.seeded, call) {
                Some(path) => self.read(operation, call, &path).await?,
                None => self.live(operation).await?,
            };
            latencies.record(took);
            call += 1;
        }
        Ok(latencies)
    }

    async fn read(&mut self, operation: Operation, call: usize, path: &str) -> Result<Duration, Trouble> {
        let token = match operation {
            Operation::Inbox => &self.seeded.workers[call % self.seeded.workers.len()].token,
            _ => &self.seeded.user_token,
        };
        let bytes = request(&self.address, "GET", path, Some(token), &json!({}));
        let begun = Instant::now();
        self.connection.call(operation.name(), &bytes).await?;
        Ok(begun.elapsed())
    }

    /// A life, of which one step is timed: the others keep the hub as it was.
    async fn live(&mut self, timed: Operation) -> Result<Duration, Trouble> {
        let sent = Instant::now();
        self.client.send().await?;
        let claimed_from = Instant::now();
        let claimed = self.client.claim().await?;
        let replied_from = Instant::now();
        self.client.reply(&claimed).await?;
        let ended = Instant::now();
        Ok(match timed {
            Operation::Send => claimed_from - sent,
            Operation::Claim => replied_from - claimed_from,
            _ => ended - replied_from,
        })
    }
}
