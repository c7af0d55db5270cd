//! A log line for people who watch a worker: the time of day, what happened, and to what. `16:02:11  running  0199…  from ada`.

use chrono::Local;
use std::fmt::{self, Debug};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use crate::cli::plain;

/// The format.
pub(super) struct ShortLine;

impl<S, N> FormatEvent<S, N> for ShortLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut words = Words::default();
        event.record(&mut words);
        let clock = Local::now().format("%H:%M:%S");
        writeln!(writer, "{clock}  {}{}", level(*event.metadata().level()), words.line())
    }
}

/// What is usual needs no word.
fn level(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error: ",
        Level::WARN => "warning: ",
        _ => "",
    }
}

/// An event's words.
#[derive(Default)]
struct Words {
    message: String,
    /// Each with what is before it.
    fields: Vec<String>,
}

impl Words {
    fn add(&mut self, name: &str, value: String) {
        match name {
            "message" => self.message = value,
            "task" => self.fields.insert(0, value),
            "seconds" => self.fields.push(format!("{value} s")),
            // The kind is the sender's business, and a first attempt is the usual one.
            "kind" => {}
            "attempt" if value == "1" => {}
            name => self.fields.push(format!("{name} {value}")),
        }
    }

    /// One line that a terminal can be shown.
    fn line(&self) -> String {
        let parts = std::iter::once(&self.message).chain(&self.fields).map(|part| plain::line(part));
        parts.collect::<Vec<_>>().join("  ")
    }
}

impl Visit for Words {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field.name(), format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_has_the_clock_what_happened_and_to_what_and_nothing_a_terminal_obeys() {
        let lines = Lines::default();
        let said = lines.clone();
        let subscriber =
            tracing_subscriber::fmt().event_format(ShortLine).with_writer(move || said.clone()).finish();
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(from = "ada", task = "t1", kind = "request", attempt = 1, "running");
            tracing::info!(task = "t1", from = "ada", seconds = 4.25, attempt = 2, "replied");
            tracing::warn!("a\u{1b}[31m\nb");
        });
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<(&str, &str)> = text.lines().map(|line| line.split_at(8)).collect();
        let is_clock = |text: &str| text.chars().filter(|c| *c == ':').count() == 2;
        assert!(lines.iter().all(|(clock, _)| is_clock(clock)), "{text}");
        let words: Vec<&str> = lines.iter().map(|(_, words)| *words).collect();
        let expected = [
            "  running  t1  from ada",
            "  replied  t1  from ada  4.25 s  attempt 2",
            "  warning: a\\u{1b}[31m b",
        ];
        assert_eq!(words, expected);
    }
}
