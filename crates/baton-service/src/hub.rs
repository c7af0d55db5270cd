//! The running hub: everything a use case is handed. Doors, services and workers share one of these.

mod access;
mod actor_tokens;
mod attempts;
mod audited_reads;
mod bells;
mod card_key;
mod changes;
mod client_address;
mod client_documents;
mod clock;
mod cursor_key;
mod export_permits;
pub mod in_flight;
mod join_guard;
mod keyed_locks;
pub mod login_guard;
mod long_tails;
mod minute_window;
mod occupancy;
mod oidc_provider;
mod owned_work;
pub mod password_hash;
mod presence;
mod progress_pacing;
mod push_bell;
mod readiness;
mod settings;
mod shutdown;
mod slots;
mod streams;
mod transfers;
mod transient_frames;
mod unsealed;

pub use access::{Identity, Resource};
pub use actor_tokens::ActorTokens;
pub(crate) use attempts::{OAUTH_REFRESHES, OAUTH_REGISTRATIONS, OIDC_SIGN_INS};
pub use bells::{Bell, Bells};
pub use card_key::{CardKey, PublicKey as CardPublicKey};
pub use changes::MovedTasks;
pub use client_address::client_of;
pub use client_documents::{ClientDocuments, OauthClient, ReadingPermit};
pub use clock::Clock;
pub use cursor_key::CursorKey;
pub use export_permits::{ExportPermit, Exports};
pub use keyed_locks::KeyedLocks;
pub use long_tails::LongTails;
pub use occupancy::Occupied;
pub use oidc_provider::{
    KEPT_MILLIS, KEPT_WITHOUT_KEY_MILLIS, OidcProvider, OidcProviderCache, OidcSettings,
};
pub use owned_work::OwnedWork;
pub use presence::{Connected, Presences};
pub use readiness::{NotReady, look};
pub use settings::{CardSettings, Settings};
pub use shutdown::Shutdown;
pub use slots::Slot;
pub use streams::{Page, StreamIntervals, Streams};
pub use transfers::{QuotaReservation, Transfers};
pub use transient_frames::TransientFrames;

#[cfg(test)]
use baton_core::TaskId;
use baton_core::{Caller, MessageId, NetworkId, UserId};
use baton_evidence::note::SigningKey;
use baton_store::{Backup, Peers, Share, Store, Tenant};
use std::sync::Arc;

use crate::metrics::Metrics;
use crate::objects::Objects;
use crate::outbound::Outbound;
use crate::random;
use crate::trace::Traces;
use access::Access;
use audited_reads::AuditedReads;
use in_flight::InFlight;
use join_guard::JoinGuard;
use login_guard::LoginGuard;
use occupancy::Occupancy;
use password_hash::Passwords;
use progress_pacing::ProgressPacing;
use readiness::Readiness;

/// The hub.
pub struct Hub {
    pub store: Arc<dyn Store>,
    /// What makes backups, in the way of the store's engine.
    pub backup: Arc<dyn Backup>,
    /// The other hubs on the same database, if there can be any.
    pub peers: Option<Arc<dyn Peers>>,
    /// What this hub does of the work that only one of them may do at a time.
    pub owned_work: OwnedWork,
    /// Where the bytes of artifacts lie.
    pub objects: Objects,
    /// Uploads and downloads of them.
    pub transfers: Transfers,
    pub clock: Clock,
    pub bells: Arc<Bells>,
    pub presences: Arc<Presences>,
    pub settings: Settings,
    pub outbound: Outbound,
    /// Rings when remote agents were added or removed.
    pub remotes_changed: tokio::sync::Notify,
    pub evidence_key: Arc<SigningKey>,
    /// What agents' cards are signed with.
    pub card_key: CardKey,
    /// What cursors are sealed with.
    pub cursor_key: CursorKey,
    /// A network's lock is held while its log's tree is extended. It only saves work: that of two one wins is decided in the
    /// transaction that puts the checkpoint.
    pub sealing: KeyedLocks<NetworkId>,
    /// Logs that have enough signed entries for another entry bundle.
    pub long_tails: LongTails,
    /// An account's lock is held by its broadcast that is being delivered.
    pub broadcasting: KeyedLocks<UserId>,
    pub exports: Exports,
    pub in_flight: InFlight,
    pub shutdown: Shutdown,
    pub passwords: Passwords,
    pub login_guard: LoginGuard,
    pub join_guard: JoinGuard,
    /// Documents of OAuth clients that are their own ids.
    pub client_documents: ClientDocuments,
    /// What the issuer that users sign in with says of itself.
    pub oidc_provider: OidcProviderCache,
    pub audited_reads: AuditedReads,
    pub actor_tokens: Arc<ActorTokens>,
    pub streams: Streams,
    /// Streams and waiting claims of each network.
    pub occupancy: Occupancy,
    /// When progress of each lease may be written.
    pub progress_pacing: ProgressPacing,
    pub readiness: Readiness,
    pub metrics: Metrics,
    /// Where spans go, if they go anywhere.
    pub traces: Option<Arc<Traces>>,
    access: Access,
}

