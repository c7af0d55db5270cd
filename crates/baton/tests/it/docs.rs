//! The documentation, tested: what README.md and the pages under docs/ tell a reader to type is typed here, with
//! the binary under test, and does what the page says. CONTRIBUTING.md says how a page marks what cannot be run.

mod calls;
mod links;
mod page;
mod run;
mod script;
mod shown;

use page::{Page, pages};
use std::sync::Mutex;

/// Pages at work at the same time.
const AT_ONCE: usize = 4;

/// Runs these pages and lists all that fail.
fn run_all(pages: Vec<Page>) {
    assert!(!pages.is_empty());
    let (waiting, wrong) = (Mutex::new(pages), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(page) = { waiting.lock().unwrap().pop() } {
                    if let Err(what) = run::run(&page) {
                        wrong.lock().unwrap().push(format!("{}: {what}", page.name));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_command_of_the_pages_does_what_the_page_says() {
    run_all(pages().into_iter().filter(|page| page.runs_something() && !page.needs_python_sdk()).collect());
}

#[test]
fn the_first_network_continues_with_the_hub_of_the_readme() {
    let page = |name: &str| pages().into_iter().find(|page| page.name == name).unwrap();
    let both = page("README.md").continued_by(page("docs/guides/first-network.md"));
    run_all(vec![both]);
}

/// Apart from the others, as it needs what `make clients` installs.
#[test]
fn every_command_of_the_pages_with_the_python_sdk_does_what_the_page_says() {
    run_all(pages().into_iter().filter(Page::needs_python_sdk).collect());
}

#[test]
fn a_page_that_is_wrong_is_told_with_its_line_and_what_was_said() {
    for (text, what) in [
        ("```sh\ntrue\n\nfalse\ntrue\n```\n", "line 1: exit code 1"),
        ("x\n```console\n$ echo one\none\n$ echo two\nthree\n```\n", "line 5: \"three\" is not said"),
        ("```console\n$ sh -c 'exit 3'\n$ echo $?\n4\n```\n", "line 2: exit code 3"),
        ("<!-- a terminal of its own -->\n```sh\ntrue\n```\n", "line 2: exit code 97"),
        ("```sh\necho \"$NOBODY_SET_THIS\"\n```\n", "line 1: exit code"),
    ] {
        let page = Page::read("wrong.md", text);
        let told = run::run(&page).expect_err(text);
        assert!(told.contains(what), "{told}");
    }
}
