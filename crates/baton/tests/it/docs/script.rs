//! A page as one bash script. The blocks share a shell, so what one sets the next one has; each step leaves what it says
//! in a file of its own. What a user would do otherwise than a script is in `here`, and nothing else is changed.

use super::page::{Block, PYTHON_SDK, Page, Role};

/// A command, or a block of them, and what is shown to come of it.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) shown: Vec<String>,
    /// Checked, for a page that shows `echo $?` next.
    code: Option<i32>,
    /// What it says when the page can continue, and how many times.
    ready: Option<(&'static str, usize)>,
}

/// `LOG` is where the files are, `PASSWORD` the admin's: like a user, the script reads it off the hub's greeting.
const BEGINNING: &str = r#"
begin() { exec >"$LOG/$1" 2>&1 </dev/null; echo "$1" >"$LOG/at"; set -eu -o pipefail; }
until_it_says() { # the terminal, the words, how many times
    local line left=$3
    while IFS= read -r line <&"$1"; do
        echo "$line"
        case $line in *"admin password: "*) PASSWORD=${line#*admin password: } PASSWORD=${PASSWORD%% *} ;; esac
        case $line in *"$2"*) left=$((left - 1)) ;; esac
        if [ "$left" = 0 ]; then cat <&"$1" & return; fi
    done
    exit 97
}
"#;

/// The ports that stand for the pages' 9200 and 9300.
pub(super) fn steps(page: &Page, ports: [u16; 2]) -> Vec<Step> {
    let mut steps = Vec::new();
    for block in &page.blocks {
        let block = Block { text: here(&block.text, ports), ..block.clone() };
        match block.role {
            Role::NotRun => {}
            Role::Given => steps.extend(given(&block, ports)),
            Role::Commands => steps.push(Step::new(block.line, block.text)),
            Role::OwnTerminal | Role::HubUnlessOneRuns => steps.push(own_terminal(&block)),
            Role::Console => steps.extend(console(&block)),
        }
    }
    steps
}

pub(super) fn script(steps: &[Step]) -> String {
    let mut script = BEGINNING.to_owned();
    for (number, step) in steps.iter().enumerate() {
        script += &format!("begin {number}\n{}\n", step.bash());
    }
    script + "exit 0\n"
}

