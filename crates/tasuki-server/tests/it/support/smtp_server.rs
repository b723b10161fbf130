//! A mail server for tests that keeps received emails and refuses what it is configured to.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tasuki_server::{MailSettings, MailTls, Settings};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::support::test_server::TestServer;
use crate::support::until::until;

/// A mail server and the emails it received.
#[derive(Clone, Default)]
pub(crate) struct SmtpServer {
    emails: Arc<Mutex<Vec<ReceivedEmail>>>,
    rejected_count: Arc<AtomicUsize>,
    /// `true` if it defers every message.
    is_busy: Arc<AtomicBool>,
    /// `true` if it has deferred a message.
    has_deferred: Arc<AtomicBool>,
}

/// The behavior of a mail server.
#[derive(Clone, Default)]
pub(crate) struct SmtpBehavior {
    pub(crate) tls: Option<TlsAcceptor>,
    pub(crate) starts_in_the_open: bool,
    /// The password that clients must send.
    pub(crate) password: Option<&'static str>,
}

#[derive(Debug, Clone)]
pub(crate) struct ReceivedEmail {
    pub(crate) to: String,
    /// The whole session, from the greeting on.
    pub(crate) session: String,
}

impl ReceivedEmail {
    pub(crate) fn subject(&self) -> &str {
        let mut lines = self.session.lines();
        lines.find_map(|line| line.strip_prefix("Subject: ")).unwrap_or_default()
    }

    pub(crate) fn text(&self) -> String {
        let body = self.session.split_once("\r\n\r\n").unwrap().1.trim_end_matches(".\r\n");
        String::from_utf8(STANDARD.decode(body.replace("\r\n", "")).unwrap()).unwrap()
    }
}

/// Returns a server with a mail server.
pub(crate) fn server() -> (TestServer, SmtpServer) {
    with(at, SmtpBehavior::default())
}

/// Returns a server with other settings and another behavior of the mail server.
pub(crate) fn with(
    mail: impl FnOnce(u16) -> MailSettings,
    behavior: SmtpBehavior,
) -> (TestServer, SmtpServer) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let public_url = Some("https://tasuki.example".to_owned());
    let server =
        TestServer::with(Settings { mail: Some(mail(port)), public_url, ..Settings::default() });
    let smtp = SmtpServer::default();
    let own = smtp.clone();
    server.runtime.spawn(async move {
        let listener = TcpListener::from_std(listener).unwrap();
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(own.clone().serve(stream, behavior.clone()));
        }
    });
    (server, smtp)
}

pub(crate) fn at(port: u16) -> MailSettings {
    MailSettings {
        host: "127.0.0.1".to_owned(),
        port,
        from: "tasuki@example.org".to_owned(),
        tls: MailTls::None,
        user: None,
        password_file: None,
    }
}

impl SmtpServer {
    pub(crate) fn all(&self) -> Vec<ReceivedEmail> {
        self.emails.lock().unwrap().clone()
    }

    /// Waits until this many emails arrived.
    pub(crate) fn wait_for(&self, count: usize) -> Vec<ReceivedEmail> {
        until(|| self.all().len() >= count);
        self.all()
    }

    /// Starts or stops deferring every message.
    pub(crate) fn set_busy(&self, is_busy: bool) {
        self.is_busy.store(is_busy, Ordering::SeqCst);
    }

    /// Waits until a message was deferred.
    pub(crate) fn wait_for_deferral(&self) {
        until(|| self.has_deferred.load(Ordering::SeqCst));
    }

    pub(crate) fn rejected_count(&self) -> usize {
        self.rejected_count.load(Ordering::SeqCst)
    }

    async fn serve(self, stream: TcpStream, behavior: SmtpBehavior) {
        let Some(tls) = behavior.tls.clone() else {
            return self.session(stream, &behavior, true).await;
        };
        let stream = if behavior.starts_in_the_open {
            let mut stream = BufReader::new(stream);
            stream.write_all(b"220 small\r\n").await.unwrap();
            for (line, reply) in [("EHLO tasuki", "250 STARTTLS"), ("STARTTLS", "220 begin")] {
                let mut received = String::new();
                stream.read_line(&mut received).await.unwrap();
                assert_eq!(received.trim_end(), line);
                stream.write_all(format!("{reply}\r\n").as_bytes()).await.unwrap();
            }
            stream.into_inner()
        } else {
            stream
        };
        let Ok(stream) = tls.accept(stream).await else { return };
        self.session(stream, &behavior, !behavior.starts_in_the_open).await;
    }

    async fn session<S>(self, stream: S, behavior: &SmtpBehavior, greets: bool)
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let mut stream = BufReader::new(stream);
        if greets {
            stream.write_all(b"220 small\r\n").await.unwrap();
        }
        let (mut session, mut to, mut is_data) = (String::new(), String::new(), false);
        let mut is_in = behavior.password.is_none();
        let mut line = String::new();
        while stream.read_line(&mut line).await.unwrap_or(0) > 0 {
            session.push_str(&line);
            let reply = match line.trim_end() {
                "." if is_data => {
                    let (to, session) = (std::mem::take(&mut to), std::mem::take(&mut session));
                    self.emails.lock().unwrap().push(ReceivedEmail { to, session });
                    is_data = false;
                    "250 kept"
                }
                _ if is_data => "",
                "EHLO tasuki" => "250-small\r\n250 AUTH PLAIN",
                "QUIT" => "221 bye",
                line if line.starts_with("AUTH PLAIN ") => {
                    is_in = behavior.password.is_some_and(|password| is_login(line, password));
                    if is_in { "235 welcome" } else { "535 5.7.8 authentication failed" }
                }
                _ if !is_in => "530 5.7.0 authentication required",
                "DATA" => {
                    is_data = true;
                    "354 send the message"
                }
                line if line.contains("nobody@") => {
                    self.rejected_count.fetch_add(1, Ordering::SeqCst);
                    "550 no such mailbox"
                }
                line if line.starts_with("RCPT") && self.is_busy.load(Ordering::SeqCst) => {
                    self.has_deferred.store(true, Ordering::SeqCst);
                    "450 try again later"
                }
                line if line.starts_with("RCPT TO:<") => {
                    to = line.trim_start_matches("RCPT TO:<").trim_end_matches('>').to_owned();
                    "250 ok"
                }
                _ => "250 ok",
            };
            if !reply.is_empty() {
                stream.write_all(format!("{reply}\r\n").as_bytes()).await.unwrap();
                stream.flush().await.unwrap();
            }
            line.clear();
        }
    }
}

fn is_login(line: &str, password: &str) -> bool {
    let secret = STANDARD.decode(line.trim_start_matches("AUTH PLAIN ")).unwrap_or_default();
    secret == format!("\0tasuki\0{password}").into_bytes()
}
