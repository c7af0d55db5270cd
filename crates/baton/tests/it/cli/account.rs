//! Logging in and out, profiles and their file, passwords and tokens.

use serde_json::json;
use std::os::unix::fs::PermissionsExt;

use super::super::hub::{ADMIN, Hub, PASSWORD};
use super::super::program::run;
use super::cli_user::CliUser;

fn mode(path: &std::path::Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn a_login_is_remembered_in_a_file_that_only_its_owner_reads() {
    let hub = Hub::start();
    let ada = CliUser::register(&hub, "ada");
    let said = ada.log_in(&["--username", "ada"]).exited(0).stdout;
    let network = &ada.tenant.network_id;
    let expected = format!("Logged in to {} as ada.\nNetwork: ", ada.url);
    assert!(said.starts_with(&expected) && said.contains(network.as_str()), "{said}");
    assert_eq!((mode(&ada.config()), mode(ada.config().parent().unwrap())), (0o600, 0o700));
    let kept = std::fs::read_to_string(ada.config()).unwrap();
    assert!(kept.contains("utok_") && kept.contains(network.as_str()), "{kept}");
    assert!(!kept.contains(PASSWORD));

    let who = ada.says(&["whoami"]);
    assert!(who.starts_with("ada (u_") && who.contains(&ada.url) && who.contains(network.as_str()), "{who}");
    assert_eq!(ada.json(&["whoami"])["user"]["username"], "ada");
}

#[test]
fn registering_creates_an_account_and_is_remembered_as_a_login_is() {
    let hub = Hub::start();
    let ada = CliUser::register(&hub, "ada");
    let register = ["register", "--hub", &ada.url, "--username", "nina"];
    let ran = ada.fed(&[&register[..], &["--password", "-"]].concat(), &format!("{PASSWORD}\n"));
    let said = ran.exited(0).stdout;
    assert!(
        said.starts_with(&format!(
            "Registered on {} as nina, and logged in.\nNetwork: default (net_",
            ada.url
        )),
        "{said}"
    );
    let kept = std::fs::read_to_string(ada.config()).unwrap();
    assert!(kept.contains("utok_") && !kept.contains(PASSWORD), "{kept}");
    assert_eq!(mode(&ada.config()), 0o600);
    let who = ada.json(&["whoami"]);
    assert_eq!(
        (who["user"]["username"].as_str(), who["user"]["role"].as_str()),
        (Some("nina"), Some("user"))
    );
    ada.says(&["tasks"]); // in the network that came with the account

    let other = [
        "register",
        "--hub",
        &ada.url,
        "--username",
        "olga",
        "--password-stdin",
        "--profile",
        "olga",
        "--json",
    ];
    let answer = ada.fed(&other, &format!("{PASSWORD}\n")).exited(0).lines()[0].clone();
    let networks = ada.json(&["whoami", "--profile", "olga"])["networks"].clone();
    let expected =
        json!({"ok": true, "hub": ada.url, "username": "olga", "network_id": networks[0]["network_id"]});
    assert_eq!(answer, expected, "no token is printed");
}

#[test]
fn a_registration_that_is_refused_says_what_to_do_and_keeps_nothing() {
    let hub = Hub::start();
    let ada = CliUser::register(&hub, "ada");
    let register = |more: &[&str], password: &str| {
        let arguments = [&["register", "--hub", &ada.url][..], more].concat();
        ada.fed(&arguments, &format!("{password}\n"))
    };
    for (arguments, password, code, says) in [
        (
            &["--username", "ada", "--password", "-"][..],
            PASSWORD,
            6,
            "if it is yours, log in with `baton login`",
        ),
        (&["--username", "nina", "--password", "-"], "short", 6, "password must be at least 8 characters"),
        (&["--username", "nina", "--password", "-"], "", 2, "standard input is empty"),
        (
            &["--username", "nina", "--password", PASSWORD],
            "",
            2,
            "pass - and write the password to standard input",
        ),
        (&["--username", "nina"], PASSWORD, 2, "--password -"),
        (&["--password", "-"], PASSWORD, 2, "pass --username NAME"),
        (
            &["--username", "nina", "--password", "-", "--token", "utok_00112233445566778899aabbccddeeff"],
            PASSWORD,
            2,
            "leave out --token",
        ),
    ] {
        let ran = register(arguments, password).exited(code);
        assert!(ran.stderr.contains(says), "{arguments:?}: {}", ran.stderr);
    }
    assert!(!ada.config().exists());

    let closed =
        Hub::start_with(&["--username", ADMIN, "--password", PASSWORD, "--open-registration", "false"]);
    let arguments = ["register", "--hub", &closed.url(), "--username", "nina", "--password", "-"];
    let ran = ada.fed(&arguments, &format!("{PASSWORD}\n")).exited(6);
    assert!(ran.stderr.contains("registration is closed on this hub; ask its operator"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--open-registration true"), "{}", ran.stderr);
    assert!(!ada.config().exists());
}

#[test]
fn logging_out_ends_the_token_on_the_hub_and_here() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let kept = std::fs::read_to_string(ada.config()).unwrap();
    let token = kept.split('"').find(|part| part.starts_with("utok_")).unwrap();
    assert_eq!(ada.says(&["logout"]), format!("Logged out of {}.", ada.url));
    assert!(!std::fs::read_to_string(ada.config()).unwrap().contains("utok_"));
    assert_eq!(hub.client().with_token(token).get("/api/auth/me").status, 401);
    let ran = ada.baton(&["tasks"]).exited(2);
    assert!(ran.stderr.contains(&format!("run `baton login --hub {}`", ada.url)), "{}", ran.stderr);
    assert_eq!(ada.says(&["logout"]), "You were not logged in.");
    assert_eq!(ada.json(&["logout"]), json!({"ok": true}));
}

#[test]
fn a_logout_the_hub_cannot_hear_of_still_forgets_the_token() {
    let mut hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    hub.stop();
    let ran = ada.baton(&["logout"]).exited(5);
    assert!(ran.stderr.contains("the hub could not be reached to revoke it"), "{}", ran.stderr);
    assert!(!std::fs::read_to_string(ada.config()).unwrap().contains("utok_"));
}

#[test]
fn a_token_logs_in_as_it_is_if_the_hub_knows_it() {
    let hub = Hub::start();
    let ada = CliUser::register(&hub, "ada");
    let token = ada.agent("coder").token.unwrap();
    let said = ada.says(&["login", "--hub", &ada.url, "--token", &token]);
    assert!(said.starts_with(&format!("Logged in to {} as coder.", ada.url)), "{said}");
    assert!(ada.says(&["whoami"]).starts_with("coder, a node of ada\n"));
    let unknown = format!("utok_{}", "0".repeat(64));
    ada.baton(&["login", "--hub", &ada.url, "--token", &unknown]).exited(6);
    assert!(ada.says(&["whoami"]).starts_with("coder"), "a refused login changes nothing");
}

#[test]
fn a_wrong_password_is_refused_in_the_hubs_words_and_one_that_cannot_be_asked_for_is_asked_for_by_option() {
    let hub = Hub::start();
    let ada = CliUser::register(&hub, "ada");
    let login = ["login", "--hub", &ada.url, "--username", "ada"];
    let wrong = ada.fed(&[&login[..], &["--password-stdin"]].concat(), "not-the-password\n").exited(6);
    assert!(wrong.stderr.contains("invalid username or password"), "{}", wrong.stderr);
    let unasked = ada.baton(&login).exited(2);
    assert!(unasked.stderr.contains("--password-stdin"), "{}", unasked.stderr);
    assert!(!ada.config().exists());
}

#[test]
fn two_profiles_are_two_people_and_flags_come_before_the_environment() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    CliUser::register(&hub, "bob");
    ada.log_in(&["--username", "bob", "--profile", "other"]).exited(0);
    let name = |options: &[&str]| ada.json(&[&["whoami"], options].concat())["user"]["username"].clone();
    assert_eq!((name(&[]), name(&["--profile", "other"])), (json!("ada"), json!("bob")));
    let with = |variable: &str, value: &str, options: &[&str]| {
        let mut command = ada.command(&[&["whoami", "--json"], options].concat());
        let output = command.env(variable, value).output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["user"]["username"].clone()
    };
    assert_eq!(with("BATON_PROFILE", "other", &[]), "bob");
    assert_eq!(with("BATON_PROFILE", "other", &["--profile", "default"]), "ada");
    let bob = ada.tenant.user.with_token(hub.login("bob", PASSWORD).token.as_deref().unwrap());
    let bobs = bob.token.unwrap();
    assert_eq!(with("BATON_TOKEN", &bobs, &[]), "bob");
    assert_eq!(with("BATON_TOKEN", "", &[]), "ada", "an empty variable is none");
    assert_eq!(with("BATON_TOKEN", &bobs, &["--token", ada.tenant.user.token.as_deref().unwrap()]), "ada");
}

#[test]
fn logins_at_the_same_time_all_find_their_place_in_the_file() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let token = ada.tenant.user.token.clone().unwrap();
    let names: Vec<String> = (0..8).map(|number| format!("p{number}")).collect();
    std::thread::scope(|scope| {
        for name in &names {
            scope.spawn(|| ada.says(&["login", "--hub", &ada.url, "--token", &token, "--profile", name]));
        }
    });
    let kept = std::fs::read_to_string(ada.config()).unwrap();
    assert!(names.iter().all(|name| kept.contains(&format!("[profile.{name}]"))), "{kept}");
    assert_eq!(mode(&ada.config()), 0o600);
}

