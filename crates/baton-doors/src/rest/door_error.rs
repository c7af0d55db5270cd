//! What the doors refuse with by themselves, before any use case or when one broke: a table of code, status, meaning
//! and remedy. A rule's own refusals are `baton_core::Refusal`.

use axum::http::StatusCode;

macro_rules! plain {
    ($(#[doc = $meaning:literal] $name:ident = $status:ident, $code:literal, $remedy:literal;)+) => {
        /// A door refused.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum DoorError {
            $(#[doc = $meaning] $name,)+
        }

        impl DoorError {
            /// Every row.
            #[cfg(test)]
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The wire string.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            pub const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status,)+ }
            }

            #[cfg(test)]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning.trim().trim_end_matches('.'),)+ }
            }

            /// What to do about it.
            pub const fn remedy(self) -> &'static str {
                match self { $(Self::$name => $remedy,)+ }
            }
        }
    };
}

plain! {
    /// The body is not JSON.
    NotJson = BAD_REQUEST, "invalid JSON", "send one JSON object in UTF-8";
    /// A header that may appear once was sent twice.
    DuplicateHeader = BAD_REQUEST, "duplicate header", "send Host and Authorization once each";
    /// The `Host` header is not an address of this hub.
    HostNotAllowed = FORBIDDEN, "host not allowed", "call the hub by its IP address or localhost, or start it with --behind-proxy if a proxy is in front";
    /// A web page of another origin makes the call.
    OriginNotAllowed = FORBIDDEN, "origin not allowed", "start the hub with --cors-origin and this origin";
    /// There is no such path.
    NotFound = NOT_FOUND, "not found", "GET /openapi.json lists every path";
    /// The path exists, with other methods.
    MethodNotAllowed = METHOD_NOT_ALLOWED, "method not allowed", "use a method that the header `allow` lists";
    /// The body did not arrive in time.
    BodyTooLate = REQUEST_TIMEOUT, "the request took too long to arrive", "send the request again, with the whole body at once";
    /// The connection ended before the whole body had arrived.
    BodyCutOff = BAD_REQUEST, "the body was cut off", "send the whole body again";
    /// The body is larger than the hub reads.
    BodyTooLarge = PAYLOAD_TOO_LARGE, "body too large", "send less at a time";
    /// The `content-type` of the body is not JSON.
    NotCalledJson = UNSUPPORTED_MEDIA_TYPE, "content-type must be application/json", "send the header `content-type: application/json`";
    /// The `content-type` of packets is neither JSON nor lines of JSON.
    NotCalledPackets = UNSUPPORTED_MEDIA_TYPE, "content-type must be application/json or application/x-ndjson",
        "send the header `content-type` with one of the two";
    /// An error inside the hub.
    InternalError = INTERNAL_SERVER_ERROR, "internal_error", "the call may or may not have had an effect; check before you repeat it";
    /// Too many calls of this account are waiting, other writes were in the way, or the hub has no memory left for large answers.
    Busy = SERVICE_UNAVAILABLE, "busy", "too many calls are waiting; try again in a moment";
    /// A read took longer than the hub allows and was stopped.
    ReadTookTooLong = SERVICE_UNAVAILABLE, "read_took_too_long", "ask for less: one network, a shorter time or a narrower filter";
    /// The hub is starting.
    Starting = SERVICE_UNAVAILABLE, "starting", "the hub is starting; try again in a moment";
    /// The hub is stopping.
    ShuttingDown = SERVICE_UNAVAILABLE, "shutting_down", "the hub is stopping; try again when it is back";
    /// The database file of the hub is damaged; writes are refused until its operator restores a backup.
    DatabaseDamaged = SERVICE_UNAVAILABLE, "database_damaged",
        "the hub's database is damaged and accepts no writes; its operator must stop the hub, run `baton hub check`, and restore a backup with `baton hub restore`";
    /// The hub does not know whether the change was committed: it stopped, lost its connection to the database, or the disk did not confirm it.
    OutcomeUnknown = SERVICE_UNAVAILABLE, "outcome_unknown", "the change may or may not have been made; check before you repeat it";
    /// The hub's disk is full, read-only or gone.
    StorageUnavailable = SERVICE_UNAVAILABLE, "storage_unavailable", "the hub cannot use its disk; nothing was changed";
}
