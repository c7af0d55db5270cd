//! Where spans go: the base of an OTLP/HTTP receiver, as OpenTelemetry's own tools take it.

use reqwest::Url;

/// The address spans are posted to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtlpEndpoint(Url);

impl OtlpEndpoint {
    /// Reads a base, or the whole address.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut url = Url::parse(text).map_err(|error| error.to_string())?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() || url.query().is_some() {
            return Err("must be an http or https address, for example http://localhost:4318".into());
        }
        // OTLP/HTTP: "relative to the base URL, traces are sent to v1/traces".
        let path = url.path().trim_end_matches('/').to_owned();
        if !path.ends_with("/v1/traces") {
            url.set_path(&format!("{path}/v1/traces"));
        }
        Ok(Self(url))
    }

    pub(super) const fn url(&self) -> &Url {
        &self.0
    }

    pub(super) fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_and_the_whole_address_mean_the_same() {
        for text in ["http://localhost:4318", "http://localhost:4318/", "http://localhost:4318/v1/traces"] {
            assert_eq!(OtlpEndpoint::parse(text).unwrap().url().as_str(), "http://localhost:4318/v1/traces");
        }
        let below = OtlpEndpoint::parse("https://a.example/otlp/").unwrap();
        assert_eq!(below.url().as_str(), "https://a.example/otlp/v1/traces");
        for text in ["", "localhost:4318", "ftp://a.example", "http://a.example/?x=1"] {
            assert!(OtlpEndpoint::parse(text).is_err(), "{text:?}");
        }
    }
}
