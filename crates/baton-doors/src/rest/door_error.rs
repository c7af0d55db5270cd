//! What the doors say no with by themselves, before any use case or when one broke: a table of code, status, meaning
//! and remedy. A rule's own refusals are `baton_core::Refusal`.

use axum::http::StatusCode;

macro_rules! plain {
    ($(#[doc = $meaning:literal] $name:ident = $status:ident, $code:literal, $remedy:literal;)+) => {
        /// A door said no.
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
    /// The hub is called by a name that is not its own.
    HostNotAllowed = FORBIDDEN, "host not allowed", "call it by its address, or start it with --behind-proxy";
    /// A page of another origin calls.
    OriginNotAllowed = FORBIDDEN, "origin not allowed", "name the origin with --cors-origin when the hub starts";
    /// There is no such path.
    NotFound = NOT_FOUND, "not found", "GET /openapi.json lists every path";
    /// The path is there, with other methods.
    MethodNotAllowed = METHOD_NOT_ALLOWED, "method not allowed", "the header `allow` lists them";
    /// The body did not arrive in time.
    BodyTooLate = REQUEST_TIMEOUT, "the request took too long to arrive", "send the whole body at once, and again";
    /// The body ended before its end.
    BodyCutOff = BAD_REQUEST, "the body was cut off", "send it again, whole";
    /// The body is larger than the hub reads.
    BodyTooLarge = PAYLOAD_TOO_LARGE, "body too large", "send less at a time";
    /// The body is not called JSON.
    NotCalledJson = UNSUPPORTED_MEDIA_TYPE, "content-type must be application/json", "send that header";
    /// Packets are called neither JSON nor lines of JSON.
    NotCalledPackets = UNSUPPORTED_MEDIA_TYPE, "content-type must be application/json or application/x-ndjson",
        "send that header";
    /// The hub broke inside.
    InternalError = INTERNAL_SERVER_ERROR, "internal_error", "it may or may not have been done; look before you repeat it";
    /// Too many calls of this account are waiting, other writes got in the way, or the hub has no memory left for large answers.
    Busy = SERVICE_UNAVAILABLE, "busy", "too many calls are waiting; try again in a moment";
    /// A read took longer than the hub allows and was stopped.
    ReadTookTooLong = SERVICE_UNAVAILABLE, "read_took_too_long", "ask for less: name a network, a shorter time or a narrower filter";
    /// The hub is not up yet.
    Starting = SERVICE_UNAVAILABLE, "starting", "the hub is starting; try again in a moment";
    /// The hub stops.
    ShuttingDown = SERVICE_UNAVAILABLE, "shutting_down", "the hub is stopping; try again when it is back";
    /// The database file of the hub is damaged; writes are refused until its operator restores a backup.
    DatabaseDamaged = SERVICE_UNAVAILABLE, "database_damaged",
        "the hub's database is damaged and takes no more writes; its operator must stop the hub, run `baton hub check`, and restore a backup with `baton hub restore`";
    /// The hub could not see whether a commit was done: it stopped, lost its connection to the database, or the disk did not confirm it.
    OutcomeUnknown = SERVICE_UNAVAILABLE, "outcome_unknown", "it may or may not have been done; look before you repeat it";
    /// The hub's disk is full, read-only or gone.
    StorageUnavailable = SERVICE_UNAVAILABLE, "storage_unavailable", "the hub cannot use its disk; nothing was changed";
}
