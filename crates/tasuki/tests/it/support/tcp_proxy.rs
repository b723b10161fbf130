//! A TCP proxy between a client and a server, which records requests and can cut every connection.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Traffic {
    requests: String,
    open: Vec<TcpStream>,
}

pub(crate) struct TcpProxy {
    pub(crate) address: String,
    traffic: Arc<Mutex<Traffic>>,
}

impl TcpProxy {
    /// Listens and forwards every connection to this address.
    pub(crate) fn start(place: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let traffic = Arc::<Mutex<Traffic>>::default();
        let (place, shared) = (place.to_owned(), Arc::clone(&traffic));
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                // Without a server, the connection is closed.
                if let Ok(server) = TcpStream::connect(&place) {
                    join(&client, &server, &shared);
                }
            }
        });
        Self { address, traffic }
    }

    /// Cuts every connection.
    pub(crate) fn cut(&self) {
        for stream in self.traffic.lock().unwrap().open.drain(..) {
            drop(stream.shutdown(Shutdown::Both));
        }
    }

    /// How often something was asked for, in any letters.
    pub(crate) fn count(&self, words: &str) -> usize {
        self.traffic.lock().unwrap().requests.to_lowercase().matches(words).count()
    }
}

fn join(client: &TcpStream, server: &TcpStream, traffic: &Arc<Mutex<Traffic>>) {
    let of = |stream: &TcpStream| stream.try_clone().unwrap();
    traffic.lock().unwrap().open.extend([of(client), of(server)]);
    let (mut asks, mut requests) = (of(client), of(server));
    let listens = Arc::clone(traffic);
    std::thread::spawn(move || {
        let mut bytes = vec![0; 16 * 1024];
        while let Ok(length @ 1..) = asks.read(&mut bytes) {
            let text = String::from_utf8_lossy(&bytes[..length]);
            listens.lock().unwrap().requests.push_str(&text);
            if requests.write_all(&bytes[..length]).is_err() {
                break;
            }
        }
        drop(requests.shutdown(Shutdown::Both));
    });
    let (mut says, mut hears) = (of(server), of(client));
    std::thread::spawn(move || {
        drop(std::io::copy(&mut says, &mut hears));
        drop(hears.shutdown(Shutdown::Both));
    });
}