impl Hub {
    /// A hub over an open store that has its time from `clock` and whose hints go to `bells`.
    pub fn new(
        store: Arc<dyn Store>,
        backup: Arc<dyn Backup>,
        objects: Objects,
        clock: Clock,
        bells: Arc<Bells>,
        evidence_key: SigningKey,
        settings: Settings,
    ) -> Self {
        let traces = settings.collector.clone().map(|collector| Arc::new(Traces::new(collector)));
        bells.trace_to(traces.as_ref());
        Self {
            store,
            backup,
            peers: None,
            owned_work: OwnedWork::default(),
            objects,
            transfers: Transfers::default(),
            bells,
            presences: Arc::new(Presences::new(clock.clone())),
            clock,
            outbound: Outbound::new(settings.outbound.clone()),
            remotes_changed: tokio::sync::Notify::default(),
            settings,
            login_guard: LoginGuard::new(&evidence_key),
            card_key: CardKey::new(&evidence_key),
            evidence_key: Arc::new(evidence_key),
            cursor_key: CursorKey::new(&random::bytes()),
            sealing: KeyedLocks::default(),
            long_tails: LongTails::default(),
            broadcasting: KeyedLocks::default(),
            exports: Exports::default(),
            in_flight: InFlight::default(),
            shutdown: Shutdown::default(),
            passwords: Passwords::default(),
            join_guard: JoinGuard::default(),
            client_documents: ClientDocuments::default(),
            oidc_provider: OidcProviderCache::default(),
            audited_reads: AuditedReads::default(),
            actor_tokens: Arc::default(),
            streams: Streams::default(),
            occupancy: Occupancy::default(),
            progress_pacing: ProgressPacing::default(),
            readiness: Readiness::default(),
            metrics: Metrics::default(),
            traces,
            access: Access::default(),
        }
    }

    /// The store as this caller uses it: reads and writes wait in the line of the caller's account.
    pub fn store_for<'h>(&'h self, caller: &Caller) -> Tenant<'h> {
        self.store.of(Share::of(caller))
    }

    /// The same for work on a network, no matter who asked.
    pub fn store_of<'h>(&'h self, network: &NetworkId) -> Tenant<'h> {
        self.store.of(Share::Network(network.clone()))
    }

    /// The same for calls whose caller is not known yet.
    pub fn store_for_anybody(&self) -> Tenant<'_> {
        self.store.of(Share::Unknown)
    }

    /// The same hub, whose cursors are sealed with the database's key: those of an earlier run still open.
    pub fn with_cursor_key(self, key: &[u8; 32]) -> Self {
        Self { cursor_key: CursorKey::new(key), ..self }
    }

    /// The same hub on a database that it shares with others.
    pub fn with_peers(self, peers: Option<Arc<dyn Peers>>) -> Self {
        Self { peers, ..self }
    }

    /// How many hubs are alive on the database, this one included.
    pub fn alive_count(&self) -> u32 {
        self.peers.as_ref().map_or(1, |peers| peers.alive_count().max(1))
    }

    /// Sends a frame to everybody who listens to a network, on any hub. It is not stored.
    pub fn send_transient(&self, network: &NetworkId, body: String) {
        if let Some(peers) = &self.peers {
            peers.send_transient(network, &body);
        }
        self.bells.transient_frames.send(network, body);
    }

    #[cfg(test)]
    pub fn new_task_id(&self) -> TaskId {
        TaskId::new(self.clock.now(), random::id_bytes())
    }

    pub fn new_message_id(&self) -> MessageId {
        MessageId::new(self.clock.now(), random::id_bytes())
    }
}
