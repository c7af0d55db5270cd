//! What a write locks beside its own rows. Whoever uploads, reports or types a wrong password must not make the lanes forget what
//! they know of other networks: only a use case that has the whole database for itself raises the epoch.

use super::super::fixtures::{NOW, insert_network, insert_task, network, node, task_id};
use super::{hubs, named_in, run_on};
use baton_core::{ArtifactHash, ArtifactName, MediaType};
use baton_store::rows::{AttemptKind, AttemptsRow, NewArtifact, NewCompletion};
use baton_store::{Error, Transaction};

const KEEP: usize = 100;

fn upload(tx: &mut dyn Transaction) -> Result<(), Error> {
    tx.begin_object("object", NOW.plus_seconds(60))?;
    tx.put_artifact(NewArtifact {
        network: &network(1),
        hash: ArtifactHash::new([1; 32]),
        size: 1,
        object: "object",
        name: &ArtifactName::parse("name", "report.txt").unwrap(),
        media_type: &MediaType::default(),
        uploader: &node("coder"),
        at: NOW,
    })?;
    Ok(())
}

fn complete(tx: &mut dyn Transaction) -> Result<(), Error> {
    tx.insert_completion(NewCompletion {
        network_id: &network(1),
        session_name: "coder",
        task_id: &task_id(1),
        task: "a task",
        result: "done",
        artifacts: None,
        score: None,
        duration_minutes: None,
        at: NOW,
    })?;
    Ok(())
}

fn fail_to_log_in(tx: &mut dyn Transaction) -> Result<(), Error> {
    let before = tx.attempts(AttemptKind::ALL[0], &[7; 32])?;
    let count = before.map_or(0, |row| row.count) + 1;
    let row = AttemptsRow { count, times: vec![NOW], forgotten_at: NOW.plus_seconds(60) };
    tx.put_attempts(AttemptKind::ALL[0], &[7; 32], &row, KEEP)
}

#[tokio::test]
async fn what_anybody_may_write_makes_no_lane_forget_other_networks() {
    let (folder, [hub, _]) = hubs();
    hub.write(|tx| insert_network(tx, 1)).await.unwrap();
    hub.write(|tx| insert_task(tx, 1, 1, "coder")).await.unwrap();
    let address = named_in(folder.0.path()).unwrap();
    run_on(&address, "CREATE TABLE noted AS SELECT epoch FROM hub_state");
    hub.write(upload).await.unwrap();
    hub.write(|tx| tx.forget_object("another")).await.unwrap();
    hub.write(complete).await.unwrap();
    hub.write(fail_to_log_in).await.unwrap();
    hub.write(|tx| tx.delete_attempts(AttemptKind::ALL[0], &[7; 32])).await.unwrap();
    let moved = "SELECT 1 FROM hub_state JOIN noted ON hub_state.epoch <> noted.epoch";
    let raises = |is: &str| {
        format!("DO $$ BEGIN IF {is} EXISTS ({moved}) THEN RAISE EXCEPTION 'the epoch'; END IF; END $$")
    };
    run_on(&address, &raises(""));
    // A network more is everybody's business.
    hub.write(|tx| insert_network(tx, 2)).await.unwrap();
    run_on(&address, &raises("NOT"));
}

#[tokio::test]
async fn of_failed_logins_that_race_through_two_hubs_each_is_counted() {
    let (_folder, hubs) = hubs();
    let tries: Vec<_> = (0..40)
        .map(|n| {
            let hub = hubs[n % 2].clone();
            tokio::spawn(async move { hub.write(fail_to_log_in).await })
        })
        .collect();
    for tried in tries {
        tried.await.unwrap().unwrap();
    }
    let found = hubs[0].read(|rows| rows.attempts(AttemptKind::ALL[0], &[7; 32])).await.unwrap();
    assert_eq!(found.map(|row| row.count), Some(40));
}
