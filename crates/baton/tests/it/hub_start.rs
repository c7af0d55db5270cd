//! `baton hub start`, `status`, `stop`: a hub's life as its operator sees it.

use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

use super::cli::cli_user::{CliUser, Running};
use super::cli::terminal::Terminal;
use super::http::{Client, connect};
use super::hub::{ADMIN, Hub, PASSWORD, baton};
use super::program::{binary, run};

fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_hub_that_is_up_says_what_to_type_next() {
    let hub = Hub::start();
    assert!(hub.line_beginning("data: ").ends_with(hub.data_dir().to_str().unwrap()));
    let login = format!("  baton login --hub {} --username {ADMIN}", hub.url());
    let work = "  baton work --alias shouter -- tr a-z A-Z";
    for command in [&*login, work, "  baton send shouter \"hello\" --wait"] {
        assert_eq!(hub.line_beginning("  "), command);
    }
    assert!(!hub.log().contains(PASSWORD));
}

#[test]
fn without_a_password_one_is_made_and_shown() {
    let hub = Hub::start_with(&[]);
    let line = hub.line_beginning("admin password: ");
    let password = line.strip_prefix("admin password: ").unwrap();
    assert!(password.ends_with("  (shown once; change it at first sign-in)"), "{line}");
    assert!(!hub.log().contains(password.split(' ').next().unwrap()));
}

#[test]
fn what_a_hub_writes_is_its_owners_alone() {
    let hub = Hub::start();
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(hub.data_dir()), 0o700);
    for file in ["hub.db", "hub.lock", "hub.sock"] {
        assert_eq!(mode(hub.data_dir().join(file)), 0o600, "{file}");
    }
}

