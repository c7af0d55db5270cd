//! Dynamic client registration (RFC 7591): anybody may register, so there are bounds. A client gets an id and no secret: what
//! protects its codes is PKCE.

use baton_core::oauth::RedirectUri;
use baton_core::{Refusal, UnixMillis, hex, limits};
use baton_store::Transaction;
use baton_store::rows::OauthClientRow;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::net::IpAddr;

use super::{OauthError, client};
use crate::hub::{Hub, OAUTH_REGISTRATIONS, client_of};
use crate::random;
use crate::service::Error;

/// What a client says of itself; whatever else it says is left aside.
#[derive(Debug, Deserialize)]
pub struct Registration {
    #[serde(default)]
    redirect_uris: Vec<String>,
    client_name: Option<String>,
    grant_types: Option<Vec<String>>,
    response_types: Option<Vec<String>>,
}

/// What it gets. How it authenticates is the hub's to say: it does not, whatever it asked for.
#[derive(Debug, Serialize)]
pub struct Registered {
    client_id: String,
    client_id_issued_at: i64,
    client_name: String,
    redirect_uris: Vec<String>,
    grant_types: [&'static str; 2],
    response_types: [&'static str; 1],
    token_endpoint_auth_method: &'static str,
}

/// Registers a client.
pub async fn register(hub: &Hub, address: IpAddr, args: Registration) -> Result<Registered, OauthError> {
    let now = hub.clock.now();
    let row = row(args, now)?;
    let key = Sha256::digest(format!("OAuth client of {}", client_of(address))).into();
    let elapsed = hub.clock.now_without_jumps();
    let kept = row.clone();
    let insert = move |tx: &mut dyn Transaction| -> Result<(), Error> {
        OAUTH_REGISTRATIONS.check(tx.as_snapshot(), &key, elapsed)?;
        make_room(tx, elapsed)?;
        OAUTH_REGISTRATIONS.count(tx, &key, elapsed)?;
        Ok(tx.insert_oauth_client(&row)?)
    };
    hub.store_for_anybody().write(insert).await?;
    Ok(Registered {
        client_id: kept.client_id,
        client_id_issued_at: now.get() / 1000,
        client_name: kept.name,
        redirect_uris: kept.redirect_uris,
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
    })
}

fn row(args: Registration, now: UnixMillis) -> Result<OauthClientRow, OauthError> {
    let lacks = |list: &Option<Vec<String>>, word: &str| {
        list.as_ref().is_some_and(|list| !list.iter().any(|one| one == word))
    };
    if lacks(&args.grant_types, "authorization_code") || lacks(&args.response_types, "code") {
        let words = "the hub has the grant type authorization_code and the response type code only";
        return Err(OauthError::invalid_client_metadata(words));
    }
    let uris = args.redirect_uris;
    if uris.is_empty() || uris.len() > limits::OAUTH_REDIRECT_URIS_MAX_COUNT {
        let most = limits::OAUTH_REDIRECT_URIS_MAX_COUNT;
        return Err(OauthError::invalid_redirect_uri(format!("pass 1 to {most} redirect_uris")));
    }
    for uri in &uris {
        RedirectUri::parse(uri)
            .map_err(|rule| OauthError::invalid_redirect_uri(format!("redirect_uris: {uri} {rule}")))?;
    }
    let place = RedirectUri::parse(&uris[0]).map(|uri| uri.place()).unwrap_or_default();
    let name = client::name(args.client_name.as_deref().unwrap_or(place))
        .map_err(|error| OauthError::invalid_client_metadata(error.to_string()))?;
    let client_id = format!("client_{}", hex::encode(&random::bytes::<16>()));
    Ok(OauthClientRow { client_id, name, redirect_uris: uris, created_at: now, used_at: None })
}

/// A client that never had a grant makes room once a user has had the time to decide; if there is none, and these are not what
/// is too many, the one whose grants ended longest ago. Otherwise new ones are refused.
fn make_room(tx: &mut dyn Transaction, now: UnixMillis) -> Result<(), Error> {
    let (clients, unused) = tx.oauth_client_counts(limits::OAUTH_CLIENTS_MAX_COUNT)?;
    let is_full_of_unused = unused >= limits::OAUTH_CLIENTS_UNUSED_MAX_COUNT;
    if !is_full_of_unused && clients < limits::OAUTH_CLIENTS_MAX_COUNT {
        return Ok(());
    }
    let before = now.plus_millis(-1000 * i64::from(limits::OAUTH_CLIENT_UNUSED_MIN_SECONDS));
    let has_room = tx.forget_unused_oauth_clients(before, 1)? > 0
        || (!is_full_of_unused && tx.forget_idle_oauth_clients(1)? > 0);
    if has_room { Ok(()) } else { Err(Refusal::RateLimited { retry_after_ms: 60_000 }.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{TestHub, network, user_id};
    use crate::service::secret;
    use baton_core::{Alias, SystemRole, TokenScope};
    use baton_store::Snapshot;

    fn of_one() -> Registration {
        Registration {
            redirect_uris: vec!["https://client.example/cb".into()],
            client_name: Some("A client".into()),
            grant_types: None,
            response_types: None,
        }
    }

    fn is_limited(answer: &Result<Registered, OauthError>) -> bool {
        matches!(answer, Err(OauthError::Hub(Error::Refused(Refusal::RateLimited { .. }))))
    }

    #[tokio::test]
    async fn a_flood_of_registrations_from_one_address_is_refused_and_another_address_is_not() {
        let test = TestHub::start();
        let address = |n: u8| IpAddr::from([192, 0, 2, n]);
        for _ in 0..limits::OAUTH_REGISTRATIONS_PER_MINUTE {
            register(&test.hub, address(1), of_one()).await.unwrap();
        }
        assert!(is_limited(&register(&test.hub, address(1), of_one()).await));
        register(&test.hub, address(2), of_one()).await.unwrap();
    }

    #[tokio::test]
    async fn clients_that_nobody_allowed_are_so_many_at_most_and_the_oldest_makes_room() {
        let test = TestHub::start();
        let (now, most) = (test.hub.clock.now(), limits::OAUTH_CLIENTS_UNUSED_MAX_COUNT);
        let fill = move |seconds_ago: i64, from: usize, to: usize| {
            move |tx: &mut dyn Transaction| {
                for n in from..to {
                    tx.insert_oauth_client(&OauthClientRow {
                        client_id: format!("client {n}"),
                        name: "flood".into(),
                        redirect_uris: vec![],
                        created_at: now.plus_millis(-1000 * seconds_ago),
                        used_at: None,
                    })?;
                }
                Ok(())
            }
        };
        test.write(fill(0, 1, most + 1)).await;
        let address = IpAddr::from([192, 0, 2, 1]);
        assert!(is_limited(&register(&test.hub, address, of_one()).await), "all are new");
        test.write(fill(i64::from(limits::OAUTH_CLIENT_UNUSED_MIN_SECONDS), 0, 1)).await;
        register(&test.hub, address, of_one()).await.unwrap();
        let first = test.hub.store.read(|rows| rows.oauth_client("client 0")).await.unwrap();
        assert_eq!(first, None, "the oldest");
    }

    #[tokio::test]
    async fn a_client_without_a_live_grant_makes_room_among_clients_that_had_one() {
        let test = TestHub::start();
        test.person("ada", SystemRole::User, &[1]).await;
        let now = test.hub.clock.now();
        let user = user_id("ada");
        let fill = move |tx: &mut dyn Transaction| {
            for n in 0..limits::OAUTH_CLIENTS_MAX_COUNT {
                tx.insert_oauth_client(&OauthClientRow {
                    client_id: format!("client {n}"),
                    name: "used".into(),
                    redirect_uris: vec![],
                    created_at: now,
                    used_at: Some(now.plus_millis(n as i64)),
                })?;
            }
            let alias = Some(Alias::parse("hosted").unwrap());
            let (_, mut grant) = secret::node_token(&user, &network(1), alias, TokenScope::Node, now);
            grant.client_id = Some("client 0".into());
            grant.expires_at = Some(now.plus_seconds(600));
            tx.insert_token(&grant)
        };
        test.write(fill).await;
        register(&test.hub, IpAddr::from([192, 0, 2, 1]), of_one()).await.unwrap();
        let read = |rows: &dyn Snapshot| -> Result<_, Error> {
            Ok((rows.oauth_client("client 0")?.is_some(), rows.oauth_client("client 1")?.is_some()))
        };
        assert_eq!(test.hub.store.read(read).await.unwrap(), (true, false), "who has a grant stays");
    }

    #[test]
    fn a_registration_without_a_place_to_return_to_is_refused() {
        let now = UnixMillis::new(0);
        for uris in
            [&[][..], &["http://client.example/"], &["javascript:alert(1)"], &["https://a.example/#x"]]
        {
            let uris = uris.iter().map(|uri| (*uri).to_owned()).collect();
            let refused = row(Registration { redirect_uris: uris, ..of_one() }, now);
            assert!(matches!(refused, Err(OauthError::Standard { code: "invalid_redirect_uri", .. })));
        }
        let hidden = Registration { client_name: Some("Ba\u{200b}ton".into()), ..of_one() };
        let other = Registration { grant_types: Some(vec!["client_credentials".into()]), ..of_one() };
        for broken in [hidden, other] {
            let refused = row(broken, now);
            assert!(matches!(refused, Err(OauthError::Standard { code: "invalid_client_metadata", .. })));
        }
    }
}
