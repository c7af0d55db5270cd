//! docs/settings.md: every setting, from the definitions of the options.

use super::setting::{Kind, Setting};

const BEGINNING: &str = r#"# Settings

*Reference.* Every setting of a hub, generated from the options of `baton hub start`. Each can be set in three ways:

| way | example for `port` |
|---|---|
| flag | `baton hub start --port 9300` |
| environment variable | `BATON_PORT=9300` |
| configuration file | `port = 9300` |

A flag wins over the environment, the environment over the file, and the file over the default. An empty environment variable counts as not
set. A list is an array in the file (`cors-origin = ["https://a.example", "https://b.example"]`), comma-separated in the environment,
and a repeated flag on the command line; the lists of two places are not merged.

## The configuration file

The hub reads the file that `--config FILE` or `BATON_CONFIG` names. If none is named, it reads `~/.baton/baton.toml`, or if that does not exist
`/etc/baton/baton.toml`. Only one file is read. `BATON_CONFIG=/dev/null` reads none. The file is [TOML](https://toml.io/), with one key for each setting and no tables:

<!-- given: no hub -->
```sh
cat > baton.toml <<'END'
port = 9300
data-dir = "hub-data"
keep-tasks = "90d"
cors-origin = ["https://dashboard.example.org"]
END
baton hub config --config baton.toml
```

A relative path in the file is relative to the folder in which the hub is started. A key that does not exist, a value of the wrong type and a value that is not allowed stop the hub
before it opens anything, with the file, the line, the key and what is allowed:

```console
$ echo 'prot = 9300' > wrong.toml
$ baton hub config --check --config wrong.toml
baton: wrong.toml line 1: there is no setting "prot"; did you mean "port"?
$ echo $?
2
```

The other `baton hub` commands (`status`, `stop`, `backup`, `check` and so on) read the settings they share with `baton hub start`, such as `data-dir`, from the same places.

## The settings in effect

`baton hub config` takes the same options as `baton hub start` and prints each setting, its value and where the value came from: `flag`, `environment BATON_PORT`,
`file baton.toml line 1` or `default`. Secrets are printed as `(hidden)`, and the password of a URL as `***`. `--json` prints the same as JSON. `--check` prints
no settings: it also checks that they fit together and that certificate and key can be read, and exits with 0 or 2.

```console
$ BATON_PORT=9200 baton hub config --config baton.toml --host 127.0.0.1
Configuration file: baton.toml
SETTING     VALUE      FROM
host        127.0.0.1  flag
port        9200       environment BATON_PORT
…
keep-tasks  90d        file baton.toml line 3
…
```

"#;

const SECRETS: &str = r#"
A setting marked *secret* is never printed, logged or repeated in an error. Give secrets by environment variable or file rather than by flag: other users of the
machine can see the arguments of a process. `password = "-"` reads the password from standard input.
A configuration file with a secret in it should be readable by the hub's user only (`chmod 600`); the hub warns if every user can read it.

"#;

const END: &str = r#"
## OpenTelemetry

The variables of OpenTelemetry in the table above are read after the hub's own variable and before the file. As OpenTelemetry specifies, a value that the hub does not know
is ignored with a warning.

## Environment variables that are not settings

| variable | what it does |
|---|---|
| `BATON_CONFIG` | the configuration file |
| `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`, `AWS_ENDPOINT_URL` | access to the bucket of `artifacts` |
| `NOTIFY_SOCKET` | set by systemd; the hub reports there when it is ready and when it stops |
"#;

pub(super) fn page(settings: &[Setting]) -> String {
    let mut page = format!(
        "<!-- Generated from the options of `baton hub start`. To change it, change those and run BATON_BLESS=1 cargo nextest run -p baton-hub settings. -->\n{BEGINNING}"
    );
    page.push_str("## All settings\n\nThe key in the file is the name of the flag without the dashes.\n\n");
    page.push_str("| setting | environment variable | type | default | meaning |\n|---|---|---|---|---|\n");
    for setting in settings.iter().filter(|setting| !setting.is_hidden()) {
        page.push_str(&row(setting));
    }
    page + SECRETS.trim_end_matches('\n') + "\n" + END
}

fn row(setting: &Setting) -> String {
    let variables = [setting.variable()]
        .into_iter()
        .chain(setting.other_variables().iter().map(|name| (*name).to_owned()));
    let variables = variables.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let kind = match (setting.kind(), setting.value_name()) {
        (Kind::Number, _) => "number".to_owned(),
        (Kind::Boolean, _) => "boolean".to_owned(),
        (Kind::Text, Some(name)) => format!("string, {name}"),
        (Kind::Text, None) => "string".to_owned(),
        (Kind::List, name) => format!("list of strings, {}", name.unwrap_or_default()),
    };
    let kind = if setting.is_secret() { format!("{kind}, *secret*") } else { kind };
    let default = setting.default().map_or_else(|| "none".into(), |default| cell(&default));
    let meaning = cell(&setting.meaning());
    format!("| `{}` | {variables} | {kind} | {default} | {meaning} |\n", setting.key())
}

/// Text that does not end its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