#[test]
fn a_second_start_on_the_same_folder_names_the_holder() {
    let hub = Hub::start();
    let (code, _, error) = said(&hub.baton(&["hub", "start", "--port", "0"]));
    assert_eq!(code, Some(1), "it may go away");
    assert!(error.contains(&format!("process {} at {}", hub.pid(), hub.url())), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert_eq!(hub.client().get("/health").status, 200);
}

#[test]
fn a_killed_hub_leaves_nothing_that_hinders_the_next() {
    let mut hub = Hub::start();
    hub.kill9();
    assert_eq!(said(&hub.baton(&["hub", "status"])).0, Some(1));
    hub.restart();
    assert_eq!(hub.client().get("/ready").status, 200);
}

#[test]
fn status_and_stop_speak_to_the_running_hub() {
    let mut hub = Hub::start();
    let (code, status, _) = said(&hub.baton(&["hub", "status"]));
    assert_eq!(code, Some(0));
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!("running: pid {}, {}, version {version}, up ", hub.pid(), hub.url());
    assert!(status.starts_with(&expected), "{status}");

    assert_eq!(said(&hub.baton(&["hub", "stop"])), (Some(0), "stopped\n".into(), String::new()));
    assert!(hub.wait().success());
    for command in ["status", "stop"] {
        let (code, line, _) = said(&hub.baton(&["hub", command]));
        assert_eq!(code, Some(1));
        assert!(line.starts_with("no hub runs in "), "{line}");
    }
    hub.restart();
}

#[test]
fn after_a_stop_the_folder_is_free_at_once() {
    let mut hub = Hub::start();
    for _ in 0..5 {
        assert_eq!(said(&hub.baton(&["hub", "stop"])).0, Some(0));
        hub.restart();
    }
}

#[test]
fn sigterm_and_sigint_drain_and_exit_with_0() {
    for signal in [rustix::process::Signal::TERM, rustix::process::Signal::INT] {
        let mut hub = Hub::start();
        // A connection that is idle between two requests is no reason to wait.
        let mut idle = connect(hub.address());
        idle.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        idle.read_exact(&mut [0; 12]).unwrap();
        hub.signal(signal);
        assert_eq!(hub.wait().code(), Some(0));
        assert!(!hub.log().contains("connections were cut"), "{}", hub.log());
        assert!(!hub.data_dir().join("hub.sock").exists());
    }
}

#[test]
fn a_public_address_without_tls_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for host in ["0.0.0.0", "::", "192.0.2.1"] {
        let mut command = baton();
        command.args(["hub", "start", "--port", "0", "--host", host, "--data-dir"]).arg(folder.path());
        let (code, _, error) = said(&command.output().unwrap());
        assert_eq!(code, Some(2));
        assert!(error.contains("--tls-cert") && error.contains("--behind-proxy"), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was touched");
}

#[test]
fn a_public_address_behind_a_proxy_is_taken() {
    let hub = Hub::start_with(&["--host", "0.0.0.0", "--behind-proxy", "--password", PASSWORD]);
    assert!(hub.url().starts_with("http://0.0.0.0:"));
    let answer = hub.client().send("GET", "/health", &[("host", "hub.example")], None);
    assert_eq!(answer.status, 200);
}

#[test]
fn an_address_in_use_is_told() {
    let hub = Hub::start();
    let folder = tempfile::tempdir().unwrap();
    let port = hub.address().port().to_string();
    let mut command = baton();
    command.args(["hub", "start", "--port", &port, "--data-dir"]).arg(folder.path());
    let (code, _, error) = said(&command.output().unwrap());
    assert_eq!(code, Some(1), "it may become free");
    assert!(error.contains("cannot listen on 127.0.0.1:") && error.contains("--port"), "{error}");
}

#[test]
fn wrong_options_are_told_before_anything_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    for wrong in [
        &["--host", "nowhere.example"][..],
        &["--cors-origin", "https://example.org/path"],
        &["--tls-cert", "only.pem"],
        &["--rate-limit", "0"],
        &["--log", "loud"],
        &["--password", "-"],
    ] {
        let mut command = baton();
        command.args(["hub", "start", "--port", "0"]).args(wrong).arg("--data-dir").arg(folder.path());
        assert_eq!(command.output().unwrap().status.code(), Some(2), "{wrong:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_log_can_be_json() {
    let mut hub = Hub::start_with(&["--username", ADMIN, "--password", PASSWORD, "--log", "json"]);
    assert!(hub.stop().success());
    assert!(hub.log().contains("listening"), "without BATON_LOG the hub says what it does");
    for line in hub.log().lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["level"], json!("INFO"));
    }
}

#[test]
fn the_password_need_not_show_in_the_list_of_processes() {
    let hub = Hub::start_with_env(&[], &[("BATON_ADMIN_PASSWORD", PASSWORD)]);
    hub.admin();

    let folder = tempfile::tempdir().unwrap();
    let mut command = baton();
    command.args(["hub", "start", "--port", "0", "--password", "-", "--data-dir"]).arg(folder.path());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{PASSWORD}\n").as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().rsplit_once("//").unwrap().1.parse().unwrap();
    let login =
        Client::new(address).post("/api/auth/login", &json!({"username": ADMIN, "password": PASSWORD}));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(login.status, 200, "{}", login.text());
}

/// `baton hub start --password -` on a terminal, which is also where it may ask.
fn hub_that_asks(folder: &std::path::Path) -> Terminal {
    let mut command = Command::new("setsid");
    command.arg("--ctty").arg(binary()).args(["hub", "start", "--port", "0", "--password", "-"]);
    command.arg("--data-dir").arg(folder).env("BATON_CONFIG", "/dev/null").env_remove("BATON_STORE");
    Terminal::start(&mut command, 120)
}

#[test]
fn on_a_terminal_the_password_is_asked_for_twice_and_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = hub_that_asks(folder.path());
    for prompt in ["Password for admin: ", "Password for admin again: "] {
        terminal.wait_for(prompt);
        terminal.types_unseen(PASSWORD);
    }
    terminal.wait_for("baton send shouter"); // the end of the greeting
    let shown = terminal.shown();
    let address = shown.lines().find_map(|line| line.trim().strip_prefix("Baton hub listening on http://"));
    let login = json!({"username": ADMIN, "password": PASSWORD});
    let answer = Client::new(address.unwrap().parse().unwrap()).post("/api/auth/login", &login);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let stopped = baton().args(["hub", "stop", "--data-dir"]).arg(folder.path()).output().unwrap();
    assert!(stopped.status.success(), "{stopped:?}");
    let (shown, code) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        shown.contains("admin: admin, with the password you gave") && !shown.contains(PASSWORD),
        "{shown}"
    );
}

