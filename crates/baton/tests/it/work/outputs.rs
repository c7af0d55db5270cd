//! Commands that print without end.

use serde_json::json;

use super::worker::{Worker, ended, tenant_with};
use crate::it::hub::Hub;
use crate::it::tenant::send;

#[test]
fn a_command_that_never_stops_printing_is_ended() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "endless");
    let mut worker = Worker::start_command(&agent, "endless", &["--max-output", "1"], &["yes"]);
    let row = ended(&network.user, &send(&network.user, "endless", "go"));
    assert_eq!(
        (&row["status"], &row["result"]),
        (&json!("failed"), &json!("the command was ended: it printed more than 1048576 bytes"))
    );
    worker.says("failed");
    assert_eq!(row.get("artifacts"), None, "nothing of it is kept");
}
