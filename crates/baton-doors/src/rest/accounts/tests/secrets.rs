//! Secrets and what is left of them.

use serde_json::json;
use std::fs;

use super::hub::{PASSWORD, TestHub};

#[tokio::test]
async fn no_secret_is_stored_in_plain() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let (node, _) = hub.mint(&alice, "builder").await;
    let path = format!("/api/networks/{}/invite", alice.network_id);
    let invite = hub.post(&path, &alice.token, json!({"max_uses": 1})).await.ok();
    let secrets = [
        alice.token.as_str(),
        alice.network_token.as_str(),
        node.as_str(),
        invite["invite_code"].as_str().unwrap(),
        PASSWORD,
    ];
    let mut bytes_seen = 0;
    let files = || {
        let all = fs::read_dir(hub.folder.path()).unwrap().map(|file| file.unwrap().path());
        all.filter(|path| path.is_file())
    };
    for file in files() {
        let bytes = fs::read(file).unwrap();
        bytes_seen += bytes.len();
        for secret in secrets {
            // Without its prefix, so that nothing hides behind another way to store it.
            let digits = secret.split_once('_').map_or(secret, |(_, digits)| digits).as_bytes();
            assert!(
                !bytes.windows(digits.len()).any(|window| window == digits),
                "a secret is in the database"
            );
        }
    }
    let holds = |name: &[u8]| {
        files().any(|file| {
            let bytes = fs::read(file).unwrap();
            bytes.windows(name.len()).any(|window| window == name)
        })
    };
    assert!(bytes_seen > 0 && holds(b"builder"), "the scan looked at the rows");
}

#[tokio::test]
async fn every_network_has_one_owner_whatever_is_tried() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let network = baton_core::NetworkId::parse(&cast.owner.network_id).unwrap();
    let members = hub
        .store()
        .read(move |rows| rows.members(&network, None, baton_store::rows::PageBounds::rows(100)))
        .await
        .unwrap();
    let owners: Vec<_> = members.rows.iter().filter(|member| member.role.as_str() == "owner").collect();
    assert_eq!(owners.len(), 1);
    assert_eq!(owners[0].username.as_str(), cast.owner.username);
}