/// Everything that is otherwise here than on a reader's machine: the ports, the port a hub and a login take if none is
/// named, that nothing has to be built, and that a name and a password are not typed at a prompt.
fn here(text: &str, [port, other]: [u16; 2]) -> String {
    let text = text.replace("9200", &port.to_string()).replace("9300", &other.to_string());
    let is_console = text.starts_with("$ ");
    let lines = text.lines().map(|line| {
        let mut line = line.to_owned();
        if is_console && !line.starts_with("$ ") {
            return line; // shown
        }
        line = line.replace("make run", "baton hub start"); // which builds it first
        if line.contains("baton hub start") && !line.contains("--port") {
            line = line.replace("baton hub start", &format!("baton hub start --port {port}"));
        }
        line = line.replace("baton login", &login(&line, port));
        if line.contains("baton register") && !line.contains("--hub") {
            line = line.replace("baton register", &format!("baton register --hub http://127.0.0.1:{port}"));
        }
        line.replace("baton passwd", "baton passwd --password-stdin <<<\"$PASSWORD\"$'\\n'\"new-$PASSWORD\"")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What a line's login becomes, with everything it would ask for.
fn login(line: &str, port: u16) -> String {
    let hub = format!(" --hub http://127.0.0.1:{port}");
    let asked = [
        ("--hub", &*hub),
        ("--username", " --username admin"),
        ("--password-stdin", " --password-stdin <<<\"$PASSWORD\""),
    ];
    let missing = asked.iter().filter(|(option, _)| !line.contains(option)).map(|(_, given)| *given);
    if line.contains("--token") {
        "baton login".to_owned()
    } else {
        "baton login".to_owned() + &missing.collect::<String>()
    }
}

fn given(block: &Block, ports: [u16; 2]) -> Option<Step> {
    let (text, role) = match &*block.text {
        PYTHON_SDK => return None,
        "a hub" => ("baton hub start".to_owned(), Role::OwnTerminal),
        "no hub" => (
            "for folder in ~/.baton*; do baton hub stop --data-dir \"$folder\" || true; done".to_owned(),
            Role::Commands,
        ),
        "a login" => ("baton login --username admin".to_owned(), Role::Commands),
        other => match other.strip_prefix("the agent ") {
            Some(alias) => (format!("baton work --alias {alias} -- cat"), Role::OwnTerminal),
            None => panic!("line {}: nobody knows how to give {other:?}", block.line),
        },
    };
    let block = Block { text: here(&text, ports), role, line: block.line };
    Some(if block.role == Role::OwnTerminal {
        own_terminal(&block)
    } else {
        Step::new(block.line, block.text)
    })
}

fn own_terminal(block: &Block) -> Step {
    let commands = console(block);
    let (text, shown) = match commands.first() {
        Some(first) if commands.len() == 1 => (first.text.clone(), first.shown.clone()),
        _ => (block.text.clone(), Vec::new()),
    };
    let starts = |command: &str| text.matches(command).count();
    let ready = match (starts("baton hub start"), starts("baton work")) {
        (0, 0) => ("", 1),
        (0, workers) => ("waiting for tasks", workers),
        (hubs, _) => ("baton send shouter", hubs), // the end of its greeting
    };
    Step { line: block.line, text, shown, code: None, ready: Some(ready) }
}

/// `$ ` begins a command, `> ` continues with it, every other line is shown.
fn console(block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (at, line) in block.text.lines().enumerate() {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step::new(block.line + at + 1, command.to_owned()));
        } else if let Some(step) = steps.last_mut() {
            match line.strip_prefix("> ") {
                Some(more) if step.shown.is_empty() => step.text += &format!("\n{more}"),
                _ => step.shown.push(line.to_owned()),
            }
        }
    }
    for at in 1..steps.len() {
        if steps[at].text == "echo $?" {
            steps[at - 1].code = steps[at].shown.first().and_then(|code| code.parse().ok());
            steps[at].text = "echo \"$status\"".to_owned();
        }
    }
    steps
}

impl Step {
    fn new(line: usize, text: String) -> Self {
        Self { line, text, shown: Vec::new(), code: None, ready: None }
    }

    fn bash(&self) -> String {
        let text = &self.text;
        match (self.ready, self.code) {
            (Some((ready, times)), _) => {
                format!(
                    "exec {{terminal}}< <(exec 2>&1\n{text}\n)\nuntil_it_says \"$terminal\" '{ready}' {times}"
                )
            }
            (None, Some(code)) => {
                format!("set +e\n{text}\nstatus=$?\n[ \"$status\" = {code} ] || exit \"$status\"")
            }
            (None, None) => text.clone(),
        }
    }
}

#[test]
fn only_ports_and_prompts_are_otherwise() {
    for (page, here_it_is) in [
        ("baton hub start", "baton hub start --port 5"),
        ("baton hub start --port 9300", "baton hub start --port 6"),
        ("$ make run", "$ baton hub start --port 5"),
        ("curl http://127.0.0.1:9200/health", "curl http://127.0.0.1:5/health"),
        (
            "baton login --username bob # asks",
            "baton login --hub http://127.0.0.1:5 --password-stdin <<<\"$PASSWORD\" --username bob # asks",
        ),
        ("baton send coder \"a  b\"", "baton send coder \"a  b\""),
        ("$ baton whoami\nbaton login :9300", "$ baton whoami\nbaton login :6"),
    ] {
        assert_eq!(here(page, [5, 6]), here_it_is);
    }
}
