//! What a client finds that knows only the hub's address: the card at the root, the catalog, and what cards say of the hub.

use serde_json::{Value, json};

use crate::it::hub::{Hub, PASSWORD};
use crate::it::tenant::{Tenant, succeed};

const ROOT: &str = "/.well-known/agent-card.json";
const CATALOG: &str = "/.well-known/ai-catalog.json";

fn publish(tenant: &Tenant) {
    succeed(
        &tenant.user.put(&format!("/api/networks/{}", tenant.network_id), &json!({"public_cards": true})),
    );
}

/// The names on a page, and the page.
fn names(page: &Value) -> Vec<String> {
    let entries = page["entries"].as_array().unwrap().iter();
    entries.map(|entry| entry["displayName"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_root_has_the_card_of_the_only_public_agent_and_of_no_other_hub() {
    let hub = Hub::start();
    let (alice, bob) = (Tenant::register(&hub, "alice"), Tenant::register(&hub, "bob"));
    alice.agent("worker");
    bob.agent("hidden");
    let nobody = hub.client();
    for who in [&nobody, &alice.user] {
        assert_eq!(who.get(ROOT).status, 404, "no network shows its cards");
    }
    publish(&alice);
    let card = nobody.get(ROOT);
    assert_eq!((card.status, &card.json()["name"]), (200, &json!("worker")));
    let own = nobody.get(&format!("/a2a/{}/worker{ROOT}", alice.network_id));
    assert_eq!(card.json(), own.json(), "the same card, with the agent's own addresses");
    let tag = card.header("etag").unwrap().to_owned();
    assert_eq!(nobody.send("GET", ROOT, &[("if-none-match", &tag)], None).status, 304);
    assert_eq!(hub.client().with_token("utok_00").get(ROOT).status, 200, "an unknown token is none");
    alice.agent("second");
    let missing = nobody.get(ROOT);
    assert_eq!(
        (missing.status, &missing.json()["error"]["details"][0]["reason"]),
        (404, &json!("TASK_NOT_FOUND"))
    );
}

#[test]
fn the_catalog_lists_the_cards_that_its_caller_may_see() {
    let hub = Hub::start();
    let (alice, bob) = (Tenant::register(&hub, "alice"), Tenant::register(&hub, "bob"));
    let node = alice.agent("worker");
    alice.agent("größe");
    bob.agent("hidden");
    let (nobody, stranger) = (hub.client(), Tenant::register(&hub, "mallory").user);
    assert_eq!(names(&nobody.get(CATALOG).json()), [""; 0]);
    publish(&alice);
    for who in [&nobody, &stranger, &alice.user, &node] {
        let page = who.get(CATALOG).json();
        assert_eq!(names(&page), ["größe", "worker"]);
        assert!(page.get("next").is_none(), "{page}");
        for entry in page["entries"].as_array().unwrap() {
            assert_eq!(entry["type"], "application/a2a-agent-card+json");
            let path = entry["url"].as_str().unwrap().strip_prefix(&hub.url()).unwrap();
            assert_eq!(who.get(path).json()["name"], entry["displayName"], "its address is its card's");
        }
    }
    let mut own = names(&bob.user.get(CATALOG).json());
    own.sort_unstable();
    assert_eq!(own, ["größe", "hidden", "worker"], "its own network's and the public one's");
    assert_eq!(bob.user.get(CATALOG).header("cache-control"), Some("private, max-age=60"));
    assert_eq!(nobody.get(&format!("{CATALOG}?after=nonsense")).status, 400);
}

#[test]
fn a_long_catalog_comes_in_pages() {
    let hub = Hub::start();
    let tenants = ["alice", "bob"].map(|name| Tenant::register(&hub, name));
    let agents = 60;
    for tenant in &tenants {
        for n in 0..agents {
            tenant.mint(&format!("agent-{n:02}"), "node");
        }
        publish(tenant);
    }
    let first = hub.client().get(CATALOG).json();
    assert_eq!(names(&first).len(), 100);
    let next = first["next"].as_str().unwrap().strip_prefix(&hub.url()).unwrap();
    let second = hub.client().get(next).json();
    assert!(second.get("next").is_none(), "{second}");
    let of = |page: &Value| page["entries"].as_array().unwrap().clone();
    let mut all: Vec<String> =
        of(&first).iter().chain(&of(&second)).map(|entry| entry["identifier"].to_string()).collect();
    all.dedup();
    assert_eq!(all.len(), 2 * agents, "each once, in order");
}

#[test]
fn cards_name_provider_documentation_and_icon_as_the_hub_was_started_with() {
    let options = [
        "--password",
        PASSWORD,
        "--card-provider",
        "Example Ltd=https://example.org",
        "--card-documentation-url",
        "https://example.org/docs",
        "--card-icon-url",
        "https://example.org/icon.png",
    ];
    let hub = Hub::start_with(&options);
    let tenant = Tenant::of_admin(&hub);
    tenant.agent("worker");
    let card = tenant.user.get(&format!("/a2a/{}/worker", tenant.network_id)).json();
    assert_eq!(card["provider"], json!({"organization": "Example Ltd", "url": "https://example.org/"}));
    assert_eq!(card["documentationUrl"], "https://example.org/docs");
    assert_eq!(card["iconUrl"], "https://example.org/icon.png");
    assert_eq!(card["securityRequirements"][0]["schemes"], json!({"bearer": {"list": []}}));
    assert_eq!(tenant.user.get(CATALOG).json()["host"]["displayName"], "Example Ltd");
    for wrong in
        ["Example", "=https://example.org", "Example=javascript:alert(1)", "Example=https://u:p@example.org"]
    {
        let refused = hub.baton(&["hub", "start", "--card-provider", wrong]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("give a name and a URL"), "{wrong}: {said}");
    }
}
