//! The page, docs/benchmarks.md: what the parts left, as tables, with the goals in front. A part that was not run and
//! a peer that could not be started are named, never left out.

mod engines;
mod goals;
mod sections;
mod tenants;

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::left::Left;
use crate::{a2a, fairness, growth, hostile, lives, machine, postgres, soak, start, streams};

/// Above this share of the processors in use by others, figures are rough.
const QUIET: f64 = 0.15;

/// Where everything is.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) figures: PathBuf,
    pub(crate) baton: PathBuf,
    /// The hub's commit, where it is another than the checkout's.
    pub(crate) commit: Option<String>,
    pub(crate) nats: PathBuf,
    pub(crate) postgres: PathBuf,
    /// Text kept by hand: what falls short, why, and what would help.
    pub(crate) notes: PathBuf,
    pub(crate) page: PathBuf,
}

/// All parts that were run.
pub(crate) struct Figures {
    lives: Option<lives::Measured>,
    a2a: Option<a2a::Measured>,
    growth: Option<growth::Measured>,
    streams: Option<streams::Measured>,
    soak: Option<soak::Measured>,
    fairness: Option<fairness::Measured>,
    hostile: Option<hostile::Measured>,
    start: Option<start::Measured>,
    postgres: Option<postgres::Measured>,
    adapter: Option<String>,
    /// Parts before which the machine was busy with other things, and how much.
    rough: Vec<(&'static str, f64)>,
}

impl Figures {
    fn read(folder: &Path) -> Result<Self, Failure> {
        let mut rough = Vec::new();
        let lives = quiet("lives", Left::read(folder, "lives")?, &mut rough);
        let growth = quiet("growth", Left::read(folder, "growth")?, &mut rough);
        let streams = quiet("streams", Left::read(folder, "streams")?, &mut rough);
        let soak = quiet("soak", Left::read(folder, "soak")?, &mut rough);
        let fairness = quiet("fairness", Left::read(folder, "fairness")?, &mut rough);
        let hostile = quiet("hostile", Left::read(folder, "hostile")?, &mut rough);
        let start = quiet("start", Left::read(folder, "start")?, &mut rough);
        let postgres = quiet("postgres", Left::read(folder, "postgres")?, &mut rough);
        let a2a = quiet("a2a", Left::read(folder, "a2a")?, &mut rough);
        let adapter = fs::read_to_string(folder.join("adapter.txt")).ok();
        Ok(Self { lives, a2a, growth, streams, soak, fairness, hostile, start, postgres, adapter, rough })
    }
}

fn quiet<T>(part: &'static str, left: Option<Left<T>>, rough: &mut Vec<(&'static str, f64)>) -> Option<T> {
    let Left { busy, figures } = left?;
    if busy > QUIET {
        rough.push((part, busy));
    }
    Some(figures)
}

/// Writes the page from what the parts left.
pub(crate) fn write(plan: &Plan) -> Result<(), Failure> {
    let figures = Figures::read(&plan.figures)?;
    let notes = fs::read_to_string(&plan.notes).map_err(Failure::file(plan.notes.display()))?;
    let mut page = String::from(HEAD);
    page.push_str(&rough(&figures.rough));
    page.push_str("\n## The machine\n\n| | |\n|---|---|\n");
    for (what, which) in machine::facts(&plan.baton, plan.commit.as_deref(), &plan.nats, &plan.postgres) {
        page.push_str(&format!("| {what} | {which} |\n"));
    }
    page.push_str(&goals::table(&figures));
    page.push_str(&sections::all(&figures));
    page.push('\n');
    page.push_str(&notes);
    fs::write(&plan.page, page).map_err(Failure::file(plan.page.display()))
}

const HEAD: &str = "\
# Benchmarks

Made by `make bench` and written by no hand but the last section; run it to have the figures of your machine. All
systems run on one machine, on loopback and on one disk, together with the program that drives them, and take turns:
a figure is the median of its turns, and how far the turns lie apart stands beside it. Compare figures of one run only.
";

fn rough(parts: &[(&'static str, f64)]) -> String {
    if parts.is_empty() {
        return String::new();
    }
    let parts: Vec<_> =
        parts.iter().map(|(part, busy)| format!("{part} ({:.0} % in use)", busy * 100.0)).collect();
    format!(
        "\n> **Rough figures.** The machine was busy with other work before these parts began: {}.\n",
        parts.join(", ")
    )
}
