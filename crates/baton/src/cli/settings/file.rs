//! The configuration file: TOML, one key for each setting, no tables. It is read whole and every key is checked, whichever
//! settings the command needs.

use baton_core::limits;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::Problem;
use super::setting::{Kind, Setting, hidden_password};
use crate::data_folder::DataFolder;

/// Its name in the folders it is looked for in.
const NAME: &str = "baton.toml";
const SYSTEM_FOLDER: &str = "/etc/baton";

#[derive(Debug)]
pub(super) struct File {
    path: PathBuf,
    values: Vec<Value>,
}

#[derive(Debug)]
struct Value {
    key: String,
    values: Vec<String>,
    line: usize,
}

impl File {
    /// The file that was named, else the first default one that is there. A named file must be there.
    pub(super) fn find(named: Option<PathBuf>, settings: &[Setting]) -> Result<Option<Self>, Vec<Problem>> {
        // How a file in a default place is left out.
        if named.as_deref() == Some(Path::new("/dev/null")) {
            return Ok(None);
        }
        let is_named = named.is_some();
        let paths = named.map_or_else(default_places, |path| vec![path]);
        for path in paths {
            match read(&path) {
                Ok(text) => return Self::parse(path, &text, settings).map(Some),
                Err(error) if !is_named && error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    let path = path.display();
                    return Err(vec![Problem::new(format!(
                        "cannot read the configuration file {path}: {error}"
                    ))]);
                }
            }
        }
        Ok(None)
    }

    fn parse(path: PathBuf, text: &str, settings: &[Setting]) -> Result<Self, Vec<Problem>> {
        let line = |at: usize| 1 + text[..at.min(text.len())].matches('\n').count();
        let table = DeTable::parse(text).map_err(|error| {
            let line = line(error.span().map_or(0, |span| span.start));
            vec![Problem::new(format!("{} line {line}: {}", path.display(), error.message()))]
        })?;
        let (mut values, mut problems) = (Vec::new(), Vec::new());
        for (key, value) in table.get_ref() {
            let line = line(key.span().start);
            match read_value(key.get_ref(), value, settings) {
                Ok(read) => values.push(Value { key: key.get_ref().to_string(), values: read, line }),
                Err(problem) => {
                    problems.push((line, Problem::new(format!("{} line {line}: {problem}", path.display()))));
                }
            }
        }
        // The table is in the order of its keys; people read a file from top to bottom.
        problems.sort_by_key(|(line, _)| *line);
        match problems.is_empty() {
            true => Ok(Self { path, values }),
            false => Err(problems.into_iter().map(|(_, problem)| problem).collect()),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The values of a key, and its line.
    pub(super) fn value(&self, key: &str) -> Option<(&[String], usize)> {
        let value = self.values.iter().find(|value| value.key == key)?;
        Some((&value.values, value.line))
    }

    /// A warning if every user of the machine can read a secret in it.
    pub(super) fn exposed_secret(&self, settings: &[Setting]) -> Option<String> {
        let is_secret =
            |value: &&Value| settings.iter().any(|setting| setting.key() == value.key && setting.is_secret());
        let secret = self.values.iter().find(is_secret)?;
        let mode = std::fs::metadata(&self.path).ok()?.permissions().mode();
        let path = self.path.display();
        (mode & 0o004 != 0).then(|| {
            format!(
                "{path} holds {} and every user of this machine can read it; run `chmod o-r {path}`",
                secret.key
            )
        })
    }
}

/// Where a file is looked for if none is named.
pub(crate) fn default_places() -> Vec<PathBuf> {
    let home = DataFolder::home().map(|folder| folder.path().join(NAME));
    home.into_iter().chain([Path::new(SYSTEM_FOLDER).join(NAME)]).collect()
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(limits::CONFIG_FILE_MAX_BYTES + 1).read_to_string(&mut text)?;
    match text.len() as u64 > limits::CONFIG_FILE_MAX_BYTES {
        true => Err(io::Error::other(format!("it is larger than {} bytes", limits::CONFIG_FILE_MAX_BYTES))),
        false => Ok(text),
    }
}

/// The value of a key as the option's parser takes it.
fn read_value(key: &str, value: &Spanned<DeValue<'_>>, settings: &[Setting]) -> Result<Vec<String>, Problem> {
    let value = value.get_ref();
    let Some(setting) = settings.iter().find(|setting| setting.key() == key) else {
        return Err(unknown(key, value, settings));
    };
    let place = format!("{key} = ");
    let wrong = || {
        let expected = match setting.kind() {
            Kind::Number => "a number",
            Kind::Boolean => "true or false",
            Kind::Text => "a string in quotation marks",
            Kind::List => "an array of strings, such as [\"…\", \"…\"]",
        };
        setting.refused(&place, &shown(value), &format!("must be {expected}, not {}", kind(value)))
    };
    let values = match (setting.kind(), value) {
        (Kind::Number, DeValue::Integer(number)) => vec![number.to_string()],
        (Kind::Number, DeValue::Float(number)) => vec![number.to_string()],
        (Kind::Boolean, DeValue::Boolean(boolean)) => vec![boolean.to_string()],
        (Kind::Text, DeValue::String(text)) => vec![text.to_string()],
        (Kind::List, DeValue::Array(elements)) => {
            let texts = elements.iter().map(|element| element.get_ref().as_str().map(str::to_owned));
            texts.collect::<Option<Vec<_>>>().ok_or_else(wrong)?
        }
        _ => return Err(wrong()),
    };
    for one in &values {
        setting.accepts(one).map_err(|rule| setting.refused(&place, &shown(value), &rule))?;
    }
    Ok(values)
}

fn unknown(key: &str, value: &DeValue<'_>, settings: &[Setting]) -> Problem {
    if value.is_table() {
        return Problem::new(format!(
            "[{key}] is not a setting: settings are not grouped in tables; `baton hub config` lists them"
        ));
    }
    let alike = |setting: &&Setting| {
        let name = key.replace('_', "-").to_ascii_lowercase();
        // Per mille, because a fraction has no order.
        (strsim::jaro_winkler(&name, setting.key()) * 1_000.0) as u32
    };
    let nearest = settings.iter().max_by_key(alike).filter(|nearest| alike(nearest) >= 800);
    let advice = match nearest {
        Some(nearest) => format!("did you mean {:?}?", nearest.key()),
        None => "`baton hub config` lists them".into(),
    };
    Problem::new(format!("there is no setting {key:?}; {advice}"))
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

/// A value as it stands in the file, nearly.
fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{:?}", hidden_password(text)),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(boolean) => boolean.to_string(),
        DeValue::Datetime(date) => date.to_string(),
        DeValue::Array(elements) => {
            format!(
                "[{}]",
                elements.iter().map(|element| shown(element.get_ref())).collect::<Vec<_>>().join(", ")
            )
        }
        DeValue::Table(_) => "{ … }".into(),
    }
}
