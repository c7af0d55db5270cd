//! The question a task waits on: what the rules read of it, and its options as they are stored, shown and delivered.

use baton_core::{InputTtlSeconds, Question, QuestionOptions, QuestionTerms, TaskSnapshot};
use baton_store::Snapshot;
use serde_json::value::RawValue;

use super::Error;

/// The terms of the question that a task asked last.
pub(super) fn terms(rows: &dyn Snapshot, task: &TaskSnapshot) -> Result<QuestionTerms, Error> {
    let Some(asked) = rows.newest_question(&task.network_id, &task.id, None)? else {
        return Ok(QuestionTerms::default());
    };
    let input_ttl = match asked.input_ttl_seconds {
        Some(seconds) => InputTtlSeconds::parse("input_ttl_seconds", seconds.into()).map_err(corrupt)?,
        None => InputTtlSeconds::default(),
    };
    let options = match asked.options {
        Some(options) => QuestionOptions::parse(list(&options)?).map_err(corrupt)?,
        None => QuestionOptions::default(),
    };
    Ok(QuestionTerms { options, input_ttl, auth_required: asked.auth_required })
}

/// Options as they are stored, a JSON array; none if a question takes any answer.
pub(super) fn stored(options: &QuestionOptions) -> Option<String> {
    let options = options.as_slice();
    (!options.is_empty()).then(|| serde_json::Value::from(options).to_string())
}

/// Stored options as an answer shows them.
pub(super) fn shown(options: Option<String>) -> Option<Box<RawValue>> {
    options.and_then(|options| RawValue::from_string(options).ok())
}

/// Stored options, one by one.
pub fn list(options: &str) -> Result<Vec<String>, Error> {
    serde_json::from_str(options).map_err(corrupt)
}

/// A question as it lies in its sender's inbox, where there is nothing but its text.
pub(super) fn delivered(question: &Question) -> String {
    let (text, options) = (question.text.as_str(), question.terms.options.as_slice());
    match options.is_empty() {
        true => text.to_owned(),
        false => format!("{text}\n\n{}", in_words(options)),
    }
}

/// Options as people read them.
pub fn in_words(options: &[String]) -> String {
    format!("Options:\n- {}", options.join("\n- "))
}

fn corrupt(error: impl std::fmt::Display) -> Error {
    baton_store::Error::Corrupt(format!("a question: {error}")).into()
}
