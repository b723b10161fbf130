//! The root certificates that a client trusts.
//!
//! They are those of this machine, which include a company's own, or those that `SSL_CERT_FILE` or
//! `SSL_CERT_DIR` names instead.

use std::sync::Arc;

use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::error::Error;

/// Returns the configuration for `https://`. It reads the root certificates from disk.
pub(crate) fn config(address: &str) -> Result<TlsConfig, Error> {
    let found = rustls_native_certs::load_native_certs();
    if found.certs.is_empty() {
        let cause = found.errors.first().map_or_else(String::new, |error| format!(": {error}"));
        let reason = format!("no trusted root certificates on this machine{cause}");
        return Err(Error::Tls { address: address.to_owned(), reason });
    }
    let roots: Vec<Certificate<'static>> =
        found.certs.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
    Ok(TlsConfig::builder()
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .build())
}
