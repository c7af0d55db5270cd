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

Made from the code; `BATON_BLESS=1 cargo nextest run -p baton openapi` makes it again.

A call that was not done is answered `{\"ok\":false,\"error\":\"<code>\"}`, mostly with a `message` that says what to do. The
code is the same over REST, MCP and the command line. Some answers say more: `details` names the fields that broke
their rules, or the chain of parents that a send was refused for, `retry_after_ms` (with the header `retry-after`) when to come back, `task_status` how a task stands.
Whatever is answered so has changed nothing, but for 500: there it may or may not have been done, so look before you repeat.
A head over 16 KiB is answered 431 by the HTTP layer itself, without a body.

| code | HTTP | what it means | what to do |
|---|---|---|---|
";

const PACKETS_HEAD: &str = "
## Packets of other systems

`POST /api/evidence/packets` says of each packet that it did not take why, with one of these; a single packet as 400.

| code | what it means |
|---|---|
";

const TOOLS: &str = "
## Tools (MCP)

A tool's refusal is the same object, in the text of its answer and as `structuredContent`, with `isError: true`; `get_task`
says `{}` where REST says `task_not_found`. An argument that breaks its rule is such a refusal too: `invalid input`, with the field in
`details`. What is wrong with the message itself is a JSON-RPC error: -32700 it is not JSON, -32600 no request, -32601 no such method,
-32602 no such tool or prompt, -32002 no such resource (-32602 from revision 2026-07-28 on), -32603 the hub failed inside.

## Agents (A2A)

The A2A door answers in the protocol's form. `reason` stands in `error.details` over HTTP and in `error.data` over
JSON-RPC, whose answers have status 200 but for those that HTTP itself says: 401, 403, 429, 503.

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
