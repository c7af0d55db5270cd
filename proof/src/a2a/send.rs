//! Blocking sends: every connection sends one message after the other and waits for the completed task in its answer.

use serde_json::json;
use std::time::Duration;

use super::Target;
use crate::connection::Connection;
use crate::lives::{Alive, repeat};
use crate::request::{Address, request};
use crate::tally::{Tally, together};
use crate::trouble::Trouble;

const CALL: &str = "a blocking send";
/// What the answer to a send says that waited for its end.
const COMPLETED: &[u8] = b"\"TASK_STATE_COMPLETED\"";

/// What is sent.
pub(super) const TEXT: &str =
    "say The table is in the folder; two runs disagree because one of them shared its disk.";

/// The bytes of one call.
pub(super) fn request_to(address: &Address, path: &str, token: Option<&str>) -> Vec<u8> {
    let message = json!({
        "messageId": "8d2d1c0e-5a53-4ce0-9d3f-1f1f3c6d7a10",
        "role": "ROLE_USER",
        "parts": [{"text": TEXT}],
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}});
    let bytes = request(address, "POST", path, token, &body);
    let line_end = bytes.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    [&bytes[..line_end], b"a2a-version: 1.0\r\n", &bytes[line_end..]].concat()
}

/// Loads a server for a while.
pub(super) async fn measure(target: &Target, connections: usize, length: Duration) -> Result<Tally, Trouble> {
    let mut senders = Vec::with_capacity(connections);
    for _ in 0..connections {
        let connection = Connection::open(&target.address).await?;
        senders.push(repeat(Sender { connection, request: target.request.clone() }, length));
    }
    Ok(together(senders).await)
}

struct Sender {
    connection: Connection,
    request: Vec<u8>,
}

impl Alive for Sender {
    async fn live(&mut self) -> Result<(), Trouble> {
        let body = self.connection.call(CALL, &self.request).await?;
        if body.windows(COMPLETED.len()).any(|window| window == COMPLETED) {
            return Ok(());
        }
        Err(Trouble::Unexpected { call: CALL, body: String::from_utf8_lossy(body).into_owned() })
    }
}
