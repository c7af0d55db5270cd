//! How long a client waits for its call (`grpc-timeout`). When that has passed the call ends here too, and holds nothing any
//! longer.

use axum::http::HeaderMap;
use std::time::Duration;
use tokio::time::Instant;
use tonic::Status;

/// The end of a call; without one it ends by itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline(Option<Instant>);

impl Deadline {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let given = headers.get("grpc-timeout").and_then(|given| given.to_str().ok());
        Self(given.and_then(read).and_then(|left| Instant::now().checked_add(left)))
    }

    /// Waits until then.
    pub(super) async fn wait(self) -> Status {
        match self.0 {
            Some(end) => tokio::time::sleep_until(end).await,
            None => std::future::pending().await,
        }
        Status::deadline_exceeded(
            "the call's time is up; what it sent may have been sent: check before you repeat it",
        )
    }

    /// What the call comes to, or that it took too long.
    pub(super) async fn bound<T>(self, call: impl Future<Output = Result<T, Status>>) -> Result<T, Status> {
        tokio::select! {
            biased;
            outcome = call => outcome,
            late = self.wait() => Err(late),
        }
    }
}

/// At most eight digits and a unit.
fn read(given: &str) -> Option<Duration> {
    let (digits, unit) = given.split_at_checked(given.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let number: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(number * 3600),
        "M" => Duration::from_secs(number * 60),
        "S" => Duration::from_secs(number),
        "m" => Duration::from_millis(number),
        "u" => Duration::from_micros(number),
        "n" => Duration::from_nanos(number),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_a_number_and_a_unit() {
        for (given, expected) in [
            ("5S", Some(Duration::from_secs(5))),
            ("250m", Some(Duration::from_millis(250))),
            ("99999999H", Some(Duration::from_secs(99_999_999 * 3600))),
            ("2M", Some(Duration::from_secs(120))),
            ("7u", Some(Duration::from_micros(7))),
            ("7n", Some(Duration::from_nanos(7))),
            ("S", None),
            ("", None),
            ("5", None),
            ("-5S", None),
            ("123456789S", None),
            ("5é", None),
        ] {
            assert_eq!(read(given), expected, "{given}");
        }
    }
}
