//! Whom a client trusts: the roots of this machine, so that a company's own count too, or those that
//! `SSL_CERT_FILE` or `SSL_CERT_DIR` name in their place.

use std::sync::Arc;

use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::error::Error;

/// How `https://` is spoken. The roots are read from disk, so this is asked for only where it is. Where
/// there are none, nobody could be trusted, and it is said why.
pub(crate) fn config(address: &str) -> Result<TlsConfig, Error> {
    let found = rustls_native_certs::load_native_certs();
    if found.certs.is_empty() {
        let why = found.errors.first().map_or_else(String::new, |error| format!(": {error}"));
        let reason = format!("this machine has no roots to trust{why}");
        return Err(Error::Tls { address: address.to_owned(), reason });
    }
    let roots: Vec<Certificate<'static>> =
        found.certs.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
    Ok(TlsConfig::builder()
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .build())
}
