//! The examples at the end of every command's `--help` and man page, and in docs/reference/cli.md. Each is a line that a shell takes and that
//! this binary's parser accepts; placeholders are in upper case.

use clap::Command;

/// Lines of shell for the command of this name, `baton` left out.
type Examples = (&'static str, &'static [&'static str]);

const TASKS: &[Examples] = &[
    (
        "send",
        &[
            "baton send coder \"write a haiku\" --wait       # waits and prints the result",
            "baton send reviewer \"review this\" --file a.patch --wait=60 --quiet",
            "git diff | baton send reviewer -",
        ],
    ),
    ("wait", &["baton wait TASK", "baton wait TASK OTHER --any --timeout 60"]),
    ("tasks", &["baton tasks --status running", "baton tasks --to coder --limit 100 --json"]),
    ("task show", &["baton task show TASK"]),
    ("task tree", &["baton task tree TASK"]),
    (
        "task ask",
        &[
            "baton task ask \"which file?\" --option a.txt --option b.txt   # in a command of `baton work`",
            "baton task ask TASK \"which file?\" --timeout 600",
        ],
    ),
    ("task follow", &["baton task follow TASK"]),
    (
        "task progress",
        &["baton task progress --percent 40 --message \"3 of 7 files\"   # in a command of `baton work`"],
    ),
    ("task share", &["baton task share report.pdf --as report --last   # in a command of `baton work`"]),
    ("task reply", &["baton task reply TASK \"done\""]),
    ("task answer", &["baton task answer TASK \"a.txt\""]),
    (
        "cancel",
        &[
            "baton cancel TASK --reason \"no longer needed\"",
            "baton cancel TASK --tree   # and every task below it",
        ],
    ),
    ("retry", &["baton retry TASK"]),
    ("reassign", &["baton reassign TASK reviewer"]),
    ("inbox", &["baton inbox --limit 10"]),
    ("inbox wait", &["baton inbox wait --timeout 600"]),
    ("ack", &["baton ack TASK"]),
    (
        "reply",
        &["baton reply TASK \"done\" --file report.pdf", "make 2>&1 | baton reply TASK - --status failed"],
    ),
    ("status", &["baton status", "baton status --json"]),
    ("watch", &["baton watch"]),
    ("logs", &["baton logs --since 10m", "baton logs --since 1d --no-follow --json"]),
];

const ACCOUNT: &[Examples] = &[
    (
        "login",
        &[
            "baton login --hub https://hub.example.org --username ada   # asks for the password",
            "baton login --profile work --username ada --password-stdin < password.txt",
        ],
    ),
    ("register", &["baton register --hub https://hub.example.org --username ada   # asks for a password"]),
    ("logout", &["baton logout", "baton logout --profile work"]),
    ("whoami", &["baton whoami"]),
    ("passwd", &["baton passwd"]),
    ("network create", &["baton network create team --description \"agents of the web team\""]),
    ("network ls", &["baton network ls"]),
    ("network use", &["baton network use team"]),
    ("network members", &["baton network members"]),
    (
        "network invite",
        &["baton network invite --role viewer --uses 5 --days 7", "baton network invite --link"],
    ),
    ("network join", &["baton network join CODE", "baton network join https://hub.example.org/#/join/CODE"]),
    ("network invitations", &["baton network invitations"]),
    ("network accept", &["baton network accept team"]),
    ("network decline", &["baton network decline team"]),
    ("network leave", &["baton network leave team"]),
    ("network rename", &["baton network rename team web-team"]),
    ("network delete", &["baton network delete team"]),
    (
        "node create",
        &["baton node create coder --expires 90d", "TOKEN=$(baton node create coder)   # the token alone"],
    ),
    ("node hand-over", &["baton node hand-over coder bob"]),
    (
        "node add-remote",
        &[
            "baton node add-remote translator --card https://agent.example.org",
            "baton node add-remote translator --card https://agent.example.org --bearer-stdin < token.txt",
        ],
    ),
    ("node ls-remote", &["baton node ls-remote"]),
    ("node pin-remote", &["baton node pin-remote translator --pin THUMBPRINT"]),
    ("node remove-remote", &["baton node remove-remote translator"]),
    ("token ls", &["baton token ls"]),
    ("token revoke", &["baton token revoke node:coder", "baton token revoke tok_0123456789ab"]),
    ("quota show", &["baton quota show ada"]),
    ("quota set", &["baton quota set ada networks=100", "baton quota set ada networks=default"]),
];

const EVIDENCE: &[Examples] = &[
    ("adapt", &["baton adapt packet.json", "baton adapt --ndjson packets.ndjson > events.ndjson"]),
    ("evidence bundle", &["baton evidence bundle events.ndjson -o bundle.tar.gz"]),
    (
        "evidence verify",
        &[
            "baton evidence verify evidence.tar.gz",
            "baton evidence verify evidence.tar.gz --key hub.key --json",
        ],
    ),
    ("evidence show", &["baton evidence show evidence.tar.gz"]),
    (
        "evidence export",
        &[
            "baton evidence export -o evidence.tar.gz",
            "baton evidence export --task TASK -o task.tar.gz --force",
        ],
    ),
    ("evidence log", &["baton evidence log --task TASK", "baton evidence log --follow"]),
    ("evidence match", &["baton evidence match report.pdf --task TASK"]),
    ("evidence audit", &["baton evidence audit"]),
];

const HUB: &[Examples] = &[
    (
        "hub start",
        &[
            "baton hub start",
            "baton hub start --username ada --password -   # asks for the password",
            "baton hub start --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem \\\n    --public-url https://hub.example.org:9200",
        ],
    ),
    ("hub config", &["baton hub config", "baton hub config --check --config baton.toml"]),
    ("hub status", &["baton hub status"]),
    ("hub health", &["baton hub health --url https://hub.example.org:9200"]),
    ("hub stop", &["baton hub stop --data-dir /var/lib/baton"]),
    ("hub ls", &["baton hub ls --store postgres://baton@db.example.org/baton"]),
    ("hub check", &["baton hub check", "baton hub check --deep --json"]),
    ("hub backup", &["baton hub backup -o backup.tar.gz"]),
    ("hub restore", &["baton hub restore backup.tar.gz --data-dir /var/lib/baton"]),
    ("hub admin reset-user", &["baton hub admin reset-user --username ada"]),
];

const PROGRAMS: &[Examples] = &[
    ("artifact put", &["baton artifact put report.pdf data.csv"]),
    ("artifact get", &["baton artifact get SHA256 -o report.pdf"]),
    ("artifact ls", &["baton artifact ls --task TASK"]),
    ("demo", &["baton demo"]),
    (
        "init",
        &[
            "baton init claude --alias coder --write",
            "baton init codex --alias coder   # only prints what to add",
        ],
    ),
    ("mcp", &["baton mcp --alias coder"]),
    (
        "work",
        &[
            "baton work --alias shouter -- tr a-z A-Z   # standard input is the task, standard output the reply",
            "baton work --alias coder --concurrency 2 --timeout 600 -- claude -p {task}",
        ],
    ),
    (
        "completions",
        &[
            "baton completions bash > ~/.local/share/bash-completion/completions/baton",
            "baton completions zsh > ~/.zfunc/_baton   # a folder of your fpath",
            "baton completions fish > ~/.config/fish/completions/baton.fish",
        ],
    ),
    ("man", &["baton man --dir ~/.local/share/man/man1"]),
];

/// The examples of the command with this path, such as `network create`.
pub(super) fn of(path: &str) -> &'static [&'static str] {
    let mut all = [TASKS, ACCOUNT, EVIDENCE, HUB, PROGRAMS].into_iter().flatten();
    all.find(|(name, _)| *name == path).map_or(&[], |(_, lines)| lines)
}

/// The command line with its examples in the help.
pub(super) fn added(command: Command) -> Command {
    fn below(command: Command, path: &str) -> Command {
        let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
        let command = names.into_iter().fold(command, |command, name| {
            let path = format!("{path} {name}");
            command.mut_subcommand(name, |inner| below(inner, path.trim_start()))
        });
        match of(path) {
            [] => command,
            lines => with_lines(command, lines),
        }
    }
    below(command, "")
}

/// The examples, after what already stands at the end of the command's help.
fn with_lines(command: Command, lines: &[&str]) -> Command {
    let mut text = command.get_after_help().map(|before| format!("{before}\n\n")).unwrap_or_default();
    text += "Examples:";
    for line in lines {
        text += &format!("\n  {}", line.replace('\n', "\n  "));
    }
    command.after_help(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every visible command that is no group, with its path.
    fn commands() -> Vec<(String, Command)> {
        fn below(command: &Command, path: &str, found: &mut Vec<(String, Command)>) {
            for inner in
                command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help")
            {
                let path = format!("{path} {}", inner.get_name()).trim_start().to_owned();
                below(inner, &path, found);
                let is_group = inner.has_subcommands() && inner.is_subcommand_required_set();
                if !is_group {
                    found.push((path, inner.clone()));
                }
            }
        }
        let mut found = Vec::new();
        let mut root = super::super::command();
        root.build();
        below(&root, "", &mut found);
        found
    }

    /// The words of one call of `baton` in a line of shell: quotes are double, and what is not the call is cut off.
    fn words(line: &str) -> Vec<String> {
        let line = line.replace("\\\n", " ");
        let line = &line[line.find("baton ").unwrap()..];
        let line = line.split(" # ").next().unwrap().trim_end().trim_end_matches(')');
        let mut words = vec![String::new()];
        let mut is_quoted = false;
        for c in line.chars() {
            match c {
                '"' => is_quoted = !is_quoted,
                ' ' if !is_quoted => words.push(String::new()),
                '<' | '>' | '|' if !is_quoted => break,
                c => words.last_mut().unwrap().push(c),
            }
        }
        assert!(!is_quoted, "{line}");
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn the_words_of_a_call_are_those_a_shell_makes() {
        assert_eq!(words("x | baton send a \"b  c\" > out # d"), ["baton", "send", "a", "b  c"]);
        assert_eq!(words("T=$(baton node create a)   # b"), ["baton", "node", "create", "a"]);
    }

    #[test]
    fn every_command_has_examples_and_each_is_a_call_of_that_command() {
        for (path, command) in commands() {
            assert!(!of(&path).is_empty(), "`baton {path}` has no example");
            let help = command.get_after_help().unwrap().to_string();
            for line in of(&path) {
                assert!(help.contains(&line.replace('\n', "\n  ")), "{line} is not in the help of {path}");
                let parsed = super::super::command().try_get_matches_from(words(line));
                let parsed = parsed.unwrap_or_else(|error| panic!("{line}: {error}"));
                let (mut names, mut at) = (Vec::new(), &parsed);
                while let Some((name, inner)) = at.subcommand() {
                    names.push(name);
                    at = inner;
                }
                assert_eq!(names.join(" "), path, "{line}");
            }
        }
    }

    #[test]
    fn every_example_is_of_a_command_there_is() {
        let paths: Vec<String> = commands().into_iter().map(|(path, _)| path).collect();
        for (path, _) in [TASKS, ACCOUNT, EVIDENCE, HUB, PROGRAMS].into_iter().flatten() {
            assert!(paths.iter().any(|there| there == path), "there is no `baton {path}`");
        }
    }
}
