//! docs/reference/cli.md: every command with its arguments, made from the definitions that `--help` and the man pages come from.
//! Written by the test with `BATON_BLESS`.

use clap::{Arg, ArgAction, Command, CommandFactory};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::Cli;

const HEAD: &str = "\
# Commands and options

*Reference*, generated from the code: `BATON_BLESS=1 cargo nextest run -p baton cli::page` writes it. The same as `baton COMMAND --help` and the man pages. Exit codes, environment
variables and profiles are in [the command line](../cli.md).
";

/// An option that this many commands have is described once, at the top.
const COMMON_TIMES: usize = 10; // not a limit: how the page is laid out

fn page() -> String {
    let mut root = Cli::command();
    root.build();
    let mut commands = Vec::new();
    root.get_subcommands().for_each(|command| gather(command, "baton", 2, &mut commands));
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    let rows = commands.iter().flat_map(|command| &command.rows);
    rows.for_each(|row| *times.entry(row).or_default() += 1);
    let is_common = |row: &str| times[row] >= COMMON_TIMES;

    let mut page = String::from(HEAD);
    let mut common: Vec<&str> = times.keys().copied().filter(|row| is_common(row)).collect();
    common.sort_unstable();
    let _ = write!(page, "\n## Common options\n\n| | |\n|---|---|\n{}", common.concat());
    for Listed { name, level, about, usage, rows, after } in &commands {
        let _ = write!(page, "\n{} {name}\n\n{about}\n", "#".repeat(*level));
        let own: String = rows.iter().map(String::as_str).filter(|row| !is_common(row)).collect();
        if let Some(usage) = usage {
            let _ = write!(page, "\n`{usage}`\n");
        }
        if !own.is_empty() {
            let _ = write!(page, "\n| | |\n|---|---|\n{own}");
        }
        let named = rows.iter().filter(|row| is_common(row)).filter_map(|row| row.split('`').nth(1));
        let named: Vec<_> =
            named.filter_map(|name| name.split(' ').next()).map(|name| format!("`{name}`")).collect();
        if !named.is_empty() {
            let _ = write!(page, "\n[Common options](#common-options): {}.\n", named.join(", "));
        }
        if let Some(after) = after {
            let _ = write!(page, "\n```text\n{after}\n```\n");
        }
    }
    page
}

/// A command as the page has it.
struct Listed {
    name: String,
    /// Of its heading.
    level: usize,
    about: String,
    usage: Option<String>,
    rows: Vec<String>,
    after: Option<String>,
}

/// A command, and those below it, in the order of the help.
fn gather(command: &Command, parent: &str, level: usize, found: &mut Vec<Listed>) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let name = format!("{parent} {}", command.get_name());
    let about = command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string);
    let about = sentence(&about.unwrap_or_default());
    let is_group =
        command.get_subcommands().any(|one| one.get_name() != "help") && command.is_subcommand_required_set();
    let usage = command.clone().render_usage().to_string();
    // The first line: a command that also has commands of its own has a second.
    let usage = usage.trim_start_matches("Usage: ").lines().next().unwrap_or_default().to_owned();
    let listed = command.get_arguments().filter(|argument| !is_group && is_listed(argument));
    let after = command.get_after_long_help().or_else(|| command.get_after_help());
    found.push(Listed {
        name: name.clone(),
        level,
        about,
        usage: (!is_group).then_some(usage),
        rows: listed.map(row).collect(),
        after: after.filter(|_| !is_group).map(|after| after.to_string().trim().to_owned()),
    });
    command.get_subcommands().for_each(|inner| gather(inner, &name, level + 1, found));
}

fn is_listed(argument: &Arg) -> bool {
    let is_of_every_command = matches!(
        argument.get_action(),
        ArgAction::Help | ArgAction::HelpLong | ArgAction::HelpShort | ArgAction::Version
    );
    !argument.is_hide_set() && !is_of_every_command
}

fn row(argument: &Arg) -> String {
    let value = || -> String {
        let names = argument.get_value_names().unwrap_or_default();
        names.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(" ")
    };
    let takes_value = argument.get_action().takes_values();
    let name = match (argument.get_long(), argument.get_short()) {
        _ if argument.is_positional() => value(),
        (Some(long), Some(short)) => format!("-{short}, --{long}"),
        (Some(long), None) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => argument.get_id().to_string(),
    };
    let name = match takes_value && !argument.is_positional() {
        true => format!("{name} {}", value()),
        false => name,
    };
    let help =
        argument.get_long_help().or_else(|| argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = sentence(&help);
    if takes_value && !argument.is_hide_default_value_set() && !argument.get_default_values().is_empty() {
        let defaults = argument.get_default_values().iter().map(|value| value.to_string_lossy());
        text += &format!(" Default: `{}`.", defaults.collect::<Vec<_>>().join(" "));
    }
    let possible = argument.get_possible_values();
    if takes_value && !possible.is_empty() && !argument.is_hide_possible_values_set() {
        let names = possible
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| format!("`{}`", value.get_name()));
        text += &format!(" One of {}.", names.collect::<Vec<_>>().join(", "));
    }
    format!("| `{}` | {} |\n", name.replace('|', "\\|"), text.replace('|', "\\|"))
}

/// A text in one line, with a full stop.
fn sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // `<X>` would be a tag of HTML.
    let text = text.replace('<', "&lt;");
    if text.is_empty() || text.ends_with(['.', ':', '?']) { text } else { format!("{text}.") }
}

#[test]
fn the_page_of_commands_is_what_the_help_says() {
    let made = page();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/cli.md");
    if std::env::var_os("BATON_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page == made, "docs/reference/cli.md is not what the help says; BATON_BLESS=1 writes it");
}
