//! Several hubs on one database: what one of them commits, the others go by at their next write.

use super::super::fixtures::{NOW, alias, insert_network, insert_task, network, node, task_id, user};
use super::{Database, Hub, database_of, hubs, named_in, run_on, settings};
use baton_core::{LeaseId, MonotonicMillis, NetworkRole, Principal, Status};
use baton_store::rows::{LeaseChange, NewEvent, NewLeaf, PageBounds, TaskChange, TileRow};
use baton_store::{Error, PostgresOptions, PostgresStore, Store, Transaction};
use std::sync::Arc;

/// Claims a task, if it can be had.
fn claim(tx: &mut dyn Transaction, n: u8, by: u8) -> Result<bool, Error> {
    let id = task_id(n.into());
    let task = tx.task(&id)?.ok_or_else(|| Error::Corrupt("no task".into()))?;
    if task.snapshot.status != Status::Delivered {
        return Ok(false);
    }
    let lease = LeaseChange::Grant {
        lease_id: LeaseId::from_random([by, n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        lease_seconds: 60,
        deadline: MonotonicMillis::new(60_000),
        expires_at: NOW.plus_seconds(60),
    };
    let change = TaskChange { lease: Some(lease), ..TaskChange::default() };
    tx.change_task(&network(1), &id, Status::Delivered, Status::Running, &change)?;
    Ok(true)
}

fn note(tx: &mut dyn Transaction, n: u16) -> Result<u64, Error> {
    let from = tx.last_event(&task_id(n))?.map(|event| event.to_status);
    append(tx, n, from)
}

/// An event and a frame.
fn append(tx: &mut dyn Transaction, n: u16, from: Option<Status>) -> Result<u64, Error> {
    tx.append_frame(&network(1), &node("coder"), "{}")?;
    tx.append_event(NewEvent {
        task_id: &task_id(n),
        network_id: &network(1),
        from,
        to: Status::Delivered,
        actor: &Principal::Hub,
        actor_token: None,
        detail: "",
        at: NOW,
        log_index: None,
    })
}

#[tokio::test]
async fn of_claims_that_race_through_two_hubs_exactly_one_wins() {
    let (_folder, [one, other]) = hubs();
    one.write(|tx| insert_network(tx, 1)).await.unwrap();
    for n in 0..60u8 {
        one.write(move |tx| insert_task(tx, 1, n.into(), "coder")).await.unwrap();
        let (first, second) =
            tokio::join!(one.write(move |tx| claim(tx, n, 1)), other.write(move |tx| claim(tx, n, 2)),);
        assert!(first.unwrap() != second.unwrap(), "task {n}");
    }
    let leases = one.read(|rows| rows.holds_lease(&network(1), &alias("coder"))).await.unwrap();
    assert!(leases);
}

#[tokio::test]
async fn numbers_of_a_network_have_no_gaps_and_appear_in_order_whichever_hub_gives_them() {
    let (_folder, [one, other]) = hubs();
    one.write(|tx| insert_network(tx, 1)).await.unwrap();
    one.write(|tx| (0..2).try_for_each(|n| insert_task(tx, 1, n, "coder"))).await.unwrap();
    let writes = |hub: &Hub, n: u16| {
        let hub = hub.clone();
        tokio::spawn(async move {
            for _ in 0..60 {
                hub.write(move |tx| note(tx, n).map(drop)).await.unwrap();
            }
        })
    };
    let all = [writes(&one, 0), writes(&other, 1), writes(&one, 1), writes(&other, 0)];
    // A reader that asks for what comes after the last it has misses nothing.
    let mut seen = 0;
    while seen < 240 {
        let frames = other.read(move |rows| rows.feed_after(&network(1), None, seen, 1_000)).await.unwrap();
        for frame in frames {
            seen += 1;
            assert_eq!(frame.n, seen);
        }
    }
    for writes in all {
        writes.await.unwrap();
    }
    let events = one.read(|rows| {
        let filter = baton_store::rows::EventFilter {
            networks: vec![(network(1), baton_core::access::TaskReach::Network)],
            page: PageBounds::rows(1_000),
            ..Default::default()
        };
        rows.events(&filter)
    });
    let numbers: Vec<_> = events.await.unwrap().rows.iter().map(|event| event.number).collect();
    assert_eq!(numbers, (1..=240).rev().collect::<Vec<_>>());
    for n in 0..2 {
        let history = one.read(move |rows| rows.task_history(&task_id(n))).await.unwrap();
        assert_eq!(history.iter().map(|event| event.n).collect::<Vec<_>>(), (1..=120).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn what_a_hub_keeps_of_a_network_is_forgotten_once_another_has_changed_it() {
    let (_folder, [one, other]) = hubs();
    one.write(|tx| insert_network(tx, 1)).await.unwrap();
    let role = |hub: &Hub| {
        let hub = hub.clone();
        async move { hub.write(|tx| tx.member_role(&network(1), &user(1))).await.unwrap() }
    };
    for _ in 0..5 {
        assert_eq!((role(&one).await, role(&other).await), (None, None));
        one.write(|tx| tx.put_member(&network(1), &user(1), NetworkRole::Member, None, NOW)).await.unwrap();
        assert!(role(&other).await.is_some() && role(&one).await.is_some());
        other.write(|tx| tx.delete_member(&network(1), &user(1))).await.unwrap();
    }
    // Rows in memory, too: each hub writes what the other has written.
    one.write(|tx| insert_task(tx, 1, 1, "coder")).await.unwrap();
    for n in 1..=20 {
        let hub = if n % 2 == 0 { &one } else { &other };
        assert_eq!(hub.write(|tx| note(tx, 1)).await.unwrap(), n);
    }
}

#[tokio::test]
async fn how_long_a_log_is_is_not_answered_from_what_a_hub_knew() {
    let (_folder, [one, other]) = hubs();
    one.write(|tx| insert_network(tx, 1)).await.unwrap();
    let grow = |tx: &mut dyn Transaction| -> Result<(), Error> {
        let index = tx.log_size(&network(1))?;
        tx.append_leaf(NewLeaf { network_id: &network(1), index, about: None, event: b"e", packet: b"p" })
    };
    for size in (1..=20u64).step_by(2) {
        one.write(grow).await.unwrap();
        other.write(grow).await.unwrap();
        // It changes nothing, so it is run on what is known if that is enough for it.
        let seen = one.write(|tx| tx.log_size(&network(1))).await.unwrap();
        assert_eq!(seen, size + 1);
    }
}

#[tokio::test]
async fn a_change_of_access_is_known_to_another_hub_with_its_next_write() {
    let (_folder, [one, other]) = hubs();
    let before = other.access_epoch();
    one.write(|tx| -> Result<(), Error> {
        tx.touch_access();
        Ok(())
    })
    .await
    .unwrap();
    other.check_writes().await.unwrap();
    assert!(other.access_epoch() > before);
}

#[tokio::test]
async fn many_lanes_and_networks_lose_nothing() {
    let (_folder, [one, other]) = hubs();
    for n in 1..=6 {
        one.write(move |tx| insert_network(tx, n)).await.unwrap();
    }
    let sends = (0..300u16).map(|n| {
        let hub = if n % 2 == 0 { one.clone() } else { other.clone() };
        let to = u8::try_from(n % 6).unwrap() + 1;
        tokio::spawn(async move { hub.write(move |tx| insert_task(tx, to, n, "coder")).await })
    });
    let sends: Vec<_> = sends.collect();
    for send in sends {
        send.await.unwrap().unwrap();
    }
    for n in 1..=6 {
        let counts = one.read(move |rows| rows.task_counts(&network(n))).await.unwrap();
        assert_eq!(counts, [(Status::Delivered, 50)], "network {n}");
    }
}

/// What no lane keeps in memory is written without a new version of its network: sealing would make every batch after it load
/// again what it had.
#[tokio::test]
async fn a_checkpoint_makes_no_lane_forget_what_it_knows_of_the_network() {
    let (folder, [hub, other]) = hubs();
    hub.write(|tx| insert_network(tx, 1)).await.unwrap();
    hub.write(|tx| {
        tx.append_leaf(NewLeaf { network_id: &network(1), index: 0, about: None, event: b"e", packet: b"p" })
    })
    .await
    .unwrap();
    let address = named_in(folder.0.path()).unwrap();
    run_on(&address, "CREATE TABLE noted AS SELECT network, version FROM heads");
    for sealer in [&hub, &other] {
        let tile = TileRow { level: 0, index: 0, hashes: vec![1; 32] };
        sealer.write(move |tx| tx.put_tile(&network(1), &tile)).await.unwrap();
    }
    let raised = "SELECT 1 FROM heads JOIN noted USING (network) WHERE heads.version <> noted.version";
    let raises = |is: &str| {
        format!("DO $$ BEGIN IF {is} EXISTS ({raised}) THEN RAISE EXCEPTION 'the version'; END IF; END $$")
    };
    run_on(&address, &raises(""));
    hub.write(|tx| insert_task(tx, 1, 2, "coder")).await.unwrap();
    run_on(&address, &raises("NOT"));
}

#[tokio::test]
async fn a_batch_of_sends_is_a_few_round_trips_and_loads_nothing_late() {
    let (_folder, [hub, _]) = hubs();
    hub.write(|tx| insert_network(tx, 1)).await.unwrap();
    // What is known from then on: the network's key and head, its recipients.
    hub.write(|tx| insert_task(tx, 1, 999, "coder").and_then(|()| append(tx, 999, None))).await.unwrap();
    let before = (hub.meter().round_trips(), hub.meter().missed_loads(), hub.meter().batches());
    let sends: Vec<_> = (0..200u16)
        .map(|n| {
            let hub = hub.clone();
            tokio::spawn(async move {
                hub.write(move |tx| insert_task(tx, 1, n, "coder").and_then(|()| append(tx, n, None))).await
            })
        })
        .collect();
    for send in sends {
        send.await.unwrap().unwrap();
    }
    let batches = hub.meter().batches().count - before.2.count;
    let trips = hub.meter().round_trips() - before.0;
    assert!(trips <= 3 * batches, "{trips} round trips for {batches} batches");
    assert_eq!(hub.meter().missed_loads(), before.1);
}

#[tokio::test]
async fn a_hub_whose_program_cannot_read_the_bundles_is_noticed_for_as_long_as_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let address = database_of(folder.path());
    let _database = Database(folder);
    let store =
        PostgresStore::open(&settings(&address), PostgresOptions::default(), Arc::new(|_| {})).unwrap();
    let peers = store.peers();
    let wait_until = async |has_older: bool| {
        while peers.has_older() != has_older {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    wait_until(false).await;
    // As a program writes it that has never heard of the column.
    let later = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint + 3600000";
    run_on(
        &address,
        &format!(
            "INSERT INTO hubs (hub_id, address, version, started_at, seen_at) VALUES ('old', '', '0', 0, {later})"
        ),
    );
    wait_until(true).await;
    // The release that brought the bundles can read them, although it does not know the schemas after it.
    for knows in [35, 1000] {
        run_on(&address, &format!("UPDATE hubs SET knows = {knows} WHERE hub_id = 'old'"));
        wait_until(false).await;
        run_on(&address, "UPDATE hubs SET knows = 34 WHERE hub_id = 'old'");
        wait_until(true).await;
    }
    run_on(&address, "UPDATE hubs SET knows = 31 WHERE hub_id = 'old'");
    wait_until(true).await;
    run_on(&address, "DELETE FROM hubs WHERE hub_id = 'old'");
    wait_until(false).await;
    store.close();
}

#[test]
fn the_first_bundle_that_older_programs_cannot_read_keeps_them_from_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let address = database_of(folder.path());
    let _database = Database(folder);
    let oldest = |wanted: u32| {
        let sql = format!(
            "DO $$ BEGIN ASSERT (SELECT min_reader FROM baton_schema WHERE version = 35) = {wanted}; END $$"
        );
        run_on(&address, &sql);
    };
    let store =
        PostgresStore::open(&settings(&address), PostgresOptions::default(), Arc::new(|_| {})).unwrap();
    store.close();
    oldest(31);
    run_on(&address, "ALTER TABLE entry_bundles DISABLE TRIGGER bundles_follow_each_other");
    run_on(&address, "INSERT INTO entry_bundles VALUES (1, '\\x789c00', '\\x789c00')");
    oldest(31);
    run_on(&address, "INSERT INTO entry_bundles VALUES (2, '\\x28b52ffd00', '')");
    oldest(35);
}
