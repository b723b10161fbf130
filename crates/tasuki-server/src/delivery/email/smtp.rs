//! A minimal SMTP client (RFC 5321) that submits a short message to one mail server.

use std::io;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::message::Email;
use super::{MailSettings, MailTls};
use crate::delivery::outcome::Outcome;
use crate::delivery::tls::encrypt;

/// LIMIT: total time of one exchange with a mail server.
const TIME_MAX: Duration = Duration::from_secs(15);

/// LIMIT: bytes of one reply.
const REPLY_BYTES_MAX: usize = 4_096;

/// Sends messages through one mail server.
#[derive(Debug, Clone)]
pub(crate) struct Mailer {
    settings: MailSettings,
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A failed submission: the reply of the mail server, or the error of the connection.
struct SmtpError {
    status: Option<u16>,
    text: String,
    /// `true` if the mail server permanently refused this mailbox or this message. Every other
    /// failure may be temporary.
    is_refused: bool,
}

impl From<io::Error> for SmtpError {
    fn from(error: io::Error) -> Self {
        Self { status: None, text: error.to_string(), is_refused: false }
    }
}

type SmtpResult<T> = Result<T, SmtpError>;

/// A connection read line by line.
struct SmtpConnection<S> {
    stream: S,
    /// Received bytes that were not read yet.
    rest: Vec<u8>,
}

impl Mailer {
    pub(crate) fn new(settings: MailSettings) -> Self {
        Self { settings }
    }

    /// Sends an email. Status 250 is a success.
    pub(crate) async fn send(&self, to: &str, email: &Email) -> Outcome {
        let began = Instant::now();
        let sent = tokio::time::timeout(TIME_MAX, self.try_send(to, email)).await;
        let sent = sent.unwrap_or_else(|_| Err(timed_out()));
        let millis = u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX);
        match sent {
            Ok(text) => Outcome { status: Some(250), millis, ..Outcome::failed(text) },
            Err(SmtpError { status, text, is_refused }) => {
                Outcome { status, millis, is_refused, ..Outcome::failed(text) }
            }
        }
    }

    /// Checks that the mail server responds and accepts the login.
    pub(crate) async fn check(&self) -> Result<(), String> {
        let checked = async {
            let mut connection = self.connect().await?;
            connection.command("QUIT", 221).await
        };
        let checked = tokio::time::timeout(TIME_MAX, checked).await;
        let checked = checked.unwrap_or_else(|_| Err(timed_out()));
        checked.map(drop).map_err(|error| error.text)
    }

    async fn try_send(&self, to: &str, email: &Email) -> SmtpResult<String> {
        let mut connection = self.connect().await?;
        connection.command(&format!("MAIL FROM:<{}>", self.settings.from), 250).await?;
        connection
            .command(&format!("RCPT TO:<{to}>"), 250)
            .await
            .map_err(SmtpError::for_mailbox)?;
        connection.command("DATA", 354).await?;
        let data = email.data(&self.settings.from, to);
        let reply = connection.command(&data, 250).await.map_err(SmtpError::for_mailbox)?;
        // The message is accepted; the reply to QUIT does not matter.
        drop(connection.command("QUIT", 221).await);
        Ok(reply)
    }

    async fn connect(&self) -> SmtpResult<SmtpConnection<Box<dyn Stream>>> {
        let MailSettings { host, port, tls, .. } = &self.settings;
        let stream = TcpStream::connect((host.as_str(), *port)).await?;
        let mut connection = match tls {
            MailTls::Implicit => {
                SmtpConnection::new(Box::new(encrypt(host, stream).await?) as Box<dyn Stream>)
            }
            MailTls::None => SmtpConnection::new(Box::new(stream) as Box<dyn Stream>),
            MailTls::Start => {
                SmtpConnection::new(Box::new(self.start_tls(stream).await?) as Box<dyn Stream>)
            }
        };
        if *tls != MailTls::Start {
            connection.reply(220).await?;
        }
        connection.command("EHLO tasuki", 250).await?;
        self.sign_in(&mut connection).await?;
        Ok(connection)
    }

    /// Upgrades the connection with `STARTTLS`.
    async fn start_tls(&self, mut stream: TcpStream) -> SmtpResult<impl Stream + use<>> {
        let mut connection = SmtpConnection::new(&mut stream);
        connection.reply(220).await?;
        connection.command("EHLO tasuki", 250).await?;
        connection.command("STARTTLS", 220).await?;
        // Bytes received before the handshake are dropped: a third party may have injected them.
        Ok(encrypt(&self.settings.host, stream).await?)
    }

    async fn sign_in(&self, connection: &mut SmtpConnection<Box<dyn Stream>>) -> SmtpResult<()> {
        let Some(user) = &self.settings.user else { return Ok(()) };
        let password = match &self.settings.password_file {
            Some(file) => std::fs::read_to_string(file).map_err(|error| {
                io::Error::other(format!("cannot read the password file: {error}"))
            })?,
            None => String::new(),
        };
        let password = password.trim_end_matches(['\r', '\n']);
        let secret = STANDARD.encode(format!("\0{user}\0{password}"));
        let signed_in = connection.command(&format!("AUTH PLAIN {secret}"), 235).await;
        signed_in.map(drop).map_err(|error| SmtpError {
            text: format!("login as `{user}` failed: {}", error.text),
            ..error
        })
    }
}

fn timed_out() -> SmtpError {
    io::Error::other(format!("no response within {TIME_MAX:?}")).into()
}

impl SmtpError {
    /// Marks a permanent reply to a mailbox or a message as a refusal.
    fn for_mailbox(self) -> Self {
        let is_refused = self.status.is_some_and(|status| (500..600).contains(&status));
        Self { is_refused, ..self }
    }
}

impl<S: Stream> SmtpConnection<S> {
    fn new(stream: S) -> Self {
        Self { stream, rest: Vec::new() }
    }

    /// Sends a command and returns the expected reply.
    async fn command(&mut self, line: &str, expected: u16) -> SmtpResult<String> {
        self.stream.write_all(format!("{line}\r\n").as_bytes()).await?;
        self.stream.flush().await?;
        self.reply(expected).await
    }

    /// Reads a reply of one or more lines. The last line has a space after its status.
    async fn reply(&mut self, expected: u16) -> SmtpResult<String> {
        loop {
            let line = self.line().await?;
            let is_last = line.as_bytes().get(3) != Some(&b'-');
            if !is_last {
                continue;
            }
            let number: Option<u16> = line.get(..3).and_then(|digits| digits.parse().ok());
            if number == Some(expected) {
                return Ok(line);
            }
            let text = match number {
                Some(_) => format!("mail server replied `{line}`"),
                None => "not a mail server".to_owned(),
            };
            return Err(SmtpError { status: number, text, is_refused: false });
        }
    }

    async fn line(&mut self) -> SmtpResult<String> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            if self.rest.len() > REPLY_BYTES_MAX {
                return Err(io::Error::other("reply of the mail server is too long").into());
            }
            let mut piece = [0; 512];
            let read = self.stream.read(&mut piece).await?;
            if read == 0 {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            self.rest.extend_from_slice(&piece[..read]);
        }
    }
}
