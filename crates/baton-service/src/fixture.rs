//! For tests, here and in the crates above: a hub on a real store in a folder of its own, with people, networks and
//! tokens made straight in the rows. Every write is run twice (`runs_twice.rs`).

// It is compiled for tests only, also where it is a feature for the crates above.
#![allow(clippy::unwrap_used)]

mod failing_reads;
mod runs_twice;

use baton_core::{
    Alias, NetworkId, NetworkRole, NodeToken, Principal, SystemRole, TokenId, TokenScope, UnixMillis, UserId,
    UserToken, Username,
};
use baton_store::rows::{BROWSER_TOKEN_NAME, NetworkRow, TokenRow, UserRow};
use baton_store::{Error, Ring, SqliteOptions, SqliteStore};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;

use self::failing_reads::FailingReads;
pub use self::failing_reads::Reads;
use self::runs_twice::RunsTwice;
use crate::hub::{Bells, Clock, Hub, Settings};
use crate::objects::Objects;
use crate::outbound::Authorities;
use crate::trace::{Collector, Export, OtlpEndpoint};

const NOW: UnixMillis = UnixMillis::new(1_700_000_000_000);

/// A hub and the folder it lives in.
pub struct TestHub {
    pub hub: Arc<Hub>,
    pub folder: tempfile::TempDir,
    /// Reads fail where a test says so.
    pub reads: Arc<Reads>,
}

impl TestHub {
    pub fn start() -> Self {
        Self::start_with(|_| ())
    }

    pub fn start_with(change: impl FnOnce(&mut Settings)) -> Self {
        Self::start_over(|folder| Objects::in_folder(&folder.join("artifacts")).unwrap(), change)
    }

    /// A hub whose artifacts have their bytes in these objects, which may lie in the hub's folder.
    pub fn start_over(objects: impl FnOnce(&Path) -> Objects, change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bells = Arc::new(Bells::default());
        let ringer = bells.clone();
        let ring = Arc::new(move |committed| ringer.tell(committed));
        let (clock, database) = (Clock::start(), folder.path().join("hub.db"));
        let store =
            SqliteStore::open(&database, SqliteOptions::default(), Arc::new(clock.clone()), ring).unwrap();
        let mut settings = Settings {
            address: ([127, 0, 0, 1], 0).into(),
            open_registration: true,
            rate_limit: None,
            behind_proxy: false,
            cors_origins: Vec::new(),
            data_folder: folder.path().to_owned(),
            outbound: crate::outbound::Policy::default(),
            public_url: "http://127.0.0.1".into(),
            cards: crate::hub::CardSettings::default(),
            serves_tls: false,
            keep_tasks: None,
            artifact_quota: baton_core::limits::ARTIFACT_BYTES_PER_NETWORK,
            records_evidence: true,
            metrics_token: None,
            oidc: None,
            collector: None,
        };
        change(&mut settings);
        let engine = Arc::new(store);
        let objects = objects(folder.path());
        let reads = Arc::new(Reads::default());
        let store = Arc::new(FailingReads { store: RunsTwice(engine.clone()), reads: reads.clone() });
        let hub = Arc::new(Hub::new(store, engine, objects, clock, bells, test_key(), settings));
        Self { hub, folder, reads }
    }

    /// A user who owns the networks of these numbers, and their token.
    pub async fn person(&self, name: &str, role: SystemRole, networks: &[u8]) -> String {
        let (user_id, username) = (user_id(name), Username::parse(name).unwrap());
        let secret = UserToken::from_random(Sha256::digest(name).into());
        let token = token_row(&user_id, secret.expose());
        let networks: Vec<_> = networks.iter().map(|number| network_row(*number, &user_id)).collect();
        let user = UserRow {
            user_id: user_id.clone(),
            username,
            display_name: None,
            email: None,
            role,
            password_hash: String::new(),
            must_change_password: false,
            created_at: NOW,
        };
        self.write(move |tx| {
            tx.insert_user(&user)?;
            tx.insert_token(&token)?;
            for network in &networks {
                tx.insert_network(network)?;
                tx.put_member(&network.network_id, &user_id, NetworkRole::Owner, None, NOW)?;
            }
            tx.touch_access();
            Ok(())
        })
        .await;
        secret.expose().to_owned()
    }

