//! Encrypted connections. The certificate of the database and its name are always verified.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tasuki_engine::error::{Fault, FaultKind};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Returns the configuration of encrypted connections: certificates of the system, and of a file.
pub(super) fn connector(root_certificate: Option<&Path>) -> Result<MakeRustlsConnect, Fault> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = root_certificate {
        add_file(&mut roots, path)?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Fault::new(FaultKind::Bug, format!("TLS cannot be configured: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), Fault> {
    let refused = |why: String| {
        let message = format!("`{}`: {why}", path.display());
        Fault::new(FaultKind::StoreUnavailable, message)
            .hint("`sslrootcert` names a file with certificates in PEM format")
    };
    let certificates = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| refused(format!("cannot read certificates: {error}")))?;
    if certificates.is_empty() {
        return Err(refused("the file has no certificate".to_owned()));
    }
    for certificate in certificates {
        roots.add(certificate).map_err(|error| refused(format!("not a certificate: {error}")))?;
    }
    Ok(())
}
