//! Tasks: what is written is read back, lists page without gaps, terminal is final.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, alias, insert_network, insert_task, insert_task_from, network, node, task_id, with_network,
};
use baton_core::access::TaskReach;
use baton_core::{DueChange, MessageId, MessageKind, Principal, Status};
use baton_store::rows::{
    ChangedFilter, EventFilter, IdempotentSend, NewEvent, NewTaskMessage, OutputRow, PageBounds,
    ProgressChange, ProgressRow, TaskChange, TaskFilter,
};
use baton_store::{Error, Snapshot, Transaction};

fn page(rows: &dyn Snapshot, filter: TaskFilter) -> Result<Vec<String>, Error> {
    Ok(rows.tasks(&filter)?.rows.into_iter().map(|task| task.content).collect())
}

fn all_of(n: u8) -> TaskFilter {
    TaskFilter {
        networks: vec![(network(n), TaskReach::Network)],
        page: PageBounds::rows(10),
        ..TaskFilter::default()
    }
}

fn end(tx: &mut dyn Transaction, n: u16, status: Status) -> Result<(), Error> {
    let change = TaskChange { result: Some("done".into()), completed_at: Some(NOW), ..TaskChange::default() };
    tx.change_task(&network(1), &task_id(n), Status::Delivered, status, &change)
}

fn changed(limit: usize, examined: usize) -> ChangedFilter {
    ChangedFilter {
        network: (network(1), TaskReach::Network),
        to: alias("coder"),
        statuses: Vec::new(),
        is_rejected: None,
        auth_required: None,
        has_begun: None,
        context: None,
        after: None,
        before: None,
        limit,
        examined,
    }
}

fn log(tx: &mut dyn Transaction, n: u16, from: Option<Status>, to: Status) -> Result<(), Error> {
    let (network, task_id) = (network(1), task_id(n));
    tx.append_event(NewEvent {
        network_id: &network,
        task_id: &task_id,
        from,
        to,
        actor: &node("lead"),
        actor_token: None,
        detail: "x",
        at: NOW,
        log_index: None,
    })
    .map(drop)
}

