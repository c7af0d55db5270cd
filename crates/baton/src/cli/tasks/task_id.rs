//! Which task is meant: by its whole id, or by a beginning of it that only one of the newest tasks has. How many are
//! looked at is bounded; an older task is named by its whole id.

use baton_core::{TaskId, limits};

use crate::cli::connection::Link;
use crate::cli::failure::Failure;
use crate::service::list_tasks;

/// The whole id of a task that may be named.
pub(crate) async fn find_if_named(link: &Link, text: Option<&str>) -> Result<Option<String>, Failure> {
    match text {
        Some(text) => find(link, text).await.map(Some),
        None => Ok(None),
    }
}

/// The whole id.
pub(crate) async fn find(link: &Link, text: &str) -> Result<String, Failure> {
    if let Some(id) = TaskId::parse(text) {
        return Ok(id.as_str().to_owned());
    }
    let beginning = text.to_ascii_lowercase();
    let fits = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    if beginning.len() < limits::ID_PREFIX_MIN_CHARS || !beginning.bytes().all(fits) {
        return Err(Failure::usage(format!(
            "{text:?} is not a task id, nor the first {} or more characters of one; `baton tasks` lists tasks",
            limits::ID_PREFIX_MIN_CHARS
        )));
    }
    let mut found = Vec::new();
    let network_id = link.network().await?;
    let mut cursor = None;
    for _ in 0..limits::ID_SEARCH_PAGES_COUNT {
        let limit = Some(limits::TASK_PAGE_MAX.to_string());
        let view = Some("row".to_owned());
        let network_id = network_id.clone();
        let args = list_tasks::QueryArgs { network_id, limit, cursor, view, ..Default::default() };
        let page = link.client.tasks(&args).await?.into_value();
        let ids = page.tasks.into_iter().map(|task| task.task_id);
        found.extend(ids.filter(|id| id.starts_with(&beginning)));
        cursor = page.next_cursor;
        if found.len() > 1 || cursor.is_none() {
            break;
        }
    }
    match &*found {
        [only] => Ok(only.clone()),
        [] => Err(Failure::usage(format!(
            "none of the newest {} tasks has an id that begins with {text:?}; pass the whole id",
            limits::ID_SEARCH_PAGES_COUNT * limits::TASK_PAGE_MAX
        ))),
        [first, second, ..] => {
            Err(Failure::usage(format!("{text:?} could be {first} or {second}; pass more of the id")))
        }
    }
}

/// Ids as a table shows them: whole in a file, and on a terminal as far as they differ from each other.
pub(super) fn shown<'a>(ids: impl IntoIterator<Item = &'a str>, is_terminal: bool) -> Vec<String> {
    let whole: Vec<&str> = ids.into_iter().collect();
    // The first 13 characters are the time to the millisecond.
    let mut length = if is_terminal { 13 } else { usize::MAX };
    let cut =
        |length: usize| -> Vec<String> { whole.iter().map(|id| id.chars().take(length).collect()).collect() };
    let is_unique = |ids: &[String]| {
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    };
    loop {
        let ids = cut(length);
        if length >= 36 || is_unique(&ids) {
            return ids;
        }
        length += 1;
    }
}

/// The task id that the worker passed to this command, if it did.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
