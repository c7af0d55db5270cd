//! A page of the documentation: its blocks of shell, and what the HTML comments before them say.

use std::path::{Path, PathBuf};

pub(super) const PYTHON_SDK: &str = "the Python SDK";

/// What a block of shell is to the test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// Typed one after the other.
    Commands,
    /// Commands and what they print.
    Console,
    /// Goes on while the rest of the page is read.
    OwnTerminal,
    /// The same, and a reader who comes from another page with a hub leaves it out.
    HubUnlessOneRuns,
    /// `<!-- not run: why -->`, or nothing but `make`, which builds or measures.
    NotRun,
    /// `<!-- given: … -->`: what the page takes for granted. No block of the page.
    Given,
}

#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) role: Role,
    /// The line of its fence, from 1.
    pub(super) line: usize,
    pub(super) text: String,
}

#[derive(Debug)]
pub(super) struct Page {
    /// From the root of the repository.
    pub(super) name: String,
    pub(super) blocks: Vec<Block>,
    /// What the rules for pages do not allow.
    pub(super) faults: Vec<String>,
}

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages at the root of the repository and everything under docs/, by name.
pub(super) fn files() -> Vec<PathBuf> {
    let at_root = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
    let mut found: Vec<PathBuf> = at_root.iter().map(|name| root().join(name)).collect();
    gather(&root().join("docs"), &mut found);
    assert!(found.len() > 15, "{found:?}");
    found.sort();
    found
}

fn gather(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

pub(super) fn pages() -> Vec<Page> {
    let root = root();
    let read = |file: PathBuf| {
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        Page::read(&name, &std::fs::read_to_string(&file).unwrap())
    };
    files().into_iter().map(read).collect()
}

impl Page {
    pub(super) fn read(name: &str, text: &str) -> Self {
        let mut page = Self { name: name.to_owned(), blocks: Vec::new(), faults: Vec::new() };
        let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
        let mut mark = None;
        while let Some((at, line)) = lines.next() {
            let bare = line.trim_start();
            if let Some(language) = bare.strip_prefix("```") {
                let indent = line.len() - bare.len();
                let inner = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```");
                let inner: Vec<&str> = inner.map(|line| line.get(indent..).unwrap_or_default()).collect();
                page.add(at, language, mark.take(), &inner);
            } else if let Some(comment) = comment(bare) {
                mark = page.mark(at, comment);
            } else if !bare.is_empty() {
                mark = None;
                if line.starts_with("    ") && is_command(bare) {
                    page.fault(at, "a command stands in no fenced block");
                }
            }
        }
        page
    }

    pub(super) fn runs_something(&self) -> bool {
        self.blocks.iter().any(|block| !matches!(block.role, Role::NotRun | Role::Given))
    }

    /// This page and then another one, as somebody reads them who leaves this page's hub running.
    pub(super) fn continued_by(mut self, next: Self) -> Self {
        self.name = format!("{}, then {}", self.name, next.name);
        self.blocks.extend(next.blocks.into_iter().filter(|block| block.role != Role::HubUnlessOneRuns));
        self
    }

    pub(super) fn needs_python_sdk(&self) -> bool {
        self.blocks.iter().any(|block| block.role == Role::Given && block.text == PYTHON_SDK)
    }

    fn fault(&mut self, line: usize, what: &str) {
        self.faults.push(format!("{}:{line}: {what}", self.name));
    }

    /// A comment before a block; what is given is noted at once.
    fn mark(&mut self, line: usize, comment: &str) -> Option<Role> {
        match comment.split_once(':').map_or((comment, ""), |(word, rest)| (word, rest.trim())) {
            ("not run", why) if !why.is_empty() => return Some(Role::NotRun),
            ("a terminal of its own", "") => return Some(Role::OwnTerminal),
            ("a terminal of its own, unless a hub runs", "") => return Some(Role::HubUnlessOneRuns),
            ("given", what) => {
                let given =
                    what.split(", ").map(|text| Block { role: Role::Given, line, text: text.to_owned() });
                self.blocks.extend(given);
            }
            _ => {}
        }
        None
    }

    fn add(&mut self, line: usize, language: &str, mark: Option<Role>, inner: &[&str]) {
        let role = match (language.trim(), mark) {
            ("sh" | "console", Some(mark)) => mark,
            ("sh", None) if inner.iter().all(|line| is_make(line)) => Role::NotRun,
            ("sh", None) => Role::Commands,
            ("console", None) => Role::Console,
            (other, _) => {
                if ["", "text", "bash", "shell"].contains(&other) && inner.iter().any(|line| is_command(line))
                {
                    self.fault(line, "commands belong in a block of `sh` or `console`");
                }
                return;
            }
        };
        self.blocks.push(Block { role, line, text: inner.join("\n") });
    }
}

fn comment(line: &str) -> Option<&str> {
    Some(line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim())
}

fn is_command(line: &str) -> bool {
    ["baton ", "make ", "curl ", "cargo ", "$ "].iter().any(|word| line.trim_start().starts_with(word))
}

fn is_make(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#') || line.starts_with("make ")
}

#[test]
fn a_block_is_what_its_fence_and_the_comment_before_it_say() {
    let text = "<!-- given: a hub, a login -->\n```sh\nbaton status\n```\n  <!-- not run: no -->\n\n  ```sh\n  a\n    b\n  ```\n```sh\nmake x # y\n```\n<!-- a terminal of its own -->\n```sh\nc\n```\n<!-- not run: x -->\nbetween\n```console\n$ d\n```\n```json\n{}\n```\n";
    let page = Page::read("a.md", text);
    let found: Vec<_> =
        page.blocks.iter().map(|block| (block.role.clone(), block.line, &*block.text)).collect();
    let expected = [
        (Role::Given, 1, "a hub"),
        (Role::Given, 1, "a login"),
        (Role::Commands, 2, "baton status"),
        (Role::NotRun, 7, "a\n  b"),
        (Role::NotRun, 11, "make x # y"),
        (Role::OwnTerminal, 15, "c"),
        (Role::Console, 20, "$ d"),
    ];
    assert_eq!(found, expected);
    assert!(page.faults.is_empty());
    let faulty = Page::read("b.md", "```\nbaton status\n```\n    baton status\n");
    assert_eq!(faulty.faults.len(), 2, "{faulty:?}");
}

#[test]
fn every_command_stands_in_a_block_of_shell() {
    let faults: Vec<String> = pages().into_iter().flat_map(|page| page.faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
