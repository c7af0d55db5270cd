//! `baton init`: what is printed, and what is written into a client's own file.

use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use crate::it::hub::baton;

fn init(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = baton();
    command.arg("init").args(arguments).current_dir(folder).env("HOME", folder);
    command.env_remove("CODEX_HOME").output().unwrap()
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn both_forms_are_printed_for_each_client_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for (client, words) in [
        ("claude", vec!["\"mcpServers\"", "claude mcp add", "Bearer ${BATON_TOKEN}"]),
        ("codex", vec!["[mcp_servers.baton]", "bearer_token_env_var"]),
        ("cursor", vec!["\"mcpServers\"", "Bearer ${env:BATON_TOKEN}"]),
    ] {
        let said =
            said(&init(folder.path(), &[client, "--alias", "coder", "--hub", "http://hub.example:9200"]));
        for word in words.into_iter().chain(["http://hub.example:9200/mcp", "--alias", "coder"]) {
            assert!(said.contains(word), "{word} in {said}");
        }
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn writing_keeps_the_rest_of_a_json_file_and_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    for (client, name) in [("claude", ".mcp.json"), ("cursor", ".cursor/mcp.json")] {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let before = r#"{"z": [1.0, {"k":  "v"}], "mcpServers": {"other": {"command": "x"}}, "a": null}"#;
        std::fs::write(&file, before).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        said(&init(folder.path(), &[client, "--alias", "coder", "--write"]));
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(r#""z": [1.0, {"k":  "v"}]"#), "{text}");
        let after: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(after["mcpServers"]["other"], json!({"command": "x"}));
        let args = json!(["mcp", "--hub", "http://127.0.0.1:9200", "--alias", "coder"]);
        assert_eq!(after["mcpServers"]["baton"]["args"], args);
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        said(&init(folder.path(), &[client, "--form", "http", "--write"]));
        let after: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(after["mcpServers"]["baton"]["url"], "http://127.0.0.1:9200/mcp");
        assert_eq!(after["mcpServers"]["other"], json!({"command": "x"}));
    }
}

#[test]
fn writing_keeps_the_rest_of_codexs_file_with_its_comments() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".codex/config.toml");
    said(&init(folder.path(), &["codex", "--write"]));
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("[mcp_servers.baton]\n"));
    let before = "# my settings\nmodel = \"o\" # the best\n\n[mcp_servers.other]\ncommand = \"x\"\n";
    std::fs::write(&file, before).unwrap();
    said(&init(folder.path(), &["codex", "--alias", "coder", "--write"]));
    let after = std::fs::read_to_string(&file).unwrap();
    assert!(after.starts_with(before) && after.contains("[mcp_servers.baton]"), "{after}");
}

#[test]
fn a_file_that_cannot_be_read_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".mcp.json");
    std::fs::write(&file, "{ // mine\n}").unwrap();
    let output = init(folder.path(), &["claude", "--write"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("left as it is"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{ // mine\n}");
}
