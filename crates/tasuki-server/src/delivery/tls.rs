//! TLS connections, verified against the certificate authorities of this machine, including a
//! company's own.

use std::io;
use std::sync::{Arc, OnceLock};

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, Error, RootCertStore};

/// Returns the connector. The authorities are read from disk, so it is created once.
pub(crate) fn connector() -> Result<TlsConnector, Error> {
    static KNOWN: OnceLock<TlsConnector> = OnceLock::new();
    if let Some(known) = KNOWN.get() {
        return Ok(known.clone());
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(KNOWN.get_or_init(|| TlsConnector::from(Arc::new(config))).clone())
}

/// Opens TLS to a host given by name or address.
pub(crate) async fn encrypt(host: &str, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
    let bare = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let name = ServerName::try_from(bare).map_err(io::Error::other)?;
    connector().map_err(io::Error::other)?.connect(name, stream).await
}
