//! Encrypted connections: the certificate of the database and its name are verified.

use tasuki_engine::error::Fault;
use tasuki_engine::ports::Store as _;
use tasuki_store::{Options, PostgresStore, StoreUrl};

use super::fixture::{Schema, certificate, sql};
use crate::fixture::block_on;

fn open(url: &str) -> Result<PostgresStore, Fault> {
    PostgresStore::open(StoreUrl::parse(url).unwrap(), Options::default())
}

#[test]
fn a_connection_is_encrypted_if_the_certificate_is_trusted() {
    let schema = Schema::new();
    let trusted = format!("sslmode=require&sslrootcert={}", certificate().replace('/', "%2F"));
    let name = schema.name();
    let store = open(&format!("{}&{trusted}&application_name={name}", schema.url())).unwrap();
    assert_eq!(block_on(store.projects()), Ok(Vec::new()));
    let encrypted: Vec<bool> = sql(&schema, async |client| {
        let text = "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                     WHERE application_name = $1";
        client.query(text, &[&name]).await.unwrap().iter().map(|row| row.get(0)).collect()
    });
    drop(store);
    assert!(!encrypted.is_empty() && encrypted.iter().all(|is_encrypted| *is_encrypted));
}

#[test]
fn an_unknown_certificate_and_another_name_are_refused() {
    let schema = Schema::new();
    let unknown = format!("{}&sslmode=require", schema.url());
    let trusted = format!("{unknown}&sslrootcert={}", certificate().replace('/', "%2F"));
    // The certificate is for the address alone.
    let other_name = trusted.replace("127.0.0.1", "localhost");
    for (url, expected) in
        [(unknown, "invalid peer certificate"), (other_name, "not valid for name")]
    {
        let fault = open(&url).unwrap_err();
        assert_eq!(fault.code(), "TK-STORE-UNAVAILABLE");
        assert!(fault.message.contains(expected), "{fault}");
    }
}

#[test]
fn a_file_without_a_certificate_is_an_error() {
    let schema = Schema::new();
    let wrong = format!("{}&sslmode=require&sslrootcert=/etc/hostname", schema.url());
    let fault = open(&wrong).unwrap_err();
    assert!(fault.message.contains("/etc/hostname"), "{fault}");
}
