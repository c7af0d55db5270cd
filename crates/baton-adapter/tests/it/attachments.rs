//! The folder of raw packets: a file is named by its content, whole or not there.

use baton_adapter::{AttachmentFolder, AttachmentRef, AttachmentWriter, DigestOnly, ErrorKind};
use std::fs;
use std::path::Path;
use std::process::Command;

const PACKET: &[u8] = b"{\"protocol\":\"a2a\"}";
/// By `sha256sum`, not by us.
const NAME: &str = "b2e9727e4fc264caac4dd040fda636f97f5b40cb369106219d6335972b6e69e0";

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_packet_is_kept_under_its_sha256() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a/b");
    let mut folder = AttachmentFolder::open(&path).unwrap();
    let kept = folder.write(PACKET, "application/json").unwrap();
    assert_eq!(names(&path), [NAME]);
    assert_eq!(fs::read(path.join(NAME)).unwrap(), PACKET);
    let expected = format!(r#"{{"sha256":"{NAME}","size_bytes":18,"media_type":"application/json"}}"#);
    assert_eq!(serde_json::to_string(&kept).unwrap(), expected);
    assert_eq!(kept, AttachmentRef::of(PACKET, "application/json"));
    assert_eq!(kept, DigestOnly.write(PACKET, "application/json").unwrap());
}

#[test]
fn keeping_a_packet_again_leaves_the_file_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = AttachmentFolder::open(folder.path()).unwrap();
    writer.write(PACKET, "application/json").unwrap();
    let before = fs::metadata(folder.path().join(NAME)).unwrap();
    for media_type in ["application/json", "text/plain"] {
        writer.write(PACKET, media_type).unwrap();
    }
    AttachmentFolder::open(folder.path()).unwrap().write(PACKET, "application/json").unwrap();
    let after = fs::metadata(folder.path().join(NAME)).unwrap();
    assert_eq!(names(folder.path()), [NAME]);
    assert_eq!(inode(&before), inode(&after), "the file was not written again");
    writer.write(b"", "application/json").unwrap();
    assert_eq!(names(folder.path()).len(), 2, "an empty packet is a packet");
}

fn inode(found: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[test]
fn a_file_of_the_same_name_that_was_cut_short_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = AttachmentFolder::open(folder.path()).unwrap();
    for debris in [&b""[..], &PACKET[..7], b"longer than the packet it is named for"] {
        fs::write(folder.path().join(NAME), debris).unwrap();
        writer.write(PACKET, "application/json").unwrap();
        assert_eq!(fs::read(folder.path().join(NAME)).unwrap(), PACKET);
        assert_eq!(names(folder.path()), [NAME]);
    }
}

#[test]
fn a_folder_that_cannot_be_one_is_a_config_error() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [file.clone(), file.join("below"), "/dev/null".into(), "/proc/no/such".into()] {
        let error = AttachmentFolder::open(&path).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Config, "{}", path.display());
        assert!(error.message.contains(path.to_str().unwrap()), "{error}");
    }
}

#[test]
fn a_packet_that_cannot_be_kept_is_an_infrastructure_error_and_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let gone = root.path().join("gone");
    let mut writer = AttachmentFolder::open(&gone).unwrap();
    fs::remove_dir(&gone).unwrap();
    let error = writer.write(PACKET, "application/json").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Infrastructure);
    assert!(error.message.contains(gone.to_str().unwrap()), "{error}");

    let blocked = root.path().join("blocked");
    let mut writer = AttachmentFolder::open(&blocked).unwrap();
    fs::create_dir(blocked.join(NAME)).unwrap();
    assert_eq!(writer.write(PACKET, "application/json").unwrap_err().kind, ErrorKind::Infrastructure);
    assert_eq!(names(&blocked), [NAME], "the folder in the way stays, and no temporary file");
}

/// Set for the run of the next test's inner half.
const INNER: &str = "BATON_TEST_ATTACHMENT_FOLDER";

#[test]
fn a_write_that_fails_halfway_leaves_nothing() {
    const LONG: usize = 64 << 10;
    if let Some(folder) = std::env::var_os(INNER) {
        let mut writer = AttachmentFolder::open(Path::new(&folder)).unwrap();
        let error = writer.write(&[b'x'; LONG], "application/json").unwrap_err();
        assert_eq!(error.kind, ErrorKind::Infrastructure, "{error}");
        return;
    }
    // The same test again in a process whose files may not grow past 32 KiB: a disk that fills up, for one
    // process. The signal that goes with it is ignored, so that the write fails and no more.
    let folder = tempfile::tempdir().unwrap();
    let limited = "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"";
    let inner = Command::new("sh")
        .args(["-c", limited])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "it::attachments::a_write_that_fails_halfway_leaves_nothing", "--nocapture"])
        .env(INNER, folder.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&inner.stdout);
    assert!(inner.status.success(), "{told}{}", String::from_utf8_lossy(&inner.stderr));
    assert!(told.contains("1 passed"), "{told}");
    assert_eq!(names(folder.path()), [""; 0]);
}
