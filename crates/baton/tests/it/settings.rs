//! Settings: every option of `baton hub start` by flag, by environment and by file, in their order of precedence; what is
//! refused, and how; `baton hub config`.

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

use super::hub::{Hub, PASSWORD};
use super::program::binary;

/// A setting: its value in the file, in the environment and as a flag. A file's value is TOML. The three differ, and differ from
/// the default where there are enough values to choose from.
type Row = (&'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("host", "\"127.0.0.2\"", "127.0.0.3", "127.0.0.4"),
    ("port", "1001", "1002", "1003"),
    ("username", "\"file\"", "environment", "flag"),
    ("password", "\"of-the-file\"", "of-the-environment", "of-the-flag"),
    ("data-dir", "\"file\"", "environment", "flag"),
    ("store", "\"postgres://file@a.example/hub\"", "postgres://environment@a.example/hub", "postgres://flag@a.example/hub"),
    ("store-password-file", "\"file\"", "environment", "flag"),
    ("tls-cert", "\"file.pem\"", "environment.pem", "flag.pem"),
    ("tls-key", "\"file.key\"", "environment.key", "flag.key"),
    ("behind-proxy", "true", "false", "true"),
    ("public-url", "\"https://file.example\"", "https://environment.example", "https://flag.example"),
    ("card-provider", "\"File=https://file.example/\"", "Environment=https://environment.example/", "Flag=https://flag.example/"),
    ("card-documentation-url", "\"https://file.example/docs\"", "https://environment.example/docs", "https://flag.example/docs"),
    ("card-icon-url", "\"https://file.example/icon.png\"", "https://environment.example/icon.png", "https://flag.example/icon.png"),
    ("cors-origin", "[\"https://a.example\", \"https://b.example\"]", "https://c.example,https://d.example", "https://e.example"),
    ("connections-per-address", "11", "12", "13"),
    ("rate-limit", "21", "22", "23"),
    ("rate-burst", "31", "32", "33"),
    ("open-registration", "true", "false", "true"),
    ("allow-outbound", "[\"10.0.0.0/8\"]", "10.1.0.0/16,fd00::/8", "10.2.0.0/16"),
    ("outbound-ca", "\"file.pem\"", "environment.pem", "flag.pem"),
    ("keep-tasks", "\"2d\"", "3d", "4d"),
    ("artifacts", "\"s3://bucket/file\"", "s3://bucket/environment", "s3://bucket/flag"),
    ("artifact-quota", "\"1GiB\"", "2GiB", "3GiB"),
    ("check-every", "\"1h\"", "2h", "off"),
    ("metrics-token", "\"a-token-of-the-file\"", "a-token-of-the-environment", "a-token-of-the-flag"),
    ("oidc-issuer", "\"https://file.example\"", "https://environment.example", "https://flag.example"),
    ("oidc-client-id", "\"file\"", "environment", "flag"),
    ("oidc-client-secret-file", "\"file\"", "environment", "flag"),
    ("oidc-group", "[\"a=user\", \"b=admin\"]", "c=user,d=admin", "e=user"),
    ("otlp-endpoint", "\"http://file.example\"", "http://environment.example", "http://flag.example"),
    ("otlp-header", "[\"a=file\", \"b=file\"]", "a=environment,b=environment", "a=flag"),
    ("otlp-service-name", "\"file\"", "environment", "flag"),
    ("otlp-sampler", "\"always_on\"", "always_off", "traceidratio"),
    ("otlp-sampler-ratio", "0.25", "0.5", "0.75"),
    ("without-evidence", "true", "false", "true"),
    ("log-format", "\"json\"", "human", "json"),
    ("log-filter", "\"warn\"", "error", "debug"),
];

/// A folder to run in, with the certificates that the rows name.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["file.pem", "environment.pem", "flag.pem"] {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
        std::fs::write(folder.path().join(name), made.cert.pem()).unwrap();
    }
    folder
}

/// `baton hub config` in a folder, with these variables and nothing else from outside.
fn config(folder: &Path, environment: &[(String, String)], arguments: &[String]) -> Output {
    let mut command = Command::new(binary());
    command.current_dir(folder).env_clear().env("HOME", folder).args(["hub", "config"]).args(arguments);
    command.envs(environment.iter().map(|(name, value)| (name, value))).output().unwrap()
}

fn listed(folder: &Path, environment: &[(String, String)], arguments: &[String]) -> Vec<Value> {
    let output = config(folder, environment, &[arguments, &["--json".into()]].concat());
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stderr}");
    let answer: Value = serde_json::from_str(&stdout).unwrap();
    answer["settings"].as_array().unwrap().clone()
}

