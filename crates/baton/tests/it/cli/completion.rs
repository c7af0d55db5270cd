//! Completions, as the shells ask for them: each shell runs its own script, which runs the binary under test.

use serde_json::json;
use std::net::TcpListener;
use std::process::Command;

use super::super::hub::Hub;
use super::super::program::{Ran, binary, run};
use super::super::tenant::{inbox_task_ids, send, succeed};
use super::cli_user::CliUser;

/// A hub on a busy machine may take longer than a completion waits for it; whoever types presses TAB again.
const TABS: usize = 10;

/// What a shell offers for these words, the last of which the cursor is in.
fn offered(user: &CliUser, shell: &str, words: &[&str]) -> Vec<String> {
    let tab = || {
        let ran = ask(user, shell, words, &[]).exited(0);
        assert_eq!(ran.stderr, "", "nothing may land in the line that is typed");
        ran.stdout.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    (0..TABS).map(|_| tab()).find(|values| !values.is_empty()).unwrap_or_default()
}

fn offers_nothing(user: &CliUser, shell: &str, words: &[&str], environment: &[(&str, &str)]) {
    let ran = ask(user, shell, words, environment).exited(0);
    assert_eq!((ran.stdout.trim(), &*ran.stderr), ("", ""), "{shell} {words:?} {environment:?}");
}

fn ask(user: &CliUser, shell: &str, words: &[&str], environment: &[(&str, &str)]) -> Ran {
    let script = match shell {
        "bash" => BASH,
        "zsh" => ZSH,
        "fish" => FISH,
        other => panic!("{other}"),
    };
    let binaries = binary().parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(shell);
    if shell != "fish" {
        command.args(["-c", script, shell]).args(words);
    } else {
        command.args(["--no-config", "-c", script]).args(words);
    }
    user.at_home(&mut command).env("PATH", path).env("BATON_CONFIG", "/dev/null");
    run(command.envs(environment.iter().copied()), |_| Ok(()))
}

/// Bash calls the function that `complete` names, with the words in COMP_WORDS, and reads COMPREPLY.
const BASH: &str = r#"
source <(baton completions bash)
[[ $(complete -p baton) == *"-F _clap_complete_baton baton" ]] || exit 1
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_TYPE=9
_clap_complete_baton baton "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
[ "${#COMPREPLY[@]}" = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
"#;

/// Zsh reads the script from its `fpath`; `_describe` is what would show the values.
const ZSH: &str = r#"
fpath=($(mktemp -d) $fpath)
baton completions zsh > ${fpath[1]}/_baton
autoload -Uz compinit && compinit -u -D
_describe() { print -rl -- ${${(P)3}%%:*} }
words=("$@") CURRENT=$#
${_comps[baton]}
"#;

const FISH: &str = r#"
baton completions fish | source
complete --do-complete (string join -- ' ' (string escape -- $argv[1..-2]) $argv[-1])
"#;

/// The shells of this machine that have dynamic completions. Bash is always there.
fn shells() -> Vec<&'static str> {
    let is_there = |shell: &&str| Command::new(shell).args(["-c", "exit 0"]).output().is_ok();
    let there: Vec<&str> = ["bash", "zsh", "fish"].into_iter().filter(is_there).collect();
    assert!(there.contains(&"bash"));
    there
}

#[test]
fn aliases_task_ids_and_networks_are_completed_in_every_shell() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    for alias in ["coder", "counter", "reviewer"] {
        ada.agent(alias);
    }
    let id = send(&ada.tenant.user, "coder", "count: 'all' $(the) \"words\"\n\u{1b}[31m");
    ada.says(&["network", "create", "team"]);
    ada.says(&["network", "use", &ada.tenant.network_id]);
    for shell in shells() {
        let offered = |words: &[&str]| offered(&ada, shell, words);
        assert_eq!(offered(&["baton", "send", "co"]), ["coder", "counter"], "{shell}");
        assert_eq!(
            offered(&["baton", "send", ""]),
            ["coder", "counter", "reviewer"],
            "{shell}: no option among them"
        );
        assert_eq!(offered(&["baton", "task", "show", &id[..4]]), [&*id], "{shell}");
        assert_eq!(offered(&["baton", "cancel", ""]), [&*id], "{shell}");
        assert_eq!(offered(&["baton", "send", "--network", "te"]), ["team"], "{shell}");
        assert_eq!(offered(&["baton", "network", "use", "t"]), ["team"], "{shell}");
        offers_nothing(&ada, shell, &["baton", "send", "--network", "team", "co"], &[]);
        assert_eq!(offered(&["baton", "whoami", "--profile", "d"]), ["default"], "{shell}");
        // Commands, options and files as ever.
        assert_eq!(
            offered(&["baton", "work", "--alias", "coder", "--", "Cargo.to"]),
            ["Cargo.toml"],
            "{shell}"
        );
        assert_eq!(offered(&["baton", "reas"]), ["reassign"], "{shell}");
        assert_eq!(offered(&["baton", "send", "coder", "--qui"]), ["--quiet"], "{shell}");
    }
}

