//! Artifacts: one row for the same bytes, references that keep them, objects that are never lost sight of.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, alias, insert_network, insert_task, network, node, remove_network, task_id, whole, with_network,
};
use baton_core::{ArtifactHash, ArtifactName, ArtifactSource, MediaType, Quota, Status, UnixMillis};
use baton_store::rows::{
    ArtifactStorage, InboxState, NewArtifact, NewArtifactRef, PageBounds, QuotaSubject, TaskChange,
};
use baton_store::{Error, Snapshot, Transaction};

const DAY: UnixMillis = NOW.plus_seconds(86_400);

fn hash(n: u8) -> ArtifactHash {
    ArtifactHash::new([n; 32])
}

fn name(text: &str) -> ArtifactName {
    ArtifactName::parse("name", text).unwrap()
}

/// Uploads artifact `n` into a network as `object`, by `by`, at this time.
fn put(
    tx: &mut dyn Transaction,
    net: u8,
    n: u8,
    object: &str,
    by: &str,
    at: UnixMillis,
) -> Result<bool, Error> {
    tx.begin_object(object, at.plus_seconds(86_400))?;
    tx.put_artifact(NewArtifact {
        network: &network(net),
        hash: hash(n),
        size: u64::from(n) * 100,
        object,
        name: &name(object),
        media_type: &MediaType::default(),
        uploader: &node(by),
        at,
    })
}

fn reference(n: u8, source: ArtifactSource) -> NewArtifactRef {
    NewArtifactRef {
        source,
        message: None,
        event: Some(1),
        hash: hash(n),
        size: u64::from(n) * 100,
        name: name(&format!("file {n}")),
        media_type: MediaType::parse("media_type", "text/plain").unwrap(),
        description: Some("for you".into()),
        artifact_id: None,
        metadata: None,
        part: None,
        chunk: None,
    }
}

fn end(tx: &mut dyn Transaction, n: u16) -> Result<(), Error> {
    let change =
        TaskChange { completed_at: Some(NOW), inbox: Some(InboxState::Acked), ..TaskChange::default() };
    tx.change_task(&network(1), &task_id(n), Status::Delivered, Status::Replied, &change)
}

fn used(rows: &dyn Snapshot, net: u8) -> Result<i64, Error> {
    Ok(rows.quota(QuotaSubject::Network(&network(net)), Quota::ArtifactBytes)?.used)
}

/// Whether an agent may read artifact `n`, by so many of the newest tasks that refer to it.
fn is_open_to(rows: &dyn Snapshot, net: u8, n: u8, who: &str, examined: usize) -> Result<bool, Error> {
    let found = rows.artifacts_by_hash(&network(net), &[hash(n)], Some(&alias(who)), examined)?;
    Ok(!found.is_empty())
}

