//! docs/errors.md: every code a door can answer, with its meaning and what to do about it, from the tables of the types
//! that say them (`baton_core::Refusal`, `DoorError`, A2A's `Kind`).

use baton_adapter::ErrorKind;
use baton_core::{Refusal, Status};
use std::fmt::Write;

use crate::a2a;
use crate::rest::{DoorError, status_of};
use crate::service::get_task;

/// One code.
struct Row {
    code: String,
    status: u16,
    meaning: &'static str,
    remedy: String,
}

/// The page.
pub(super) fn page() -> String {
    let mut page = String::from(HEAD);
    let mut rows: Vec<Row> = Refusal::samples().iter().map(of_refusal).collect();
    rows.extend(DoorError::ALL.iter().map(|plain| of_plain(*plain)));
    rows.sort_by(|a, b| (a.status, &a.code).cmp(&(b.status, &b.code)));
    for row in rows {
        let Row { code, status, meaning, remedy } = row;
        let _ = writeln!(page, "| `{code}` | {status} | {meaning} | {remedy} |");
    }
    page.push_str(PACKETS_HEAD);
    for kind in PACKET_KINDS {
        let _ = writeln!(page, "| `{}` | {} |", kind.as_str(), of_packet(*kind));
    }
    let _ = write!(page, "{}", TOOLS.replace("{}", get_task::NOT_FOUND));
    for (reason, http, code, meaning) in a2a::errors() {
        let _ = writeln!(page, "| `{reason}` | {http} | {code} | {meaning} |");
    }
    page
}

const HEAD: &str = "\
# Errors

*Reference*, generated from the code: `BATON_BLESS=1 cargo nextest run -p baton-hub-doors openapi` writes it.

An error is `{\"ok\":false,\"error\":\"<code>\"}`, usually with a `message` that says what to do. The
code is the same over REST, MCP and the command line. Some errors have more: `details` (the fields that broke
their rules, or the chain of parents of a refused send), `retry_after_ms` with the header `retry-after` (when to try again), `task_status` (the state of the task).
An error means that nothing changed, except for 500 and `outcome_unknown`: there it may or may not have been done, so look before you repeat the call.
A head over 16 KiB is answered 431 by the HTTP layer itself, without a body.

| code | HTTP | what it means | what to do |
|---|---|---|---|
";

const PACKETS_HEAD: &str = "
## Packets of other systems

`POST /api/evidence/packets` returns one of these for each packet that it does not accept; for a single packet with status 400.

| code | what it means |
|---|---|
";

const TOOLS: &str = "
## Tools (MCP)

A tool returns the same object, as text and as `structuredContent`, with `isError: true`; `get_task`
returns `{}` where REST returns `task_not_found`. JSON-RPC errors: -32700 not JSON, -32600 not a request, -32601 unknown method,
-32602 an argument breaks its rule (`data` names the field), or an unknown tool or prompt, -32002 unknown resource (-32602 from revision 2026-07-28 on), -32603 an error inside the hub.

## Agents (A2A)

A2A errors have the protocol's form. `reason` is in `error.details` over HTTP and in `error.data` over
JSON-RPC, whose responses have status 200 except for 401, 403, 429 and 503.

| reason | HTTP | JSON-RPC | what it means |
|---|---|---|---|
";

fn of_refusal(refusal: &Refusal) -> Row {
    Row {
        // The samples have this status; a reader of the page sees a gap in its place.
        code: refusal.code().replace(Status::Acked.as_str(), "<status>"),
        status: status_of(refusal).as_u16(),
        meaning: refusal.meaning(),
        remedy: refusal.remedy().map_or_else(|| refusal.message(), str::to_owned),
    }
}

fn of_plain(plain: DoorError) -> Row {
    Row {
        code: plain.code().into(),
        status: plain.status().as_u16(),
        meaning: plain.meaning(),
        remedy: plain.remedy().into(),
    }
}

/// Every packet that is not taken is one of these.
const PACKET_KINDS: &[ErrorKind] = &[
    ErrorKind::Measurement,
    ErrorKind::UnsupportedProtocolVersion,
    ErrorKind::StrictLossinessViolation,
    ErrorKind::Config,
    ErrorKind::Infrastructure,
];

pub(super) fn packet_kinds() -> Vec<String> {
    PACKET_KINDS.iter().map(|kind| format!("{kind:?}")).collect()
}

const fn of_packet(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Measurement => {
            "it cannot be read as a packet, or is out of bounds: mend it and send it again"
        }
        ErrorKind::UnsupportedProtocolVersion => "its protocol version is not spoken here",
        ErrorKind::StrictLossinessViolation => {
            "it lacks something: complete it, or send it with `mode=lenient`"
        }
        ErrorKind::Config => "the hub's adapter is set up wrongly; no packet of yours is at fault",
        ErrorKind::Infrastructure => "an attachment could not be written; try again",
    }
}
