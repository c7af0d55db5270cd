//! A file appears whole or not at all.

use baton_evidence::whole_file::WholeFile;
use std::fs;
use std::io::Write;

#[test]
fn a_committed_file_stands_alone_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    fs::write(&path, "old").unwrap();
    let mut file = WholeFile::create(&path).unwrap();
    file.write_all(b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    file.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = WholeFile::create(&folder.path().join("out")).unwrap();
    file.write_all(b"half").unwrap();
    drop(file);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_link_stays_and_the_file_it_points_to_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (elsewhere, link) = (tempfile::tempdir().unwrap(), folder.path().join("link"));
    let real = elsewhere.path().join("real");
    fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let mut file = WholeFile::create(&link).unwrap();
    file.write_all(b"new").unwrap();
    file.commit().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&real).unwrap(), b"new");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
}

#[test]
fn only_a_regular_file_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    assert!(WholeFile::create(folder.path()).is_err());
    assert!(WholeFile::create(std::path::Path::new("/dev/null")).is_err());
    assert!(WholeFile::create(&folder.path().join("no/such/folder")).is_err());
}

#[test]
fn a_private_file_is_its_owners_from_the_first_byte_on() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    fs::write(&path, "old").unwrap();
    let mut file = WholeFile::create_private(&path).unwrap();
    file.write_all(b"secret").unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let temporary = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let temporary = temporary.into_iter().find(|found| *found != path).unwrap();
    assert_eq!(mode(&temporary), 0o600);
    file.commit().unwrap();
    assert_eq!((mode(&path), fs::read(&path).unwrap().as_slice()), (0o600, &b"secret"[..]));
}