#[test]
fn an_agent_completes_the_agents_that_were_online() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let (coder, reviewer) = (ada.agent("coder"), ada.agent("reviewer"));
    inbox_task_ids(&reviewer);
    let token = coder.token.unwrap();
    assert_eq!(offered(&ada, "bash", &["baton", "send", "--token", &token, "re"]), ["reviewer"]);
}

#[test]
fn tokens_and_invitations_are_completed_by_their_ids() {
    let hub = Hub::start();
    let (ada, bob) = (CliUser::logged_in(&hub, "ada"), CliUser::logged_in(&hub, "bob"));
    let made = ada.json(&["node", "create", "coder"])["token_id"].clone();
    assert!(offered(&ada, "bash", &["baton", "token", "revoke", ""]).iter().any(|id| made == **id));

    let user_id = bob.json(&["whoami"])["user"]["user_id"].clone();
    let members = format!("/api/networks/{}/members", ada.tenant.network_id);
    let invited = ada.tenant.user.post(&members, &json!({"user_id": user_id, "role": "member"}));
    assert_eq!(invited.status, 200, "{}", invited.text());
    assert_eq!(offered(&bob, "bash", &["baton", "network", "accept", ""]), [&*ada.tenant.network_id]);
}

#[test]
fn what_a_shell_would_run_or_split_is_not_offered() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    // A network whose name is no plain word is offered by its id.
    let names = ["the team", "$(reboot)", "a;b"];
    for name in names {
        succeed(&ada.tenant.user.post("/api/networks", &json!({"name": name})));
    }
    for shell in shells() {
        assert_eq!(offered(&ada, shell, &["baton", "send", ""]), ["coder"], "{shell}");
        let ids = offered(&ada, shell, &["baton", "network", "use", "net_"]);
        let used: Vec<String> = ids.iter().map(|id| ada.says(&["network", "use", id])).collect();
        for name in names {
            assert!(
                used.iter().any(|said| said.starts_with(&format!("Using {name} ("))),
                "{name} is not in {used:?}"
            );
        }
        ada.says(&["network", "use", &ada.tenant.network_id]);
    }
}

#[test]
fn a_hub_that_is_away_silent_or_refuses_completes_nothing_and_says_nothing() {
    let mut hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    let nothing = |environment: &[(&str, &str)]| {
        offers_nothing(&ada, "bash", &["baton", "send", "co"], environment);
    };
    let unknown = format!("utok_{}", "0".repeat(64));
    nothing(&[("BATON_TOKEN", &unknown)]);
    nothing(&[("BATON_TOKEN", "nonsense")]);
    nothing(&[("BATON_PROFILE", "nosuch")]);
    nothing(&[("BATON_HUB", "not a url")]);
    // It takes the connection and never answers: the wait has an end.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let token = ada.tenant.user.token.clone().unwrap();
    nothing(&[("BATON_HUB", &address), ("BATON_TOKEN", &token)]);
    hub.stop();
    nothing(&[]);
    // Commands need no hub.
    assert_eq!(offered(&ada, "bash", &["baton", "reas"]), ["reassign"]);
}

#[test]
fn at_most_a_hundred_values_are_offered() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    for _ in 0..=baton_core::limits::COMPLETION_CANDIDATES_MAX_COUNT {
        send(&ada.tenant.user, "coder", "x");
    }
    let offered = offered(&ada, "bash", &["baton", "cancel", ""]);
    assert_eq!(offered.len(), baton_core::limits::COMPLETION_CANDIDATES_MAX_COUNT);
}
