//! An error is one line that says what to do, and a token is only sent to the hub it belongs to.

use std::net::TcpListener;

use super::super::hub::{Hub, PASSWORD};
use super::cli_user::CliUser;

/// Every command that speaks to a hub.
const COMMANDS: &[&[&str]] = &[
    &["whoami"],
    &["network", "ls"],
    &["network", "create", "x"],
    &["network", "use", "x"],
    &["network", "members"],
    &["network", "invite"],
    &["network", "join", "inv_00112233445566778899aabbccddeeff"],
    &["network", "rename", "x", "y"],
    &["network", "delete", "x", "--yes"],
    &["node", "create", "coder"],
    &["token", "ls"],
    &["token", "revoke", "tok_000000000000"],
    &["send", "coder", "x"],
    &["tasks"],
    &["task", "show", "00000000-0000-7000-8000-000000000000"],
    &["cancel", "00000000-0000-7000-8000-000000000000"],
    &["retry", "00000000-0000-7000-8000-000000000000"],
    &["reassign", "00000000-0000-7000-8000-000000000000", "coder"],
    &["inbox"],
    &["ack", "00000000-0000-7000-8000-000000000000"],
    &["reply", "00000000-0000-7000-8000-000000000000", "x"],
    &["status"],
    &["watch"],
    &["logs"],
];

#[test]
fn a_bad_token_is_6_and_a_hub_that_is_not_there_is_5_for_every_command() {
    let mut hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let bad = format!("utok_{}", "0".repeat(64));
    for command in COMMANDS {
        let ran = ada.baton(&[command, &["--token", &bad][..]].concat());
        assert_eq!(ran.code, Some(6), "{command:?} {ran:?}");
        assert!(ran.stderr.contains("run `baton login"), "{command:?} {ran:?}");
        assert_eq!((ran.stdout.as_str(), ran.stderr.lines().count()), ("", 1), "{command:?} {ran:?}");
    }
    hub.stop();
    for command in COMMANDS {
        let ran = ada.baton(command);
        assert_eq!(ran.code, Some(5), "{command:?} {ran:?}");
        assert!(ran.stderr.contains("`baton hub start`"), "{command:?} {ran:?}");
        assert_eq!((ran.stdout.as_str(), ran.stderr.lines().count()), ("", 1), "{command:?} {ran:?}");
    }
}

#[test]
fn whoever_never_logged_in_is_told_how_for_every_command() {
    let hub = Hub::start();
    let ada = CliUser::register(&hub, "ada");
    for command in COMMANDS {
        let ran = ada.baton(command).exited(2);
        assert!(ran.stderr.contains("run `baton login --hub http://127.0.0.1:9200`"), "{command:?} {ran:?}");
    }
}

#[test]
fn a_profiles_token_is_not_sent_to_another_hub() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    let url = format!("http://{}", elsewhere.local_addr().unwrap());
    let ran = ada.baton(&["tasks", "--hub", &url]).exited(2);
    assert!(ran.stderr.contains(&format!("run `baton login --hub {url}`")), "{}", ran.stderr);
    assert!(elsewhere.accept().is_err(), "nobody was called");
}

#[test]
fn what_answers_and_is_no_hub_is_told_so() {
    use std::io::{Read, Write};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut socket in listener.incoming().map_while(Result::ok) {
            let _ = socket.read(&mut [0; 4096]);
            let _ = socket.write_all(
                b"HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\nconnection: close\r\n\r\nnot \x1b here",
            );
        }
    });
    let hub = Hub::start();
    let ada = CliUser::register(&hub, "ada");
    let token = ada.tenant.user.token.clone().unwrap();
    let ran = ada.baton(&["tasks", "--hub", &url, "--token", &token]).exited(5);
    assert!(ran.stderr.contains("does not answer like a Baton hub"), "{}", ran.stderr);
}

#[test]
fn a_private_ca_is_believed_when_it_is_named_and_only_then() {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
    let [cert, key] =
        ["cert.pem", "key.pem"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    std::fs::write(&cert, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let hub = Hub::start_with(&["--password", PASSWORD, "--tls-cert", &cert, "--tls-key", &key]);
    let local = Hub::start();
    let ada = CliUser::register(&local, "ada"); // a home; the hub is the other one
    let url = format!("https://localhost:{}", hub.address().port());
    let login = ["login", "--hub", &url, "--username", "admin", "--password-stdin"];
    let ran = ada.fed(&login, &format!("{PASSWORD}\n")).exited(5);
    assert!(ran.stderr.contains("--ca FILE"), "{}", ran.stderr);
    ada.fed(&[&login[..], &["--ca", &cert]].concat(), &format!("{PASSWORD}\n")).exited(0);
    assert_eq!(ada.json(&["whoami"])["user"]["username"], "admin", "the profile remembers the CA");
    ada.fed(&login, &format!("{PASSWORD}\n")).exited(0); // so does the next login
    assert_eq!(ada.json(&["whoami"])["user"]["username"], "admin");
    let ran = ada.baton(&["whoami", "--ca", &key]).exited(2);
    assert!(ran.stderr.contains("PEM"), "{}", ran.stderr);
    // The CA is that hub's, and nobody asks for it when another is named.
    std::fs::remove_file(&cert).unwrap();
    let token = ada.tenant.user.token.clone().unwrap();
    let bridge = ["mcp", "--alias", "coder", "--hub", &local.url(), "--token", &token];
    let list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
    let answer = &ada.fed(&bridge, list).exited(0).lines()[0];
    assert!(answer["result"]["tools"].is_array(), "{answer}");
}
