//! On a terminal: colours unless they are not wanted, tables as wide as the screen, and nothing in other users' texts
//! that the terminal would obey.

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use unicode_width::UnicodeWidthStr;

use super::super::hub::Hub;
use super::super::program::binary;
use super::super::tenant::{act, claim, send, succeed, task, text};
use super::super::work::worker::eventually;
use super::cli_user::CliUser;
use serde_json::json;

const PATIENCE: Duration = Duration::from_secs(30);
const HOSTILE: &str = "a\u{1b}[31mred\u{1b}]0;title\u{7}\u{9b}2Jb\nsecond\rline 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字";

/// A command on a terminal of its own.
pub(crate) struct Terminal {
    child: Child,
    written: Receiver<Vec<u8>>,
    text: Vec<u8>,
    keyboard: File,
}

impl Terminal {
    pub(crate) fn start(command: &mut Command, columns: u16) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        tcsetwinsize(&master, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let flags = i32::try_from(OFlags::NOCTTY.bits()).unwrap();
        let slave = OpenOptions::new().read(true).write(true).custom_flags(flags).open(name).unwrap();
        let end = || slave.try_clone().unwrap();
        let child = command.env("TERM", "xterm").stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
        // Only the child may hold the terminal, or its end would not be seen.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let (sender, written) = channel();
        let master = File::from(master);
        let keyboard = master.try_clone().unwrap();
        std::thread::spawn(move || {
            let (mut master, mut buffer) = (master, [0; 4096]);
            // A terminal without a program on it reads as an error.
            while let Ok(count @ 1..) = master.read(&mut buffer) {
                let _ = sender.send(buffer[..count].to_vec());
            }
        });
        Self { child, written, text: Vec::new(), keyboard }
    }

    /// Types a line.
    fn types(&mut self, line: &str) {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Types a line once the terminal does not show what is typed.
    pub(crate) fn types_unseen(&mut self, line: &str) {
        let is_unseen = |keyboard: &File| {
            let modes = tcgetattr(keyboard).unwrap().local_modes;
            (!modes.contains(LocalModes::ECHO)).then_some(())
        };
        eventually("a prompt without echo", || is_unseen(&self.keyboard));
        self.types(line);
    }

    /// Waits until this was written.
    pub(crate) fn wait_for(&mut self, part: &str) {
        while !self.shown().contains(part) {
            let more = self.written.recv_timeout(PATIENCE);
            self.text.extend(more.unwrap_or_else(|error| panic!("no {part:?}: {error}")));
        }
    }

    /// What was read of it so far.
    pub(crate) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.text).into_owned()
    }

    /// Waits until a question for a password was written and what is typed is not shown.
    fn wait_for_secret(&mut self, question: &str) {
        self.wait_for(question);
        let deadline = Instant::now() + PATIENCE;
        while tcgetattr(&self.keyboard).unwrap().local_modes.contains(LocalModes::ECHO) {
            assert!(Instant::now() < deadline, "the terminal still shows what is typed");
            std::thread::yield_now();
        }
    }

    /// Everything it writes, with line ends as on any other output, and its exit code.
    pub(crate) fn end(mut self) -> (String, Option<i32>) {
        loop {
            match self.written.recv_timeout(PATIENCE) {
                Ok(more) => self.text.extend(more),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("still running after {PATIENCE:?}"),
            }
        }
        let text = String::from_utf8(std::mem::take(&mut self.text)).unwrap();
        (text.replace("\r\n", "\n"), self.child.wait().unwrap().code())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn on_terminal(command: &mut Command, columns: u16) -> (String, Option<i32>) {
    Terminal::start(command, columns).end()
}

/// Text without the colours that the tables put on.
fn without_colours(text: &str) -> String {
    let mut plain = text.to_owned();
    for code in ["0", "1", "2", "31", "32", "33", "36"] {
        plain = plain.replace(&format!("\x1b[{code}m"), "");
    }
    plain
}

#[test]
fn a_table_is_as_wide_as_the_screen_and_obeys_nobody() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    let id = send(&ada.tenant.user, "coder", HOSTILE);
    let (shown, code) = on_terminal(&mut ada.command(&["tasks"]), 80);
    assert_eq!(code, Some(0));
    assert!(shown.contains("\x1b[1mID\x1b[0m"), "headings are set off: {shown:?}");
    let plain = without_colours(&shown);
    assert!(!plain.chars().any(|c| c.is_control() && c != '\n'), "{plain:?}");
    let lines: Vec<&str> = plain.lines().collect();
    assert_eq!(lines.len(), 2, "{plain:?}");
    assert!(lines.iter().all(|line| line.width() <= 80), "{plain:?}");
    assert!(lines[1].ends_with('…') && lines[1].contains(r"a\u{1b}[31mred"), "{plain:?}");
    assert!(lines[1].starts_with(&id[..13]), "{plain:?}");

    let (shown, _) = on_terminal(ada.command(&["tasks"]).env("NO_COLOR", "1"), 300);
    assert!(!shown.contains('\x1b'), "{shown:?}");
    assert!(shown.contains("second line 漢字"), "breaks of every sort are spaces in a table: {shown:?}");
}

