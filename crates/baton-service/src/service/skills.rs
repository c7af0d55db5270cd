//! What an agent says it can do: bounded, kept with its session or its alias, shown on its card. Their ids are what the evidence
//! calls its capabilities.

use baton_core::limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Error;

/// One thing an agent can do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Skill {
    /// 1-64 of A-Z a-z 0-9 . _ -
    #[schemars(length(min = 1, max = limits::SKILL_ID_MAX_CHARS))]
    pub id: String,
    /// What people call it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// In a sentence
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Words to find it by
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Tasks it is for, in words
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// Media types of what it is given, if not those of its agent
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input_modes: Vec<String>,
    /// Media types of what it gives, if not those of its agent
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output_modes: Vec<String>,
}

impl Skill {
    /// Reads `ID` or `ID=NAME`, as an option of a command has it.
    pub fn of_option(text: &str) -> Result<Self, String> {
        let (id, name) = match text.split_once('=') {
            Some((id, name)) => (id, Some(name.to_owned())),
            None => (text, None),
        };
        let skill = Self { id: id.to_owned(), name, ..Self::default() };
        match check(std::slice::from_ref(&skill)) {
            Ok(()) => Ok(skill),
            Err(Error::Argument { rule, .. }) => Err(rule.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Checks what was reported.
pub fn check(skills: &[Skill]) -> Result<(), Error> {
    let refuse = |rule: String| Err(Error::argument("skills", rule));
    if skills.len() > limits::SKILLS_MAX_COUNT {
        return refuse(format!("must be at most {} items", limits::SKILLS_MAX_COUNT));
    }
    for (place, skill) in skills.iter().enumerate() {
        if !is_id(&skill.id) {
            return refuse(format!("an id is 1-{} of A-Z a-z 0-9 . _ -", limits::SKILL_ID_MAX_CHARS));
        }
        if skills[..place].iter().any(|other| other.id == skill.id) {
            return refuse(format!("{} appears twice", skill.id));
        }
        let lists = [&skill.tags, &skill.examples, &skill.input_modes, &skill.output_modes];
        let mut texts =
            [&skill.name, &skill.description].into_iter().flatten().chain(lists.into_iter().flatten());
        if lists.iter().any(|list| list.len() > limits::SKILL_TAGS_MAX_COUNT)
            || texts.any(|text| text.chars().nth(limits::LABEL_MAX_CHARS).is_some())
        {
            let (tags, characters) = (limits::SKILL_TAGS_MAX_COUNT, limits::LABEL_MAX_CHARS);
            return refuse(format!(
                "at most {tags} tags, examples or modes, and {characters} characters a text"
            ));
        }
        let mut modes = skill.input_modes.iter().chain(&skill.output_modes);
        if let Some(mode) = modes.find(|mode| !is_media_type(mode)) {
            return refuse(format!("{mode:?} is not a media type: write one like text/plain"));
        }
    }
    Ok(())
}

fn is_media_type(mode: &str) -> bool {
    let is_token = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&^_.+-*".contains(&byte))
    };
    mode.split_once('/').is_some_and(|(kind, form)| is_token(kind) && is_token(form))
}

fn is_id(id: &str) -> bool {
    (1..=limits::SKILL_ID_MAX_CHARS).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// As they stand in a session's row.
pub fn of_row(skills: Option<&str>) -> Result<Vec<Skill>, Error> {
    let Some(skills) = skills else { return Ok(Vec::new()) };
    serde_json::from_str(skills)
        .map_err(|error| baton_store::Error::Corrupt(format!("skills: {error}")).into())
}

/// As they go into a session's row.
pub fn to_row(skills: &[Skill]) -> Result<String, Error> {
    serde_json::to_string(skills)
        .map_err(|error| baton_store::Error::Corrupt(format!("skills: {error}")).into())
}

/// Their ids, in order.
pub fn ids(skills: &[Skill]) -> Vec<String> {
    let mut ids: Vec<String> = skills.iter().map(|skill| skill.id.clone()).collect();
    ids.sort_unstable();
    ids
}