#[test]
fn a_file_of_profiles_that_others_may_read_is_not_used() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    std::fs::set_permissions(ada.config(), std::fs::Permissions::from_mode(0o644)).unwrap();
    let ran = ada.baton(&["whoami"]).exited(2);
    assert!(ran.stderr.contains("chmod 600"), "{}", ran.stderr);
    std::fs::set_permissions(ada.config(), std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::write(ada.config(), "profile = 3").unwrap();
    let ran = ada.baton(&["whoami"]).exited(2);
    assert!(ran.stderr.contains("is not a file of profiles"), "{}", ran.stderr);
}

#[test]
fn a_changed_password_opens_the_next_login_and_keeps_this_one() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let new = "another-password-for-tests";
    ada.fed(&["passwd", "--password-stdin"], &format!("{PASSWORD}\n{new}\n")).exited(0);
    assert!(ada.says(&["whoami"]).starts_with("ada"), "the new token is kept");
    ada.log_in(&["--username", "ada"]).exited(6);
    ada.fed(&["login", "--hub", &ada.url, "--username", "ada", "--password-stdin"], &format!("{new}\n"))
        .exited(0);
}

#[test]
fn a_password_changed_elsewhere_leaves_the_profile_alone_and_prints_the_token() {
    let (hub, other) = (Hub::start(), Hub::start());
    let ada = CliUser::logged_in(&hub, "ada");
    let bob = CliUser::register(&other, "bob");
    let token = bob.tenant.user.token.clone().unwrap();
    let kept = std::fs::read_to_string(ada.config()).unwrap();
    let named = ["passwd", "--password-stdin", "--hub", &bob.url, "--token", &token];
    let (first, second) = ("another-password-for-tests", "a-third-password-for-tests");
    let said = ada.fed(&named, &format!("{PASSWORD}\n{first}\n")).exited(0).stdout;
    assert_eq!(std::fs::read_to_string(ada.config()).unwrap(), kept, "it is another hub's token");
    let token = said.trim_end();
    assert!(token.starts_with("utok_"), "a script gets the token alone: {said}");
    assert_eq!(other.client().with_token(token).get("/api/auth/me").status, 200);
    assert!(ada.says(&["whoami"]).starts_with("ada"));

    // Without a home there is no profile, and the token is not lost with the old password.
    let mut command =
        ada.command(&["passwd", "--password-stdin", "--json", "--hub", &bob.url, "--token", token]);
    let input = format!("{first}\n{second}\n");
    let ran = run(command.env_remove("HOME"), move |stdin| stdin.write_all(input.as_bytes())).exited(0);
    let token = ran.lines()[0]["token"].as_str().unwrap().to_owned();
    assert_eq!(other.client().with_token(&token).get("/api/auth/me").status, 200);
}

