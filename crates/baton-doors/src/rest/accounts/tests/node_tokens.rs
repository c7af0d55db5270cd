//! POST /api/auth/node-token.

use serde_json::json;

use super::hub::{TestHub, said};

#[tokio::test]
async fn a_minted_token_is_its_alias_in_its_network() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let body = json!({"network_id": alice.network_id, "node_name": "builder"});
    let reply = hub.post("/api/auth/node-token", &alice.token, body).await;
    assert!(reply.text.starts_with(r#"{"ok":true,"token":"ntok_"#), "{}", reply.text);
    let token = reply.ok()["token"].as_str().unwrap().to_owned();
    let identity = hub.hub.identify(&token).await.unwrap();
    assert_eq!(identity.caller.principal().unwrap().name(), "builder");
    assert_eq!(hub.last_change().await, said("alice", "token.created"));
    let (second, _) = hub.mint(&alice, "builder").await;
    assert_ne!(second, token, "one alias may have several tokens");
}

#[tokio::test]
async fn minting_wants_network_and_name() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    for body in [
        json!({}),
        json!({"network_id": alice.network_id}),
        json!({"node_name": "builder"}),
        json!({"network_id": "", "node_name": "builder"}),
        json!({"network_id": alice.network_id, "node_name": null}),
    ] {
        let reply = hub.post("/api/auth/node-token", &alice.token, body).await;
        reply.refused(400, "network_id and node_name required");
    }
}

#[tokio::test]
async fn an_alias_is_well_formed_normalised_not_reserved_and_nobodys_username() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let mint = |name: String| {
        let body = json!({"network_id": alice.network_id, "node_name": name});
        hub.post("/api/auth/node-token", &alice.token, body)
    };
    for name in ["a b".to_owned(), "hub".into(), "ME".into(), "x".repeat(201)] {
        let body = mint(name).await.refused(400, "invalid input");
        assert_eq!(body["details"][0]["field"], "node_name");
    }
    mint("alice".into()).await.refused(409, "alias_in_use");
    let decomposed = mint("cafe\u{301}".into()).await.ok();
    let identity = hub.hub.identify(decomposed["token"].as_str().unwrap()).await.unwrap();
    assert_eq!(identity.caller.principal().unwrap().name(), "caf\u{e9}");
    mint("代码1号".into()).await.ok();
}

#[tokio::test]
async fn members_mint_and_only_admins_and_owners_mint_coordinators() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let denied = "no write access to this network";
    let table = [
        ("owner", &cast.owner.token, None, None),
        ("admin", &cast.admin.token, None, None),
        ("member", &cast.member.token, None, Some("permission_denied")),
        ("viewer", &cast.viewer.token, Some(denied), Some(denied)),
        ("outsider", &cast.outsider.token, Some(denied), Some(denied)),
        ("node", &cast.node, Some("user_token_required"), Some("user_token_required")),
    ];
    for (who, token, node, coordinator) in table {
        for (scope, refused) in [("node", node), ("coordinator", coordinator)] {
            let network = &cast.owner.network_id;
            let body = json!({"network_id": network, "node_name": format!("{who}-{scope}"), "scope": scope});
            let reply = hub.post("/api/auth/node-token", token, body).await;
            match refused {
                None => drop(reply.ok()),
                Some(error) => drop(reply.refused(403, error)),
            }
        }
    }
    let body = json!({"network_id": cast.owner.network_id, "node_name": "x", "scope": "all"});
    hub.post("/api/auth/node-token", &cast.owner.token, body).await.refused(400, "invalid input");
}

#[tokio::test]
async fn a_foreign_a_missing_and_a_malformed_network_answer_alike() {
    let hub = TestHub::start();
    let (alice, bob) = (hub.register("alice").await, hub.register("bob").await);
    let mut texts = Vec::new();
    for network in [bob.network_id.as_str(), "net_000000000000", "nonsense"] {
        let body = json!({"network_id": network, "node_name": "builder"});
        let reply = hub.post("/api/auth/node-token", &alice.token, body).await;
        texts.push(reply.text.clone());
        reply.refused(403, "no write access to this network");
    }
    assert!(texts.windows(2).all(|pair| pair[0] == pair[1]), "{texts:?}");
}

