//! Client-id metadata documents: a client's id is the URL of a JSON document that says who the client is. The hub reads it by the
//! one guarded client for calls outside, follows no redirect, stops at its bound, and keeps it for a few minutes. The id is shown
//! to the user, so it has to be written in the one way that cannot be taken for another host's.

use baton_core::oauth::RedirectUri;
use baton_core::{UserId, limits};
use reqwest::{Method, StatusCode, Url};
use serde::Deserialize;
use std::net::IpAddr;

use super::client;
use crate::hub::{Hub, OauthClient};
use crate::outbound::{self, Target};
use crate::service::Error;

/// What the hub reads of a document.
#[derive(Debug, Deserialize)]
struct Document {
    client_id: String,
    client_name: Option<String>,
    redirect_uris: Vec<String>,
}

/// The client that a URL stands for, which a user named.
pub(super) async fn client(hub: &Hub, user: &UserId, id: &str) -> Result<OauthClient, Error> {
    let (documents, now) = (&hub.client_documents, || hub.clock.monotonic());
    if let Some(known) = documents.recall(id, now()) {
        return Ok(known);
    }
    let refused = |rule: String| Error::argument("client_id", rule);
    if let Some(failure) = documents.recall_failure(id, now()) {
        return Err(failure);
    }
    let target = hub.outbound.target(id).map_err(|error| refused(error.to_string()))?;
    check_address(id, target.url()).map_err(refused)?;
    let _turn = documents.turn(user).await?;
    let client = match fetch(hub, &target).await {
        Ok(document) => read(id, target.url().host_str().unwrap_or_default(), document),
        Err(what) => Err(refused(format!("leads to a document that the hub cannot read: {what}"))),
    };
    match &client {
        Ok(client) => documents.remember(client, now()),
        Err(error) => documents.remember_failure(id, error, now()),
    }
    client
}

/// An id is written as its URL is: nothing in it looks like what it is not.
fn check_address(id: &str, url: &Url) -> Result<(), String> {
    if url.as_str() != id {
        return Err(format!("must be written as {url}"));
    }
    let host = url.host_str().unwrap_or_default();
    let is_loopback = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    if url.scheme() != "https" && !is_loopback {
        return Err("must be an https address".into());
    }
    if url.path() == "/" { Err("must be the URL of a document, with a path".into()) } else { Ok(()) }
}

/// Reads a document; what was wrong, in words, if it cannot be read.
async fn fetch(hub: &Hub, target: &Target) -> Result<Document, String> {
    let calls = hub.outbound.for_client_documents();
    let words = |error: outbound::Error| error.to_string();
    let request = calls.request(Method::GET, target).map_err(words)?.header("accept", "application/json");
    let most = limits::OAUTH_CLIENT_DOCUMENT_MAX_BYTES;
    let answer = calls.send_up_to(request, outbound::ANSWER, most).await.map_err(|error| match error {
        outbound::Error::TooLong => format!("it has more than {most} bytes"),
        error => error.to_string(),
    })?;
    if answer.status != StatusCode::OK {
        return Err(format!("it was answered with status {}", answer.status.as_u16()));
    }
    answer.json().map_err(words)
}

fn read(id: &str, host: &str, document: Document) -> Result<OauthClient, Error> {
    // Who can put a document somewhere speaks for that place and for no other.
    if document.client_id != id {
        return Err(Error::argument("client_id", "leads to a document with another client_id"));
    }
    let uris = document.redirect_uris;
    if uris.is_empty() || uris.len() > limits::OAUTH_REDIRECT_URIS_MAX_COUNT {
        let most = limits::OAUTH_REDIRECT_URIS_MAX_COUNT;
        let rule = format!("leads to a document that must have 1 to {most} redirect_uris");
        return Err(Error::argument("client_id", rule));
    }
    if let Some(broken) = uris.iter().find_map(|uri| RedirectUri::parse(uri).err()) {
        return Err(Error::argument(
            "client_id",
            format!("leads to a document with a redirect URI that {broken}"),
        ));
    }
    let name = client::name(document.client_name.as_deref().unwrap_or(host))?;
    Ok(OauthClient { id: id.to_owned(), name, redirect_uris: uris })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_can_be_taken_for_another_hosts_is_refused() {
        let is_plain = |id: &str| check_address(id, &Url::parse(id).unwrap()).is_ok();
        for id in [
            "https://client.example/oauth.json",
            "https://client.example:8443/a/b?c=d",
            "https://xn--80ak6aa92e.example/c",
            "http://127.0.0.1:9/c",
            "http://[::1]:9/c",
        ] {
            assert!(is_plain(id), "{id}");
        }
        for id in [
            "https://cl\u{456}ent.example/c",           // a Cyrillic letter
            "https://client.example/\u{202e}nosj.evil", // the rest is shown backwards
            "https://evil.example\\.client.example/c",  // read as a slash
            "https://Client.Example/c",
            "HTTPS://client.example/c",
            "https://client.example/a/../c",
            "https://client.example/a/%2e%2e/c",
            "https://client.example:443/c",
            "https://client.example/a b",
            "https://client.example/c\n",
            "https://client.example/",
            "https://client.example",
            "http://client.example/c",
            "http://10.0.0.1/c",
            "http://2130706433/c",
        ] {
            assert!(!is_plain(id), "{id:?}");
        }
    }

    #[test]
    fn a_document_speaks_for_its_own_address_only() {
        let id = "https://client.example/oauth.json";
        let document = |client_id: &str, uris: &[&str]| Document {
            client_id: client_id.into(),
            client_name: None,
            redirect_uris: uris.iter().map(|uri| (*uri).into()).collect(),
        };
        let read = |document| read(id, "client.example", document);
        let client = read(document(id, &["https://client.example/cb"])).unwrap();
        assert_eq!((&*client.id, &*client.name), (id, "client.example"));
        for broken in [
            document("https://other.example/oauth.json", &["https://client.example/cb"]),
            document(id, &[]),
            document(id, &["http://client.example/cb"]),
            document(id, &["https://client.example/cb"; limits::OAUTH_REDIRECT_URIS_MAX_COUNT + 1]),
        ] {
            assert!(read(broken).is_err());
        }
    }
}
