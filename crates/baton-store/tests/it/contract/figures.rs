//! Counts by the minute, places of times, and searches that continue where they stopped.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, alias, insert_network, insert_task, network, node, remove_network, task_id, with_network,
};
use baton_core::access::TaskReach;
use baton_core::{Kind, Latencies, NewTask, Priority, Status, TtlSeconds, UnixMillis};
use baton_store::rows::{
    End, Ends, MinuteCounts, NewTaskRow, Page, PageBounds, TaskChange, TaskFilter, TaskRow, TaskSearch,
    TaskTexts, minute_of,
};
use baton_store::{Error, Snapshot, Transaction};

const MINUTE: i64 = 60_000;

/// Task `n`, made at a time, of a kind, with a text; every third is for task 0.
fn insert(tx: &mut dyn Transaction, n: u16, at: UnixMillis, kind: &str, content: &str) -> Result<(), Error> {
    let task = NewTask {
        id: task_id(n),
        network_id: network(1),
        from: node(if n.is_multiple_of(2) { "lead" } else { "boss" }),
        to: alias(if n.is_multiple_of(5) { "tester" } else { "coder" }),
        kind: Kind::parse(kind).unwrap(),
        attempt: 1,
        max_attempts: 3,
        runs: baton_core::RunTerms::default(),
        ttl: TtlSeconds::default(),
        delivered_at: at,
        expires_at: at.plus_seconds(3600),
        parent_task_id: (n > 0 && n.is_multiple_of(3)).then(|| task_id(0)),
        retry_of: None,
        context_id: None,
    };
    tx.insert_task(NewTaskRow {
        task: &task,
        status: Status::Delivered,
        priority: Priority::Normal,
        content,
        context: None,
        meta: None,
        parts: None,
        salt: &[7; 16],
        traceparent: None,
    })
}

fn end(tx: &mut dyn Transaction, n: u16, status: Status, at: UnixMillis) -> Result<(), Error> {
    let change =
        TaskChange { completed_at: Some(at), result: Some(format!("Result {n}")), ..TaskChange::default() };
    tx.change_task(&network(1), &task_id(n), Status::Delivered, status, &change)
}

/// 400 tasks, one a second; every seventh of kind `review`, every fourth answered.
fn furnish(tx: &mut dyn Transaction) -> Result<(), Error> {
    insert_network(tx, 1)?;
    for n in 0..400 {
        let kind = if n % 7 == 0 { "review" } else { "delegation" };
        let content = if n % 10 == 0 { format!("Straße {n}") } else { format!("task {n}") };
        insert(tx, n, NOW.plus_millis(1000 * i64::from(n)), kind, &content)?;
    }
    for n in (0..400).step_by(4) {
        end(tx, n, Status::Replied, NOW.plus_millis(900_000))?;
    }
    Ok(())
}

fn search(change: impl FnOnce(&mut TaskSearch)) -> TaskSearch {
    let filter = TaskFilter {
        networks: vec![(network(1), TaskReach::Network)],
        page: PageBounds::rows(10),
        ..TaskFilter::default()
    };
    let mut search =
        TaskSearch { filter, examined_rows: 20_000, examined_bytes: 1 << 20, ..TaskSearch::default() };
    change(&mut search);
    search
}

/// Every page of a search, put together; and how many there were.
fn all(rows: &dyn Snapshot, mut search: TaskSearch) -> Result<(Vec<i64>, usize), Error> {
    let (mut found, mut pages) = (Vec::new(), 0);
    loop {
        let Page { rows: tasks, next } = rows.search_tasks(&search)?;
        assert!(tasks.len() <= search.filter.page.rows);
        found.extend(tasks.iter().map(|task| task.seq - 1));
        pages += 1;
        match next {
            Some(next) => search.filter.before = Some(next),
            None => return Ok((found, pages)),
        }
    }
}

