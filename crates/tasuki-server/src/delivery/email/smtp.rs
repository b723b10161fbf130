//! As much of SMTP (RFC 5321) as it takes to hand a short message to one mail server.

use std::io;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::message::Letter;
use super::{MailSettings, MailTls};
use crate::delivery::outcome::Outcome;
use crate::delivery::tls::encrypt;

/// LIMIT: how long a mail server may take for everything.
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

/// Why a message did not go: what the mail server said, or why it was not heard.
struct Trouble {
    status: Option<u16>,
    text: String,
    /// Whether it is this mailbox or this message that the mail server does not want. Whatever else it
    /// says may be another matter tomorrow: somebody looks after a mail server.
    is_refused: bool,
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self { status: None, text: error.to_string(), is_refused: false }
    }
}

type Talked<T> = Result<T, Trouble>;

/// A connection, line by line.
struct Talk<S> {
    stream: S,
    /// What came and was not read yet.
    rest: Vec<u8>,
}

impl Mailer {
    pub(crate) fn new(settings: MailSettings) -> Self {
        Self { settings }
    }

    /// Sends a letter. A status of 250 is a success.
    pub(crate) async fn send(&self, to: &str, letter: &Letter) -> Outcome {
        let began = Instant::now();
        let sent = tokio::time::timeout(TIME_MAX, self.sent(to, letter)).await;
        let sent = sent.unwrap_or_else(|_| Err(late()));
        let millis = u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX);
        match sent {
            Ok(text) => Outcome { status: Some(250), millis, ..Outcome::failed(text) },
            Err(Trouble { status, text, is_refused }) => {
                Outcome { status, millis, is_refused, ..Outcome::failed(text) }
            }
        }
    }

    /// Whether the mail server is there and lets us in.
    pub(crate) async fn reach(&self) -> Result<(), String> {
        let reached = async {
            let mut talk = self.signed_in().await?;
            talk.says("QUIT", 221).await
        };
        let reached = tokio::time::timeout(TIME_MAX, reached).await;
        let reached = reached.unwrap_or_else(|_| Err(late()));
        reached.map(drop).map_err(|trouble| trouble.text)
    }

    async fn sent(&self, to: &str, letter: &Letter) -> Talked<String> {
        let mut talk = self.signed_in().await?;
        talk.says(&format!("MAIL FROM:<{}>", self.settings.from), 250).await?;
        talk.says(&format!("RCPT TO:<{to}>"), 250).await.map_err(Trouble::with_the_mailbox)?;
        talk.says("DATA", 354).await?;
        let data = letter.data(&self.settings.from, to);
        let said = talk.says(&data, 250).await.map_err(Trouble::with_the_mailbox)?;
        // It has the message: whether it says goodbye is of no account.
        drop(talk.says("QUIT", 221).await);
        Ok(said)
    }

    async fn signed_in(&self) -> Talked<Talk<Box<dyn Stream>>> {
        let MailSettings { host, port, tls, .. } = &self.settings;
        let stream = TcpStream::connect((host.as_str(), *port)).await?;
        let mut talk = match tls {
            MailTls::Implicit => {
                Talk::on(Box::new(encrypt(host, stream).await?) as Box<dyn Stream>)
            }
            MailTls::None => Talk::on(Box::new(stream) as Box<dyn Stream>),
            MailTls::Start => Talk::on(Box::new(self.started(stream).await?) as Box<dyn Stream>),
        };
        if *tls != MailTls::Start {
            talk.hears(220).await?;
        }
        talk.says("EHLO tasuki", 250).await?;
        self.sign_in(&mut talk).await?;
        Ok(talk)
    }

    /// Encrypts after a few words in the open.
    async fn started(&self, mut stream: TcpStream) -> Talked<impl Stream + use<>> {
        let mut talk = Talk::on(&mut stream);
        talk.hears(220).await?;
        talk.says("EHLO tasuki", 250).await?;
        talk.says("STARTTLS", 220).await?;
        // What else came in the open is forgotten: somebody else may have said it.
        Ok(encrypt(&self.settings.host, stream).await?)
    }

    async fn sign_in(&self, talk: &mut Talk<Box<dyn Stream>>) -> Talked<()> {
        let Some(user) = &self.settings.user else { return Ok(()) };
        let password = match &self.settings.password_file {
            Some(file) => std::fs::read_to_string(file).map_err(|error| {
                io::Error::other(format!("its password cannot be read: {error}"))
            })?,
            None => String::new(),
        };
        let password = password.trim_end_matches(['\r', '\n']);
        let secret = STANDARD.encode(format!("\0{user}\0{password}"));
        let signed_in = talk.says(&format!("AUTH PLAIN {secret}"), 235).await;
        signed_in.map(drop).map_err(|trouble| Trouble {
            text: format!("it does not let `{user}` in: {}", trouble.text),
            ..trouble
        })
    }
}

fn late() -> Trouble {
    io::Error::other(format!("no answer within {TIME_MAX:?}")).into()
}

impl Trouble {
    /// What the mail server says for good about a mailbox or a message.
    fn with_the_mailbox(self) -> Self {
        let is_refused = self.status.is_some_and(|status| (500..600).contains(&status));
        Self { is_refused, ..self }
    }
}

impl<S: Stream> Talk<S> {
    fn on(stream: S) -> Self {
        Self { stream, rest: Vec::new() }
    }

    /// Says a line and hears what was hoped for.
    async fn says(&mut self, line: &str, hoped: u16) -> Talked<String> {
        self.stream.write_all(format!("{line}\r\n").as_bytes()).await?;
        self.stream.flush().await?;
        self.hears(hoped).await
    }

    /// Hears a reply, which may have several lines; the last has a space behind its number.
    async fn hears(&mut self, hoped: u16) -> Talked<String> {
        loop {
            let line = self.line().await?;
            let is_last = line.as_bytes().get(3) != Some(&b'-');
            if !is_last {
                continue;
            }
            let number: Option<u16> = line.get(..3).and_then(|digits| digits.parse().ok());
            if number == Some(hoped) {
                return Ok(line);
            }
            let text = match number {
                Some(_) => format!("the mail server said `{line}`"),
                None => "what answers is no mail server".to_owned(),
            };
            return Err(Trouble { status: number, text, is_refused: false });
        }
    }

    async fn line(&mut self) -> Talked<String> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            if self.rest.len() > REPLY_BYTES_MAX {
                return Err(io::Error::other("the mail server says too much").into());
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
