//! TLS to PostgreSQL: what each `sslmode` accepts, with a server that has a certificate of a test's own authority.

use super::own_server::{OwnServer, give};
use super::settings;
use baton_store::{PostgresOptions, PostgresStore, Store};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    give(path);
}

/// An authority, in PEM and to sign with.
fn authority() -> (String, Issuer<'static, KeyPair>) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    (certificate.pem(), Issuer::new(params, key))
}

fn open(address: &str) -> Result<(), String> {
    let options = PostgresOptions { lanes: 1, readers: 1, ..PostgresOptions::default() };
    let store =
        PostgresStore::open(&settings(address), options, Arc::new(|_| {})).map_err(|error| error.cause())?;
    store.close();
    Ok(())
}

#[test]
fn every_tls_mode_accepts_what_the_table_says() {
    let (pem, issuer) = authority();
    let (other, _) = authority();
    let key = KeyPair::generate().unwrap();
    let certificate =
        CertificateParams::new(["localhost".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let server = OwnServer::start(&["ssl=on"], |data| {
        write(&data.join("server.crt"), &certificate.pem());
        write(&data.join("server.key"), &key.serialize_pem());
        let hba = "local all all trust\nhostssl all secured 127.0.0.1/32 scram-sha-256\nhostssl all all 127.0.0.1/32 trust\n";
        write(&data.join("pg_hba.conf"), hba);
    });
    let (ca, wrong) = (server.folder.path().join("ca.pem"), server.folder.path().join("other.pem"));
    write(&ca, &pem);
    write(&wrong, &other);
    let (ca, wrong) = (ca.display(), wrong.display());
    super::run_on(&server.socket_address("postgres"), "CREATE DATABASE hub");
    super::run_on(
        &server.socket_address("postgres"),
        "CREATE ROLE secured LOGIN SUPERUSER PASSWORD 'a secret'",
    );
    let port = server.port;
    let cases: [(&str, String, Option<&str>); 11] = [
        ("127.0.0.1", "sslmode=disable".into(), Some("no encryption")),
        ("127.0.0.1", "sslmode=prefer".into(), None),
        ("127.0.0.1", "sslmode=require".into(), None),
        ("127.0.0.1", format!("sslmode=require sslrootcert={wrong}"), Some("invalid peer certificate")),
        ("127.0.0.1", format!("sslmode=verify-ca sslrootcert={ca}"), None),
        ("127.0.0.1", format!("sslmode=verify-ca sslrootcert={wrong}"), Some("invalid peer certificate")),
        ("127.0.0.1", format!("sslmode=verify-full sslrootcert={ca}"), Some("not valid for name")),
        ("localhost", format!("sslmode=verify-full sslrootcert={ca}"), None),
        ("localhost", format!("sslmode=verify-full sslrootcert={wrong}"), Some("invalid peer certificate")),
        (
            "localhost",
            format!(
                "sslmode=verify-full sslrootcert={ca} user=secured password='a secret' channel_binding=require"
            ),
            None,
        ),
        ("localhost", "user=secured".into(), Some("asks for a password")),
    ];
    for (host, options, refused) in cases {
        let user = if options.contains("user=") { "" } else { "user=postgres" };
        let address = format!("host={host} hostaddr=127.0.0.1 port={port} dbname=hub {user} {options}");
        match (open(&address), refused) {
            (Ok(()), None) => {}
            (Err(said), Some(part)) => {
                assert!(said.contains(part), "{options}: {said}");
                assert!(!said.contains("secret"), "{said}");
            }
            (opened, _) => panic!("{host} {options}: {opened:?}"),
        }
    }
}