    /// A node token of a user for a network.
    pub async fn agent(&self, owner: &str, number: u8, alias: &str) -> String {
        let secret = NodeToken::from_random(Sha256::digest(format!("{number} {alias}")).into());
        let row = TokenRow {
            network_id: Some(network(number)),
            alias: Some(Alias::parse(alias).unwrap()),
            ..token_row(&user_id(owner), secret.expose())
        };
        self.write(move |tx| {
            tx.touch_access();
            tx.insert_token(&row)
        })
        .await;
        secret.expose().to_owned()
    }

    /// Revokes a token.
    pub async fn revoke(&self, secret: &str) {
        let token = token_id(secret);
        self.write(move |tx| {
            tx.touch_access();
            tx.revoke_token(&token, NOW).map(drop)
        })
        .await;
    }

    /// Appends frames `{"n":from}` and so on to a network's feed, in one transaction.
    pub async fn add_frames(&self, number: u8, to: &Principal, bodies: Vec<String>) {
        let to = to.clone();
        self.write(move |tx| {
            let network_id = network(number);
            for body in &bodies {
                tx.append_frame(&network_id, &to, body)?;
            }
            tx.ring(Ring { network_id, to: to.clone() });
            Ok(())
        })
        .await;
    }

    /// Writes rows.
    pub async fn write(
        &self,
        change: impl Fn(&mut dyn baton_store::Transaction) -> Result<(), Error> + Send + 'static,
    ) {
        self.hub.store.write(change).await.unwrap();
    }
}

impl Drop for TestHub {
    fn drop(&mut self) {
        self.hub.store.close();
    }
}

pub fn network(number: u8) -> NetworkId {
    NetworkId::from_random([number; 6])
}

pub fn node(alias: &str) -> Principal {
    Principal::Node(Alias::parse(alias).unwrap())
}

pub fn user(name: &str) -> Principal {
    Principal::User(Username::parse(name).unwrap())
}

pub fn user_id(name: &str) -> UserId {
    let digest: [u8; 32] = Sha256::digest(name).into();
    UserId::from_random(std::array::from_fn(|i| digest[i]))
}

fn token_id(secret: &str) -> TokenId {
    let digest: [u8; 32] = Sha256::digest(secret).into();
    TokenId::from_random(std::array::from_fn(|i| digest[i]))
}

fn token_row(owner: &UserId, secret: &str) -> TokenRow {
    TokenRow {
        token_id: token_id(secret),
        hash: Sha256::digest(secret).into(),
        user_id: owner.clone(),
        network_id: None,
        alias: None,
        name: "test".into(),
        scope: TokenScope::Node,
        has_reported: false,
        created_at: NOW,
        last_used_at: None,
        expires_at: None,
        client_id: None,
    }
}

/// The session of a browser that signed in at this time.
pub fn browser_token(owner: &UserId, created_at: UnixMillis) -> TokenRow {
    TokenRow { name: BROWSER_TOKEN_NAME.into(), created_at, ..token_row(owner, "the session of a browser") }
}

fn network_row(number: u8, owner: &UserId) -> NetworkRow {
    NetworkRow {
        network_id: network(number),
        name: format!("network {number}"),
        owner_id: owner.clone(),
        description: None,
        created_at: NOW,
        updated_at: NOW,
        public_cards: false,
    }
}

/// A collector of spans at this address.
pub fn collector(url: &str) -> Collector {
    Collector::new(OtlpEndpoint::parse(url).unwrap(), &Authorities::default(), Export::default()).unwrap()
}

/// A key to sign checkpoints with that is the same in every test.
pub fn test_key() -> baton_evidence::note::SigningKey {
    baton_evidence::note::SigningKey::from_seed([7; 32], "baton").unwrap()
}
