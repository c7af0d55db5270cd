//! A strict reader of Prometheus' text format: every family has its help and type before its samples and stands in one
//! piece, every sample is of a family, no sample comes twice, and histograms add up.

use std::collections::{BTreeMap, BTreeSet};

use crate::it::http::Response;

/// A page that was read.
#[derive(Debug)]
pub(crate) struct Page {
    kinds: BTreeMap<String, String>,
    samples: BTreeMap<String, f64>,
}

impl Page {
    pub(crate) fn read(answer: &Response) -> Self {
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
        let page = Self::parse(&answer.text());
        page.check_histograms();
        page
    }

    fn parse(text: &str) -> Self {
        assert!(text.ends_with('\n'), "the last line ends");
        let mut page = Self { kinds: BTreeMap::new(), samples: BTreeMap::new() };
        let (mut helped, mut family) = (String::new(), String::new());
        for line in text.lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, help) = help.split_once(' ').expect("a help has words");
                assert!(!help.trim().is_empty() && !page.kinds.contains_key(name), "{line}");
                helped = name.to_owned();
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').expect("a type has a word");
                assert_eq!(name, helped, "help, then type");
                assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
                assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
                page.kinds.insert(name.to_owned(), kind.to_owned());
                family = name.to_owned();
            } else {
                page.sample(line, &family);
            }
        }
        page
    }

    fn sample(&mut self, line: &str, family: &str) {
        let (series, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("no value: {line}"));
        let name = series.split('{').next().unwrap();
        let suffix = name.strip_prefix(family).unwrap_or_else(|| panic!("{line} is not of {family}"));
        let suffixes: &[&str] =
            if self.kinds[family] == "histogram" { &["_bucket", "_sum", "_count"] } else { &[""] };
        assert!(suffixes.contains(&suffix), "{line}");
        check_labels(series, name);
        let value: f64 = value.parse().unwrap_or_else(|_| panic!("no number: {line}"));
        assert!(value.is_finite() && value >= 0.0, "{line}");
        assert!(self.samples.insert(series.to_owned(), value).is_none(), "twice: {line}");
    }

    /// Buckets rise, the last one holds all, and there are sum and count for each.
    fn check_histograms(&self) {
        for family in self.kinds.iter().filter(|(_, kind)| *kind == "histogram").map(|(name, _)| name) {
            let mut series: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
            for (name, count) in &self.samples {
                let Some(labels) = name.strip_prefix(&format!("{family}_bucket{{")) else { continue };
                let (others, bound) = labels.trim_end_matches('}').rsplit_once("le=\"").expect("a bound");
                let bound = match bound.trim_end_matches('"') {
                    "+Inf" => f64::INFINITY,
                    bound => bound.parse().expect("a bound is a number"),
                };
                series.entry(others.trim_end_matches(',').to_owned()).or_default().push((bound, *count));
            }
            assert!(!series.is_empty(), "{family} has no buckets");
            for (labels, mut buckets) in series {
                buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
                assert!(
                    buckets.windows(2).all(|pair| pair[0].1 <= pair[1].1),
                    "{family} {labels}: {buckets:?}"
                );
                let (last, all) = *buckets.last().unwrap();
                assert!(last.is_infinite(), "{family} {labels}");
                let braced = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
                assert_eq!(self.samples[&format!("{family}_count{braced}")], all, "{family} {labels}");
                assert!(self.samples.contains_key(&format!("{family}_sum{braced}")));
            }
        }
    }

    /// A sample, by its name and labels as they are written; one that is not there is 0.
    pub(crate) fn value(&self, series: &str) -> f64 {
        self.samples.get(series).copied().unwrap_or(0.0)
    }
}

fn check_labels(series: &str, name: &str) {
    let is_name = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !text.starts_with(|first: char| first.is_ascii_digit())
    };
    assert!(is_name(name), "{series}");
    let Some(labels) = series.strip_prefix(&format!("{name}{{")) else {
        assert_eq!(series, name);
        return;
    };
    let labels = labels.strip_suffix("\"}").unwrap_or_else(|| panic!("unclosed: {series}"));
    let mut seen = BTreeSet::new();
    for label in labels.split("\",") {
        let (label, value) = label.split_once("=\"").unwrap_or_else(|| panic!("no value: {series}"));
        assert!(is_name(label) && seen.insert(label), "{series}");
        assert!(!value.contains(['"', '\\']), "{series}");
    }
}
