//! docs/reference/cli.md: every command with its arguments, made from the definitions that `--help` and the man pages come from.
//! Written by the test with `BATON_BLESS`.

use clap::{Arg, ArgAction, Command, CommandFactory};
use std::fmt::Write;
use std::path::Path;

use super::{Cli, examples};

const HEAD: &str = "\
# Commands and options

*Reference*, generated from the code: `BATON_BLESS=1 cargo nextest run -p baton-hub cli::page` writes it. The same as `baton COMMAND --help` and the man pages. Exit codes, environment
variables and profiles are in [the command line](../cli.md).
";

fn page() -> String {
    let mut page = String::from(HEAD);
    let mut root = Cli::command();
    root.build();
    for command in root.get_subcommands() {
        add(&mut page, command, "baton", "##");
    }
    page
}

fn add(page: &mut String, command: &Command, parent: &str, level: &str) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let name = format!("{parent} {}", command.get_name());
    let about = command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string);
    let _ = write!(page, "\n{level} {name}\n\n{}\n", sentence(&about.unwrap_or_default()));
    let has_commands = command.get_subcommands().any(|one| one.get_name() != "help");
    if !has_commands {
        let usage = command.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ").split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = write!(page, "\n`{usage}`\n");
        let arguments = command.get_arguments().filter(|argument| is_listed(argument));
        let rows: String = arguments.map(row).collect();
        if !rows.is_empty() {
            let _ = write!(page, "\n| | |\n|---|---|\n{rows}");
        }
        if let Some(after) = command.get_after_long_help().or_else(|| command.get_after_help()) {
            let _ = write!(page, "\n```text\n{}\n```\n", after.to_string().trim());
        }
    }
    let examples = examples::of(name.trim_start_matches("baton ")).join("\n");
    if !examples.is_empty() {
        // Their calls are parsed by the tests of the pages.
        let _ = write!(page, "\n<!-- not run: examples -->\n```sh\n{examples}\n```\n");
    }
    for inner in command.get_subcommands() {
        add(page, inner, &name, if has_commands { "###" } else { level });
    }
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
