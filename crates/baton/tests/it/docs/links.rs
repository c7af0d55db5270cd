//! Links of the pages: every file and every heading that a page links to exists, the table of contents (docs/SUMMARY.md) has
//! every page, and every page says which kind it is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::page::{files, root};

/// The text of a page without its blocks of code.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_fence && !is_code
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// The anchors of a page; the second heading of a name has a number.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut times = BTreeMap::new();
    let prose = prose(text);
    let headings = prose.lines().filter_map(|line| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len() && title.starts_with(' ')).then(|| anchor(title))
    });
    let numbered = headings.map(|anchor| {
        let seen = times.entry(anchor.clone()).and_modify(|seen| *seen += 1).or_insert(0);
        if *seen == 0 { anchor } else { format!("{anchor}-{seen}") }
    });
    numbered.collect()
}

/// Where a page's links and pictures lead.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let in_markdown = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let in_html = prose.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
    in_markdown.chain(in_html).map(str::to_owned).collect()
}

/// What is wrong with a link, if anything is.
fn broken(page: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let target = if file.is_empty() { page.to_owned() } else { page.with_file_name(file) };
    if !target.exists() {
        return Some("no such file".into());
    }
    let anchor = anchor.filter(|_| target.extension().is_some_and(|ending| ending == "md"))?;
    let known = anchors(&std::fs::read_to_string(&target).unwrap());
    (!known.contains(anchor)).then(|| format!("no such heading; there are {known:?}"))
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let readmes = [
        "clients/python/README.md",
        "clients/typescript/README.md",
        "clients/BEHAVIOUR.md",
        "proof/README.md",
    ];
    let more = readmes.iter().map(|name| root().join(name));
    let (mut looked_at, mut wrong) = (0, Vec::new());
    for page in files().into_iter().chain(more) {
        for link in links(&std::fs::read_to_string(&page).unwrap()) {
            if let Some(why) = broken(&page, &link) {
                wrong.push(format!("{} links to {link}: {why}", page.display()));
            }
            looked_at += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(looked_at > 200, "{looked_at}");
}

#[test]
fn a_link_to_a_missing_file_or_heading_is_found() {
    let text = "# A page\n## What `it` is, really\n## Twice\n## Twice\n```sh\n# no heading\n[x](no-link)\n```\n[a](b.md#c) <img src=\"d.svg\">";
    let expected = ["a-page", "twice", "twice-1", "what-it-is-really"];
    assert_eq!(anchors(text).into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(links(text), ["b.md#c", "d.svg"]);
    let page = root().join("docs/index.md");
    assert!(broken(&page, "concepts.md#states").is_none());
    assert!(broken(&page, "concepts.md#no-such-heading").is_some());
    assert!(broken(&page, "no-such-page.md").is_some());
}

/// The pages under docs/, by their path in it, but for the table of contents.
fn pages_of_docs() -> BTreeSet<PathBuf> {
    let docs = root().join("docs");
    let files = files().into_iter().filter_map(|file| Some(file.strip_prefix(&docs).ok()?.to_owned()));
    files.filter(|file| file.as_path() != Path::new("SUMMARY.md")).collect()
}

#[test]
fn the_table_of_contents_has_every_page_once() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let listed: Vec<PathBuf> =
        links(&summary).into_iter().map(PathBuf::from).filter(|page| !page.starts_with("..")).collect();
    let unique: BTreeSet<PathBuf> = listed.iter().cloned().collect();
    assert_eq!(unique.len(), listed.len(), "{listed:?}");
    assert_eq!(unique, pages_of_docs());
}

#[test]
fn every_page_says_whether_it_is_a_guide_a_reference_or_an_explanation() {
    let kinds = ["*Guide", "*Reference", "*Explanation"];
    let without: Vec<PathBuf> = pages_of_docs()
        .into_iter()
        .filter(|page| page.as_path() != Path::new("index.md"))
        .filter(|page| {
            let text = std::fs::read_to_string(root().join("docs").join(page)).unwrap();
            !text.lines().take(4).any(|line| kinds.iter().any(|kind| line.starts_with(kind)))
        })
        .collect();
    assert!(without.is_empty(), "the first paragraph of these names no kind: {without:?}");
}

#[test]
fn every_diagram_has_a_title_and_colours_for_light_and_dark() {
    let images = std::fs::read_dir(root().join("docs/images")).unwrap().map(|entry| entry.unwrap().path());
    let diagrams: Vec<PathBuf> =
        images.filter(|path| path.extension().is_some_and(|ending| ending == "svg")).collect();
    assert!(diagrams.len() >= 4, "{diagrams:?}");
    for diagram in diagrams {
        let text = std::fs::read_to_string(&diagram).unwrap();
        for part in ["<title", "<desc", "@media (prefers-color-scheme: dark)"] {
            assert!(text.contains(part), "{}: no {part}", diagram.display());
        }
    }
}
