//! A copy: everything as it was at one moment, and a store of its own when it is opened.

use super::super::engine::{Engine, Open, copy_in, engines};
use super::super::fixtures::{insert_task, network, task_id, with_network};
use baton_core::Status;
use baton_store::{CopyJob, Error};
use std::fs;

engines! {
    async fn a_copy_has_what_was_answered_before_it_and_goes_its_own_way(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| insert_task(tx, 1, 1, "coder")).await.unwrap();
        let key = engine.store.read(|rows| rows.cursor_key()).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(copy_in(folder.path()), "").unwrap();
        let (job, copying) = CopyJob::new(copy_in(folder.path()));
        engine.store.copy(job).unwrap();
        copying.done.await.unwrap().unwrap();
        engine.store.write(|tx| insert_task(tx, 1, 2, "coder")).await.unwrap();
        let copy = Engine::over(open, folder);
        copy.store.write(|tx| insert_task(tx, 1, 3, "coder")).await.unwrap();
        for (store, has) in [(&engine.store, [true, true, false]), (&copy.store, [true, false, true])] {
            let seen = store.read(move |rows| -> Result<_, Error> {
                assert_eq!(rows.task_counts(&network(1))?, [(Status::Delivered, 2)]);
                assert_eq!(rows.cursor_key()?, key);
                Ok([1, 2, 3].map(|n| rows.task(&task_id(n)).unwrap().is_some()))
            });
            assert_eq!(seen.await.unwrap(), has);
        }
    }

    async fn a_copy_is_made_into_a_file_that_is_there_and_empty_and_into_no_other(engine: &mut Engine, open: Open) {
        let folder = tempfile::tempdir().unwrap();
        let (absent, full) = (folder.path().join("absent"), folder.path().join("full"));
        fs::write(&full, "something").unwrap();
        for to in [&absent, &full] {
            let (job, copying) = CopyJob::new(to.clone());
            engine.store.copy(job).unwrap();
            assert!(matches!(copying.done.await.unwrap(), Err(Error::Unavailable(_))), "{to:?}");
        }
        assert_eq!((absent.exists(), fs::read_to_string(&full).unwrap().as_str()), (false, "something"));
        assert!(!engine.store.is_damaged() && !engine.store.refuses_writes(), "it is the copy that failed");
        with_network(&*engine.store).await;
    }

    async fn a_closed_store_is_not_copied(engine: &mut Engine, open: Open) {
        engine.store.close();
        let (job, _copying) = CopyJob::new(copy_in(engine.folder.path()));
        assert!(matches!(engine.store.copy(job), Err(Error::Closed)));
    }
}
