//! Prometheus' text format, version 0.0.4: families of samples, each with its help and its type.
//!
//! `prometheus-client` 0.25 writes OpenMetrics instead: it appends `_total` to counters and a full stop to every help text, and
//! ends with `# EOF`. Most figures are read from elsewhere when the page is made, so it would replace this file only.

use baton_core::Counted;
use std::fmt::{Display, Write};

/// What the page is called on the wire.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Labels of a sample: names of the code, values of closed sets.
pub type Labels<'a> = &'a [(&'a str, &'a str)];

/// What the numbers of a histogram are.
#[derive(Debug, Clone, Copy)]
pub enum Unit {
    /// Shown as seconds.
    Micros,
    /// Shown as they are.
    Count,
}

impl Unit {
    fn shown(self, number: u64) -> f64 {
        match self {
            Self::Micros => number as f64 / 1e6,
            Self::Count => number as f64,
        }
    }
}

/// A page being written.
#[derive(Debug, Default)]
pub struct Page {
    text: String,
}

/// A family whose samples are being written.
pub struct Family<'p> {
    name: &'static str,
    text: &'p mut String,
}

impl Page {
    /// A number that only grows.
    pub fn counter(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, "counter", help)
    }

    /// A number as it is now.
    pub fn gauge(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, "gauge", help)
    }

    /// Counts by size.
    pub fn histogram(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, "histogram", help)
    }

    fn family(&mut self, name: &'static str, kind: &str, help: &str) -> Family<'_> {
        self.text.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
        Family { name, text: &mut self.text }
    }

    pub fn finish(self) -> String {
        self.text
    }
}

impl Family<'_> {
    /// A sample without labels.
    pub fn is(&mut self, value: impl Display) {
        self.sample("", &[], None, value);
    }

    pub fn of(&mut self, labels: Labels<'_>, value: impl Display) {
        self.sample("", labels, None, value);
    }

    /// The samples of one histogram.
    pub fn counted(&mut self, labels: Labels<'_>, counted: &Counted, unit: Unit) {
        for (bound, count) in &counted.at_most {
            self.sample("_bucket", labels, Some(&unit.shown(*bound).to_string()), count);
        }
        self.sample("_bucket", labels, Some("+Inf"), counted.count);
        self.sample("_sum", labels, None, unit.shown(counted.sum));
        self.sample("_count", labels, None, counted.count);
    }

    fn sample(&mut self, suffix: &str, labels: Labels<'_>, at_most: Option<&str>, value: impl Display) {
        self.text.push_str(self.name);
        self.text.push_str(suffix);
        let mut opens = '{';
        for (name, value) in labels.iter().copied().chain(at_most.map(|bound| ("le", bound))) {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            // Writing to a String cannot fail.
            let _ = write!(self.text, "{opens}{name}=\"{value}\"");
            opens = ',';
        }
        let _ = writeln!(self.text, "{} {value}", if opens == ',' { "}" } else { "" });
    }
}
