//! Whom a client trusts: the roots of this machine, so that a company's own count too.

use std::sync::Arc;

use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// How `https://` is spoken. The roots are read from disk, so this is asked for only where it is.
pub(crate) fn config() -> TlsConfig {
    let found = rustls_native_certs::load_native_certs();
    let roots: Vec<Certificate<'static>> =
        found.certs.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
    TlsConfig::builder()
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .build()
}
