//! `baton network`: made, listed, chosen, shared, renamed and deleted.

use serde_json::json;

use super::super::hub::Hub;
use super::cli_user::CliUser;

#[test]
fn a_new_network_is_used_from_then_on_and_use_goes_back() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let said = ada.says(&["network", "create", "lab", "--description", "experiments"]);
    assert!(said.starts_with("lab (net_") && said.contains("is used from now on"), "{said}");
    let list = ada.says(&["network", "ls"]);
    let used: Vec<&str> = list.lines().filter(|line| line.starts_with('*')).collect();
    assert!(used.len() == 1 && used[0].contains("lab") && used[0].contains("experiments"), "{list}");

    let first = &ada.tenant.network_id;
    let chosen = ada.json(&["network", "use", first]);
    assert_eq!((&chosen["ok"], chosen["network_id"].as_str()), (&json!(true), Some(first.as_str())));
    assert!(ada.says(&["network", "use", "lab"]).starts_with("Using lab (net_"));
    let ran = ada.baton(&["network", "use", "nowhere"]).exited(2);
    assert!(ran.stderr.contains("baton network ls"), "{}", ran.stderr);
    assert_eq!(ada.json(&["network", "ls"])["networks"].as_array().unwrap().len(), 2);
}

#[test]
fn somebody_is_invited_joins_and_is_listed() {
    let hub = Hub::start();
    let (ada, bob) = (CliUser::logged_in(&hub, "ada"), CliUser::logged_in(&hub, "bob"));
    let code = ada.says(&["network", "invite", "--role", "viewer", "--uses", "2", "--days", "3"]);
    assert!(code.starts_with("inv_") && code.lines().count() == 1, "a script gets the code alone: {code}");
    let said = bob.says(&["network", "join", &code]);
    assert!(said.starts_with(&format!("You are in {} as viewer.", ada.tenant.network_id)), "{said}");
    assert_eq!(bob.json(&["network", "join", &code])["role"], "viewer");
    assert!(ada.json(&["network", "invite"])["invite_code"].as_str().unwrap().starts_with("inv_"));

    let members = ada.says(&["network", "members"]);
    let bobs = members.lines().find(|line| line.starts_with("bob")).unwrap();
    assert!(bobs.contains("viewer") && bobs.contains("ada"), "{members}");
    assert_eq!(ada.json(&["network", "members"])["members"][1]["username"], "bob");
    bob.baton(&["network", "join", "inv_nonsense"]).exited(6);
}

#[test]
fn an_invite_is_a_link_too_and_one_to_another_hub_is_refused_before_anything_is_sent() {
    let (hub, other) = (Hub::start(), Hub::start());
    let (ada, bob) = (CliUser::logged_in(&hub, "ada"), CliUser::logged_in(&hub, "bob"));
    let link = ada.says(&["network", "invite", "--link"]);
    assert!(link.starts_with(&format!("{}/#/join/inv_", ada.url)) && link.lines().count() == 1, "{link}");
    let told = ada.json(&["network", "invite"]);
    let code = told["invite_code"].as_str().unwrap();
    assert_eq!(told["link"].as_str(), Some(&*format!("{}/#/join/{code}", ada.url)));

    let stranger = CliUser::logged_in(&other, "bob");
    let ran = stranger.baton(&["network", "join", &link]).exited(2);
    let says = format!("this invite is of the hub at {}, and you are logged in to {}", ada.url, stranger.url);
    assert!(ran.stderr.contains(&says) && !ran.stderr.contains("inv_"), "{}", ran.stderr);
    let ran = bob.baton(&["network", "join", &format!("{}/join", ada.url)]).exited(2);
    assert!(ran.stderr.contains("is not an invite's link"), "{}", ran.stderr);

    let said = bob.says(&["network", "join", &link]);
    assert!(said.starts_with(&format!("You are in {} as member.", ada.tenant.network_id)), "{said}");
}