#[test]
fn a_whole_result_on_a_terminal_has_no_broken_character_or_line_break() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let (worker, id) = (ada.agent("coder"), send(&ada.tenant.user, "coder", "x"));
    // Five bytes again and again: it comes in pieces, and they end everywhere.
    let whole = "€\r\n".repeat(100_000);
    let path = format!("/api/artifacts?network_id={}&name=result.txt", ada.tenant.network_id);
    let octets = [("content-type", "application/octet-stream")];
    let uploaded = succeed(&worker.send_text("PUT", &path, &octets, Some(&whole)));
    let artifact = json!({"sha256": uploaded["artifact"]["sha256"], "name": "result.txt", "description": "the whole result"});
    let reply = json!({"text": "its beginning", "artifacts": [artifact]});
    succeed(&act(&worker, &id, "reply", &reply));
    let (shown, code) = on_terminal(&mut ada.command(&["wait", &id]), 100);
    assert_eq!(code, Some(0));
    let broken = shown.char_indices().find(|(_, c)| !matches!(c, '€' | '\n'));
    assert_eq!((broken, shown.len()), (None, 400_000));
    assert!(ada.baton(&["wait", &id]).stdout == whole, "in a pipe it is itself");
}

#[test]
fn a_result_is_harmless_on_a_terminal_and_itself_in_a_pipe() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let token = ada.agent("coder").token.unwrap();
    let id = send(&ada.tenant.user, "coder", HOSTILE);
    ada.says(&["reply", &id, HOSTILE, "--token", &token]);
    for command in [&["task", "show", &id][..], &["inbox"], &["tasks", "--json"]] {
        let (shown, code) = on_terminal(&mut ada.command(command), 100);
        assert_eq!(code, Some(0), "{shown:?}");
        let plain = without_colours(&shown);
        assert!(!plain.chars().any(|c| c.is_control() && c != '\n'), "{command:?} {plain:?}");
    }
    let json = ada.json(&["task", "show", &id]);
    assert_eq!(json["task"]["result"], HOSTILE);
}

#[test]
fn a_new_node_token_comes_with_what_to_paste() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let (shown, _) = on_terminal(&mut ada.command(&["node", "create", "coder"]), 200);
    let plain = without_colours(&shown);
    let token = plain.lines().next().unwrap();
    for line in [
        format!(
            "  claude mcp add --transport http baton {}/mcp --header \"Authorization: Bearer {token}\"",
            ada.url
        ),
        "  bearer_token_env_var = \"BATON_TOKEN\"".into(),
        format!("  export BATON_HUB={} BATON_TOKEN={token}", ada.url),
        "  baton work --alias coder -- COMMAND".into(),
    ] {
        assert!(plain.lines().any(|shown| shown == line), "no {line:?} in\n{plain}");
    }
}

#[test]
fn a_new_password_is_asked_for_twice_and_never_shown() {
    let hub = Hub::start();
    let ada = CliUser::register(&hub, "ada");
    let typed = |first: &str, second: &str| {
        // A question for a password is asked on the controlling terminal, whatever standard input is.
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(binary()).args(["register", "--hub", &ada.url, "--username", "nina"]);
        let mut terminal = Terminal::start(ada.at_home(&mut command), 100);
        terminal.wait_for_secret("Password for nina: ");
        terminal.types(first);
        terminal.wait_for_secret("Password for nina again: ");
        terminal.types(second);
        let (shown, code) = terminal.end();
        assert!(!shown.contains(first) && !shown.contains(second), "{shown}");
        (shown, code)
    };
    let (shown, code) = typed("a-long-password", "a-lung-password");
    assert_eq!(code, Some(2));
    assert!(shown.contains("the two passwords differ; nothing was changed"), "{shown}");
    assert!(!ada.config().exists());
    let (shown, code) = typed("a-long-password", "a-long-password");
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains(&format!("Registered on {} as nina, and logged in.", ada.url)), "{shown}");
    hub.login("nina", "a-long-password");
}

#[test]
fn an_invite_on_a_terminal_comes_with_its_link() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let (shown, code) = on_terminal(&mut ada.command(&["network", "invite"]), 100);
    assert_eq!(code, Some(0));
    let code = shown.lines().next().unwrap();
    assert!(code.starts_with("inv_"), "{shown}");
    for part in [
        format!("link     {}/#/join/{code}\n", ada.url),
        format!("baton network join {}/#/join/{code}\n", ada.url),
    ] {
        assert!(shown.contains(&part), "{shown}");
    }
    assert!(shown.contains("leads to this machine"), "{shown}");
}

