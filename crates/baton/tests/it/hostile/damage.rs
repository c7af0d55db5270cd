//! A database file that was overwritten under the hub: no write is acknowledged any more, and every error
//! says what to do.

use serde_json::json;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::it::http::Client;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::observe::page::Page;
use crate::it::tenant::{Tenant, refused, send, succeed};
use crate::it::tool;
use crate::it::work::worker::eventually;

const PAGE: usize = 4096;
const PAGES: usize = 300;
/// In every text, so that the pages with texts are known.
const MARK: &str = "sphinx of black quartz ";
const LOGGED: &str = "the database is damaged: no more writes are accepted";

/// A hub that was just started, so that nothing is in its caches, with 180 long texts in its database.
struct Stage {
    hub: Hub,
    tenant: Tenant,
    sender: Client,
    sent: Vec<String>,
}

impl Stage {
    fn set(options: &[&str]) -> Self {
        let mut hub = Hub::start();
        let tenant = Tenant::of_admin(&hub);
        let (sender, _worker) = (tenant.agent("sender"), tenant.agent("worker"));
        let text = MARK.repeat(9_900 / MARK.len());
        let sent = (0..180).map(|_| send(&sender, "worker", &text)).collect();
        let account = ["--username", ADMIN, "--password", PASSWORD];
        hub.relaunch(&[&account, options].concat(), &[]);
        hub.was_damaged = true;
        Self { hub, tenant, sender, sent }
    }

    fn overwrite(&self) {
        overwrite(&self.hub.data_dir().join("hub.db"));
    }

    /// Writes are refused on every door with what to do, and what was not hit is still read.
    fn assert_damage_is_known(&self) {
        let says_what_to_do = |message: &str| {
            let named = ["`baton hub check`", "`baton hub restore`"];
            assert!(named.iter().all(|command| message.contains(command)), "{message}");
        };
        let body = refused(&self.hub.client().get("/ready"), 503, "database_damaged");
        says_what_to_do(body["message"].as_str().unwrap());
        let answer = self.sender.post("/api/task", &json!({"alias": "worker", "task": "x"}));
        says_what_to_do(refused(&answer, 503, "database_damaged")["message"].as_str().unwrap());
        assert_eq!(answer.header("retry-after"), None, "coming back does not help");
        let said = tool::call(&self.sender, "send_task", &json!({"alias": "worker", "task": "x"}));
        assert_eq!((&said["ok"], &said["error"]), (&json!(false), &json!("database_damaged")), "{said}");
        let message = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x"}]}});
        let path = format!("/a2a/{}/worker/message:send", self.tenant.network_id);
        let answer = self.sender.send("POST", &path, &[("a2a-version", "1.0")], Some(&message));
        assert_eq!(answer.status, 503, "{}", answer.text());
        assert!(answer.text().contains("database_damaged: "), "{}", answer.text());
        says_what_to_do(&answer.text());

        succeed(&self.tenant.user.get("/api/networks"));
        let figures = Page::read(&self.tenant.user.get("/metrics"));
        assert!((figures.value("baton_database_damaged") - 1.0).abs() < f64::EPSILON);
        let health = self.hub.baton(&["hub", "health"]);
        assert_eq!(health.status.code(), Some(1));
        says_what_to_do(&String::from_utf8_lossy(&health.stdout));
        let log = self.hub.log();
        assert_eq!(log.matches(LOGGED).count(), 1, "{log}");
    }
}

/// Fills pages of texts with nonsense.
fn overwrite(database: &Path) {
    let file = File::options().read(true).write(true).open(database).unwrap();
    let bytes = std::fs::read(database).unwrap();
    let pages = bytes.chunks(PAGE).enumerate().filter(|(_, page)| {
        let mark = MARK.as_bytes();
        page.windows(mark.len()).any(|window| window == mark)
    });
    let mut count = 0;
    for (number, _) in pages.take(PAGES) {
        file.write_all_at(&[0xFF; PAGE], (number * PAGE) as u64).unwrap();
        count += 1;
    }
    assert_eq!(count, PAGES, "there are not so many pages with texts");
}

#[test]
fn a_database_damaged_under_a_running_hub_takes_no_more_writes_and_says_so_everywhere() {
    let mut stage = Stage::set(&["--check-every", "off"]);
    assert_eq!(stage.hub.client().get("/ready").status, 200);
    stage.overwrite();
    let reads = stage.sent.iter().map(|id| stage.tenant.user.get(&format!("/api/tasks/{id}")));
    let damaged = reads.into_iter().find(|answer| answer.status != 200).expect("a read that meets damage");
    refused(&damaged, 503, "database_damaged");
    stage.assert_damage_is_known();
    // It stays so, and the start refuses the file.
    assert!(stage.hub.stop().success());
    let started = stage.hub.baton(&["hub", "start", "--port", "0"]);
    let said = String::from_utf8(started.stderr).unwrap();
    assert_eq!(started.status.code(), Some(2), "{said}");
    assert!(said.contains("damaged") && said.contains("`baton hub restore`"), "{said}");
    let checked = stage.hub.baton(&["hub", "check"]);
    let said = String::from_utf8(checked.stderr).unwrap();
    assert_eq!(checked.status.code(), Some(2), "{said}");
    assert!(said.contains("damaged") && said.contains("`baton hub restore "), "{said}");
}

#[test]
fn damage_that_nobody_reads_is_found_in_the_background() {
    let stage = Stage::set(&["--check-every", "1s"]);
    eventually("a check without findings", || stage.hub.log().contains("no damage found").then_some(()));
    assert_eq!(stage.hub.client().get("/ready").status, 200);
    stage.overwrite();
    eventually("the check finds it", || (stage.hub.client().get("/ready").status == 503).then_some(()));
    stage.assert_damage_is_known();
}
