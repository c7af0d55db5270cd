//! A hub in a folder of its own, and how tests talk to it.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode, header};
use baton_core::{NetworkRole, UserId};
use baton_store::{SqliteOptions, SqliteStore, Store};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use tempfile::TempDir;
use tower::ServiceExt;

use crate::hub::{Bells, Clock, Hub, Settings};
use crate::service::accounts::registration;

pub(super) const PASSWORD: &str = "a quiet harbour";
const HOME: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 5000);

pub(super) struct TestHub {
    pub(super) hub: Arc<Hub>,
    pub(super) folder: TempDir,
    app: Router,
}

/// A registered user and what registering gave them.
pub(super) struct Account {
    pub(super) user_id: String,
    pub(super) username: String,
    pub(super) token: String,
    pub(super) network_token: String,
    pub(super) network_id: String,
}

#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) text: String,
    pub(super) body: Value,
}

impl Reply {
    /// The answer of a call that must succeed.
    #[track_caller]
    pub(super) fn ok(self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text);
        assert_eq!(self.body["ok"], true, "{}", self.text);
        self.body
    }

    /// Checks a refusal: its status and its text, byte for byte.
    #[track_caller]
    pub(super) fn refused(self, status: u16, error: &str) -> Value {
        assert_eq!(
            (self.status.as_u16(), self.body["error"].as_str()),
            (status, Some(error)),
            "{}",
            self.text
        );
        assert_eq!(self.body["ok"], false);
        self.body
    }
}

impl TestHub {
    pub(super) fn start() -> Self {
        Self::start_with(|_| ())
    }

