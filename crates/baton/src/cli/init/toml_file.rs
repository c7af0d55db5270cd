//! Codex's TOML file: the one table is put in its place; comments and everything else stay as they are.

use toml_edit::{DocumentMut, Item, Table, Value};

const SERVERS: &str = "mcp_servers";
const NAME: &str = "baton";

/// The file's text with the entry in it.
pub(super) fn merged(before: &str, entry: &[(&str, Value)]) -> Result<String, String> {
    let mut file: DocumentMut =
        before.parse().map_err(|error| format!("not TOML ({})", first_line(&error)))?;
    let servers = file.entry(SERVERS).or_insert_with(|| {
        let mut servers = Table::new();
        servers.set_implicit(true); // no line of its own
        Item::Table(servers)
    });
    let servers = servers.as_table_like_mut().ok_or_else(|| format!("{SERVERS} is not a table"))?;
    let mut table = Table::new();
    for (name, value) in entry {
        table.insert(name, Item::Value(value.clone()));
    }
    servers.insert(NAME, Item::Table(table));
    Ok(file.to_string())
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
    fn a_broken_file_is_left_alone() {
        for broken in ["= 1", "mcp_servers = 1"] {
            assert!(merged(broken, &[]).is_err(), "{broken}");
        }
    }
}
