//! One setting: an option of `baton hub start`, as its definition says. Everything about it comes from there.

use clap::{Arg, ArgAction, Command};
use std::any::TypeId;
use std::sync::Arc;

use super::file::File;
use super::origin::Origin;
use super::problem::{Problem, rule};

/// Variables of OpenTelemetry that set the same, in their order of precedence.
const OPENTELEMETRY: &[(&str, &[&str])] = &[
    ("otlp-endpoint", &["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"]),
    ("otlp-header", &["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"]),
    ("otlp-service-name", &["OTEL_SERVICE_NAME"]),
    ("otlp-sampler", &["OTEL_TRACES_SAMPLER"]),
    ("otlp-sampler-ratio", &["OTEL_TRACES_SAMPLER_ARG"]),
];

#[derive(Debug, Clone)]
pub(crate) struct Setting {
    arg: Arg,
    key: String,
    /// `baton hub start` without what it reads from the environment, to try values with.
    start: Arc<Command>,
}

/// What a setting is in a TOML file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Boolean,
    Text,
    /// An array of texts.
    List,
}

impl Setting {
    /// None for an argument without a long name.
    pub(super) fn new(start: &Arc<Command>, arg: &Arg) -> Option<Self> {
        let key = arg.get_long()?.to_owned();
        Some(Self { arg: arg.clone(), key, start: start.clone() })
    }

    pub(super) fn id(&self) -> &str {
        self.arg.get_id().as_str()
    }

    /// Whether an argument, perhaps of another command, is this setting: options that share a definition do.
    pub(super) fn is(&self, arg: &Arg) -> bool {
        arg.get_id() == self.arg.get_id()
            && arg.get_help().map(ToString::to_string) == self.arg.get_help().map(ToString::to_string)
    }

    /// Whether a command has it.
    pub(super) fn is_of(&self, command: &Command) -> bool {
        command.get_arguments().any(|arg| self.is(arg))
    }

    /// Its name in the file, which is the option's without the dashes in front.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Its environment variable.
    pub(crate) fn variable(&self) -> String {
        match self.arg.get_env() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => format!("BATON_{}", self.key.replace('-', "_").to_ascii_uppercase()),
        }
    }

    /// Variables that other programs read, too.
    pub(crate) fn other_variables(&self) -> &'static [&'static str] {
        OPENTELEMETRY.iter().find(|(key, _)| *key == self.key).map_or(&[], |(_, names)| *names)
    }

    /// Whether its value is never shown.
    pub(crate) fn is_secret(&self) -> bool {
        self.arg.is_hide_env_values_set()
    }

    /// Whether it is for developers only.
    pub(crate) fn is_hidden(&self) -> bool {
        self.arg.is_hide_set()
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self.arg.get_action(), ArgAction::Append)
    }

    pub(crate) fn kind(&self) -> Kind {
        let value = self.arg.get_value_parser().type_id();
        let numbers = [
            TypeId::of::<u8>(),
            TypeId::of::<u16>(),
            TypeId::of::<u32>(),
            TypeId::of::<u64>(),
            TypeId::of::<usize>(),
            TypeId::of::<f64>(),
        ];
        match () {
            () if self.is_list() => Kind::List,
            () if value == TypeId::of::<bool>() => Kind::Boolean,
            () if numbers.iter().any(|number| value == *number) => Kind::Number,
            () => Kind::Text,
        }
    }

    /// What its value is called.
    #[cfg(test)]
    pub(super) fn value_name(&self) -> Option<String> {
        self.arg.get_value_names()?.first().map(ToString::to_string)
    }

    /// What it is for, without its default.
    #[cfg(test)]
    pub(super) fn meaning(&self) -> String {
        let help = self.arg.get_help().map(ToString::to_string).unwrap_or_default();
        help.split(" [default: ").next().unwrap_or_default().to_owned()
    }

    /// Its default, as a value or in words; none if there is none.
    pub(crate) fn default(&self) -> Option<String> {
        let values = self.arg.get_default_values();
        if !values.is_empty() {
            return Some(values.iter().map(|value| value.to_string_lossy()).collect::<Vec<_>>().join(", "));
        }
        let help = self.arg.get_help()?.to_string();
        Some(help.split_once("[default: ")?.1.trim_end_matches(']').to_owned())
    }

    /// Its value from the environment or the file.
    pub(super) fn outside(
        &self,
        file: Option<&File>,
        warnings: &mut Vec<String>,
    ) -> Result<(Vec<String>, Origin), Problem> {
        let name = self.variable();
        if let Some(value) = variable(&name).map_err(Problem::new)? {
            self.accepts(&value).map_err(|rule| self.refused(&format!("{name}="), &value, &rule))?;
            return Ok((self.split(&value), Origin::Environment(name)));
        }
        for name in self.other_variables() {
            let checked = variable(name).and_then(|value| match value {
                Some(value) => match self.accepts(&value) {
                    Ok(()) => Ok(Some(value)),
                    Err(rule) => Err(self.refused(&format!("{name}="), &value, &rule).to_string()),
                },
                None => Ok(None),
            });
            match checked {
                Ok(Some(value)) => return Ok((self.split(&value), Origin::Environment((*name).into()))),
                Ok(None) => {}
                // OpenTelemetry: an implementation warns of a value it does not know, and goes on without it.
                Err(text) => warnings.push(format!("{text}; it is ignored")),
            }
        }
        Ok(match file.and_then(|file| file.value(&self.key)) {
            Some((values, line)) => (
                values.to_vec(),
                Origin::File { path: file.map(|file| file.path().into()).unwrap_or_default(), line },
            ),
            None => (Vec::new(), Origin::Default),
        })
    }

    /// The values in a variable.
    fn split(&self, value: &str) -> Vec<String> {
        match self.is_list() {
            true => value.split(',').map(|one| one.trim().to_owned()).collect(),
            false => vec![value.to_owned()],
        }
    }

    /// Whether the option would take this value.
    pub(super) fn accepts(&self, value: &str) -> Result<(), String> {
        let start = Command::clone(&self.start).no_binary_name(true).disable_help_flag(true);
        let start = start.mut_args(|arg| arg.env(clap::builder::Resettable::<clap::builder::OsStr>::Reset));
        let options = self.split(value).into_iter().map(|value| format!("--{}={value}", self.key));
        start.try_get_matches_from(options).map(drop).map_err(|error| rule(&error))
    }

    /// A value is refused; a secret is not repeated.
    pub(super) fn refused(&self, place: &str, value: &str, rule: &str) -> Problem {
        match self.is_secret() {
            true => Problem::new(format!("{place}…: {rule}")),
            false => Problem::new(format!("{place}{}: {rule}", hidden_password(value))),
        }
    }
}

/// A variable that is set and not empty.
fn variable(name: &str) -> Result<Option<String>, String> {
    match std::env::var_os(name).filter(|value| !value.is_empty()) {
        None => Ok(None),
        Some(value) => value.into_string().map(Some).map_err(|_| format!("{name} is not UTF-8 text")),
    }
}

/// A value with the password of a URL in it replaced.
pub(crate) fn hidden_password(value: &str) -> String {
    match reqwest::Url::parse(value) {
        Ok(url) if url.password().is_some() => {
            let mut url = url;
            // A URL that has a password may have another.
            let _ = url.set_password(Some("***"));
            url.into()
        }
        _ => value.to_owned(),
    }
}