#[tokio::test]
async fn an_admin_sees_and_revokes_all_tokens_of_a_network_and_a_member_their_own() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let path = format!("/api/networks/{}/tokens", cast.owner.network_id);
    let body = json!({"network_id": cast.owner.network_id, "node_name": "painter"});
    let minted = hub.post("/api/auth/node-token", &cast.member.token, body).await.ok();
    let (secret, painter) = (minted["token"].as_str().unwrap(), minted["token_id"].as_str().unwrap());
    let listed = async |token: &str| {
        let reply = hub.get(&path, token).await;
        assert!(!reply.text.contains("ntok_"), "{}", reply.text);
        let tokens = reply.ok()["tokens"].as_array().unwrap().clone();
        tokens.iter().map(|token| (token["node_name"].clone(), token["owner"].clone())).collect::<Vec<_>>()
    };
    let own = (json!("painter"), json!("the-member"));
    assert_eq!(listed(&cast.member.token).await, std::slice::from_ref(&own));
    for admin in [&cast.owner.token, &cast.admin.token] {
        let all = listed(admin).await;
        assert!(all.contains(&own) && all.contains(&(json!("builder"), json!("owner"))), "{all:?}");
    }
    let builder = hub.get(&path, &cast.owner.token).await.ok()["tokens"]
        .as_array()
        .unwrap()
        .iter()
        .find(|token| token["node_name"] == "builder")
        .unwrap()["token_id"]
        .as_str()
        .unwrap()
        .to_owned();
    hub.delete(&format!("{path}/{builder}"), &cast.member.token).await.refused(404, "token not found");
    hub.delete(&format!("{path}/{painter}"), &cast.member.token).await.ok();
    assert_eq!(hub.last_change().await, said("the-member", "token.revoked"));
    hub.get("/api/auth/me", secret).await.refused(401, "unauthorized");
    hub.delete(&format!("{path}/{builder}"), &cast.admin.token).await.ok();
    hub.get("/api/networks", &cast.node).await.refused(401, "unauthorized");
    for gone in [builder.as_str(), painter, "nonsense"] {
        hub.delete(&format!("{path}/{gone}"), &cast.owner.token).await.refused(404, "token not found");
    }
}

#[tokio::test]
async fn a_networks_tokens_are_nobodys_business_outside_it() {
    let hub = TestHub::start();
    let root = hub.admin().await;
    let cast = hub.cast().await;
    let path = format!("/api/networks/{}/tokens", cast.owner.network_id);
    let (_, token_id) = hub.mint(&cast.owner, "painter").await;
    let refused = [
        (&cast.viewer.token, 403, "permission_denied"),
        (&root, 403, "permission_denied"),
        (&cast.outsider.token, 404, "network not found"),
        (&cast.node, 403, "user_token_required"),
    ];
    for (token, status, error) in refused {
        hub.get(&path, token).await.refused(status, error);
        hub.delete(&format!("{path}/{token_id}"), token).await.refused(status, error);
    }
    // A token of another network is not found in one's own.
    let elsewhere = format!("/api/networks/{}/tokens/{token_id}", cast.outsider.network_id);
    hub.delete(&elsewhere, &cast.outsider.token).await.refused(404, "token not found");
}

#[tokio::test]
async fn a_networks_tokens_are_paged_newest_first() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let path = format!("/api/networks/{}/tokens", alice.network_id);
    let mut minted = Vec::new();
    for name in ["one", "two", "three", "four"] {
        minted.push(hub.mint(&alice, name).await.1);
    }
    let all = hub.get(&path, &alice.token).await.ok();
    let ids = |page: &serde_json::Value| {
        let tokens = page["tokens"].as_array().unwrap();
        tokens.iter().map(|token| token["token_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    minted.reverse();
    assert_eq!((&ids(&all)[..4], &all["next_cursor"]), (&minted[..], &json!(null)));
    let (mut paged, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = hub.get(&format!("{path}?limit=2&cursor={cursor}"), &alice.token).await.ok();
        assert!(ids(&page).len() <= 2);
        paged.extend(ids(&page));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(paged, ids(&all));
    for query in ["limit=0", "limit=501", "limit=x", "cursor=x"] {
        hub.get(&format!("{path}?{query}"), &alice.token).await.refused(400, "invalid input");
    }
}
