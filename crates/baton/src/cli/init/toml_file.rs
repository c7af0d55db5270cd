//! Codex's TOML file: the one table is put in its place; comments and everything else stay as they are.

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

const SERVERS: &str = "mcp_servers";
const NAME: &str = "baton";
const HOOKS: &str = "hooks";
/// When a turn ends.
const STOP: &str = "Stop";

/// The file's text with the entry in it.
pub(super) fn merged(before: &str, entry: &[(&str, Value)]) -> Result<String, String> {
    let mut file = read(before)?;
    let servers = file.entry(SERVERS).or_insert_with(headless);
    let servers = servers.as_table_like_mut().ok_or_else(|| format!("{SERVERS} is not a table"))?;
    let mut table = Table::new();
    for (name, value) in entry {
        table.insert(name, Item::Value(value.clone()));
    }
    servers.insert(NAME, Item::Table(table));
    Ok(file.to_string())
}

/// The file's text with a command that runs when a turn ends, in place of the one whose text has this mark.
pub(super) fn hooked(
    before: &str,
    command: &str,
    mark: &str,
    timeout_seconds: u32,
) -> Result<String, String> {
    let mut file = read(before)?;
    let hooks = file.entry(HOOKS).or_insert_with(headless);
    let hooks = hooks.as_table_like_mut().ok_or_else(|| format!("{HOOKS} is not a table"))?;
    let stop = hooks.entry(STOP).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let hook = [
        ("type", Value::from("command")),
        ("command", Value::from(command)),
        ("timeout", Value::from(i64::from(timeout_seconds))),
    ];
    match stop {
        Item::ArrayOfTables(groups) => {
            groups.retain(|group| !loses_all(group, mark));
            groups.iter_mut().for_each(|group| remove(group, mark));
            groups.push(group_of(hook));
        }
        // Written in one line, and so it stays.
        Item::Value(Value::Array(groups)) => {
            groups.retain(|group| group.as_inline_table().is_none_or(|group| !loses_all(group, mark)));
            groups.iter_mut().filter_map(Value::as_inline_table_mut).for_each(|group| remove(group, mark));
            let hooks = Array::from_iter([InlineTable::from_iter(hook)]);
            groups.push(InlineTable::from_iter([(HOOKS, Value::from(hooks))]));
        }
        _ => return Err(format!("{HOOKS}.{STOP} is not an array of tables")),
    }
    Ok(file.to_string())
}

/// A group with one hook.
fn group_of<const N: usize>(hook: [(&str, Value); N]) -> Table {
    let mut table = Table::new();
    for (name, value) in hook {
        table.insert(name, Item::Value(value));
    }
    let mut group = Table::new();
    group.insert(HOOKS, Item::ArrayOfTables(ArrayOfTables::from_iter([table])));
    group
}

/// Whether a hook's command has this mark.
fn is_marked(hook: &dyn TableLike, mark: &str) -> bool {
    hook.get("command").and_then(Item::as_str).is_some_and(|command| command.contains(mark))
}

fn is_marked_value(hook: &Value, mark: &str) -> bool {
    hook.as_inline_table().is_some_and(|hook| is_marked(hook, mark))
}

/// Whether a group has hooks, and all of them have this mark.
fn loses_all(group: &dyn TableLike, mark: &str) -> bool {
    match group.get(HOOKS) {
        Some(Item::ArrayOfTables(hooks)) => {
            !hooks.is_empty() && hooks.iter().all(|hook| is_marked(hook, mark))
        }
        Some(Item::Value(Value::Array(hooks))) => {
            !hooks.is_empty() && hooks.iter().all(|hook| is_marked_value(hook, mark))
        }
        _ => false,
    }
}

/// Removes the hooks with this mark from a group.
fn remove(group: &mut dyn TableLike, mark: &str) {
    match group.get_mut(HOOKS) {
        Some(Item::ArrayOfTables(hooks)) => hooks.retain(|hook| !is_marked(hook, mark)),
        Some(Item::Value(Value::Array(hooks))) => hooks.retain(|hook| !is_marked_value(hook, mark)),
        _ => {}
    }
}

fn read(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|error| format!("not TOML ({})", first_line(&error)))
}

/// A table without a line of its own.
fn headless() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

fn first_line(error: &toml_edit::TomlError) -> String {
    error.message().lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_other_servers_stay() {
        let before = "# mine\nmodel = \"x\" # best\n\n[mcp_servers.other]\ncommand = \"o\"\n";
        let entry = [("command", Value::from("baton"))];
        let after = merged(before, &entry).unwrap();
        assert!(after.starts_with(before), "{after}");
        assert!(after.contains("[mcp_servers.baton]\ncommand = \"baton\"\n"), "{after}");
        assert_eq!(merged(&after, &entry).unwrap(), after, "once more changes nothing");
        assert_eq!(merged("", &entry).unwrap(), "[mcp_servers.baton]\ncommand = \"baton\"\n");
    }

    #[test]
    fn a_hook_is_replaced_by_its_mark_and_others_stay() {
        let other =
            "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"say done\" # mine\n";
        let once = hooked(other, "baton inbox wait --hook", "inbox wait --hook", 30).unwrap();
        let ours = "\n[[hooks.Stop]]\n\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"baton inbox wait --hook\"\ntimeout = 30\n";
        assert_eq!(once, format!("{other}{ours}"));
        let twice = hooked(&once, "other/baton inbox wait --hook", "inbox wait --hook", 30).unwrap();
        assert_eq!(twice, once.replace("\"baton ", "\"other/baton "));
        for broken in ["hooks = 1", "hooks.Stop = 1"] {
            assert!(hooked(broken, "c", "m", 1).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_hook_in_a_group_with_others_is_replaced_and_the_others_stay() {
        let hook = |command| format!("[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"{command}\"\n");
        let shared = format!("[[hooks.Stop]]\n{}{}", hook("say done"), hook("baton inbox wait --hook"));
        let inner = "[[hooks.Stop]]\nhooks = [{ command = \"say done\" }, { command = \"baton inbox wait --hook\" }]\n";
        let inline = "[hooks]\nStop = [{ hooks = [{ command = \"say done\" }, { command = \"baton inbox wait --hook\" }] }]\n";
        for before in [&*shared, inner, inline] {
            let after = hooked(before, "new/baton inbox wait --hook", "inbox wait --hook", 30).unwrap();
            assert_eq!(after.matches("say done").count(), 1, "{after}");
            assert_eq!(after.matches("inbox wait --hook").count(), 1, "{after}");
            assert!(after.contains("new/baton"), "{after}");
            let again = hooked(&after, "new/baton inbox wait --hook", "inbox wait --hook", 30).unwrap();
            assert_eq!(again, after, "once more changes nothing");
        }
    }

    #[test]
    fn a_broken_file_is_left_alone() {
        for broken in ["= 1", "mcp_servers = 1"] {
            assert!(merged(broken, &[]).is_err(), "{broken}");
        }
    }
}