fn row_of<'r>(rows: &'r [Value], key: &str) -> &'r Value {
    rows.iter().find(|row| row["setting"] == key).unwrap_or_else(|| panic!("{key} is not listed"))
}

/// What is printed for a value that was written like this.
fn printed(row: &Value, key: &str, written: &str, separator: Option<char>) -> Value {
    let is_secret = ["password", "store", "metrics-token", "otlp-header"].contains(&key);
    let is_list = row["value"].is_array();
    let texts: Vec<String> = match (is_list, separator) {
        (true, None) => serde_json::from_str(written).unwrap(),
        (true, Some(separator)) => written.split(separator).map(str::to_owned).collect(),
        (false, _) => vec![written.trim_matches('"').to_owned()],
    };
    match (is_secret, is_list) {
        (true, true) => json!(vec!["(hidden)"; texts.len()]),
        (true, false) => json!("(hidden)"),
        (false, true) => json!(texts),
        (false, false) => json!(texts[0]),
    }
}

#[test]
fn every_setting_comes_from_flag_environment_file_or_default_in_this_order() {
    let folder = folder();
    let defaults = listed(folder.path(), &[], &[]);
    for row in &defaults {
        let key = row["setting"].as_str().unwrap();
        assert!(ROWS.iter().any(|(name, ..)| *name == key), "add a row for {key} to the table of this test");
        assert_eq!(row["from"], "default", "{key}");
    }
    let rows: Vec<&Row> =
        ROWS.iter().filter(|(key, ..)| defaults.iter().any(|row| row["setting"] == *key)).collect();

    let file: String = rows.iter().map(|(key, value, ..)| format!("{key} = {value}\n")).collect();
    std::fs::write(folder.path().join("all.toml"), file).unwrap();
    let all_in_file = ["--config".to_owned(), "all.toml".to_owned()];
    let in_file = listed(folder.path(), &[], &all_in_file);
    for (at, (key, value, ..)) in rows.iter().enumerate() {
        let row = row_of(&in_file, key);
        assert_eq!((&row["from"], &row["line"]), (&json!("file"), &json!(at + 1)), "{key}");
        assert_eq!(row["value"], printed(row, key, value, None), "{key}");
    }

    for (key, _, environment, flag) in &rows {
        let name = row_of(&defaults, key)["environment"].as_str().unwrap().to_owned();
        let variable = [(name.clone(), (*environment).to_owned())];
        let found = listed(folder.path(), &variable, &all_in_file);
        let row = row_of(&found, key);
        assert_eq!((&row["from"], &row["variable"]), (&json!("environment"), &json!(name)), "{key}");
        assert_eq!(row["value"], printed(row, key, environment, Some(',')), "{key}");
        assert_eq!(found.iter().filter(|row| row["from"] == "file").count(), rows.len() - 1, "{key} alone");

        let flags = [&all_in_file[..], &[format!("--{key}={flag}")]].concat();
        let found = listed(folder.path(), &variable, &flags);
        let row = row_of(&found, key);
        assert_eq!(row["from"], "flag", "{key}");
        assert_eq!(row["value"], printed(row, key, flag, Some(',')), "{key}");
    }
}

#[test]
fn what_is_wrong_in_a_file_or_the_environment_is_named_with_its_place() {
    let folder = folder();
    #[rustfmt::skip]
    let cases = [
        ("prot = 1", "wrong.toml line 1: there is no setting \"prot\"; did you mean \"port\"?"),
        ("tls_cert = \"a\"", "line 1: there is no setting \"tls_cert\"; did you mean \"tls-cert\"?"),
        ("config = \"a\"", "line 1: there is no setting \"config\""),
        ("[server]\nport = 1", "line 1: [server] is not a setting"),
        ("\n\nport = \"1\"", "line 3: port = \"1\": must be a number, not a string"),
        ("port = 70000", "line 1: port = 70000: must be from 0 to 65535"),
        ("rate-limit = 0", "line 1: rate-limit = 0: must be "),
        ("behind-proxy = 1", "line 1: behind-proxy = 1: must be true or false, not a number"),
        ("host = 1", "line 1: host = 1: must be a string in quotation marks, not a number"),
        ("host = \"nowhere\"", "line 1: host = \"nowhere\": give an IP address"),
        ("cors-origin = \"https://a.example\"", "must be an array of strings"),
        ("log-format = \"loud\"", "line 1: log-format = \"loud\": must be human or json"),
        ("otlp-endpoint = 5", "must be a string"),
        ("metrics-token = 5", "line 1: metrics-token = …: must be a string"),
        ("port = ", "wrong.toml line 1: "),
    ];
    for (text, said) in cases {
        std::fs::write(folder.path().join("wrong.toml"), text).unwrap();
        for command in [&["hub", "config"][..], &["hub", "start"], &["hub", "status"]] {
            let mut baton = Command::new(binary());
            baton.current_dir(folder.path()).env_clear().env("HOME", folder.path());
            let output = baton.args(command).args(["--config", "wrong.toml"]).output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{text}: {stderr}");
            assert!(stderr.starts_with("baton: ") && stderr.contains(said), "{text}: {stderr}");
        }
    }
    assert!(!folder.path().join(".baton").exists(), "nothing was touched");

    std::fs::write(folder.path().join("two.toml"), "prot = 1\nrate-limit = 5\nhots = \"a\"\n").unwrap();
    let output = config(folder.path(), &[], &["--config=two.toml".into()]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("line 1: ") && stderr.contains("line 3: ") && !stderr.contains("line 2"),
        "{stderr}"
    );

    for (name, value, said) in [
        ("BATON_PORT", "many", "BATON_PORT=many: must be a whole number"),
        ("BATON_CHECK_EVERY", "often", "BATON_CHECK_EVERY=often: give a time such as 24h"),
        ("BATON_BEHIND_PROXY", "yes", "BATON_BEHIND_PROXY=yes: must be true or false"),
        ("BATON_CONFIG", "missing.toml", "cannot read the configuration file missing.toml"),
    ] {
        let output = config(folder.path(), &[(name.into(), value.into())], &[]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && stderr.contains(said), "{name}: {stderr}");
    }
    // An empty variable is one that is not set.
    assert_eq!(
        row_of(&listed(folder.path(), &[("BATON_PORT".into(), "".into())], &[]), "port")["from"],
        "default"
    );
}

