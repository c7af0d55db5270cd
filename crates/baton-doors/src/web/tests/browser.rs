//! A browser of sorts: every door behind the real gate, a cookie jar of one, and the headers a page's calls have.

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode, Version, header};
use axum::response::Response;
use serde_json::{Value, json};
use std::net::SocketAddr;
use tower::ServiceExt;

use crate::fixture::{self, TestHub};
use crate::hub::Settings;

pub(super) const PASSWORD: &str = "a quiet harbour";
pub(super) const HOST: &str = "localhost:9200";
pub(super) const OWN: &str = "http://localhost:9200";

pub(super) struct Browser {
    pub(super) test: TestHub,
    app: Router,
    /// `name=value`, once it is signed in.
    pub(super) cookie: Option<String>,
}

impl Browser {
    pub(super) fn new() -> Self {
        Self::at(|_| ())
    }

    pub(super) fn at(change: impl FnOnce(&mut Settings)) -> Self {
        let test = TestHub::start_with(|settings| {
            settings.address.set_port(9200);
            change(settings);
        });
        let app = crate::server::router(test.hub.clone());
        Self { test, app, cookie: None }
    }

    /// A browser at a hub where `ada` is registered and signed in; the network that is hers.
    pub(super) async fn signed_in() -> (Self, String) {
        let mut browser = Self::new();
        let network = browser.register("ada").await;
        assert_eq!(browser.sign_in("ada", PASSWORD).await.0, StatusCode::OK);
        (browser, network)
    }

    pub(super) async fn register(&self, username: &str) -> String {
        let body = json!({"username": username, "password": PASSWORD});
        let (status, answer) = self.json("POST", "/api/auth/register", &[], Some(&body)).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer["network_id"].as_str().unwrap().to_owned()
    }

    /// Signs in as a page does and keeps the cookie.
    pub(super) async fn sign_in(&mut self, username: &str, password: &str) -> (StatusCode, Value) {
        let body = json!({"username": username, "password": password});
        let response = self.page("POST", "/api/session", Some(&body)).await;
        if let Some(line) = set_cookie(&response) {
            self.cookie = Some(line.split(';').next().unwrap().to_owned());
        }
        fixture::json(response).await
    }

    /// A call as the hub's own page makes it.
    pub(super) async fn page(&self, method: &str, path: &str, body: Option<&Value>) -> Response {
        let mut headers = vec![("sec-fetch-site", "same-origin")];
        if method != "GET" {
            headers.extend([("origin", OWN), ("baton-page", "1")]);
        }
        headers.extend(self.cookie.as_deref().map(|cookie| ("cookie", cookie)));
        self.send(method, path, &headers, body).await
    }

    /// The same, read as JSON.
    pub(super) async fn asks(&self, method: &str, path: &str, body: Option<&Value>) -> (StatusCode, Value) {
        fixture::json(self.page(method, path, body).await).await
    }

    pub(super) async fn json(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> (StatusCode, Value) {
        fixture::json(self.send(method, path, headers, body).await).await
    }

    /// A call with these headers, and with the hub's own `Host` if they name none.
    pub(super) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Response {
        let home: SocketAddr = ([127, 0, 0, 1], 5000).into();
        let mut request = Request::builder().method(method).uri(path).extension(ConnectInfo(home));
        if !headers.iter().any(|(name, _)| *name == "host") {
            request = request.header(header::HOST, HOST);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        self.app.clone().oneshot(request.body(body).unwrap()).await.unwrap()
    }
}

impl Browser {
    /// A call of a program that sends a form.
    pub(super) async fn form(&self, path: &str, fields: &[(&str, &str)]) -> Response {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let home: SocketAddr = ([127, 0, 0, 1], 5000).into();
        let request = Request::builder().method("POST").uri(path).extension(ConnectInfo(home));
        let request = request.header(header::HOST, HOST);
        let request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.app.clone().oneshot(request.body(Body::from(body)).unwrap()).await.unwrap()
    }
}

impl Browser {
    /// A call of a gRPC client, with one message.
    pub(super) async fn grpc(&self, method: &str, bearer: &str, message: &[u8]) -> Response {
        let frame = [&[0], &u32::try_from(message.len()).unwrap().to_be_bytes()[..], message].concat();
        let home: SocketAddr = ([127, 0, 0, 1], 5000).into();
        let request = Request::builder().method("POST").uri(format!("/lf.a2a.v1.A2AService/{method}"));
        let request = request.version(Version::HTTP_2).extension(ConnectInfo(home));
        let request = request.header(header::HOST, HOST).header(header::AUTHORIZATION, bearer);
        let request = request.header(header::CONTENT_TYPE, "application/grpc").header(header::TE, "trailers");
        let request = request.header("a2a-version", "1.0");
        self.app.clone().oneshot(request.body(Body::from(frame)).unwrap()).await.unwrap()
    }
}

pub(super) fn set_cookie(response: &Response) -> Option<&str> {
    response.headers().get(header::SET_COOKIE)?.to_str().ok()
}

/// An agent with a token of its own, beside the browser.
pub(super) struct Agent<'b> {
    browser: &'b Browser,
    bearer: String,
}

impl Browser {
    /// Mints a token for an agent of a network.
    pub(super) async fn agent(&self, network: &str, name: &str) -> Agent<'_> {
        let body = json!({"network_id": network, "node_name": name});
        let (status, minted) = self.asks("POST", "/api/auth/node-token", Some(&body)).await;
        assert_eq!(status, StatusCode::OK, "{minted}");
        Agent { browser: self, bearer: format!("Bearer {}", minted["token"].as_str().unwrap()) }
    }

    /// Sends a task and answers its id.
    pub(super) async fn sends(&self, task: Value) -> String {
        let (status, sent) = self.asks("POST", "/api/task", Some(&task)).await;
        assert!(status.is_success(), "{sent}");
        sent["task_id"].as_str().unwrap().to_owned()
    }

    /// A page's read that must succeed.
    pub(super) async fn reads(&self, path: &str) -> Value {
        let (status, answer) = self.asks("GET", path, None).await;
        assert_eq!(status, StatusCode::OK, "{path}: {answer}");
        answer
    }
}

impl Agent<'_> {
    /// A call of the agent that must succeed.
    pub(super) async fn posts(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.calls("POST", path, Some(&body)).await;
        assert!(status.is_success(), "{path}: {answer}");
        answer
    }

    pub(super) async fn calls(&self, method: &str, path: &str, body: Option<&Value>) -> (StatusCode, Value) {
        self.browser.json(method, path, &[("authorization", &self.bearer)], body).await
    }
}
