//! The settings of a hub. Each is an option of `baton hub start`, and that definition is the only one: the key in the
//! configuration file and the environment variable follow from the option's name. A flag wins over the environment, the
//! environment over the file, the file over the default. Other `baton hub` commands read the settings they share.

mod file;
mod origin;
#[cfg(test)]
mod page;
mod problem;
mod setting;

pub(crate) use file::default_places;
pub(crate) use origin::Origin;
pub(crate) use problem::Problem;
pub(crate) use setting::{Setting, hidden_password};

use clap::builder::{OsStr, Resettable};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use file::File;

/// The option that names the configuration file. It is the one option that is not a setting.
const CONFIG: &str = "config";
const CONFIG_VARIABLE: &str = "BATON_CONFIG";

/// The arguments of a command, completed from the environment and the configuration file.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) matches: ArgMatches,
    /// The settings the command has, in the order of `baton hub start --help`.
    pub(crate) settings: Vec<Effective>,
    /// The configuration file that was read.
    pub(crate) file: Option<PathBuf>,
    /// What was ignored, or is risky.
    pub(crate) warnings: Vec<String>,
}

impl Resolved {
    fn without_settings(matches: ArgMatches) -> Self {
        Self { matches, settings: Vec::new(), file: None, warnings: Vec::new() }
    }
}

/// A setting with its value. Without values it has the default that its help text describes.
#[derive(Debug)]
pub(crate) struct Effective {
    pub(crate) setting: Setting,
    pub(crate) values: Vec<String>,
    pub(crate) origin: Origin,
}

/// The command line with the environment variable of every setting in its help.
pub(crate) fn described(command: Command) -> Command {
    let settings = settings(&command);
    in_hub_commands(command, &settings, |arg, setting| match setting {
        Some(setting) => arg.env(setting.variable()),
        None => arg,
    })
}

