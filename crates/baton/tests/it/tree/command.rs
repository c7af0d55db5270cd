//! Trees on the command line: `task tree`, `cancel --tree`, `send --allow-cycle`.

use serde_json::json;

use super::send_part;
use crate::it::cli::cli_user::CliUser;
use crate::it::hub::Hub;
use crate::it::tenant::{act, claim, send, succeed, task};

#[test]
fn a_tree_is_printed_indented_with_status_and_duration() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let [planner, coder, tester] = ["planner", "coder", "tester"].map(|alias| ada.agent(alias));
    let root = send(&ada.tenant.user, "planner", "build it");
    let code = send_part(&planner, "coder", &root);
    let test = send_part(&coder, "tester", &code);
    claim(&tester, 0, 60);
    succeed(&act(&tester, &test, "reply", &json!({"text": "done"})));
    let said = ada.says(&["task", "tree", &code]);
    let lines: Vec<&str> = said.lines().collect();
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(cells(lines[0]), ["ID", "STATUS", "TOOK", "AGENT"]);
    let rows = [
        (&root, "delivered", "planner"),
        (&code, "delivered", "  coder (this task)"),
        (&test, "replied", "    tester"),
    ];
    assert_eq!(lines.len(), 1 + rows.len(), "{said}");
    let column = lines[0].find("AGENT").unwrap();
    for (line, (id, status, agent)) in lines[1..].iter().zip(rows) {
        assert_eq!((&cells(line)[0], &*cells(line)[1]), (id, status), "{said}");
        assert_eq!(&line[column..], agent, "{said}");
        assert!(line[..column].trim_end().ends_with(" s"), "how long it took: {said}");
    }
    let shown = ada.says(&["task", "show", &root]);
    let child = format!("delivered     {code}  coder");
    assert!(shown.contains("led to") && shown.contains(&child) && !shown.contains(&test), "{shown}");
    assert!(!ada.says(&["task", "show", &test]).contains("led to"));
    let shown = ada.json(&["task", "tree", &code]);
    assert_eq!(shown, ada.tenant.user.get(&format!("/api/tasks/{code}/tree")).json());
    assert!(
        ada.baton(&["task", "tree", "00000000-0000-7000-8000-000000000000"])
            .exited(6)
            .stderr
            .contains("task_not_found")
    );
}

#[test]
fn a_cancel_prints_the_command_that_ends_what_is_below_and_that_command_does() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let planner = ada.agent("planner");
    ada.agent("coder");
    let root = send(&ada.tenant.user, "planner", "build it");
    let parts: Vec<String> = (0..2).map(|_| send_part(&planner, "coder", &root)).collect();
    let ran = ada.baton(&["cancel", &root]).exited(0);
    assert_eq!(ran.stdout.trim_end(), format!("{root} is cancelled."));
    let command = format!("baton cancel --tree {root}");
    assert_eq!(ran.stderr.trim_end(), format!("2 tasks below it are still open; `{command}` cancels them"));
    let arguments: Vec<&str> = command.split(' ').skip(1).collect();
    assert_eq!(ada.says(&arguments), format!("{root} had ended; 2 tasks below it are cancelled."));
    for part in &parts {
        assert_eq!(task(&ada.tenant.user, part)["status"], "cancelled");
    }
    ada.baton(&arguments).exited(6);

    let root = send(&ada.tenant.user, "planner", "build it");
    send_part(&planner, "coder", &root);
    let ran = ada.baton(&["cancel", &root, "--tree", "--reason", "changed my mind"]).exited(0);
    assert_eq!(ran.stdout.trim_end(), format!("{root} is cancelled, and with it 1 task below it."));
    assert_eq!(ran.stderr, "");
    let root = send(&ada.tenant.user, "planner", "build it");
    send_part(&planner, "coder", &root);
    let ran = ada.baton(&["cancel", &root, "--json"]).exited(0);
    assert_eq!((&ran.lines()[0]["open_descendants"], &*ran.stderr), (&json!(1), ""));
}

#[test]
fn a_send_into_a_loop_names_the_chain_and_goes_through_when_it_is_allowed() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    let root = send(&ada.tenant.user, "coder", "build it");
    let ran = ada.baton(&["send", "coder", "go on", "--parent", &root]).exited(6);
    for words in ["delegation_cycle", &format!("coder ({root})"), "allow_cycle"] {
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
    let sent = ada.says(&["send", "coder", "go on", "--parent", &root, "--allow-cycle"]);
    assert_eq!(task(&ada.tenant.user, &sent)["parent_task_id"], json!(root));
}