#[test]
fn a_token_in_the_environment_is_not_taken_for_a_password() {
    let hub = Hub::start();
    let ada = CliUser::register(&hub, "ada");
    let token = ada.agent("coder").token.unwrap();
    for option in [&["--username", "ada"][..], &["--password-stdin"]] {
        let mut command = ada.command(&[&["login", "--hub", &ada.url], option].concat());
        let input = format!("{PASSWORD}\n");
        let ran = run(command.env("BATON_TOKEN", &token), move |stdin| stdin.write_all(input.as_bytes()));
        assert!(ran.exited(2).stderr.contains("unset BATON_TOKEN"));
        assert!(!ada.config().exists());
    }
}

#[test]
fn a_logout_of_another_hub_changes_nothing() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let elsewhere = "http://127.0.0.1:1";
    let ran = ada.baton(&["logout", "--hub", elsewhere]).exited(2);
    assert!(ran.stderr.contains(&ada.url) && ran.stderr.contains(elsewhere), "{}", ran.stderr);
    let mut command = ada.command(&["logout"]);
    run(command.env("BATON_HUB", elsewhere), |_| Ok(())).exited(2);
    assert!(ada.says(&["whoami"]).starts_with("ada"), "still logged in");
    assert_eq!(ada.says(&["logout", "--hub", &ada.url]), format!("Logged out of {}.", ada.url));
}

