//! The container image. There is no Docker in a test; what the Dockerfile names is looked for, and what it starts is started.

use super::files::{after, options, read, root};
use crate::it::hub::{Hub, PASSWORD, baton};

/// The words of an instruction in its JSON form; its last one counts.
fn words(dockerfile: &str, instruction: &str) -> Vec<String> {
    let line = after(dockerfile, instruction).pop().unwrap_or_else(|| panic!("{instruction}"));
    serde_json::from_str(line.trim()).unwrap()
}

#[test]
fn the_images_hub_starts_and_its_health_check_tells_ready_from_gone() {
    let dockerfile = read("Dockerfile");
    assert_eq!(words(&dockerfile, "ENTRYPOINT"), ["/usr/bin/baton"]);
    // The check's own CMD stands before the image's.
    let [check, start] = &after(&dockerfile, "CMD ")[..] else { panic!("{dockerfile}") };
    let check: Vec<String> = serde_json::from_str(check).unwrap();
    let start: Vec<String> = serde_json::from_str(start).unwrap();
    let start: Vec<&str> = start.iter().map(String::as_str).collect();
    assert_eq!(check[0], "/usr/bin/baton");

    let options = options(&start, "/data");
    let mut hub = Hub::start_with_env(&options, &[("BATON_ADMIN_PASSWORD", PASSWORD)]);
    let look = |hub: &Hub| {
        let data = hub.data_dir();
        let here = check[1..].iter().map(|word| if word == "/data" { data.to_str().unwrap() } else { word });
        let output = baton().args(here).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(look(&hub), (Some(0), "ready\n".into()));
    assert!(hub.stop().success());
    let (code, said) = look(&hub);
    assert_eq!(code, Some(1));
    assert!(said.starts_with("no hub runs in "), "{said}");
}

#[test]
fn the_image_is_built_from_what_is_there() {
    let (dockerfile, manifest) = (read("Dockerfile"), read("Cargo.toml"));
    let ignore = read(".dockerignore");
    let kept: Vec<&str> = after(&ignore, "!");
    let mut copied = 0;
    for line in after(&dockerfile, "COPY ") {
        if line.starts_with("--from=") {
            continue;
        }
        let (sources, _) = line.rsplit_once(' ').unwrap();
        for source in sources.split(' ') {
            assert!(root().join(source).exists(), "{source}");
            assert!(kept.contains(&source), "{source} is ignored");
            copied += 1;
        }
    }
    assert_eq!(copied, kept.len(), "what is kept is copied");
    // Cargo wants a bench where its manifest says one is, and cannot even look at a crate without it.
    assert!(!ignore.contains("benches\n"), "{ignore}");
    assert!(dockerfile.contains("--profile dist ") && manifest.contains("\n[profile.dist]\n"));
    let [version] = after(&manifest, "rust-version = ")[..] else { panic!("{manifest}") };
    assert!(dockerfile.contains(&format!("FROM rust:{}-", version.trim_matches('"'))), "{version}");
}

#[test]
fn the_image_runs_as_nobody_in_particular_and_names_its_port_and_its_data() {
    let dockerfile = read("Dockerfile");
    for line in ["USER 65532:65532", "VOLUME /data", "EXPOSE 9200", "STOPSIGNAL SIGTERM", "FROM scratch"] {
        assert!(dockerfile.lines().any(|found| found == line), "{line}");
    }
    let help = baton().args(["hub", "start", "--help"]).output().unwrap();
    assert!(String::from_utf8(help.stdout).unwrap().contains("[default: 9200]"));
}
