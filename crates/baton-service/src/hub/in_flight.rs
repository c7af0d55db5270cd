//! What requests and answers may take of the hub's memory: one budget of bytes, with a share for each token and for each
//! account, and a bound on the requests of a token. The account is the user whose token it is, in whichever network: an
//! account with many networks has one share. An answer that may be large has its share before it is
//! built, gives back what it does not need once it is, and the rest as it is sent.

use baton_core::{Caller, Refusal, Shares, TokenId, UserId, limits};
use baton_store::rows::PageBounds;
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{Hub, Identity};
use crate::error::Error;
use crate::fair_semaphore::{FairPermit, FairSemaphore};

/// A share of the hub's memory.
pub type Reservation = FairPermit<UserId, TokenId>;

/// What an answer or a body may take at most, while it is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// One thing, printed.
    Item,
    /// A list: its rows, and the text of them.
    List,
    /// A list over MCP: its rows, and the text of them twice, once inside the other's JSON.
    ToolList,
    /// A side file on its way: a page of its events, and the text of them.
    SideFile,
    /// So many bytes.
    Bytes(u64),
}

impl Cost {
    const fn bytes(self) -> u64 {
        match self {
            Self::Item => limits::ANSWER_MAX_BYTES as u64,
            Self::List => 2 * limits::ANSWER_MAX_BYTES as u64,
            Self::ToolList => 4 * limits::ANSWER_MAX_BYTES as u64,
            Self::SideFile => 3 * limits::SIDE_FILE_PAGE_BYTES as u64,
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// Everything in flight.
#[derive(Debug)]
pub struct InFlight {
    bytes: Arc<FairSemaphore<UserId, TokenId>>,
    wait: Duration,
    requests: Arc<Requests>,
}

impl Default for InFlight {
    fn default() -> Self {
        // How many may wait is bounded by how many requests a token may have.
        let shares = Shares {
            total: limits::IN_FLIGHT_MAX_BYTES as u64,
            kept_for_newcomers: limits::IN_FLIGHT_KEPT_BYTES as u64,
            per_group: limits::IN_FLIGHT_PER_ACCOUNT_MAX_BYTES as u64,
            per_member: limits::IN_FLIGHT_PER_TOKEN_MAX_BYTES as u64,
            waiting_per_member: limits::REQUESTS_PER_TOKEN_MAX_COUNT,
            waiting_per_group: limits::CONNECTIONS_MAX_COUNT,
            waiting: limits::CONNECTIONS_MAX_COUNT,
        };
        let wait = Duration::from_secs(limits::IN_FLIGHT_WAIT_MAX_SECONDS.into());
        Self::new(shares, wait)
    }
}

impl InFlight {
    pub fn new(shares: Shares, wait: Duration) -> Self {
        Self { bytes: FairSemaphore::new(shares), wait, requests: Arc::default() }
    }

    /// Waits for a share of the hub's memory.
    pub async fn reserve(&self, who: &Identity, cost: Cost) -> Result<Reservation, Error> {
        let (account, token) = (who.account().clone(), who.token_id.clone());
        let turn = self.bytes.take(account, token, cost.bytes(), self.wait).await;
        turn.map_err(|_| baton_store::Error::Busy.into())
    }

    /// Counts bytes that are there already.
    pub fn charge(&self, who: &Identity, bytes: u64) -> Reservation {
        self.bytes.charge(who.account().clone(), who.token_id.clone(), bytes)
    }

    /// Bytes that are held or reserved.
    pub fn bytes(&self) -> u64 {
        self.bytes.held()
    }

    /// Requests that wait for their share.
    pub fn waiting(&self) -> usize {
        self.bytes.waiting()
    }

    /// One request more of a token, known or not.
    pub fn begin(&self, bearer: &str) -> Result<RequestInFlight, Refusal> {
        self.requests.begin(bearer)
    }
}

/// Requests in flight, by a keyed hash of their token: no token is kept.
#[derive(Debug, Default)]
struct Requests {
    hasher: RandomState,
    counts: Mutex<HashMap<u64, usize>>,
}

/// One request of a token; no longer counted when this is dropped.
#[derive(Debug)]
pub struct RequestInFlight {
    requests: Arc<Requests>,
    token: u64,
}

impl Requests {
    fn begin(self: &Arc<Self>, bearer: &str) -> Result<RequestInFlight, Refusal> {
        let token = self.hasher.hash_one(bearer);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(token).or_default();
        let limit = limits::REQUESTS_PER_TOKEN_MAX_COUNT;
        if *count >= limit {
            return Err(Refusal::TooManyRequests { limit, retry_after_ms: limits::RETRY_AFTER_MILLIS });
        }
        *count += 1;
        Ok(RequestInFlight { requests: self.clone(), token })
    }
}

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        let mut counts = self.requests.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.token) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.token);
            }
        }
    }
}

