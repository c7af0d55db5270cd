//! Which traces are recorded, by the names and rules of OpenTelemetry (`OTEL_TRACES_SAMPLER`).

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampler {
    /// Whether the decision of the caller who began a trace holds.
    pub follows_parent: bool,
    /// The share of other traces that is recorded, from 0 to 1.
    pub ratio: f64,
}

impl Default for Sampler {
    /// `parentbased_always_on`.
    fn default() -> Self {
        Self { follows_parent: true, ratio: 1.0 }
    }
}

impl Sampler {
    /// Whether a trace is recorded. `parent` is the decision of the caller, if the trace began there. Every span of a trace gets the
    /// same answer, because it follows from the trace's id.
    pub fn records(&self, parent: Option<bool>, trace_id: &[u8; 16]) -> bool {
        match parent {
            Some(is_sampled) if self.follows_parent => is_sampled,
            _ => {
                let number = trace_id[8..].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
                // A f64 has no place for all of 64 bits; the highest 53 decide.
                self.ratio >= 1.0 || ((number >> 11) as f64) < self.ratio * (1_u64 << 53) as f64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_recorded_as_the_table_says() {
        let id = |byte: u8| [byte; 16];
        for (follows_parent, ratio, parent, trace_id, expected) in [
            (true, 1.0, None, id(0xff), true),
            (true, 1.0, Some(false), id(1), false),
            (true, 0.0, Some(true), id(1), true),
            (true, 0.0, None, id(0), false),
            (false, 1.0, Some(false), id(1), true),
            (false, 0.0, Some(true), id(1), false),
            (false, 0.5, None, id(0x7f), true),
            (false, 0.5, None, id(0x80), false),
            (true, 0.5, None, id(0x7f), true),
        ] {
            let sampler = Sampler { follows_parent, ratio };
            assert_eq!(sampler.records(parent, &trace_id), expected, "{sampler:?} {parent:?} {trace_id:?}");
        }
    }
}
