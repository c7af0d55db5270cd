//! A full disk under PostgreSQL: writes are refused and change nothing, reads go on, and writes go on once there is room.

use super::super::fixtures::{insert_network, insert_task, task_id};
use super::own_server::{OwnServer, give};
use super::settings;
use baton_store::{Error, Health, PostgresOptions, PostgresStore, Store};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// A tmpfs, mounted as long as this lives; none for a user who may not mount.
struct Disk<'a>(&'a Path);

impl<'a> Disk<'a> {
    fn mount(at: &'a Path) -> Option<Self> {
        fs::create_dir(at).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64m,mode=777", "none"]).arg(at).stderr(Stdio::null());
        mount.status().unwrap().success().then_some(Self(at))
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[tokio::test]
async fn a_full_disk_under_postgres_refuses_writes_and_nothing_is_lost() {
    let mounted = tempfile::tempdir().unwrap();
    let at = mounted.path().join("disk");
    fs::set_permissions(mounted.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let Some(_disk) = Disk::mount(&at) else {
        eprintln!("this user cannot mount a file system; a full disk under PostgreSQL is not tested");
        return;
    };
    let space = at.join("space");
    fs::create_dir(&space).unwrap();
    give(&space);
    let server = OwnServer::start(&[], |_| {});
    // The tables are on the small disk, the write-ahead log is not: without that PostgreSQL itself would stop.
    let create = format!("CREATE TABLESPACE small LOCATION '{}'", space.display());
    super::run_on(&server.address("postgres"), &create);
    super::run_on(&server.address("postgres"), "CREATE DATABASE hub TABLESPACE small");
    let options = PostgresOptions { lanes: 1, ..PostgresOptions::default() };
    let store = PostgresStore::open(&settings(&server.address("hub")), options, Arc::new(|_| {})).unwrap();
    let store: Arc<dyn Store> = Arc::new(store);
    store.write(|tx| insert_network(tx, 1)).await.unwrap();
    store.write(|tx| insert_task(tx, 1, 0, "coder")).await.unwrap();

    let ballast = at.join("ballast");
    let mut file = fs::File::create(&ballast).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
    // Whatever room the pages have left is used up first.
    let mut written = 0;
    let error = loop {
        match store.write(move |tx| insert_task(tx, 1, written + 1, &"x".repeat(64))).await {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 5_000, "the disk is full");
    };
    assert!(
        matches!(&error, Error::Unavailable(why) if why.contains("disk of the PostgreSQL server is full")),
        "{error}"
    );
    assert_eq!(store.health(), Health::RefusesWrites);
    let has = |n: u16| store.read(move |rows| Ok::<_, Error>(rows.task(&task_id(n))?.is_some()));
    assert!(
        has(written).await.unwrap() && !has(written + 1).await.unwrap(),
        "reads go on, and nothing is half there"
    );

    drop(file);
    fs::remove_file(&ballast).unwrap();
    store.write(move |tx| insert_task(tx, 1, written + 1, "coder")).await.unwrap();
    assert!(has(written + 1).await.unwrap());
    store.check_writes().await.unwrap();
    store.close();
}
