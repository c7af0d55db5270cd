use super::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tokio_postgres::config::SslMode;

fn nothing(_: &str) -> Option<String> {
    None
}

fn parse(text: &str) -> Result<ConnectionSettings, SettingsError> {
    ConnectionSettings::parse(text, PasswordSources { file: None, environment: &nothing })
}

fn password_of(settings: &ConnectionSettings) -> Option<String> {
    settings.password.read().unwrap()
}

#[test]
fn both_forms_are_read_as_the_table_says() {
    for (text, shown) in [
        ("postgres://baton@db.example/hub", "postgres://baton@db.example:5432/hub"),
        ("postgresql://baton:secret@db.example:6432/hub", "postgres://baton@db.example:6432/hub"),
        ("postgres://a,b:6000,[::1]:6001/hub", "postgres://a:5432,b:6000,[::1]:6001/hub"),
        ("postgres://a:1,b:2/hub?target_session_attrs=read-write", "postgres://a:1,b:2/hub"),
        ("postgres://%2Frun%2Fpg/hub", "postgres:///run/pg/hub"),
        ("postgres:///hub?host=/run/pg", "postgres:///run/pg/hub"),
        ("postgres:///hub", "postgres:///var/run/postgresql/hub"),
        ("postgres://b%40ton:p%3Aw%25@db/hub", "postgres://b@ton@db:5432/hub"),
        ("host=db user=baton dbname=hub", "postgres://baton@db:5432/hub"),
        ("host=a,b,c port=1,2,3 dbname=hub", "postgres://a:1,b:2,c:3/hub"),
        ("host=a,b port=6432", "postgres://a:6432,b:6432"),
        (r"host = 'db'  user='o\'brien' password='a b\\c' dbname=hub", "postgres://o'brien@db:5432/hub"),
        ("hostaddr=127.0.0.1 dbname=hub", "postgres://127.0.0.1:5432/hub"),
    ] {
        let settings = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(settings.to_string(), shown, "{text}");
    }
}

#[test]
fn what_cannot_be_read_is_named_and_nothing_of_it_repeated() {
    for (text, said) in [
        ("", "it is empty"),
        ("mysql://secret@db", "begins with postgres://"),
        ("secret", "not a list of key=value pairs"),
        ("host=db secret x=1", "not a list of key=value pairs"),
        ("password='secret", "a quoted value does not end"),
        ("postgres://[::1/hub", "closing bracket"),
        ("postgres://u:secret%zz@db/hub", "hexadecimal"),
        ("postgres://db/hub?secret", "has no value"),
        ("postgres://db/hub?colour=blue", "unknown option `colour`"),
        (
            "postgres://db:secret/hub",
            "option `port` of the connection string must be a number from 1 to 65535",
        ),
        ("postgres://db:0/hub", "from 1 to 65535"),
        ("postgres://db/hub?sslmode=allow", "disable, prefer, require, verify-ca or verify-full"),
        ("postgres://db/hub?target_session_attrs=standby", "a hub writes"),
        ("postgres://db/hub?connect_timeout=soon", "a number of seconds"),
        ("postgres://db/hub?connect_timeout=0", "at least 1"),
        ("postgres://db/hub?channel_binding=maybe", "disable, prefer or require"),
        ("host=a,b,c port=1,2", "has 3 hosts and 2 ports"),
        ("host=a,b hostaddr=127.0.0.1", "one IP address for each host"),
        ("hostaddr=db.example", "IP addresses"),
        ("postgres://db/hub?sslmode=verify-full&sslrootcert=/no/such/file", "/no/such/file"),
        ("postgres://db/hub?sslcert=/no/such/file", "together with sslkey"),
    ] {
        let error = parse(text).expect_err(text);
        assert!(error.to_string().contains(said), "{text}: {error}");
        assert!(!format!("{error} {error:?}").contains("secret"), "{text}: {error}");
    }
}

#[test]
fn tls_modes_ask_for_what_the_table_says() {
    use options::{Check, Options};
    for (mode, wanted, check) in [
        ("", SslMode::Prefer, Check::Nothing),
        ("?sslmode=disable", SslMode::Disable, Check::Nothing),
        ("?sslmode=prefer", SslMode::Prefer, Check::Nothing),
        ("?sslmode=require", SslMode::Require, Check::Nothing),
        ("?sslmode=require&sslrootcert=ca.pem", SslMode::Require, Check::Authority),
        ("?sslmode=verify-ca&sslrootcert=ca.pem", SslMode::Require, Check::Authority),
        ("?sslrootcert=ca.pem&sslmode=verify-full", SslMode::Require, Check::Host),
        ("?sslmode=verify-full&sslrootcert=system", SslMode::Require, Check::Host),
    ] {
        let options = Options::read(pairs::read(&format!("postgres://db/hub{mode}")).unwrap()).unwrap();
        assert_eq!((options.base.get_ssl_mode(), options.tls.check), (wanted, check), "{mode}");
    }
}

