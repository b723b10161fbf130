//! Somebody between a client and a server, who hears what is asked and can cut every connection.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Heard {
    asked: String,
    open: Vec<TcpStream>,
}

pub(crate) struct Between {
    pub(crate) address: String,
    heard: Arc<Mutex<Heard>>,
}

impl Between {
    /// Listens, and goes on to this place for everybody who comes.
    pub(crate) fn start(place: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::<Mutex<Heard>>::default();
        let (place, shared) = (place.to_owned(), Arc::clone(&heard));
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                // Where nobody is, whoever came is sent away.
                if let Ok(server) = TcpStream::connect(&place) {
                    join(&client, &server, &shared);
                }
            }
        });
        Self { address, heard }
    }

    /// Cuts every connection.
    pub(crate) fn cut(&self) {
        for stream in self.heard.lock().unwrap().open.drain(..) {
            drop(stream.shutdown(Shutdown::Both));
        }
    }

    /// How often something was asked for, in any letters.
    pub(crate) fn count(&self, words: &str) -> usize {
        self.heard.lock().unwrap().asked.to_lowercase().matches(words).count()
    }
}

fn join(client: &TcpStream, server: &TcpStream, heard: &Arc<Mutex<Heard>>) {
    let of = |stream: &TcpStream| stream.try_clone().unwrap();
    heard.lock().unwrap().open.extend([of(client), of(server)]);
    let (mut asks, mut asked) = (of(client), of(server));
    let listens = Arc::clone(heard);
    std::thread::spawn(move || {
        let mut bytes = vec![0; 16 * 1024];
        while let Ok(length @ 1..) = asks.read(&mut bytes) {
            let text = String::from_utf8_lossy(&bytes[..length]);
            listens.lock().unwrap().asked.push_str(&text);
            if asked.write_all(&bytes[..length]).is_err() {
                break;
            }
        }
        drop(asked.shutdown(Shutdown::Both));
    });
    let (mut says, mut hears) = (of(server), of(client));
    std::thread::spawn(move || {
        drop(std::io::copy(&mut says, &mut hears));
        drop(hears.shutdown(Shutdown::Both));
    });
}
