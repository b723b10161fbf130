//! A webhook receiver: a small server that responds 204 to everything.

use std::net::{Ipv4Addr, SocketAddr};

use jiff::Timestamp;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::UnboundedSender;

use crate::link::{Link, value_after};
use crate::tasuki::http;

/// Listens, and reports the time of every event and the time it arrived.
pub async fn listen(heard: UnboundedSender<(Timestamp, Timestamp)>) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, heard.clone()));
        }
    });
    Ok(address)
}

/// Responds until the connection ends.
async fn answer(
    stream: TcpStream,
    heard: UnboundedSender<(Timestamp, Timestamp)>,
) -> anyhow::Result<()> {
    let mut link = Link::over(stream)?;
    loop {
        let head = http::head(&mut link).await?;
        link.at_least(head.length).await?;
        let body = link.take(head.length);
        if let Some(at) = value_after(body, b"\"timestamp\":\"") {
            heard.send((at.parse()?, Timestamp::now()))?;
        }
        link.send(b"HTTP/1.1 204 No Content\r\n\r\n").await?;
    }
}
