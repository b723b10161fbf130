//! A server behind `https://`: whom a client trusts, and that it goes on over such a connection too.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{DEFAULT_VERSIONS, ServerConfig};

use crate::support::folder::Folder;
use crate::support::server_process::ServerProcess;

/// A certificate authority that only this test knows.
struct Authority {
    params: CertificateParams,
    key: KeyPair,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self { params, key: KeyPair::generate().unwrap() }
    }

    /// Its own certificate as a file of roots has it.
    fn root(&self) -> String {
        let certificate = self.params.self_signed(&self.key).unwrap();
        let text = STANDARD.encode(certificate.der());
        let lines: Vec<&str> =
            text.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
        format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
    }

    /// Returns the TLS acceptor of a server with this name.
    fn acceptor(&self, name: &str) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        let issuer = Issuer::from_params(&self.params, &self.key);
        let shown: CertificateDer<'static> = params.signed_by(&key, &issuer).unwrap().into();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(DEFAULT_VERSIONS)
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![shown], key)
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }
}

/// A proxy that speaks TLS in front of a server, as long as the test runs.
struct TlsProxy {
    address: SocketAddr,
    _runtime: tokio::runtime::Runtime,
}

impl TlsProxy {
    fn start(acceptor: TlsAcceptor, place: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let place = place.to_owned();
        runtime.spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(acceptor.clone(), client, place.clone()));
            }
        });
        Self { address, _runtime: runtime }
    }
}

async fn carry(acceptor: TlsAcceptor, client: TcpStream, place: String) {
    let server = TcpStream::connect(place).await;
    // Who does not trust us has gone by now.
    if let (Ok(mut client), Ok(mut server)) = (acceptor.accept(client).await, server) {
        drop(tokio::io::copy_bidirectional(&mut client, &mut server).await);
    }
}

/// A server, and a client in another folder with a token.
struct RemoteClient {
    server_dir: Folder,
    client_dir: Folder,
    token: String,
    server: ServerProcess,
}

impl RemoteClient {
    fn new() -> Self {
        let server_dir = Folder::outside_repository();
        server_dir.stdout(&["init"]);
        let token =
            server_dir.stdout(&["token", "create", "--as", "worker", "-q"]).trim().to_owned();
        let server = ServerProcess::start(&server_dir);
        Self { server_dir, client_dir: Folder::outside_repository(), token, server }
    }

    fn client_command(&self, address: &str, roots: Option<&str>, line: &str) -> Command {
        let mut command = self.server.client_command(&self.client_dir, &self.token, line);
        command.env("TASUKI_URL", address);
        if let Some(roots) = roots {
            command.env("SSL_CERT_FILE", self.client_dir.path(roots));
        }
        command
    }
}

#[test]
fn a_server_is_trusted_by_clients_that_know_its_authority() {
    let client = RemoteClient::new();
    let (known, other) = (Authority::new("known"), Authority::new("other"));
    std::fs::write(client.client_dir.path("known.pem"), known.root()).unwrap();
    std::fs::write(client.client_dir.path("other.pem"), other.root()).unwrap();
    std::fs::write(client.client_dir.path("empty.pem"), "").unwrap();
    let tls_proxy = TlsProxy::start(known.acceptor("localhost"), client.server.socket_address());
    let address = format!("https://localhost:{}", tls_proxy.address.port());
    let said = |address: &str, roots| {
        let output = client.client_command(address, roots, "inbox").output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let text = text.replace(address, "[SERVER]");
        format!("{text}[exit {}]\n", output.status.code().unwrap())
    };
    let trusted = said(&address, Some("known.pem"));
    assert!(trusted.starts_with("Nothing waits for worker.") && trusted.ends_with("[exit 0]\n"));
    let unknown = said(&address, Some("other.pem"));
    assert!(unknown.starts_with("error: no secure connection to [SERVER]: "), "{unknown}");
    assert!(unknown.contains("or set `SSL_CERT_FILE`"), "{unknown}");
    assert!(unknown.ends_with("[exit 7]\n"), "{unknown}");
    // The roots of this machine do not know who signed it either.
    assert!(said(&address, None).starts_with("error: no secure connection to [SERVER]: "));
    let without = said(&address, Some("empty.pem"));
    assert!(without.contains("no trusted root certificates on this machine"), "{without}");
    let missing = said(&address, Some("missing.pem"));
    assert!(missing.contains("no trusted root certificates on this machine: "), "{missing}");
    // The certificate is trusted, but for another name.
    let number = format!("https://{}", tls_proxy.address);
    let wrong = said(&number, Some("known.pem"));
    assert!(wrong.starts_with("error: no secure connection to [SERVER]: "), "{wrong}");
}

#[test]
fn events_come_over_a_secure_connection_too() {
    let client = RemoteClient::new();
    let authority = Authority::new("known");
    std::fs::write(client.client_dir.path("roots.pem"), authority.root()).unwrap();
    let tls_proxy =
        TlsProxy::start(authority.acceptor("localhost"), client.server.socket_address());
    let address = format!("https://localhost:{}", tls_proxy.address.port());
    let line = "events --follow --since 0 --type submitted --json --limit 2";
    let mut command = client.client_command(&address, Some("roots.pem"), line);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for task in ["t1", "t2"] {
        client
            .server_dir
            .stdout(&["submit", "--as", "main", "--to", "worker", "--goal", "g", "--task", task]);
        let mut event = String::new();
        stdout.read_line(&mut event).unwrap();
        assert!(event.contains(&format!("\"task\":\"{task}\"")), "{event}");
    }
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!((rest.as_str(), child.wait().unwrap().code()), ("", Some(0)));
}
