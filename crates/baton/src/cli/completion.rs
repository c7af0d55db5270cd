//! Completions. In bash, zsh and fish they are dynamic: `baton completions SHELL` prints what makes the shell run this
//! binary again at each TAB, with BATON_COMPLETE set and the line as its arguments, and `answer` completes it. Whatever goes
//! wrong then, nothing is printed: an error would land in the middle of the line.

mod candidates;
mod typed_line;

use clap::{Arg, Command, ValueHint};
use clap_complete::env::{CompleteEnv, Shells};
use clap_complete::{Shell, generate};
use std::io;
use std::process::ExitCode;

use super::settings;
use candidates::Candidates;
use typed_line::TypedLine;

const VARIABLE: &str = "BATON_COMPLETE";

/// Prints the completions a shell asks for; none if no shell asks.
pub(super) fn answer() -> Option<ExitCode> {
    let env = CompleteEnv::with_factory(completed).var(VARIABLE).bin("baton").completer("baton");
    let folder = std::env::current_dir().ok();
    match env.try_complete(std::env::args_os(), folder.as_deref()) {
        Ok(false) => None,
        Ok(true) => Some(ExitCode::SUCCESS),
        Err(_) => Some(ExitCode::FAILURE),
    }
}

/// What a shell reads to complete this binary's commands.
pub(super) fn script(shell: Shell) -> io::Result<Vec<u8>> {
    let mut script = Vec::new();
    let (shells, name) = (Shells::builtins(), shell.to_string());
    match shells.completer(&name) {
        Some(dynamic) if matches!(shell, Shell::Bash | Shell::Zsh | Shell::Fish) => {
            dynamic.write_registration(VARIABLE, "baton", "baton", "baton", &mut script)?;
        }
        _ => generate(shell, &mut settings::described(super::command()), "baton", &mut script),
    }
    if shell == Shell::Zsh {
        script.extend_from_slice(ZSH_FIRST_TAB.as_bytes());
    }
    Ok(script)
}

/// A file in zsh's `fpath` is read at the first TAB, which it has to complete too.
const ZSH_FIRST_TAB: &str =
    "\nif [[ ${funcstack[1]} == _baton ]]; then _clap_dynamic_completer_baton \"$@\"; fi\n";

/// Every command, with where the values of its arguments come from.
fn completed() -> Command {
    let command = with_candidates(super::command(), "");
    // Whoever has typed nothing of a word looks for a value, not for one of twenty options.
    match TypedLine::of_arguments().current().is_empty() {
        true => without_options(command.disable_help_flag(true).disable_version_flag(true)),
        false => command,
    }
}

fn with_candidates(command: Command, path: &str) -> Command {
    let command = command.mut_args(|arg| match candidates(path, &arg) {
        Some(candidates) => arg.add(candidates.completer()),
        // The command that a worker runs, and its arguments.
        None if path == "work" && arg.is_last_set() => arg.value_hint(ValueHint::AnyPath),
        None => arg,
    });
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        command.mut_subcommand(name, |inner| with_candidates(inner, path.trim_start()))
    })
}

fn without_options(command: Command) -> Command {
    let command = command.mut_args(|arg| match arg.is_positional() {
        true => arg,
        false => arg.hide(true),
    });
    command.mut_subcommands(without_options)
}

/// What an argument takes its values from, if the hub or the profiles have them.
fn candidates(path: &str, arg: &Arg) -> Option<Candidates> {
    match (path, arg.get_id().as_str()) {
        ("node add-remote", "alias") => None,       // it is a new one
        ("evidence export", "from" | "to") => None, // places in the log
        ("token revoke", "name_or_id") => Some(Candidates::Tokens),
        ("network accept" | "network decline", "network_name") => Some(Candidates::Invitations),
        (_, "alias" | "to" | "from") => Some(Candidates::Aliases),
        (_, "id" | "ids" | "task" | "parent") => Some(Candidates::Tasks),
        (_, "network" | "network_name") => Some(Candidates::Networks),
        (_, "profile") => Some(Candidates::Profiles),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments of all commands that take such values, by their command.
    fn arguments_with(wanted: Candidates) -> Vec<String> {
        fn below(command: &Command, path: &str, wanted: Candidates, found: &mut Vec<String>) {
            let args = command.get_arguments().filter(|arg| candidates(path, arg) == Some(wanted));
            found.extend(args.map(|arg| format!("{path} {}", arg.get_id())));
            for inner in command.get_subcommands() {
                below(inner, format!("{path} {}", inner.get_name()).trim_start(), wanted, found);
            }
        }
        let mut found = Vec::new();
        below(&super::super::command(), "", wanted, &mut found);
        found
    }

    #[test]
    fn an_alias_a_task_and_a_network_are_completed_wherever_one_is_named() {
        assert_eq!(
            arguments_with(Candidates::Aliases),
            [
                "send alias",
                "tasks to",
                "tasks from",
                "reassign alias",
                "inbox wait alias",
                "node create alias",
                "node hand-over alias",
                "node pin-remote alias",
                "node remove-remote alias",
                "init alias",
                "mcp alias",
                "work alias",
            ]
        );
        let tasks = arguments_with(Candidates::Tasks);
        for argument in [
            "wait ids",
            "task show id",
            "cancel id",
            "ack id",
            "artifact ls task",
            "evidence export task",
            "mcp parent",
        ] {
            assert!(tasks.iter().any(|there| there == argument), "{argument} is not in {tasks:?}");
        }
        let networks = arguments_with(Candidates::Networks);
        assert!(
            networks.contains(&"send network".to_owned())
                && networks.contains(&"network use network_name".to_owned())
        );
    }

    #[test]
    fn the_commands_that_are_completed_fit_together() {
        without_options(with_candidates(super::super::command(), "")).debug_assert();
    }
}
