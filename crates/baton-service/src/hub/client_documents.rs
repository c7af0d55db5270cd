//! OAuth clients whose id is the URL of their metadata document, for as long as the hub keeps what it read there, and turns to
//! read them: a user names the URL, so one account has few turns and the hub not many. A document that could not be read is
//! not asked for again for a while.

use baton_core::{MonotonicMillis, Refusal, Shares, UserId, limits};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::Error;
use crate::fair_semaphore::{FairPermit, FairSemaphore};

/// An OAuth client, as far as the hub knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OauthClient {
    pub id: String,
    /// What it calls itself: nobody has checked it.
    pub name: String,
    pub redirect_uris: Vec<String>,
}

/// Clients whose documents were read recently, and who may read one now.
#[derive(Debug)]
pub struct ClientDocuments {
    known: Mutex<Remembered<OauthClient>>,
    /// What was wrong with those that could not be read: the field, and its broken rule.
    unread: Mutex<Remembered<(String, String)>>,
    turns: Arc<FairSemaphore<UserId, ()>>,
}

/// Things by a client's id, each with when it was learned.
type Remembered<T> = HashMap<String, (MonotonicMillis, T)>;

/// A turn to read a document.
pub type ReadingPermit = FairPermit<UserId, ()>;

impl Default for ClientDocuments {
    fn default() -> Self {
        let per_account = limits::OAUTH_CLIENT_DOCUMENTS_PER_ACCOUNT_AT_ONCE as u64;
        // Nobody waits: whoever is refused can ask again in a moment.
        let turns = FairSemaphore::new(Shares {
            total: limits::OAUTH_CLIENT_DOCUMENTS_AT_ONCE as u64,
            kept_for_newcomers: 0,
            per_group: per_account,
            per_member: per_account,
            waiting_per_member: 0,
            waiting_per_group: 0,
            waiting: 0,
        });
        Self { known: Mutex::default(), unread: Mutex::default(), turns }
    }
}

impl ClientDocuments {
    pub fn recall(&self, id: &str, now: MonotonicMillis) -> Option<OauthClient> {
        recall(&lock(&self.known), id, now, limits::OAUTH_CLIENT_DOCUMENT_KEPT)
    }

    pub fn remember(&self, client: &OauthClient, now: MonotonicMillis) {
        let kept = limits::OAUTH_CLIENT_DOCUMENT_KEPT;
        remember(&mut lock(&self.known), &client.id, client.clone(), now, kept);
    }

    /// What was wrong with a document that could not be read a moment ago.
    pub fn recall_failure(&self, id: &str, now: MonotonicMillis) -> Option<Error> {
        let kept = limits::OAUTH_CLIENT_DOCUMENT_FAILURE_KEPT;
        recall(&lock(&self.unread), id, now, kept).map(|(field, rule)| Error::argument(field, rule))
    }

    /// Remembers what was wrong with a document; what was wrong with the hub is no fault of it.
    pub fn remember_failure(&self, id: &str, failure: &Error, now: MonotonicMillis) {
        if let Error::Argument { field, rule } = failure {
            let kept = limits::OAUTH_CLIENT_DOCUMENT_FAILURE_KEPT;
            remember(&mut lock(&self.unread), id, (field.clone(), rule.clone()), now, kept);
        }
    }

    /// Lets an account read a document, or says that too many are being read.
    pub async fn turn(&self, account: &UserId) -> Result<ReadingPermit, Error> {
        let turn = self.turns.take(account.clone(), (), 1, Duration::ZERO).await;
        turn.map_err(|_| Refusal::RateLimited { retry_after_ms: limits::RETRY_AFTER_MILLIS }.into())
    }
}

fn lock<T>(remembered: &Mutex<Remembered<T>>) -> MutexGuard<'_, Remembered<T>> {
    remembered.lock().unwrap_or_else(PoisonError::into_inner)
}

fn recall<T: Clone>(from: &Remembered<T>, id: &str, now: MonotonicMillis, kept: Duration) -> Option<T> {
    from.get(id).filter(|(at, _)| is_fresh(*at, now, kept)).map(|(_, thing)| thing.clone())
}

fn remember<T>(into: &mut Remembered<T>, id: &str, thing: T, now: MonotonicMillis, kept: Duration) {
    into.retain(|_, (at, _)| is_fresh(*at, now, kept));
    if into.len() < limits::OAUTH_CLIENT_DOCUMENTS_MAX_COUNT {
        into.insert(id.to_owned(), (now, thing));
    }
}

fn is_fresh(at: MonotonicMillis, now: MonotonicMillis, kept: Duration) -> bool {
    now.millis_since(at) < i64::try_from(kept.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_forgotten_and_no_more_than_the_limit_are_kept() {
        let documents = ClientDocuments::default();
        let client = |n: usize| OauthClient { id: n.to_string(), name: "x".into(), redirect_uris: vec![] };
        for n in 0..=limits::OAUTH_CLIENT_DOCUMENTS_MAX_COUNT {
            documents.remember(&client(n), MonotonicMillis::new(0));
        }
        let last = limits::OAUTH_CLIENT_DOCUMENTS_MAX_COUNT.to_string();
        assert!(documents.recall("0", MonotonicMillis::new(1)).is_some());
        assert!(documents.recall(&last, MonotonicMillis::new(1)).is_none());
        let later = MonotonicMillis::new(limits::OAUTH_CLIENT_DOCUMENT_KEPT.as_millis() as i64);
        assert!(documents.recall("0", later).is_none());
        documents.remember(&client(usize::MAX), later);
        assert!(documents.recall(&usize::MAX.to_string(), later).is_some(), "those that are over make room");
    }

    #[test]
    fn a_document_that_could_not_be_read_is_remembered_for_a_while() {
        let documents = ClientDocuments::default();
        documents.remember_failure("a", &Error::argument("client_id", "is gone"), MonotonicMillis::new(0));
        let end = limits::OAUTH_CLIENT_DOCUMENT_FAILURE_KEPT.as_millis() as i64;
        let at = |millis| documents.recall_failure("a", MonotonicMillis::new(millis));
        assert!(at(end - 1).unwrap().to_string().contains("is gone") && at(end).is_none());
        assert!(documents.recall_failure("b", MonotonicMillis::new(1)).is_none());
    }

    #[tokio::test]
    async fn one_account_reads_few_documents_at_once_and_leaves_turns_to_others() {
        let documents = ClientDocuments::default();
        let accounts: Vec<_> = (0..=8).map(|n| UserId::from_random([n; 6])).collect();
        let mut turns = Vec::new();
        for account in &accounts[..8] {
            for _ in 0..limits::OAUTH_CLIENT_DOCUMENTS_PER_ACCOUNT_AT_ONCE {
                turns.push(documents.turn(account).await.unwrap());
            }
            let more = documents.turn(account).await;
            assert!(matches!(more, Err(Error::Refused(Refusal::RateLimited { .. }))));
        }
        assert_eq!(turns.len(), limits::OAUTH_CLIENT_DOCUMENTS_AT_ONCE);
        assert!(documents.turn(&accounts[8]).await.is_err(), "the hub reads so many in all");
        drop(turns.pop());
        assert!(documents.turn(&accounts[8]).await.is_ok());
    }
}