/// Says something on task 1, so long after its beginning.
fn say(
    tx: &mut dyn Transaction,
    n: u8,
    author: &Principal,
    content: &str,
    parts: Option<&str>,
) -> Result<(), Error> {
    let (at, network_id, task_id) = (NOW.plus_seconds(n.into()), network(1), task_id(1));
    let message_id = MessageId::new(at, [n; 10]);
    let meta = parts.map(|_| "{}");
    let is_question = content.ends_with('?');
    let message = NewTaskMessage {
        network_id: &network_id,
        task_id: &task_id,
        message_id: &message_id,
        author,
        kind: if is_question { MessageKind::Question } else { MessageKind::Answer },
        content,
        options: is_question.then_some(r#"["yes","no"]"#),
        input_ttl_seconds: is_question.then_some(60),
        auth_required: content == "second?",
        parts,
        meta,
        at,
    };
    let before = tx.task_messages_bytes(&network_id, &task_id)?;
    assert_eq!(tx.append_task_message(message)?, i64::from(n));
    assert_eq!(tx.task_messages_bytes(&network_id, &task_id)?, before + message.bytes());
    Ok(())
}

fn report(tx: &mut dyn Transaction, progress: ProgressChange) -> Result<(), Error> {
    let change = TaskChange { progress: Some(progress), ..TaskChange::default() };
    tx.change_task(&network(1), &task_id(1), Status::Delivered, Status::Delivered, &change)
}

engines! {
    async fn progress_is_numbered_within_a_run_and_what_it_leaves_out_stays(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            insert_task(tx, 1, 1, "coder")?;
            log(tx, 1, None, Status::Delivered)?;
            report(tx, ProgressChange::Report { percent: Some(10), message: Some("first".into()), at: NOW })
        }).await.unwrap();
        engine.store.write(|tx| -> Result<(), Error> {
            log(tx, 1, Some(Status::Delivered), Status::Delivered)?;
            report(tx, ProgressChange::Report { percent: Some(20), message: None, at: NOW.plus_seconds(1) })?;
            assert_eq!(tx.task_course(&task_id(1))?.unwrap().progress, tx.task(&task_id(1))?.unwrap().progress);
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        let read = || engine.store.read(|rows| {
            let (row, course) = (rows.task(&task_id(1))?.unwrap(), rows.task_course(&task_id(1))?.unwrap());
            assert_eq!((course.status, &course.progress), (row.snapshot.status, &row.progress));
            assert_eq!(rows.task_course(&task_id(2))?, None);
            Ok::<_, Error>(course.progress)
        });
        let second = ProgressRow {
            n: 2, event: 2, percent: Some(20), message: Some("first".into()), at: NOW.plus_seconds(1),
        };
        assert_eq!(read().await.unwrap(), Some(second));
        engine.store.write(|tx| report(tx, ProgressChange::Clear)).await.unwrap();
        assert_eq!(read().await.unwrap(), None);
        let at = NOW;
        engine.store.write(move |tx| {
            report(tx, ProgressChange::Report { percent: None, message: Some("again".into()), at })
        }).await.unwrap();
        let first = ProgressRow { n: 1, event: 2, percent: None, message: Some("again".into()), at: NOW };
        assert_eq!(read().await.unwrap(), Some(first));
    }

    async fn the_last_of_an_output_is_kept_and_all_of_it_counted(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            insert_task(tx, 1, 1, "coder")?;
            assert_eq!(tx.task_output(&task_id(1))?, None);
            tx.append_output(&network(1), &task_id(1), "one ", 8)?;
            tx.append_output(&network(1), &task_id(1), "two ", 8)
        }).await.unwrap();
        let read = || engine.store.read(|rows| rows.task_output(&task_id(1)));
        assert_eq!(read().await.unwrap(), Some(OutputRow { written: 8, tail: "one two ".into() }));
        // No half of a character is left at the beginning.
        engine.store.write(|tx| tx.append_output(&network(1), &task_id(1), "€€3", 8)).await.unwrap();
        engine.reopen(open);
        let read = || engine.store.read(|rows| rows.task_output(&task_id(1)));
        assert_eq!(read().await.unwrap(), Some(OutputRow { written: 15, tail: " €€3".into() }));
        engine.store.write(|tx| tx.append_output(&network(1), &task_id(1), "€", 8)).await.unwrap();
        let read = || engine.store.read(|rows| rows.task_output(&task_id(1)));
        assert_eq!(read().await.unwrap(), Some(OutputRow { written: 18, tail: "€3€".into() }));
        assert_eq!(engine.store.read(|rows| rows.task_output(&task_id(2))).await.unwrap(), None);
        let [more, all] = [17, 18].map(|written| engine.store.read(move |rows| rows.task_output_after(&task_id(1), written)));
        assert_eq!(more.await.unwrap(), read().await.unwrap());
        assert_eq!(all.await.unwrap(), None, "nothing after the last byte");
    }

    async fn tasks_that_are_due_are_found_in_order_until_they_are_not(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for (n, seconds) in [(1, 30), (2, 10), (3, 20)] {
                insert_task(tx, 1, n, "coder")?;
                let change = TaskChange { due: Some(DueChange::At(NOW.plus_seconds(seconds))), ..TaskChange::default() };
                tx.change_task(&network(1), &task_id(n), Status::Delivered, Status::Delivered, &change)?;
            }
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        let due = async |seconds: u32, after: (i64, i64), limit: usize| {
            let found = engine.store.read(move |rows| rows.due_tasks(NOW.plus_seconds(seconds), after, limit)).await;
            found.unwrap()
        };
        let ids = |found: &[(i64, i64, baton_core::TaskId)]| found.iter().map(|due| due.2.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&due(20, (0, 0), 10).await), [task_id(2), task_id(3)]);
        let first = due(60, (0, 0), 1).await;
        let rest = due(60, (first[0].0, first[0].1), 10).await;
        assert_eq!((ids(&first), ids(&rest)), (vec![task_id(2)], vec![task_id(3), task_id(1)]));
        engine.store.write(|tx| {
            let change = TaskChange { due: Some(DueChange::Never), ..TaskChange::default() };
            tx.change_task(&network(1), &task_id(2), Status::Delivered, Status::Delivered, &change)
        }).await.unwrap();
        assert_eq!(ids(&due(20, (0, 0), 10).await), [task_id(3)]);
    }

    async fn of_what_was_said_the_newest_is_read_and_all_of_it_measured(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            insert_task(tx, 1, 1, "coder")?;
            let (sender, agent) = (node("lead"), node("coder"));
            say(tx, 1, &sender, "é", Some("[1]"))?;
            say(tx, 2, &agent, "first?", None)?;
            say(tx, 3, &sender, "yes", None)?;
            // Whoever asks, a question is known by its kind: an agent may have sent the task to itself.
            say(tx, 4, &sender, "second?", None)?;
            say(tx, 5, &sender, "no", None)
        }).await.unwrap();
        engine.reopen(open);
        engine.store.read(|rows| -> Result<(), Error> {
            let newest = |until: Option<u32>, most| -> Result<Vec<String>, Error> {
                let until = until.map(|seconds| NOW.plus_seconds(seconds));
                let found = rows.newest_task_messages(&network(1), &task_id(1), until, PageBounds::rows(most))?;
                Ok(found.into_iter().map(|message| message.content).collect())
            };
            assert_eq!(newest(None, 2)?, ["second?", "no"]);
            assert_eq!(newest(None, usize::MAX)?, ["é", "first?", "yes", "second?", "no"]);
            assert_eq!(newest(Some(3), 2)?, ["first?", "yes"]);
            assert_eq!(newest(Some(0), 2)?, [""; 0]);
            let question = |until: Option<u32>| -> Result<Option<String>, Error> {
                let until = until.map(|seconds| NOW.plus_seconds(seconds));
                let found = rows.newest_question(&network(1), &task_id(1), until)?;
                Ok(found.map(|asked| {
                    assert_eq!(asked.options.as_deref(), Some(r#"["yes","no"]"#));
                    assert_eq!((asked.kind, asked.input_ttl_seconds), (MessageKind::Question, Some(60)));
                    assert_eq!(asked.auth_required, asked.content == "second?");
                    asked.content
                }))
            };
            assert_eq!([question(Some(1))?, question(Some(3))?], [None, Some("first?".into())]);
            assert_eq!([question(Some(9))?, question(None)?], [Some("second?".into()), Some("second?".into())]);
            let options = 2 * r#"["yes","no"]"#.len();
            let bytes = "é[1]{}first?yessecond?no".len() + options;
            assert_eq!(rows.task_messages_bytes(&network(1), &task_id(1))?, bytes);
            assert_eq!(rows.task_messages_bytes(&network(1), &task_id(2))?, 0);
            Ok(())
        }).await.unwrap();
    }

    async fn a_terminal_row_never_changes_whoever_asks(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        for (n, status) in [(1, Status::Replied), (2, Status::Failed), (3, Status::Cancelled), (4, Status::Expired)] {
            engine.store.write(move |tx| -> Result<(), Error> {
                insert_task(tx, 1, n, "coder")?;
                end(tx, n, status)
            }).await.unwrap();
            // Not to another status, and not even to itself with another result.
            for to in [Status::Delivered, Status::Running, status] {
                let changed = engine.store.write(move |tx| {
                    let change = TaskChange { result: Some("other".into()), ..TaskChange::default() };
                    tx.change_task(&network(1), &task_id(n), status, to, &change)
                });
                assert!(changed.await.is_err(), "{status} to {to}");
            }
            let task = engine.store.read(move |rows| rows.task(&task_id(n))).await.unwrap().unwrap();
            assert_eq!((task.snapshot.status, task.result.as_deref()), (status, Some("done")));
        }
    }

    async fn a_change_from_a_status_the_task_has_not_is_refused(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let changed = engine.store.write(|tx| -> Result<(), Error> {
            insert_task(tx, 1, 1, "coder")?;
            tx.change_task(&network(1), &task_id(1), Status::Running, Status::Replied, &TaskChange::default())
        });
        assert!(changed.await.is_err());
    }

    async fn an_agents_tasks_come_by_their_newest_event_a_bounded_walk_at_a_time(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            for n in 0..4 {
                insert_task(tx, 1, n, if n == 1 { "tester" } else { "coder" })?;
                log(tx, n, None, Status::Delivered)?;
            }
            end(tx, 0, Status::Failed)?;
            log(tx, 0, Some(Status::Delivered), Status::Failed)
        }).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            let walk = |filter: ChangedFilter| -> Result<(Vec<String>, usize), Error> {
                let (mut filter, mut seen, mut pages) = (filter, Vec::new(), 0);
                loop {
                    let page = rows.changed_tasks(&filter)?;
                    pages += 1;
                    for (_, id) in page.tasks {
                        seen.extend(rows.task(&id)?.map(|task| task.content));
                    }
                    match page.next {
                        Some(next) => filter.before = Some(next),
                        None => return Ok((seen, pages)),
                    }
                }
            };
            let names = |numbers: &[u16]| numbers.iter().map(|n| format!("task {n}")).collect::<Vec<_>>();
            let all = || changed(10, 100);
            assert_eq!(walk(all())?, (names(&[0, 3, 2]), 1));
            assert_eq!(walk(changed(1, 100))?, (names(&[0, 3, 2]), 3), "the last page says that it is the last");
            // Five events, two looked at a page: the second page is short and the last is empty.
            assert_eq!(walk(changed(10, 2))?, (names(&[0, 3, 2]), 3));
            let failed = || ChangedFilter { statuses: vec![Status::Failed, Status::Expired], ..all() };
            assert_eq!(walk(failed())?.0, names(&[0]));
            assert_eq!((rows.count_changed_tasks(&all(), 100)?, rows.count_changed_tasks(&failed(), 100)?), (3, 1));
            assert_eq!(rows.count_changed_tasks(&all(), 2)?, 2);
            let context = baton_core::ContextId::parse(task_id(2).as_str());
            assert_eq!(walk(ChangedFilter { context, ..all() })?.0, names(&[2]));
            let own = (network(1), TaskReach::Own(alias("tester")));
            assert!(walk(ChangedFilter { network: own, ..all() })?.0.is_empty());
            let own = (network(1), TaskReach::Own(alias("lead")));
            assert_eq!(walk(ChangedFilter { network: own, ..all() })?.0, names(&[0, 3, 2]));
            // Its own moment is in it, what came before is not.
            let since = ChangedFilter { after: Some(NOW), ..all() };
            assert_eq!(walk(since.clone())?.0, walk(all())?.0);
            assert_eq!(rows.count_changed_tasks(&since, 100)?, rows.count_changed_tasks(&all(), 100)?);
            let after = Some(NOW.plus_millis(1));
            assert!(walk(ChangedFilter { after, ..all() })?.0.is_empty());
            assert_eq!(rows.count_changed_tasks(&ChangedFilter { after, ..all() }, 100)?, 0);
            Ok(())
        }).await.unwrap();
    }

    async fn lists_are_newest_first_filtered_and_paged(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            for n in 0..6 {
                insert_task(tx, 1, n, if n % 2 == 0 { "coder" } else { "tester" })?;
            }
            insert_task(tx, 2, 9, "coder")?;
            insert_task_from(tx, 1, 6, "coder", "tester")?;
            end(tx, 0, Status::Failed)
        }).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            let names = |numbers: &[u16]| numbers.iter().map(|n| format!("task {n}")).collect::<Vec<_>>();
            assert_eq!(page(rows, all_of(1))?, names(&[6, 5, 4, 3, 2, 1, 0]));
            assert_eq!(page(rows, TaskFilter { status: Some(Status::Failed), ..all_of(1) })?, names(&[0]));
            assert_eq!(page(rows, TaskFilter { to_name: Some("tester".into()), ..all_of(1) })?, names(&[6, 5, 3, 1]));
            assert_eq!(page(rows, TaskFilter { from_name: Some("coder".into()), ..all_of(1) })?, names(&[6]));
            assert_eq!(page(rows, TaskFilter { page: PageBounds::rows(2), ..all_of(1) })?, names(&[6, 5]));
            let last = rows.tasks(&TaskFilter { page: PageBounds::rows(2), ..all_of(1) })?.rows.pop().unwrap().seq;
            assert_eq!(page(rows, TaskFilter { page: PageBounds::rows(2), before: Some(last), ..all_of(1) })?, names(&[4, 3]));
            let own = vec![(network(1), TaskReach::Own(alias("coder")))];
            assert_eq!(page(rows, TaskFilter { networks: own, ..all_of(1) })?, names(&[6, 4, 2, 0]));
            let both = vec![(network(1), TaskReach::Network), (network(2), TaskReach::Network)];
            assert_eq!(page(rows, TaskFilter { networks: both, page: PageBounds::rows(3), ..all_of(1) })?, names(&[6, 9, 5]));
            assert!(page(rows, TaskFilter { networks: Vec::new(), ..all_of(1) })?.is_empty());
            Ok(())
        }).await.unwrap();
    }

    async fn history_is_numbered_from_one_without_gaps(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            insert_task(tx, 1, 1, "coder")?;
            insert_task(tx, 1, 2, "coder")?;
            for (task, to) in [(1, Status::Delivered), (2, Status::Delivered), (1, Status::Acked), (1, Status::Running)] {
                let from = (to != Status::Delivered).then_some(Status::Delivered);
                tx.append_event(NewEvent {
                    network_id: &network(1), task_id: &task_id(task), from, to, actor: &Principal::Hub,
                    actor_token: None, detail: "",
                    at: NOW,
                    log_index: None,
                })?;
            }
            let history = tx.task_history(&task_id(1))?;
            assert_eq!(history.iter().map(|event| event.n).collect::<Vec<_>>(), [1, 2, 3]);
            for (n, after) in [(0, &history[..]), (1, &history[1..]), (3, &[]), (4, &[])] {
                assert_eq!(tx.task_history_after(&task_id(1), n)?, after);
            }
            let newest = tx.events(&EventFilter {
                networks: vec![(network(1), TaskReach::Network)],
                page: PageBounds::rows(2),
                ..EventFilter::default()
            })?.rows;
            assert_eq!(newest.iter().map(|event| event.to_status).collect::<Vec<_>>(), [Status::Running, Status::Acked]);
            Ok(())
        }).await.unwrap();
    }

    async fn a_key_is_remembered_per_network_and_sender(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            let sent = IdempotentSend {
                arguments: vec![1; 32], task_id: task_id(1), session_status: "idle".into(), created_at: NOW,
            };
            tx.remember_send(&network(1), &node("a"), "key", &sent)?;
            assert_eq!(tx.idempotent_send(&network(1), &node("a"), "key")?, Some(sent));
            assert_eq!(tx.idempotent_send(&network(1), &node("b"), "key")?, None);
            assert_eq!(tx.idempotent_send(&network(2), &node("a"), "key")?, None);
            assert_eq!(tx.forget_sends(NOW, 10)?, 0);
            assert_eq!(tx.forget_sends(NOW.plus_seconds(1), 10)?, 1);
            Ok(())
        }).await.unwrap();
    }

    async fn overdue_tasks_are_found_in_order_and_paged(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for n in 0..5 {
                insert_task(tx, 1, n, "coder")?;
            }
            end(tx, 4, Status::Failed)?;
            let late = NOW.plus_seconds(3600);
            assert!(tx.overdue_tasks(NOW, (i64::MIN, i64::MIN), 10)?.is_empty());
            let first = tx.overdue_tasks(late, (i64::MIN, i64::MIN), 3)?;
            assert_eq!(first.len(), 3);
            let (expires_at, seq, _) = first[2].clone();
            let rest = tx.overdue_tasks(late, (expires_at, seq), 3)?;
            assert_eq!(rest.into_iter().map(|(_, _, id)| id).collect::<Vec<_>>(), [task_id(3)]);
            Ok(())
        }).await.unwrap();
    }
}
