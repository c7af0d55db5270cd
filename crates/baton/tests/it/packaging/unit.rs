//! The systemd unit: its command is run as systemd would run it, with a socket that receives what systemd would.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::files::{after, options, read};
use crate::it::hub::{Hub, PASSWORD};
use crate::it::tls::Certificate;

/// The options in the last `ExecStart=` of a file, `%d` being a folder.
fn started(file: &str, credentials: &str) -> Vec<String> {
    let text = read(file);
    let line = after(&text, "ExecStart=").pop().expect("a command").to_owned();
    let words: Vec<&str> = line.split(' ').collect();
    assert_eq!(words[0], "/usr/local/bin/baton");
    let given = options(&words[1..], "%S/baton");
    let given = given.into_iter().filter(|word| *word != "$BATON_HUB_OPTIONS");
    let given = given.map(|word| word.replace("%d", credentials)).collect();
    assert!(text.contains("StateDirectory=baton") || text.contains("LoadCredential="), "{text}");
    given
}

fn received(socket: &UnixDatagram) -> String {
    let mut bytes = [0; 100];
    let length = socket.recv(&mut bytes).expect("a word in time");
    String::from_utf8(bytes[..length].to_vec()).unwrap()
}

fn hub_told_of(socket: &UnixDatagram, name: &str) -> Hub {
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let options = started("packaging/baton-hub.service", "");
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let hub = Hub::start_with_env(&options, &[("NOTIFY_SOCKET", name), ("BATON_ADMIN_PASSWORD", PASSWORD)]);
    assert_eq!(received(socket), "READY=1");
    assert_eq!(hub.client().get("/ready").status, 200);
    hub
}

#[test]
fn the_units_hub_says_when_it_is_ready_and_when_it_stops() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    let mut hub = hub_told_of(&socket, path.to_str().unwrap());
    assert!(hub.stop().success());
    assert_eq!(received(&socket), "STOPPING=1");
}

#[test]
fn a_socket_without_a_path_is_told_too_and_a_stop_by_command_is_told_alike() {
    let name = format!("baton-test-{}", std::process::id());
    let socket = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let mut hub = hub_told_of(&socket, &format!("@{name}"));
    assert!(hub.baton(&["hub", "stop"]).status.success());
    assert_eq!(received(&socket), "STOPPING=1");
    assert!(hub.wait().success());
}

#[test]
fn a_manager_that_cannot_be_told_stops_nothing() {
    let hub = Hub::start_with_env(&["--password", PASSWORD], &[("NOTIFY_SOCKET", "/nowhere/notify")]);
    assert_eq!(hub.client().get("/ready").status, 200);
    assert!(hub.log().contains("the service manager could not be notified"), "{}", hub.log());
}

#[test]
fn the_example_for_tls_starts_a_hub_that_speaks_it() {
    let certificate = Certificate::new();
    let folder = certificate.file("");
    let options = started("packaging/baton-hub-tls.conf", folder.to_str().unwrap().trim_end_matches('/'));
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let hub = Hub::start_with_env(&options, &[("BATON_ADMIN_PASSWORD", PASSWORD)]);
    assert_eq!(certificate.get(hub.address(), "/ready").status, 200);
}

#[test]
fn the_example_options_are_options_of_the_hub() {
    let text = read("packaging/hub.env");
    let [options] = after(&text, "#BATON_HUB_OPTIONS=")[..] else { panic!("{text}") };
    let options: Vec<&str> = options.split(' ').collect();
    assert!(options.len() > 1, "{text}");
    let hub = Hub::start_with_env(&options, &[("BATON_ADMIN_PASSWORD", PASSWORD)]);
    assert_eq!(hub.client().get("/ready").status, 200);
}

#[test]
fn the_unit_tries_again_for_ever_but_not_what_only_its_operator_can_mend() {
    let text = read("packaging/baton-hub.service");
    for (key, value) in [
        ("Restart=", "on-failure"),
        ("RestartSec=", "5"),
        ("RestartPreventExitStatus=", "2"),
        ("StartLimitIntervalSec=", "0"),
        ("TimeoutStartSec=", "infinity"),
        ("ReadWritePaths=", "-/var/backups/baton"),
    ] {
        assert_eq!(after(&text, key), [value], "{key}");
    }
}

/// Where there is no systemd only the tests above look at the unit.
#[test]
fn systemd_finds_nothing_wrong_with_the_unit() {
    let folder = tempfile::tempdir().unwrap();
    if Command::new("systemd-analyze").arg("--version").output().is_err() {
        println!("no systemd-analyze here");
        return;
    }
    super::install::into(Path::new(""), folder.path().to_str().unwrap());
    let unit = folder.path().join("lib/systemd/system/baton-hub.service");
    let analyze = |arguments: &[&str], unit: &Path| {
        let output = Command::new("systemd-analyze").args(arguments).arg(unit).output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(output.status.success(), "{said}");
        said
    };
    let verify = || {
        // What it ignores it names, and exits with 0.
        let said = analyze(&["verify", "--man=no"], &unit);
        assert!(!said.contains("baton-hub"), "{said}");
    };
    verify();
    let drop_ins = unit.with_extension("service.d");
    std::fs::create_dir(&drop_ins).unwrap();
    let example = folder.path().join("share/doc/baton/examples/tls.conf");
    std::fs::copy(example, drop_ins.join("tls.conf")).unwrap();
    verify();
    // Systemd's own scale: 0 is shut in, 10 is open. What is left is the network.
    analyze(&["security", "--offline=true", "--threshold=20"], &unit);
}