#[test]
fn two_different_passwords_start_no_hub() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = hub_that_asks(folder.path());
    terminal.wait_for("Password for admin: ");
    terminal.types_unseen(PASSWORD);
    terminal.wait_for("again: ");
    terminal.types_unseen("another-password");
    let (shown, code) = terminal.end();
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("the two passwords differ; no hub was started"), "{shown}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was touched");
}

#[test]
fn on_a_folder_with_users_the_credentials_given_are_not_used_and_a_line_says_so() {
    let mut hub = Hub::start();
    hub.restart();
    hub.line_beginning("users already exist in this folder: the username and password given were not used");
    hub.admin();

    hub.relaunch(&[], &[]);
    assert_eq!(hub.line_beginning("data: ").lines().count(), 1);
    let next = hub.line_beginning("");
    assert!(next.is_empty(), "nothing was given, so nothing is printed about it: {next}");
}

#[test]
fn a_generated_password_signs_in() {
    let hub = Hub::start_with(&[]);
    let line = hub.line_beginning("admin password: ");
    hub.login(ADMIN, line.split(' ').nth(2).unwrap());
}

#[test]
fn the_next_commands_do_what_they_say() {
    let hub = Hub::start();
    let [login, work, send] = std::array::from_fn(|_| hub.line_beginning("  ").trim().to_owned());
    let newcomer = CliUser::register(&hub, "newcomer");
    let binaries = super::program::binary().parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap());
    let terminal = |line: &str| {
        let mut command = Command::new("sh");
        newcomer.at_home(command.args(["-c", line]).env("PATH", &path));
        command
    };

    let type_password = |stdin: &mut dyn Write| writeln!(stdin, "{PASSWORD}");
    let signed_in = run(&mut terminal(&format!("{login} --password-stdin")), type_password).exited(0);
    assert!(signed_in.stdout.starts_with("Logged in"), "{signed_in:?}");
    let worker = Running::start(&mut terminal(&format!("exec {work}")));
    worker.stderr.wait_for("waiting for tasks");
    assert_eq!(run(&mut terminal(&send), |_| Ok(())).exited(0).stdout, "HELLO\n");
}

#[test]
fn a_waiting_claim_and_an_open_stream_end_when_the_hub_stops() {
    let mut hub = Hub::start();
    let admin = hub.admin();
    let network = admin.get("/api/auth/me").json()["networks"][0]["network_id"].clone();
    let minted = admin.post("/api/auth/node-token", &json!({"network_id": network, "node_name": "worker"}));
    let node = hub.client().with_token(minted.json()["token"].as_str().unwrap());
    let mut stream = node.stream("/events/worker", None).unwrap();
    stream.next_of("connected").unwrap();
    let waiting = std::thread::spawn(move || node.post("/api/claim", &json!({"wait_seconds": 50})));
    assert!(hub.stop().success());
    // Both ended by themselves, before the hub would have cut them.
    assert!(!hub.log().contains("connections were cut"), "{}", hub.log());
    assert!(stream.next_frame().is_none());
    let answer = waiting.join();
    if let Ok(answer) = answer {
        assert!(matches!(answer.status, 200 | 503), "{} {}", answer.status, answer.text());
    }
}
