//! Tokens by their name, and the message about one that the hub does not accept.

use baton_core::limits;
use std::process::Command;

use super::super::hub::Hub;
use super::super::program::{Ran, run};
use super::cli_user::CliUser;

fn unknown() -> String {
    format!("utok_{}", "0".repeat(64))
}

fn ran(command: &mut Command) -> Ran {
    run(command, |_| Ok(()))
}

#[test]
fn a_token_is_revoked_by_its_name_if_only_one_has_it() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let create = |alias: &str| ada.json(&["node", "create", alias])["token_id"].as_str().unwrap().to_owned();
    let (coder, older) = (create("coder"), create("reviewer"));
    assert_eq!(ada.says(&["token", "revoke", "node:coder"]), format!("{coder} (node:coder) is revoked."));

    let newer = create("reviewer");
    let ran = ada.baton(&["token", "revoke", "node:reviewer"]).exited(2);
    let told = &ran.stderr;
    assert!(told.contains("2 of your tokens are named \"node:reviewer\"; nothing was revoked"), "{told}");
    let network = &ada.tenant.network_id;
    let at = |id: &str| {
        told.find(&format!("{id} (network {network}, created "))
            .unwrap_or_else(|| panic!("no {id} in {told}"))
    };
    assert!(at(&newer) < at(&older) && told.matches(", never used)").count() == 2, "{told}");
    ada.says(&["token", "revoke", &older]);
    assert_eq!(
        ada.says(&["token", "revoke", "node:reviewer"]),
        format!("{newer} (node:reviewer) is revoked.")
    );

    let ran = ada.baton(&["token", "revoke", "node:reviewer"]).exited(2);
    assert!(ran.stderr.contains("no token of yours") && ran.stderr.contains("baton token ls"), "{ran:?}");
}

#[test]
fn of_many_tokens_of_a_name_the_newest_are_listed() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let made: Vec<String> = (0..limits::NAMESAKE_TOKENS_SHOWN_COUNT + 1)
        .map(|_| ada.json(&["node", "create", "coder"])["token_id"].as_str().unwrap().to_owned())
        .collect();
    let told = ada.baton(&["token", "revoke", "node:coder"]).exited(2).stderr;
    assert!(!told.contains(&made[0]) && made[1..].iter().all(|id| told.contains(&**id)), "{told}");
    assert!(told.contains("and older ones that `baton token ls` lists"), "{told}");
}

#[test]
fn a_refused_token_is_told_with_where_it_came_from_and_what_to_do_there() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.log_in(&["--username", "ada", "--profile", "other"]).exited(0);
    let config = std::fs::read_to_string(ada.config()).unwrap();
    let revoked: Vec<&str> = config.split('"').filter(|part| part.starts_with("utok_")).collect();
    for token in &revoked {
        assert_eq!(
            hub.client().with_token(token).post("/api/auth/logout", &serde_json::json!({})).status,
            200
        );
    }
    let url = &ada.url;
    let cases = [
        (
            ada.baton(&["tasks"]),
            format!(
                "(taken from the profile \"default\"): it may be unknown, revoked or expired; run `baton login --hub {url}`"
            ),
        ),
        (
            ada.baton(&["tasks", "--profile", "other"]),
            format!(
                "(taken from the profile \"other\"): it may be unknown, revoked or expired; run `baton login --profile other --hub {url}`"
            ),
        ),
        (
            ada.baton(&["tasks", "--token", &unknown()]),
            format!(
                "(given with --token): it may be unknown, revoked or expired; pass another with --token, or leave it out and run `baton login --hub {url}`"
            ),
        ),
        (
            ran(ada.command(&["tasks"]).env("BATON_TOKEN", unknown())),
            format!(
                "(taken from BATON_TOKEN): it may be unknown, revoked or expired; set BATON_TOKEN to another (`baton node create` creates one), or unset it and run `baton login --hub {url}`"
            ),
        ),
        (
            ran(ada
                .command(&["login", "--token", &unknown()])
                .env("BATON_TOKEN", unknown().replace('0', "1"))),
            "(given with --token)".to_owned(),
        ),
    ];
    for (ran, told) in cases {
        let ran = ran.exited(6);
        assert!(
            ran.stderr.contains(&format!("the hub at {url} does not accept your token {told}")),
            "{ran:?}"
        );
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    }
}

#[test]
fn the_login_that_is_advised_helps() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.log_in(&["--username", "ada", "--profile", "other"]).exited(0);
    ada.says(&["logout", "--profile", "other"]);
    let told = ada.baton(&["whoami", "--profile", "other"]).exited(2).stderr;
    let advised = format!("run `baton login --profile other --hub {}`", ada.url);
    assert!(told.contains(&advised), "{told}");
    ada.log_in(&["--profile", "other", "--username", "ada"]).exited(0);
    ada.says(&["whoami", "--profile", "other"]);
}

#[test]
fn a_token_that_is_none_is_told_by_where_it_came_from() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let told = ada.baton(&["whoami", "--token", "nonsense"]).exited(2).stderr;
    assert!(told.contains("--token is not a token") && !told.contains("nonsense"), "{told}");
    let told = ran(ada.command(&["whoami"]).env("BATON_TOKEN", "nonsense")).exited(2).stderr;
    assert!(told.contains("BATON_TOKEN is not a token") && !told.contains("nonsense"), "{told}");
}

#[test]
fn an_empty_variable_is_unset_and_an_empty_option_an_error() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    assert!(ran(ada.command(&["whoami"]).env("BATON_TOKEN", "")).exited(0).stdout.starts_with("ada"));
    let told = ada.baton(&["whoami", "--token", ""]).exited(2).stderr;
    assert!(told.contains("--token is empty"), "{told}");
}

#[test]
fn a_logout_of_a_profile_that_is_not_there_names_it_and_those_there_are() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let told = ada.baton(&["logout", "--profile", "nosuch"]).exited(2).stderr;
    assert!(
        told.contains("there is no profile \"nosuch\" (--profile or BATON_PROFILE; profiles: default)"),
        "{told}"
    );
    assert!(ada.says(&["whoami"]).starts_with("ada"), "still logged in");
}
