//! Which door a request came to, derived from its path alone.

use super::words;

words!(
    /// A door, as requests are counted by it.
    Door {
        Rest = "rest",
        // Apart from the others: it waits because it was asked to.
        Claim = "claim",
        Mcp = "mcp",
        A2a = "a2a",
        Events = "events",
        Web = "web",
        // Health, readiness, the API's description and these figures.
        Hub = "hub",
    }
);

impl Door {
    /// Of a request's path. What leads nowhere counts as the web's: a browser that lost its way.
    pub fn of(path: &str) -> Self {
        let mut segments = path.split('/').skip(1);
        match (segments.next(), segments.next()) {
            (Some("api"), Some("claim")) => Self::Claim,
            (Some("api"), Some("session")) => Self::Web,
            (Some("api"), _) => Self::Rest,
            (Some("mcp"), _) => Self::Mcp,
            (Some("a2a" | "lf.a2a.v1.A2AService"), _) => Self::A2a,
            (Some("events"), _) => Self::Events,
            (Some("health" | "ready" | "openapi.json" | "metrics"), None) => Self::Hub,
            _ => Self::Web,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_has_one_door() {
        for (path, door) in [
            ("/api/task", Door::Rest),
            ("/api/claim", Door::Claim),
            ("/api/session", Door::Web),
            ("/api/session/password", Door::Web),
            ("/mcp", Door::Mcp),
            ("/a2a/net_1/coder/message:send", Door::A2a),
            ("/lf.a2a.v1.A2AService/SendMessage", Door::A2a),
            ("/events/me", Door::Events),
            ("/metrics", Door::Hub),
            ("/health", Door::Hub),
            ("/", Door::Web),
            ("/n/net_1/tasks", Door::Web),
            ("/apis", Door::Web),
            ("*", Door::Web),
        ] {
            assert_eq!(Door::of(path), door, "{path}");
        }
    }
}