#[test]
fn an_agents_question_is_shown_and_what_is_typed_is_the_answer() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    let mut terminal = Terminal::start(&mut ada.command(&["send", "coder", "work", "--wait"]), 80);
    let held = claim(&coder, 50, 60);
    let id = text(&held["task"]["task_id"]);
    let question = json!({"question": "which\u{1b}[31m file?", "lease_id": held["lease_id"]});
    succeed(&act(&coder, &id, "ask", &question));
    terminal.wait_for("your answer");
    terminal.types("this one");
    let held = claim(&coder, 50, 60);
    assert_eq!(held["messages"][1]["content"], "this one");
    succeed(&act(&coder, &id, "reply", &json!({"text": "done", "lease_id": held["lease_id"]})));
    let (shown, code) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("coder asks: which") && shown.ends_with("done\n"), "{shown:?}");
    assert!(!shown.contains("\x1b[31m"), "{shown:?}");
}

#[test]
fn a_wait_for_one_task_takes_an_option_by_its_number_and_asks_again_after_one_that_is_none() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    let id = send(&ada.tenant.user, "coder", "work");
    let lease_id = claim(&coder, 0, 60)["lease_id"].clone();
    let question =
        json!({"question": "which?", "lease_id": lease_id, "keep_lease": true, "options": ["red", "blue"]});
    succeed(&act(&coder, &id, "ask", &question));
    let mut terminal = Terminal::start(&mut ada.command(&["wait", &id]), 80);
    terminal.wait_for("2. blue");
    terminal.wait_for("your answer");
    terminal.types("green");
    terminal.wait_for("must be exactly one of the options");
    terminal.types("2");
    let seen = succeed(&coder.get(&format!("/api/tasks/{id}?wait_seconds=30&after=3")));
    assert_eq!(
        (&seen["task"]["status"], &seen["messages"][1]["content"]),
        (&json!("running"), &json!("blue"))
    );
    succeed(&act(&coder, &id, "reply", &json!({"text": "done", "lease_id": lease_id})));
    let (shown, code) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.ends_with("done\n"), "{shown:?}");
}

#[test]
fn watching_draws_what_happens_and_gives_the_screen_back() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    send(&ada.tenant.user, "coder", HOSTILE);
    let mut terminal = Terminal::start(&mut ada.command(&["watch"]), 80);
    terminal.wait_for("tasks: 1 delivered");
    send(&ada.tenant.user, "coder", "while you watch");
    terminal.wait_for("while you watch");
    terminal.wait_for("tasks: 2 delivered");
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&terminal.child),
        rustix::process::Signal::INT,
    )
    .unwrap();
    let (shown, code) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(
        shown.starts_with("\x1b[?1049h\x1b[?25l") && shown.ends_with("\x1b[?25h\x1b[?1049l"),
        "{shown:?}"
    );
    assert!(!shown.contains("\x1b]0") && !shown.contains('\u{9b}'), "{shown:?}");
}

#[test]
fn a_worker_on_a_terminal_says_that_it_waits_and_then_only_warnings_unless_it_is_to_say_all() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    for (option, is_quiet) in [(None, true), (Some("--verbose"), false)] {
        let mut work = ada.command(&["work", "--alias", "coder", "--once"]);
        work.args(option).args(["--", "cat"]);
        let mut terminal = Terminal::start(&mut work, 200);
        terminal.wait_for("waiting for tasks");
        let id = send(&ada.tenant.user, "coder", "one");
        let (said, code) = terminal.end();
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(said.lines().count() == 1, is_quiet, "{said}");
        assert_eq!(!said.contains(&id), is_quiet, "{said}");
    }
}

#[test]
fn on_a_terminal_a_new_token_says_when_it_expires() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let (shown, code) = on_terminal(&mut ada.command(&["node", "create", "coder", "--expires", "90d"]), 100);
    assert_eq!(code, Some(0), "{shown}");
    let line = shown.lines().find(|line| line.starts_with("It expires in 89 d, at 20")).map(str::to_owned);
    assert!(line.is_some_and(|line| line.ends_with('.')), "{shown}");
    let (shown, _) = on_terminal(&mut ada.command(&["node", "create", "other"]), 100);
    assert!(!shown.contains("expires"), "{shown}");
}

#[test]
fn whoever_waits_at_a_terminal_sees_the_course_and_the_progress_as_they_happen() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let (planner, coder) = (ada.agent("planner"), ada.agent("coder"));
    let token = planner.token.unwrap();
    let call = ["send", "coder", "work", "--wait=60", "--token", &token];
    let mut waiting = Terminal::start(&mut ada.command(&call), 100);
    let claimed = claim(&coder, 30, 60);
    waiting.wait_for("running by coder: claimed, attempt 1");
    let path = format!("/api/leases/{}/extend", text(&claimed["lease_id"]));
    succeed(&coder.post(&path, &json!({"progress": 40})));
    waiting.wait_for("40 %");
    let id = text(&claimed["task"]["task_id"]);
    succeed(&act(&coder, &id, "reply", &json!({"text": "done"})));
    let (written, code) = waiting.end();
    assert!(written.contains("replied by coder") && written.ends_with("done\n"), "{written}");
    assert_eq!((code, &task(&ada.tenant.user, &id)["kind"]), (Some(0), &json!("delegation")));
}