#[test]
fn the_check_finds_what_does_not_fit_together_and_secrets_stay_hidden() {
    let folder = folder();
    let check = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
        let output = config(folder.path(), &[], &[&["--check".to_owned()], &arguments[..]].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(check(&[]), (Some(0), String::new()));
    for (arguments, said) in [
        (&["--host", "0.0.0.0"][..], "tls-cert"),
        (&["--tls-cert", "file.pem"], "tls-cert is set and tls-key is not"),
        (&["--tls-key", "file.key"], "tls-key is set and tls-cert is not"),
        (&["--tls-cert", "file.pem", "--tls-key", "missing.key"], "cannot read missing.key"),
        (&["--metrics-token", "short"], "metrics token"),
        (&["--otlp-endpoint", "nowhere"], "otlp-endpoint cannot be used"),
    ] {
        let (code, stderr) = check(arguments);
        assert!(code == Some(2) && stderr.contains(said), "{arguments:?}: {stderr}");
    }

    let secrets = [
        ("BATON_ADMIN_PASSWORD".to_owned(), "the-secret-password".to_owned()),
        ("BATON_OTLP_ENDPOINT".to_owned(), "http://user:the-secret-password@a.example".to_owned()),
    ];
    for form in [&[][..], &["--json".to_owned()]] {
        let output = config(folder.path(), &secrets, form);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("(hidden)") && text.contains("user:***@a.example"), "{text}");
        assert!(!text.contains("the-secret"), "{text}");
    }
}

#[test]
fn opentelemetrys_variables_are_read_after_the_hubs_own_and_before_the_file() {
    let folder = folder();
    std::fs::write(folder.path().join("file.toml"), "otlp-endpoint = \"http://file.example\"\n").unwrap();
    let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let general = variable("OTEL_EXPORTER_OTLP_ENDPOINT", "http://general.example");
    let traces = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://traces.example");
    let own = variable("BATON_OTLP_ENDPOINT", "http://own.example");
    let named = ["--config=file.toml".to_owned()];
    for (environment, value) in [
        (&[][..], "http://file.example"),
        (std::slice::from_ref(&general), "http://general.example"),
        (&[general.clone(), traces.clone()], "http://traces.example"),
        (&[general.clone(), traces, own], "http://own.example"),
    ] {
        let rows = listed(folder.path(), environment, &named);
        assert_eq!(row_of(&rows, "otlp-endpoint")["value"], value);
    }
}

#[test]
fn a_hub_starts_with_its_file_and_other_commands_find_it_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("baton.toml");
    let data = folder.path().join("elsewhere");
    std::fs::write(&file, format!("data-dir = {data:?}\nlog-format = \"json\"\n")).unwrap();
    // The fixture's own options come first: here only the log is the file's.
    let hub = Hub::start_with_env(&["--password", PASSWORD], &[("BATON_CONFIG", file.to_str().unwrap())]);
    assert!(hub.log().lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{}", hub.log());
    assert!(hub.log().contains("read the configuration file"), "{}", hub.log());

    let mut status = Command::new(binary());
    status.env("BATON_CONFIG", &file).args(["hub", "status"]);
    let output = status.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said, format!("no hub runs in {}\n", data.display()));
}