    pub(super) fn start_with(change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hub.db");
        let clock = Clock::start();
        let engine_clock = Arc::new(clock.clone());
        let store =
            SqliteStore::open(&path, SqliteOptions::default(), engine_clock, Arc::new(|_| ())).unwrap();
        let mut settings = Settings {
            address: HOME,
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
        let store = Arc::new(store);
        let hub = Arc::new(Hub::new(
            store.clone(),
            store,
            crate::objects::Objects::in_folder(&folder.path().join("artifacts")).unwrap(),
            clock,
            Arc::<Bells>::default(),
            crate::fixture::test_key(),
            settings,
        ));
        let app = axum::Router::from(super::super::routes()).with_state(hub.clone());
        Self { hub, folder, app }
    }

    /// A hub that knows nothing but the same database, as after a restart.
    pub(super) fn restarted(self) -> Self {
        let Self { hub, folder, .. } = self;
        let hub = Arc::new(Hub::new(
            hub.store.clone(),
            hub.backup.clone(),
            hub.objects.clone(),
            hub.clock.clone(),
            Arc::<Bells>::default(),
            crate::fixture::test_key(),
            hub.settings.clone(),
        ));
        let app = axum::Router::from(super::super::routes()).with_state(hub.clone());
        Self { hub, folder, app }
    }

    pub(super) fn store(&self) -> &dyn Store {
        &*self.hub.store
    }

    pub(super) async fn get(&self, path: &str, token: &str) -> Reply {
        self.call("GET", path, token, None).await
    }

    pub(super) async fn post(&self, path: &str, token: &str, body: Value) -> Reply {
        self.call("POST", path, token, Some(body)).await
    }

    pub(super) async fn put(&self, path: &str, token: &str, body: Value) -> Reply {
        self.call("PUT", path, token, Some(body)).await
    }

    pub(super) async fn delete(&self, path: &str, token: &str) -> Reply {
        self.call("DELETE", path, token, None).await
    }

    /// A call; an empty token is none.
    pub(super) async fn call(&self, method: &str, path: &str, token: &str, body: Option<Value>) -> Reply {
        let mut request = Request::builder().method(method).uri(path).extension(ConnectInfo(HOME));
        if !token.is_empty() {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        self.send(request.header(header::CONTENT_TYPE, "application/json").body(body).unwrap()).await
    }

    pub(super) async fn send(&self, request: Request<Body>) -> Reply {
        let response = self.app.clone().oneshot(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let body = serde_json::from_str(&text).unwrap_or_default();
        Reply { status, headers, text, body }
    }

    pub(super) async fn register(&self, username: &str) -> Account {
        let body = json!({"username": username, "password": PASSWORD});
        let body = self.post("/api/auth/register", "", body).await.ok();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Account {
            user_id: text(&body["user"]["user_id"]),
            username: username.to_owned(),
            token: text(&body["token"]),
            network_token: text(&body["network_token"]),
            network_id: text(&body["network_id"]),
        }
    }

    /// Starts with a system admin, as the first start makes one, and logs them in.
    pub(super) async fn admin(&self) -> String {
        registration::ensure_first_admin(self.store(), "root", Some(PASSWORD.into())).await.unwrap();
        self.login("root", PASSWORD).await.ok()["token"].as_str().unwrap().to_owned()
    }

    pub(super) async fn login(&self, username: &str, password: &str) -> Reply {
        self.post("/api/auth/login", "", json!({"username": username, "password": password})).await
    }

    /// Makes somebody a member of an account's network: invited, and accepted.
    pub(super) async fn add(&self, owner: &Account, member: &Account, role: NetworkRole) {
        let path = format!("/api/networks/{}/members", owner.network_id);
        self.post(&path, &owner.token, json!({"user_id": member.user_id, "role": role.as_str()})).await.ok();
        self.accept(owner, member).await.ok();
    }

    /// A user's answer to the invitation into an account's network.
    pub(super) async fn accept(&self, owner: &Account, member: &Account) -> Reply {
        let path = format!("/api/invitations/{}/accept", owner.network_id);
        self.post(&path, &member.token, json!({})).await
    }

    /// Mints a node token in an account's network.
    pub(super) async fn mint(&self, owner: &Account, node_name: &str) -> (String, String) {
        let body = json!({"network_id": owner.network_id, "node_name": node_name});
        let body = self.post("/api/auth/node-token", &owner.token, body).await.ok();
        (body["token"].as_str().unwrap().to_owned(), body["token_id"].as_str().unwrap().to_owned())
    }

    /// One user of each role in the owner's network, an outsider, and a node token of the owner.
    pub(super) async fn cast(&self) -> Cast {
        let owner = self.register("owner").await;
        let mut roles = Vec::new();
        for role in [NetworkRole::Admin, NetworkRole::Member, NetworkRole::Viewer] {
            let account = self.register(&format!("the-{role}")).await;
            self.add(&owner, &account, role).await;
            roles.push(account);
        }
        let outsider = self.register("outsider").await;
        let (node, _) = self.mint(&owner, "builder").await;
        let [admin, member, viewer] = roles.try_into().unwrap_or_else(|_| unreachable!());
        Cast { owner, admin, member, viewer, outsider, node }
    }

    /// The words of the audit log, oldest first, each with who did it.
    pub(super) async fn audit(&self) -> Vec<(String, String)> {
        let rows = self
            .store()
            .read(|rows| rows.audit_log(None, baton_store::rows::PageBounds::rows(1_000)))
            .await
            .unwrap();
        rows.rows.into_iter().rev().map(|row| (row.actor, row.action)).collect()
    }

    /// The last word of the audit log, and who did it.
    pub(super) async fn last_change(&self) -> (String, String) {
        self.audit().await.pop().unwrap()
    }

    pub(super) async fn role_in(&self, network: &Account, user: &Account) -> Option<NetworkRole> {
        let network = baton_core::NetworkId::parse(&network.network_id).unwrap();
        let user = UserId::parse(&user.user_id).unwrap();
        self.store().read(move |rows| rows.member_role(&network, &user)).await.unwrap()
    }
}

pub(super) struct Cast {
    pub(super) owner: Account,
    pub(super) admin: Account,
    pub(super) member: Account,
    pub(super) viewer: Account,
    pub(super) outsider: Account,
    pub(super) node: String,
}

pub(super) fn said(actor: &str, action: &str) -> (String, String) {
    (actor.to_owned(), action.to_owned())
}