#[test]
fn a_network_is_named_by_flag_and_variable_too_and_several_must_be_named() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.says(&["network", "create", "lab"]);
    let token = ada.tenant.user.token.clone().unwrap();
    // A token of one's own brings no network along.
    let node = ["node", "create", "coder", "--hub", &ada.url, "--token", &token];
    let ran = ada.baton(&node).exited(2);
    assert!(ran.stderr.contains("several networks"), "{}", ran.stderr);
    let ran = ada.baton(&["send", "coder", "x", "--hub", &ada.url, "--token", &token]).exited(6);
    assert!(ran.stderr.contains("pass --network"), "{}", ran.stderr);
    ada.baton(&[&node[..], &["--network", "lab"]].concat()).exited(0);
    let mut command = ada.command(&["send", "coder", "x", "--token", &token]);
    let sent = command.env("BATON_NETWORK", "lab").output().unwrap();
    assert!(sent.status.success(), "{sent:?}");
}

#[test]
fn a_network_is_renamed_and_deleted_only_when_that_is_meant() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.says(&["network", "create", "lab"]);
    assert!(ada.says(&["network", "rename", "lab", "hall"]).ends_with("is now called hall."));
    assert_eq!(ada.json(&["network", "rename", "hall", "lab"]), json!({"ok": true}));
    let ran = ada.baton(&["network", "delete", "lab"]).exited(2);
    assert!(ran.stderr.contains("--yes"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("evidence log") && ran.stderr.contains("baton evidence export"),
        "{}",
        ran.stderr
    );
    assert_eq!(ada.json(&["network", "ls"])["networks"].as_array().unwrap().len(), 2);
    assert!(ada.says(&["network", "delete", "lab", "--yes"]).ends_with("is deleted."));
    assert_eq!(ada.json(&["network", "ls"])["networks"].as_array().unwrap().len(), 1);
    ada.says(&["tasks"]); // the profile names no network that is gone
}

#[test]
fn an_invitation_is_listed_accepted_declined_and_left_again() {
    let hub = Hub::start();
    let (ada, bob) = (CliUser::logged_in(&hub, "ada"), CliUser::logged_in(&hub, "bob"));
    let bobs_id = bob.json(&["whoami"])["user"]["user_id"].clone();
    let network = ada.tenant.network_id.as_str();
    let invite = || {
        let body = json!({"user_id": bobs_id, "role": "viewer"});
        let answer = ada.tenant.user.post(&format!("/api/networks/{network}/members"), &body);
        assert_eq!(answer.json()["pending"], true, "{}", answer.text());
    };
    invite();
    let list = bob.says(&["network", "invitations"]);
    assert!(list.contains(network) && list.contains("viewer") && list.contains("ada"), "{list}");
    let members = ada.says(&["network", "members"]);
    assert!(members.lines().any(|line| line.starts_with("bob") && line.contains("invited")), "{members}");
    assert!(bob.says(&["network", "decline", network]).starts_with("Declined net_"));
    assert_eq!(bob.json(&["network", "invitations"])["invitations"], json!([]));
    let ran = bob.baton(&["network", "accept", network]).exited(2);
    assert!(ran.stderr.contains("baton network invitations"), "{}", ran.stderr);
    invite();
    assert_eq!(bob.json(&["network", "accept", network])["role"], "viewer");
    assert!(bob.says(&["network", "leave", network]).starts_with("You left"));
    assert!(!bob.says(&["network", "ls"]).contains(network));
    let ran = ada.baton(&["network", "leave", network]).exited(6);
    assert!(ran.stderr.contains("delete the network instead"), "{}", ran.stderr);
}

#[test]
fn an_admin_hands_an_agents_name_over_by_username() {
    let hub = Hub::start();
    let (ada, bob) = (CliUser::logged_in(&hub, "ada"), CliUser::logged_in(&hub, "bob"));
    ada.tenant.admit(&bob.tenant.user, "member");
    ada.says(&["node", "create", "coder"]);
    let network = ada.tenant.network_id.as_str();
    bob.baton(&["node", "create", "coder", "--network", network]).exited(6);
    let ran = ada.baton(&["node", "hand-over", "coder", "nobody"]).exited(2);
    assert!(ran.stderr.contains("baton network members"), "{}", ran.stderr);
    assert!(ada.says(&["node", "hand-over", "coder", "bob"]).starts_with("coder belongs to bob now."));
    bob.baton(&["node", "create", "coder", "--network", network]).exited(0);
}