/// A slot for a reservation that somebody else makes. That of a request's response is filled by the code that knows how large the response
/// may take, the gate for REST and the doors of MCP and A2A for theirs, and goes with the answer's body.
#[derive(Debug, Clone, Default)]
pub struct ReservationSlot(Arc<Mutex<Option<Reservation>>>);

impl ReservationSlot {
    pub fn put(&self, reservation: Reservation) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(reservation);
    }

    /// Changes it, if there is one.
    pub fn change(&self, change: impl FnOnce(&mut Reservation)) {
        if let Some(reservation) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            change(reservation);
        }
    }

    /// Gives it back.
    pub fn release(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Whether there is one.
    pub fn is_some(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// The share of an answer whose call may wait first: it is reserved when the answer is about to be built.
#[derive(Debug, Clone)]
pub struct ResponseReservation {
    place: ReservationSlot,
    who: Identity,
    cost: Cost,
}

impl ResponseReservation {
    pub const fn new(place: ReservationSlot, who: Identity, cost: Cost) -> Self {
        Self { place, who, cost }
    }

    /// Who gets the answer.
    pub fn caller(&self) -> &Caller {
        &self.who.caller
    }

    /// Reserves memory for the answer.
    pub async fn reserve(&self, hub: &Hub) -> Result<(), Error> {
        self.place.put(hub.in_flight.reserve(&self.who, self.cost).await?);
        Ok(())
    }

    /// How many of a task's messages fit into the response.
    pub const fn messages_shown(&self) -> PageBounds {
        let rows = limits::TASK_MESSAGES_SHOWN_COUNT;
        match self.cost {
            Cost::Item => PageBounds::rows(rows).halved(),
            _ => PageBounds::of_tool(rows).halved(),
        }
    }
}

#[cfg(test)]
mod tests {
    use baton_core::SystemRole;

    use super::*;
    use crate::fixture::TestHub;

    #[tokio::test]
    async fn an_account_with_many_networks_has_one_share_of_memory() {
        let test = TestHub::start();
        let networks: Vec<u8> = (1..=8).collect();
        let mut tokens = vec![test.person("mallory", SystemRole::User, &networks).await];
        for number in networks {
            tokens.push(test.agent("mallory", number, "coder").await);
        }
        let per_account = limits::IN_FLIGHT_PER_ACCOUNT_MAX_BYTES as u64;
        let shares = Shares {
            total: limits::IN_FLIGHT_MAX_BYTES as u64,
            kept_for_newcomers: limits::IN_FLIGHT_KEPT_BYTES as u64,
            per_group: per_account,
            per_member: limits::IN_FLIGHT_PER_TOKEN_MAX_BYTES as u64,
            waiting_per_member: 1,
            waiting_per_group: 1,
            waiting: 1,
        };
        let in_flight = InFlight::new(shares, Duration::ZERO);
        let mut held = Vec::new();
        for token in &tokens {
            let who = test.hub.identify(token).await.unwrap();
            held.extend(in_flight.reserve(&who, Cost::ToolList).await.ok());
        }
        assert_eq!(in_flight.bytes(), per_account, "{} of {} tokens", held.len(), tokens.len());
        let alice = test.person("alice", SystemRole::User, &[]).await;
        let alice = test.hub.identify(&alice).await.unwrap();
        assert!(in_flight.reserve(&alice, Cost::ToolList).await.is_ok());
    }

    #[test]
    fn a_token_has_so_many_requests_in_flight_and_another_its_own() {
        let in_flight = InFlight::default();
        let limit = limits::REQUESTS_PER_TOKEN_MAX_COUNT;
        let mut open: Vec<_> = (0..limit).map(|_| in_flight.begin("one").unwrap()).collect();
        let refused = in_flight.begin("one").unwrap_err();
        assert_eq!(refused, Refusal::TooManyRequests { limit, retry_after_ms: limits::RETRY_AFTER_MILLIS });
        assert!(in_flight.begin("another").is_ok());
        open.pop();
        assert!(in_flight.begin("one").is_ok());
        drop(open);
        assert!(in_flight.requests.counts.lock().unwrap().is_empty());
    }
}
