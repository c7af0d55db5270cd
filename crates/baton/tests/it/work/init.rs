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
        ("cursor", vec!["\"mcpServers\"", "Bearer ${env:BATON_TOKEN}", "Mcp(baton:*)"]),
        ("gemini", vec!["\"mcpServers\"", "Bearer $BATON_TOKEN", "\"trust\": true"]),
        ("vscode", vec!["\"servers\"", "Bearer ${env:BATON_TOKEN}"]),
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
fn what_was_named_is_named_in_the_entry_too() {
    let folder = tempfile::tempdir().unwrap();
    let named =
        ["--profile", "other", "--network", "my team", "--ca", "ca.pem", "--hub", "https://hub.example"];
    let shown = said(&init(folder.path(), &[&["claude"], &named[..]].concat()));
    said(&init(folder.path(), &[&["claude", "--write"], &named[..]].concat()));
    said(&init(folder.path(), &[&["codex", "--write"], &named[..]].concat()));
    let ca = folder.path().canonicalize().unwrap().join("ca.pem").display().to_string();
    let expected =
        ["mcp", "--hub", "https://hub.example", "--profile", "other", "--network", "my team", "--ca", &ca];
    let json = std::fs::read_to_string(folder.path().join(".mcp.json")).unwrap();
    let entry = &serde_json::from_str::<Value>(&json).unwrap()["mcpServers"]["baton"];
    assert_eq!(entry["args"], json!(expected));
    let codex = std::fs::read_to_string(folder.path().join(".codex/config.toml")).unwrap();
    assert!(codex.contains(r#""--profile", "other", "--network", "my team", "--ca""#), "{codex}");
    // What is printed can be pasted as it is.
    assert!(shown.contains("--network 'my team'"), "{shown}");
    // The shell must not fill the token in: it would be stored.
    let header = "--scope project --transport http baton https://hub.example/mcp \
                  --header 'Authorization: Bearer ${BATON_TOKEN}'";
    assert!(shown.contains(header), "{shown}");
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

fn json_of(file: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn what_a_client_needs_to_run_the_tools_is_written_too_and_what_a_person_must_do_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join(".claude/settings.local.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(
        &settings,
        r#"{"permissions": {"allow": ["Bash(ls)"], "deny": ["Read(.env)"]}, "model": "x"}"#,
    )
    .unwrap();
    let claude = said(&init(folder.path(), &["claude", "--write"]));
    assert!(
        claude.contains("next: claude -p \"YOUR TASK\" --allowedTools mcp__baton")
            && claude.contains("trust"),
        "{claude}"
    );
    let after = json_of(&settings);
    assert_eq!(after["permissions"], json!({"allow": ["Bash(ls)", "mcp__baton"], "deny": ["Read(.env)"]}));
    assert_eq!((&after["enabledMcpjsonServers"], &after["model"]), (&json!(["baton"]), &json!("x")));
    assert_eq!(after["hooks"], Value::Null, "hooks only if asked for");
    let codex = said(&init(folder.path(), &["codex", "--write"]));
    assert!(codex.contains("next: codex exec"), "{codex}");
    let toml = std::fs::read_to_string(folder.path().join(".codex/config.toml")).unwrap();
    assert!(toml.contains("default_tools_approval_mode = \"approve\""), "{toml}");
    assert!(toml.contains("\"BATON_PARENT_TASK_ID\"") && toml.contains("tool_timeout_sec = 90"), "{toml}");
    said(&init(folder.path(), &["cursor", "--write"]));
    assert_eq!(
        json_of(&folder.path().join(".cursor/cli.json"))["permissions"]["allow"],
        json!(["Mcp(baton:*)"])
    );
    let gemini = said(&init(folder.path(), &["gemini", "--write"]));
    assert!(gemini.contains("next: GEMINI_CLI_TRUST_WORKSPACE=true gemini -p"), "{gemini}");
    let server = json_of(&folder.path().join(".gemini/settings.json"))["mcpServers"]["baton"].clone();
    assert_eq!((&server["trust"], &server["env"]["BATON_TOKEN"]), (&json!(true), &json!("$BATON_TOKEN")));
    let vscode = said(&init(folder.path(), &["vscode", "--write"]));
    assert!(vscode.contains("confirm"), "{vscode}");
    assert_eq!(json_of(&folder.path().join(".vscode/mcp.json"))["servers"]["baton"]["type"], "stdio");
}

#[test]
fn the_hook_is_written_once_and_other_hooks_stay() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join(".claude/settings.local.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let other = json!({"hooks": [{"type": "command", "command": "say done"}]});
    std::fs::write(&settings, json!({"hooks": {"Stop": [other]}}).to_string()).unwrap();
    for alias in ["coder", "painter"] {
        said(&init(folder.path(), &["claude", "--alias", alias, "--hooks", "--write"]));
    }
    let stop = json_of(&settings)["hooks"]["Stop"].clone();
    assert_eq!(stop.as_array().unwrap().len(), 2, "{stop}");
    assert_eq!(stop[0], other);
    let ours = &stop[1]["hooks"][0];
    assert_eq!((&ours["type"], &ours["asyncRewake"]), (&json!("command"), &json!(true)), "{ours}");
    let command = ours["command"].as_str().unwrap();
    assert!(command.contains("inbox wait --hook --hub http://127.0.0.1:9200 --alias painter"), "{command}");
    assert_eq!(init(folder.path(), &["cursor", "--hooks", "--write"]).status.code(), Some(2));
}

#[test]
fn the_hook_of_codex_looks_once_and_says_that_it_must_be_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let mut said_last = String::new();
    for alias in ["coder", "painter"] {
        said_last = said(&init(folder.path(), &["codex", "--alias", alias, "--hooks", "--write"]));
    }
    assert!(said_last.contains("Codex runs no hook before you trust it"), "{said_last}");
    let toml = std::fs::read_to_string(folder.path().join(".codex/config.toml")).unwrap();
    let hook = "inbox wait --hook --now --hub http://127.0.0.1:9200 --alias painter";
    assert_eq!((toml.matches("[[hooks.Stop]]").count(), toml.matches(hook).count()), (1, 1), "{toml}");
    assert!(toml.contains("[mcp_servers.baton]") && toml.contains("timeout = 30"), "{toml}");
}
