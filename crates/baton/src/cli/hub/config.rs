//! `baton hub config`: the settings a hub would start with, and where each comes from.

use clap::Args;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

use super::start::Start;
use crate::cli::failure::Failure;
use crate::cli::screen::{Screen, note};
use crate::cli::settings::{Effective, Origin, Resolved, default_places, hidden_password};
use crate::cli::table::{Cell, Table};

/// Print the settings a hub would start with, and where each comes from
///
/// Takes the options of `baton hub start`, reads the environment and the configuration file as it does, and starts nothing.
/// Secrets are hidden. Exits with 2 and a line for each setting that is wrong.
#[derive(Debug, Args)]
pub(crate) struct Config {
    #[command(flatten)]
    start: Start,
    /// Only check: also that settings fit together, and that certificate and key can be read
    #[arg(long)]
    check: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Config {
    pub(crate) fn run(&self, resolved: &Resolved) -> Result<ExitCode, Failure> {
        resolved.warnings.iter().for_each(|warning| note(&format!("warning: {warning}")));
        let screen = Screen::stdout();
        if self.check {
            self.start.check()?;
            let ok = json!({"ok": true, "file": resolved.file, "warnings": resolved.warnings});
            let said = if self.json { screen.json(&ok) } else { screen.print("the settings are fine") };
            return said.map(|()| ExitCode::SUCCESS);
        }
        match self.json {
            true => screen.json(&as_json(resolved))?,
            false => {
                screen.print(&which_file(resolved.file.as_deref()))?;
                screen.table(&as_table(resolved))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn which_file(file: Option<&Path>) -> String {
    match file {
        Some(file) => format!("Configuration file: {}", file.display()),
        None => {
            let places = default_places().iter().map(|place| place.display().to_string()).collect::<Vec<_>>();
            format!("Configuration file: none ({} not found)", places.join(" and "))
        }
    }
}

fn as_table(resolved: &Resolved) -> Table {
    let mut table = Table::new(&["SETTING", "VALUE", "FROM"]);
    let is_shown = |found: &&Effective| !found.setting.is_hidden() || found.origin != Origin::Default;
    for found in resolved.settings.iter().filter(is_shown) {
        let value = match &shown(found)[..] {
            [] => found.setting.default().unwrap_or_else(|| "not set".into()),
            values => values.join(", "),
        };
        table.row([Cell::id(found.setting.key()), value.into(), found.origin.to_string().into()]);
    }
    table
}

fn as_json(resolved: &Resolved) -> Value {
    let settings = resolved.settings.iter().map(|found| {
        let (setting, values) = (&found.setting, shown(found));
        let value = match &values[..] {
            _ if setting.is_list() => json!(values),
            [one] => json!(one),
            _ => Value::Null,
        };
        let mut row = json!({
            "setting": setting.key(), "value": value, "default": setting.default(), "from": word(&found.origin),
            "flag": format!("--{}", setting.key()), "environment": setting.variable(),
        });
        match &found.origin {
            Origin::Environment(name) => row["variable"] = json!(name),
            Origin::File { path, line } => {
                row["file"] = json!(path);
                row["line"] = json!(line);
            }
            Origin::Flag | Origin::Default => {}
        }
        row
    });
    json!({
        "ok": true, "file": resolved.file, "warnings": resolved.warnings, "settings": settings.collect::<Vec<_>>(),
    })
}

fn word(origin: &Origin) -> &'static str {
    match origin {
        Origin::Flag => "flag",
        Origin::Environment(_) => "environment",
        Origin::File { .. } => "file",
        Origin::Default => "default",
    }
}

/// The values as they may be shown.
fn shown(found: &Effective) -> Vec<String> {
    let hide = |value: &String| match found.setting.is_secret() {
        true => "(hidden)".to_owned(),
        false => hidden_password(value),
    };
    found.values.iter().map(hide).collect()
}
