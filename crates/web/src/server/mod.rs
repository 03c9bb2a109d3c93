//! A small server for one user on one machine: `polhode view`.
//!
//! Five routes, all answers in memory or from a worker, a handful of clients at a time: this is two hundred lines on `std::net`, where an
//! asynchronous framework would bring eighty crates. It listens on 127.0.0.1 alone.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `http` | requests and answers, and what is refused |
//! | `guard` | who may ask: the token, the name, the origin |
//! | `workers` | requests about models, each in a process with its time and memory |
//! | `routes` | what is where |
//!
//! Not here: opening a browser, Ctrl-C, printing; that is the command line's.

mod guard;
mod http;
mod routes;
mod workers;

pub use routes::Opening;
pub use workers::Budget;

use guard::Guard;
use http::{Answer, Request, Verb};
use routes::Routes;
use std::cell::Cell;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Clients that are answered at once.
const CLIENTS: usize = 64;

/// Connections at once: most of them are of browsers and others that have not said yet what they want.
const CONNECTIONS: usize = 512;

/// How long an answer is still computed for a client that has closed its side: it may have gone, or have nothing more to say and listen.
const HALF_CLOSED: Duration = Duration::from_secs(3);

/// Time for a request to arrive.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the server is to serve.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The port; 0 for any that is free.
    pub port: u16,
    /// What the page begins with.
    pub opening: Opening,
    /// What is changed in that model, as formulas: `{"set": [[NAME, FORMULA], …], "init": […], "until": T}`; null where nothing is.
    pub given: serde_json::Value,
    /// How workers are started.
    pub budget: Budget,
}

/// A server that has its port.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    guard: Guard,
    routes: Routes,
    connections: AtomicUsize,
    clients: AtomicUsize,
    ended: AtomicBool,
    address: SocketAddr,
}

/// Ends a server from elsewhere.
#[derive(Clone, Debug)]
pub struct Stop(Arc<Shared>);

impl Stop {
    /// Ends it: nothing that comes after this is answered.
    pub fn stop(&self) {
        self.0.ended.store(true, Ordering::SeqCst);
        // the server waits for clients: here is one more
        let _ = TcpStream::connect_timeout(&self.0.address, Duration::from_millis(200));
    }
}

impl Server {
    /// Takes a port of the loopback.
    pub fn bind(settings: Settings) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port))?;
        let address = listener.local_addr()?;
        let shared = Shared {
            guard: Guard::new(address.port())?,
            routes: Routes::new(settings.opening, settings.given, settings.budget),
            connections: AtomicUsize::new(0),
            clients: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            address,
        };
        Ok(Server { listener, shared: Arc::new(shared) })
    }

    /// Where the page is.
    pub fn address(&self) -> String {
        self.shared.guard.address()
    }

    /// What ends it.
    pub fn stop(&self) -> Stop {
        Stop(self.shared.clone())
    }

    /// Answers until it is ended.
    pub fn serve(self) {
        let shared = self.shared.clone();
        std::thread::spawn(move || shared.routes.prepare());
        for stream in self.listener.incoming() {
            if self.shared.ended.load(Ordering::SeqCst) {
                return;
            }
            let Ok(mut stream) = stream else {
                // out of descriptors, or the client was faster: nothing to do but to wait
                std::thread::sleep(Duration::from_millis(10));
                continue;
            };
            if self.shared.connections.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
                self.shared.connections.fetch_sub(1, Ordering::SeqCst);
                http::send(&mut stream, &busy(), false);
                continue;
            }
            let shared = self.shared.clone();
            let client = std::thread::Builder::new().name("client".into());
            let started = client.spawn(move || {
                let place = Place(&shared.connections);
                shared.answer(&mut stream);
                drop(place);
            });
            if started.is_err() {
                self.shared.connections.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }
}

fn busy() -> Answer {
    Answer::error(503, "too many requests at once")
}

/// A place among the connections or the clients.
struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Shared {
    fn answer(&self, stream: &mut TcpStream) {
        let (answer, without_body) = match http::read(stream, PATIENCE) {
            Ok(None) => return,
            Ok(Some(request)) => (self.answer_to(&request, stream), request.verb == Verb::Head),
            Err(refused) => (Answer::error(refused.status, &refused.why), false),
        };
        http::send(stream, &answer, without_body);
    }

    fn answer_to(&self, request: &Request, stream: &TcpStream) -> Answer {
        let clients = self.clients.fetch_add(1, Ordering::SeqCst);
        let _place = Place(&self.clients);
        if clients >= CLIENTS {
            return busy();
        }
        let watched = stream.try_clone();
        let closed = Cell::new(None);
        let gone = || watched.as_ref().is_ok_and(|stream| has_gone(stream, &closed));
        match self.guard.admit(request) {
            // paths in the page are relative to it
            Ok(_) if !request.path[1..].contains('/') => Answer::moved(format!("{}/", request.path)),
            Ok(path) => self.routes.answer(request, path, &gone),
            Err(refused) => Answer::error(refused.status, &refused.why),
        }
    }
}

/// Whether a client that waits for its answer has gone: broken off, or closed its side a while ago, at the time that is noted.
fn has_gone(stream: &TcpStream, closed: &Cell<Option<Instant>>) -> bool {
    let mut byte = [0];
    if stream.set_nonblocking(true).is_err() {
        return false;
    }
    let seen = stream.peek(&mut byte);
    let _ = stream.set_nonblocking(false);
    match seen {
        Ok(0) => {
            let since = closed.get().unwrap_or_else(Instant::now);
            closed.set(Some(since));
            since.elapsed() >= HALF_CLOSED
        }
        Ok(_) => false,
        Err(e) => e.kind() != io::ErrorKind::WouldBlock,
    }
}