#[test]
fn tokens_are_listed_and_revoked_by_their_id() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let token = ada.says(&["node", "create", "coder"]);
    assert!(
        token.starts_with("ntok_") && token.lines().count() == 1,
        "a script gets the token alone: {token}"
    );
    let made = ada.json(&["node", "create", "chief", "--scope", "coordinator"]);
    let list = ada.says(&["token", "ls"]);
    assert!(
        list.starts_with("ID  ") && list.contains("node:coder") && list.contains("coordinator"),
        "{list}"
    );
    assert!(!list.contains(&token) && !list.contains("utok_"));
    let tokens = ada.json(&["token", "ls"]);
    let row = tokens["tokens"].as_array().unwrap().iter().find(|row| row["name"] == "node:chief").unwrap();
    assert_eq!(row["token_id"], made["token_id"]);
    let id = made["token_id"].as_str().unwrap();
    assert_eq!(ada.says(&["token", "revoke", id]), format!("{id} is revoked."));
    let chief = hub.client().with_token(made["token"].as_str().unwrap());
    assert_eq!(chief.get("/api/auth/me").status, 401);
    ada.baton(&["token", "revoke", "tok_000000000000"]).exited(6);
}

/// What a warning about the end of a token begins with.
const WARNING: &str = "warning: this token expires in ";

#[test]
fn a_token_for_an_agent_expires_when_it_was_asked_to_and_the_list_marks_one_that_soon_does() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let made = ada.json(&["node", "create", "later", "--expires", "90d"]);
    assert!(made["expires_at"].is_string(), "{made}");
    let soon = ada.says(&["node", "create", "soon", "--expires", "6d"]);
    assert!(soon.starts_with("ntok_") && soon.lines().count() == 1, "a script gets the token alone: {soon}");
    assert_eq!(ada.json(&["node", "create", "never"]).get("expires_at"), None);

    let list = ada.says(&["token", "ls"]);
    assert!(list.lines().next().unwrap().ends_with("EXPIRES"), "{list}");
    let expires = |name: &str| {
        let row = list.lines().find(|line| line.contains(&format!("node:{name} "))).unwrap();
        row.trim_end().rsplit("  ").next().unwrap().trim().to_owned()
    };
    // A part of a second has gone by.
    assert_eq!([expires("later"), expires("soon"), expires("never")], ["in 89 d", "in 5 d (soon)", "never"]);
    let rows = ada.json(&["token", "ls"])["tokens"].as_array().unwrap().clone();
    let row = rows.iter().find(|row| row["name"] == "node:later").unwrap();
    assert_eq!(row["expires_at"], made["expires_at"]);

    for (span, rule) in [("90", "must be a span such as 30m, 12h or 90d"), ("3651d", "must be 1s to 3650d")] {
        let refused = ada.baton(&["node", "create", "wrong", "--expires", span]).exited(2);
        assert!(refused.stderr.contains(rule), "{}", refused.stderr);
    }
}

#[test]
fn a_login_for_a_while_is_warned_about_once_with_each_command() {
    let hub = Hub::start();
    let ada = CliUser::register(&hub, "ada");
    ada.log_in(&["--username", "ada", "--expires", "12h"]).exited(0);
    // `network members` makes several calls, and is answered several times that the token ends soon.
    for command in [&["whoami"][..], &["network", "members"], &["tasks", "--json"]] {
        let ran = ada.baton(command).exited(0);
        assert_eq!(ran.stderr.matches(WARNING).count(), 1, "{command:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("in 11 h; make another one with"), "{}", ran.stderr);
        assert!(!ran.stdout.contains(WARNING), "{}", ran.stdout);
    }
    ada.log_in(&["--username", "ada", "--expires", "8d"]).exited(0);
    assert_eq!(ada.baton(&["whoami"]).exited(0).stderr, "", "there is time");
    let rows = ada.json(&["token", "ls"])["tokens"].as_array().unwrap().clone();
    let ends = rows.iter().filter(|row| row["expires_at"].is_string()).count();
    assert_eq!(ends, 2, "{rows:?}");
}