engines! {
    async fn the_same_bytes_are_one_artifact_and_the_second_object_is_unused(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 2)?;
            assert!(put(tx, 1, 1, "a", "coder", NOW)?);
            assert!(!put(tx, 1, 1, "b", "lead", NOW.plus_seconds(1))?, "the network has them");
            assert!(put(tx, 2, 1, "c", "coder", NOW)?, "another network does not");
            assert_eq!((used(tx.as_snapshot(), 1)?, used(tx.as_snapshot(), 2)?), (100, 100));
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        engine.store.read(|rows| -> Result<(), Error> {
            let found = rows.artifact(&network(1), &hash(1))?.unwrap();
            assert_eq!((&*found.object, found.size, found.name.as_str()), ("a", 100, "b"), "named as it was last");
            assert_eq!(rows.artifact(&network(1), &hash(2))?, None);
            for by in ["coder", "lead"] {
                assert!(is_open_to(rows, 1, 1, by, 1)?, "{by}");
                let own = rows.artifacts(&network(1), Some(&node(by)), None, PageBounds::rows(9))?;
                assert_eq!(own.rows.len(), 1, "{by}");
            }
            assert!(!is_open_to(rows, 1, 1, "other", 1)?);
            assert_eq!(rows.unused_objects(NOW, 9)?, ["b"]);
            Ok(())
        }).await.unwrap();
        engine.store.write(|tx| tx.forget_object("b")).await.unwrap();
        assert!(engine.store.read(|rows| rows.unused_objects(DAY, 9)).await.unwrap().is_empty());
    }

    async fn an_object_that_was_not_noted_becomes_no_artifact(engine: &mut Engine, _open: Open) {
        with_network(&*engine.store).await;
        let put = engine.store.write(|tx| tx.put_artifact(NewArtifact {
            network: &network(1),
            hash: hash(1),
            size: 1,
            object: "never noted",
            name: &name("x"),
            media_type: &MediaType::default(),
            uploader: &node("coder"),
            at: NOW,
        })).await;
        assert!(put.is_err());
        assert_eq!(engine.store.read(|rows| rows.artifact(&network(1), &hash(1))).await.unwrap(), None);
    }

    async fn an_upload_that_came_to_nothing_leaves_its_object_to_be_deleted(engine: &mut Engine, _open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| tx.begin_object("cut", DAY)).await.unwrap();
        let (early, late) = engine.store.read(|rows| -> Result<_, Error> {
            Ok((rows.unused_objects(NOW, 9)?, rows.unused_objects(DAY, 9)?))
        }).await.unwrap();
        assert_eq!((early, late), (vec![], vec!["cut".to_owned()]));
    }

    async fn many_references_of_one_task_do_not_hide_those_of_others(engine: &mut Engine, _open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            put(tx, 1, 1, "object", "lead", NOW)?;
            insert_task(tx, 1, 1, "coder")?;
            insert_task(tx, 1, 2, "other")?;
            tx.add_artifact_refs(&task_id(1), &[reference(1, ArtifactSource::Task)])?;
            let many: Vec<_> = (0..50).map(|_| reference(1, ArtifactSource::Task)).collect();
            tx.add_artifact_refs(&task_id(2), &many)?;
            assert!(is_open_to(tx.as_snapshot(), 1, 1, "coder", 2)?);
            assert!(!is_open_to(tx.as_snapshot(), 1, 1, "coder", 1)?, "no more are examined");
            Ok(())
        }).await.unwrap();
    }

    async fn references_are_numbered_and_counted_in_their_tasks_row(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for n in 1..=3 {
                put(tx, 1, n, &format!("object {n}"), "lead", NOW)?;
            }
            insert_task(tx, 1, 1, "coder")?;
            let sent = [reference(1, ArtifactSource::Task), reference(2, ArtifactSource::Task)];
            assert_eq!(tx.add_artifact_refs(&task_id(1), &sent)?, 2);
            assert_eq!(tx.add_artifact_refs(&task_id(1), &[])?, 2);
            Ok(())
        }).await.unwrap();
        engine.store.write(|tx| -> Result<(), Error> {
            assert_eq!(tx.add_artifact_refs(&task_id(1), &[reference(3, ArtifactSource::Reply)])?, 3);
            end(tx, 1)
        }).await.unwrap();
        engine.reopen(open);
        engine.store.read(|rows| -> Result<(), Error> {
            let task = rows.task(&task_id(1))?.unwrap();
            assert_eq!(task.artifacts, 3);
            let refs = rows.artifact_refs(task.seq)?;
            let shown: Vec<_> = refs.iter().map(|row| (row.n, row.reference.hash, row.reference.source)).collect();
            let (sent, replied) = (ArtifactSource::Task, ArtifactSource::Reply);
            assert_eq!(shown, [(1, hash(1), sent), (2, hash(2), sent), (3, hash(3), replied)]);
            let first = &refs[0].reference;
            assert_eq!((first.name.as_str(), first.description.as_deref()), ("file 1", Some("for you")));
            let newest = whole(|before, bounds| rows.newest_artifact_refs(task.seq, before, bounds))?;
            assert_eq!(newest.iter().map(|row| row.n).collect::<Vec<_>>(), [3, 2, 1]);
            assert_eq!(task.snapshot.from, node("lead"));
            for (who, is_party) in [("coder", true), ("lead", true), ("other", false)] {
                assert_eq!(is_open_to(rows, 1, 3, who, 10)?, is_party, "{who}");
            }
            assert!(!is_open_to(rows, 2, 3, "coder", 10)?);
            Ok(())
        }).await.unwrap();
    }

    async fn a_part_that_stands_in_its_reference_holds_no_artifact(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            put(tx, 1, 1, "object", "lead", NOW)?;
            insert_task(tx, 1, 1, "coder")?;
            let shared = NewArtifactRef {
                artifact_id: Some("plan".into()),
                metadata: Some(r#"{"k":1}"#.into()),
                part: Some(r#"{"text":"x"}"#.into()),
                chunk: Some(r#"{"append":true}"#.into()),
                ..reference(1, ArtifactSource::Work)
            };
            assert_eq!(tx.add_artifact_refs(&task_id(1), &[shared])?, 1);
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        engine.store.read(|rows| -> Result<(), Error> {
            let refs = rows.artifact_refs(rows.task(&task_id(1))?.unwrap().seq)?;
            let NewArtifactRef { artifact_id, metadata, part, chunk, .. } = &refs[0].reference;
            let shown = [artifact_id, metadata, part, chunk];
            let expected = ["plan", r#"{"k":1}"#, r#"{"text":"x"}"#, r#"{"append":true}"#];
            assert_eq!(shown.map(|text| text.as_deref().unwrap()), expected);
            assert!(rows.has_unreferenced_artifacts(NOW.plus_seconds(1))?, "the same bytes are not held by it");
            assert!(!is_open_to(rows, 1, 1, "coder", 10)?, "nor opened by it");
            let bytes: usize = expected[1..].iter().map(|text| text.len()).sum();
            assert_eq!(rows.artifact_refs_bytes(rows.task(&task_id(1))?.unwrap().seq)?, bytes);
            Ok(())
        }).await.unwrap();
    }

    async fn artifacts_are_found_by_their_hashes_at_once_and_each_is_given_once(engine: &mut Engine, _open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 2)?;
            for n in 1..=4 {
                put(tx, 1, n, &format!("object {n}"), if n == 1 { "coder" } else { "lead" }, NOW)?;
            }
            put(tx, 2, 5, "elsewhere", "coder", NOW)?;
            insert_task(tx, 1, 1, "coder")?;
            // The task is in the writer's memory still.
            tx.add_artifact_refs(&task_id(1), &[reference(2, ArtifactSource::Task)])?;
            let all = [1, 2, 3, 5, 2, 9].map(hash);
            for (agent, expected) in [(None, &[1, 2, 3][..]), (Some("coder"), &[1, 2]), (Some("other"), &[])] {
                let agent = agent.map(alias);
                let found = tx.artifacts_by_hash(&network(1), &all, agent.as_ref(), 10)?;
                let mut found: Vec<_> = found.into_iter().map(|row| row.hash).collect();
                found.sort_by_key(ArtifactHash::to_string);
                assert_eq!(found, expected.iter().map(|n| hash(*n)).collect::<Vec<_>>(), "{agent:?}");
            }
            assert_eq!(tx.artifacts_by_hash(&network(1), &[], None, 10)?, []);
            Ok(())
        }).await.unwrap();
    }

    async fn where_the_bytes_lie_is_what_was_noted_last(engine: &mut Engine, open: Open) {
        assert_eq!(engine.store.read(|rows| rows.artifact_place()).await.unwrap(), None);
        for place in [ArtifactStorage::Folder, ArtifactStorage::Bucket("s3://bucket/x".into()), ArtifactStorage::Folder] {
            let noted = place.clone();
            engine.store.write(move |tx| tx.put_artifact_place(&noted)).await.unwrap();
            engine.reopen(open);
            assert_eq!(engine.store.read(|rows| rows.artifact_place()).await.unwrap(), Some(place));
        }
    }

    async fn an_artifact_whose_object_was_lost_gets_another(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            put(tx, 1, 1, "lost", "lead", NOW)?;
            tx.begin_object("new", NOW.plus_seconds(86_400))?;
            let known = tx.artifact(&network(1), &hash(1))?.unwrap();
            tx.replace_object(known.seq, "new")?;
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        engine.store.read(|rows| -> Result<(), Error> {
            assert_eq!(rows.artifact(&network(1), &hash(1))?.unwrap().object, "new");
            assert_eq!(rows.unused_objects(NOW, 10)?, ["lost"]);
            Ok(())
        }).await.unwrap();
    }

    async fn what_nothing_refers_to_goes_after_its_time_and_the_rest_stays(engine: &mut Engine, _open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            put(tx, 1, 1, "kept", "lead", NOW)?;
            put(tx, 1, 2, "old", "lead", NOW)?;
            put(tx, 1, 3, "young", "lead", DAY)?;
            insert_task(tx, 1, 1, "coder")?;
            tx.add_artifact_refs(&task_id(1), &[reference(1, ArtifactSource::Task)]).map(drop)
        }).await.unwrap();
        engine.store.write(|tx| -> Result<(), Error> {
            assert!(!tx.has_unreferenced_artifacts(NOW)?);
            assert!(tx.has_unreferenced_artifacts(DAY)?);
            assert_eq!(tx.remove_unreferenced_artifacts(DAY, 9)?, 1);
            assert_eq!(tx.unused_objects(NOW, 9)?, ["old"]);
            assert_eq!(used(tx.as_snapshot(), 1)?, 400);
            assert!(tx.artifact(&network(1), &hash(2))?.is_none());
            Ok(())
        }).await.unwrap();
        engine.store.write(|tx| -> Result<(), Error> {
            end(tx, 1)?;
            assert!(tx.remove_task(&task_id(1), NOW.plus_seconds(1))?);
            assert_eq!(tx.remove_unreferenced_artifacts(DAY, 9)?, 1, "it went with its task");
            assert_eq!(used(tx.as_snapshot(), 1)?, 300);
            Ok(())
        }).await.unwrap();
    }

    async fn a_deleted_network_leaves_its_objects_to_be_deleted(engine: &mut Engine, _open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 2)?;
            for (net, object) in [(1, "one"), (2, "two")] {
                put(tx, net, 1, object, "lead", NOW)?;
                insert_task(tx, net, u16::from(net), "coder")?;
                tx.add_artifact_refs(&task_id(u16::from(net)), &[reference(1, ArtifactSource::Task)])?;
            }
            Ok(())
        }).await.unwrap();
        engine.store.write(|tx| remove_network(tx, 1)).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            assert_eq!(rows.unused_objects(NOW, 9)?, ["one"]);
            assert!(rows.artifact(&network(1), &hash(1))?.is_none());
            let other = rows.artifact(&network(2), &hash(1))?.unwrap();
            assert_eq!((&*other.object, used(rows, 2)?), ("two", 100));
            Ok(())
        }).await.unwrap();
    }
}