fn expected(is_meant: impl Fn(i64) -> bool) -> Vec<i64> {
    (0..400).rev().filter(|n| is_meant(*n)).collect()
}

engines! {
    async fn what_happens_is_counted_in_its_minute(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let later = NOW.plus_millis(5 * MINUTE);
        engine.store.write(move |tx| -> Result<(), Error> {
            for n in 0..6 {
                insert_task(tx, 1, n, "coder")?;
            }
            end(tx, 0, Status::Replied, NOW.plus_millis(1))?;
            tx.count_visible_handoff(&network(1), NOW);
            Ok(())
        }).await.unwrap();
        engine.store.write(move |tx| -> Result<(), Error> {
            end(tx, 1, Status::Replied, later)?;
            end(tx, 2, Status::Failed, later)?;
            end(tx, 3, Status::Cancelled, later)?;
            end(tx, 4, Status::Expired, later)
        }).await.unwrap();
        let refused = engine.store.write(move |tx| -> Result<(), Error> {
            end(tx, 5, Status::Failed, later)?;
            Err(Error::Busy)
        }).await;
        assert!(refused.is_err());
        let counted = engine.store.read(|rows| rows.minutes(&network(1), 0..i64::MAX)).await.unwrap();
        let took = |times: &[i64]| {
            let mut latencies = Latencies::default();
            times.iter().for_each(|millis| latencies.note(*millis));
            latencies
        };
        let first =
            MinuteCounts { sent: 6, ends: Ends::from_iter([(Status::Replied, 1)]), handoffs: 1, latencies: took(&[1]) };
        let second = MinuteCounts {
            ends: Status::terminal().map(|end| (end, 1)).collect(),
            latencies: took(&[5 * MINUTE, 5 * MINUTE]),
            ..MinuteCounts::default()
        };
        assert_eq!(counted, [(minute_of(NOW), first), (minute_of(later), second)]);
    }

    async fn old_minutes_are_forgotten_and_all_go_with_their_network(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| insert_network(tx, 2)).await.unwrap();
        engine.store.write(|tx| -> Result<(), Error> {
            for minutes in 0..10 {
                tx.count_visible_handoff(&network(1), NOW.plus_millis(minutes * MINUTE));
                tx.count_visible_handoff(&network(2), NOW.plus_millis(minutes * MINUTE));
            }
            Ok(())
        }).await.unwrap();
        let before = minute_of(NOW) + 4;
        let gone = engine.store.write(move |tx| tx.forget_minutes(before, 3)).await.unwrap();
        assert_eq!(gone, 3);
        let gone = engine.store.write(move |tx| tx.forget_minutes(before, 100)).await.unwrap();
        assert_eq!(gone, 5);
        engine.store.write(|tx| -> Result<(), Error> {
            tx.count_visible_handoff(&network(1), NOW);
            remove_network(tx, 1)
        }).await.unwrap();
        for (number, left) in [(1, 0), (2, 6)] {
            let minutes = engine.store.read(move |rows| rows.minutes(&network(number), 0..i64::MAX)).await;
            assert_eq!(minutes.unwrap().len(), left, "network {number}");
        }
        let since = engine.store.read(|rows| rows.counted_since()).await.unwrap();
        assert!(since > NOW, "counting began with this database");
    }

    async fn a_time_is_found_among_the_tasks(engine: &mut Engine, open: Open) {
        let none = engine.store.read(|rows| rows.place_of_time(NOW)).await.unwrap();
        assert!(none <= 1, "{none}");
        engine.store.write(furnish).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            for (millis, place) in [(-5, 1), (0, 1), (1, 2), (1000, 2), (1001, 3), (399_000, 400), (399_001, 401)] {
                let found = rows.place_of_time(NOW.plus_millis(millis))?;
                // A place before the first task is as good as the first.
                assert_eq!(found.max(1), place, "{millis}");
            }
            Ok(())
        }).await.unwrap();
    }

    async fn a_search_finds_everything_that_is_meant_page_by_page(engine: &mut Engine, open: Open) {
        engine.store.write(furnish).await.unwrap();
        type Case = (fn(&mut TaskSearch), fn(i64) -> bool);
        let cases: [Case; 11] = [
            (|_| (), |_| true),
            (|search| search.kind = Kind::parse("review").ok(), |n| n % 7 == 0),
            (|search| search.text = Some("STRASSE".into()), |_| false),
            (|search| search.text = Some("STRAßE".into()), |n| n % 10 == 0),
            (|search| search.text = Some("rESULT 12".into()), |n| n % 4 == 0 && n.to_string().starts_with("12")),
            (|search| search.parent = Some(task_id(0)), |n| n > 0 && n % 3 == 0),
            (|search| search.since = Some(NOW.plus_millis(100_000)), |n| n >= 100),
            (|search| search.until = Some(NOW.plus_millis(100_000)), |n| n < 100),
            (
                |search| {
                    search.filter.status = Some(Status::Replied);
                    search.filter.to_name = Some("tester".into());
                    search.filter.from_name = Some("lead".into());
                },
                |n| n % 20 == 0,
            ),
            (
                |search| search.filter.networks = vec![(network(1), TaskReach::Own(alias("boss")))],
                |n| n % 2 == 1,
            ),
            (
                |search| {
                    search.filter.networks = vec![(network(1), TaskReach::Own(alias("tester")))];
                    search.parent = Some(task_id(0));
                },
                |n| n > 0 && n % 15 == 0,
            ),
        ];
        for (number, (change, is_meant)) in cases.into_iter().enumerate() {
            for examined_rows in [1, 20_000] {
                let search = search(|search| {
                    change(search);
                    search.examined_rows = examined_rows;
                });
                let (found, pages) = engine.store.read(move |rows| all(rows, search.clone())).await.unwrap();
                assert_eq!(found, expected(is_meant), "case {number}, {examined_rows} rows");
                assert!(pages <= 60, "case {number}: {pages} pages");
            }
        }
    }

    async fn a_search_looks_at_so_many_rows_and_bytes_and_says_where_it_stopped(engine: &mut Engine, open: Open) {
        engine.store.write(furnish).await.unwrap();
        let few_rows = search(|search| {
            search.text = Some("nowhere".into());
            search.filter.to_name = Some("coder".into());
            search.examined_rows = 100;
        });
        let few_bytes = search(|search| {
            search.text = Some("nowhere".into());
            search.filter.to_name = Some("coder".into());
            search.examined_bytes = 80; // ten texts of eight letters
        });
        for (search, looked_at) in [(few_rows, 100), (few_bytes, 10)] {
            let page = engine.store.read(move |rows| rows.search_tasks(&search)).await.unwrap();
            assert!(page.rows.is_empty());
            let coders = (0..400).rev().filter(|n| n % 5 != 0);
            let stop = coders.take(looked_at).last().unwrap() + 1;
            let next = page.next.unwrap();
            assert!((next - stop).abs() <= 8, "stopped at {next}, not about {stop}");
        }
    }

    async fn a_search_reads_so_many_bytes_of_text_however_many_indexes_it_walks(engine: &mut Engine, open: Open) {
        engine.store.write(furnish).await.unwrap();
        engine.store.write(|tx| insert_network(tx, 2)).await.unwrap();
        let search = search(|search| {
            search.text = Some("nowhere".into());
            search.filter.networks.push((network(2), TaskReach::Network));
            search.examined_bytes = 200;
        });
        let page = engine.store.read(move |rows| rows.search_tasks(&search)).await.unwrap();
        let text_bytes = |n: i64| {
            let content = if n % 10 == 0 { format!("Straße {n}") } else { format!("task {n}") };
            content.len() + if n % 4 == 0 { format!("Result {n}").len() } else { 0 }
        };
        let mut read = 0;
        let last = (0..400).rev().find(|n| {
            read += text_bytes(*n);
            read >= 200
        });
        assert_eq!(page.next, last.map(|n| n + 1));
    }

    async fn tasks_that_are_named_come_if_they_are_seen_and_meant(engine: &mut Engine, open: Open) {
        engine.store.write(furnish).await.unwrap();
        let named = |change: fn(&mut TaskSearch)| {
            search(|search| {
                let ids = [7, 390, 12, 7, 4_000, 5];
                search.ids = Some(ids.into_iter().map(task_id).collect());
                search.examined_bytes = 1;
                change(search);
            })
        };
        type Case = (fn(&mut TaskSearch), &'static [i64]);
        let cases: [Case; 7] = [
            (|_| (), &[390, 12, 7, 5]),
            (|search| search.filter.before = Some(13), &[7, 5]),
            (|search| search.filter.status = Some(Status::Replied), &[12]),
            (|search| search.parent = Some(task_id(0)), &[390, 12]),
            (|search| search.since = Some(NOW.plus_millis(100_000)), &[390]),
            (|search| search.text = Some("TASK".into()), &[12, 7, 5]),
            (|search| search.filter.networks = vec![(network(1), TaskReach::Own(alias("tester")))], &[390, 5]),
        ];
        for (number, (change, expected)) in cases.into_iter().enumerate() {
            let search = named(change);
            let page = engine.store.read(move |rows| rows.search_tasks(&search)).await.unwrap();
            let found: Vec<i64> = page.rows.iter().map(|task| task.seq - 1).collect();
            assert_eq!((found.as_slice(), page.next), (expected, None), "case {number}");
        }
        let elsewhere = named(|search| search.filter.networks = vec![(network(2), TaskReach::Network)]);
        let page = engine.store.read(move |rows| rows.search_tasks(&elsewhere)).await.unwrap();
        assert!(page.rows.is_empty());
    }

    async fn a_short_row_is_the_whole_one_without_its_texts(engine: &mut Engine, open: Open) {
        engine.store.write(furnish).await.unwrap();
        let long = "ß".repeat(300);
        engine.store.write(move |tx| insert(tx, 400, NOW.plus_millis(400_000), "delegation", &long)).await.unwrap();
        engine.store.write(|tx| end(tx, 400, Status::Replied, NOW.plus_millis(900_000))).await.unwrap();
        let whole = search(|search| search.filter.page = PageBounds::rows(50));
        let short = search(|search| {
            search.filter.page = PageBounds::rows(50);
            search.filter.texts = TaskTexts::Beginning;
        });
        engine.store.read(move |rows| -> Result<(), Error> {
            let expected: Vec<TaskRow> = rows.tasks(&whole.filter)?.rows.into_iter().map(|task| TaskRow {
                content: task.content.chars().take(200).collect(),
                result: None,
                ..task
            }).collect();
            assert_eq!(expected[0].content.chars().count(), 200);
            assert_eq!(rows.tasks(&short.filter)?.rows, expected);
            assert_eq!(rows.search_tasks(&short)?.rows, expected);
            Ok(())
        }).await.unwrap();
    }

    async fn glances_come_from_either_end_with_what_matters(engine: &mut Engine, open: Open) {
        engine.store.write(furnish).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            let oldest = rows.glances(&network(1), Status::Delivered, End::Oldest, 2)?;
            assert_eq!(oldest.iter().map(|task| task.task_id.clone()).collect::<Vec<_>>(), [task_id(1), task_id(2)]);
            let newest = rows.glances(&network(1), Status::Replied, End::Newest, 1)?;
            assert_eq!(newest[0].task_id, task_id(396));
            assert_eq!(rows.title(&task_id(396))?.as_deref(), Some("task 396"));
            assert_eq!(rows.title(&task_id(400))?, None);
            assert!(!newest[0].is_leased);
            Ok(())
        }).await.unwrap();
    }
}