/// Reads the arguments of this process. Prints help, and what clap refuses, and exits as clap does.
pub(crate) fn resolve(command: &Command, args: &[OsString]) -> Result<Resolved, Vec<Problem>> {
    // Most commands have no settings; they need not wait for what follows.
    if !args.iter().any(|arg| arg == "hub") {
        return Ok(Resolved::without_settings(command.clone().get_matches_from(args)));
    }
    let settings = settings(command);
    // The environment is read here and not by clap: an error then names the variable, and an empty one counts as unset.
    let plain = in_hub_commands(command.clone(), &settings, |arg, setting| {
        let arg = arg.env(Resettable::<OsStr>::Reset);
        if setting.is_some_and(Setting::is_list) { arg.value_delimiter(',') } else { arg }
    });
    let matches = plain.clone().try_get_matches_from(args).unwrap_or_else(|error| match error.kind() {
        ErrorKind::DisplayHelp => described(command.clone()).get_matches_from(args),
        _ => error.exit(),
    });
    let (path, given) = leaf(&matches);
    let shared =
        settings.iter().filter(|setting| find(&plain, &path).is_some_and(|leaf| setting.is_of(leaf)));
    let shared: Vec<&Setting> = shared.collect();
    if shared.is_empty() {
        return Ok(Resolved::without_settings(matches));
    }
    let is_flag = |setting: &Setting| given.value_source(setting.id()) == Some(ValueSource::CommandLine);
    let file = match shared.iter().all(|setting| is_flag(setting)) {
        true => None,
        false => File::find(config_file(given), &settings)?,
    };
    let (mut found, mut problems, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    for setting in shared {
        if is_flag(setting) {
            found.push(Effective {
                setting: setting.clone(),
                values: raw(given, setting),
                origin: Origin::Flag,
            });
            continue;
        }
        match setting.outside(file.as_ref(), &mut warnings) {
            Ok((values, origin)) => found.push(Effective { setting: setting.clone(), values, origin }),
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    warnings.extend(file.as_ref().and_then(|file| file.exposed_secret(&settings)));
    let matches = with_defaults(plain, &path, &found).get_matches_from(args);
    Ok(Resolved { matches, settings: found, file: file.map(|file| file.path().to_owned()), warnings })
}

/// Every option of `baton hub start` that can be set elsewhere.
fn settings(command: &Command) -> Vec<Setting> {
    let Some(start) = find(command, &["hub", "start"]) else { return Vec::new() };
    let shared = Arc::new(start.clone());
    let options = start.get_arguments().filter(|arg| arg.get_id() != CONFIG);
    options.filter_map(|arg| Setting::new(&shared, arg)).collect()
}

/// The environment variables of all settings.
pub(crate) fn variables() -> Vec<String> {
    settings(&super::command()).iter().map(Setting::variable).collect()
}

/// Changes every argument below `hub` that is a setting, and the one that names the configuration file.
fn in_hub_commands(
    command: Command,
    settings: &[Setting],
    change: impl Fn(clap::Arg, Option<&Setting>) -> clap::Arg + Copy,
) -> Command {
    fn below<F: Fn(clap::Arg, Option<&Setting>) -> clap::Arg + Copy>(
        command: Command,
        settings: &[Setting],
        change: F,
    ) -> Command {
        let command = command.mut_args(|arg| match settings.iter().find(|setting| setting.is(&arg)) {
            None if arg.get_id() != CONFIG => arg,
            setting => change(arg, setting),
        });
        command.mut_subcommands(|command| below(command, settings, change))
    }
    command.mut_subcommand("hub", |hub| below(hub, settings, change))
}

fn find<'c, S: AsRef<str>>(command: &'c Command, path: &[S]) -> Option<&'c Command> {
    path.iter().try_fold(command, |command, name| command.find_subcommand(name.as_ref()))
}

/// The innermost subcommand that was called.
fn leaf(matches: &ArgMatches) -> (Vec<&str>, &ArgMatches) {
    let (mut path, mut here) = (Vec::new(), matches);
    while let Some((name, below)) = here.subcommand() {
        path.push(name);
        here = below;
    }
    (path, here)
}

/// The file that was named by flag or environment.
fn config_file(given: &ArgMatches) -> Option<PathBuf> {
    // A command without this option has only the environment.
    let flag = given.try_get_one::<PathBuf>(CONFIG).ok().flatten().cloned();
    let variable = || std::env::var_os(CONFIG_VARIABLE).filter(|path| !path.is_empty());
    flag.or_else(|| variable().map(PathBuf::from))
}

/// The values on the command line, as they were written.
fn raw(given: &ArgMatches, setting: &Setting) -> Vec<String> {
    let values = given.get_raw(setting.id()).into_iter().flatten();
    values.map(|value| value.to_string_lossy().into_owned()).collect()
}

/// What came from the environment or the file takes the place of the defaults.
fn with_defaults(command: Command, path: &[&str], found: &[Effective]) -> Command {
    let Some((name, rest)) = path.split_first() else {
        let set = found.iter().filter(|found| !matches!(found.origin, Origin::Flag | Origin::Default));
        return set.fold(command, |command, found| {
            command.mut_arg(found.setting.id(), |arg| arg.default_values(found.values.clone()))
        });
    };
    command.mut_subcommand(name, |command| with_defaults(command, rest, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_hub_start_has_a_key_and_a_variable() {
        let command = crate::cli::command();
        let start = find(&command, &["hub", "start"]).unwrap();
        let settings = settings(&command);
        for arg in start.get_arguments().filter(|arg| arg.get_id() != CONFIG) {
            let setting = settings.iter().find(|setting| setting.is(arg));
            assert!(setting.is_some(), "{} cannot be set in a file: it has no long name", arg.get_id());
        }
        let mut variables: Vec<String> = settings.iter().map(Setting::variable).collect();
        variables.sort();
        variables.dedup();
        assert_eq!(variables.len(), settings.len(), "two settings have the same variable");
        assert!(variables.iter().all(|name| name.starts_with("BATON_")), "{variables:?}");
    }

    #[test]
    fn the_page_of_settings_is_what_the_code_says() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
        let made = page::page(&settings(&crate::cli::command()));
        if std::env::var_os("BATON_BLESS").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        let page = std::fs::read_to_string(&path).unwrap();
        assert!(page == made, "docs/settings.md is not what the code says; BATON_BLESS=1 writes it again");
    }
}