#[test]
fn a_hub_wants_a_server_that_accepts_writes_and_waits_two_seconds_for_it_unless_told_otherwise() {
    let settings = parse("postgres://a,b/hub").unwrap();
    assert_eq!(settings.base.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
    assert_eq!(settings.connect_timeout, Duration::from_secs(2));
    let to_read = parse("postgres://a,b/hub?target_session_attrs=any").unwrap().for_reading();
    assert_eq!(to_read.base.get_target_session_attrs(), TargetSessionAttrs::ReadWrite, "the primary first");
    assert!(to_read.may_be_replica && !settings.may_be_replica);
    let settings = parse("postgres://a,b/hub?target_session_attrs=any&connect_timeout=7").unwrap();
    assert_eq!(settings.base.get_target_session_attrs(), TargetSessionAttrs::Any);
    assert_eq!(settings.connect_timeout, Duration::from_secs(7));
}

#[test]
fn the_password_comes_from_the_first_place_that_has_one_and_is_never_shown() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        path
    };
    let file = write("password", "secret-file\n");
    let passfile = write(
        "pgpass",
        "# comment\nother:*:*:*:secret-other\ndb:5432:hub:baton:secret\\:pass\\\\file\n*:*:*:*:secret-any\n",
    );
    let passfile = passfile.to_str().unwrap().to_owned();
    let both = |name: &str| match name {
        "PGPASSWORD" => Some("secret-env".to_owned()),
        "PGPASSFILE" => Some(passfile.clone()),
        _ => None,
    };
    let pgpass = |name: &str| (name == "PGPASSFILE").then(|| passfile.clone());
    let home = |name: &str| (name == "HOME").then(|| folder.path().to_str().unwrap().to_owned());
    let url = "postgres://baton@db/hub";
    type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;
    let cases: [(&str, Option<&Path>, Environment<'_>, Option<&str>); 8] = [
        ("postgres://baton:secret-url@db/hub", None, &both, Some("secret-url")),
        (url, Some(&file), &both, Some("secret-file")),
        (url, None, &both, Some("secret-env")),
        (url, None, &pgpass, Some("secret:pass\\file")),
        ("postgres://baton@elsewhere/hub", None, &pgpass, Some("secret-any")),
        (&format!("{url}?passfile={passfile}"), None, &nothing, Some("secret:pass\\file")),
        (url, None, &home, None),
        (url, None, &nothing, None),
    ];
    for (text, file, environment, expected) in cases {
        let settings = ConnectionSettings::parse(text, PasswordSources { file, environment }).unwrap();
        assert_eq!(password_of(&settings).as_deref(), expected, "{text}");
        let shown = format!("{settings} {settings:?} {:#?}", settings.base);
        assert!(!shown.contains("secret"), "{shown}");
    }
    let sources = PasswordSources { file: Some(&file), environment: &nothing };
    let both = ConnectionSettings::parse("postgres://u:secret@db/hub", sources);
    assert_eq!(both.unwrap_err(), SettingsError::TwoPasswords);
}

#[test]
fn a_password_file_is_read_again_for_each_connection_and_one_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    let sources = PasswordSources { file: Some(&file), environment: &nothing };
    let missing = ConnectionSettings::parse("postgres://db/hub", sources).unwrap_err();
    assert!(missing.to_string().contains("--store-password-file"), "{missing}");
    fs::write(&file, "\n").unwrap();
    assert!(
        ConnectionSettings::parse("postgres://db/hub", sources).unwrap_err().to_string().contains("empty")
    );
    fs::write(&file, "first\r\n").unwrap();
    let settings = ConnectionSettings::parse("postgres://db/hub", sources).unwrap();
    assert_eq!(password_of(&settings).as_deref(), Some("first"));
    fs::write(&file, "second").unwrap();
    assert_eq!(password_of(&settings).as_deref(), Some("second"));

    let passfile = folder.path().join("pgpass");
    fs::write(&passfile, "*:*:*:*:secret\n").unwrap();
    fs::set_permissions(&passfile, fs::Permissions::from_mode(0o644)).unwrap();
    let open = parse(&format!("postgres://db/hub?passfile={}", passfile.display())).unwrap_err();
    assert!(open.to_string().contains("chmod 600"), "{open}");
}
