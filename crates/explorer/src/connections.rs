//! Connections: how many there are, and how long a client may keep one without saying or reading anything.
//!
//! A client that opens a connection and sends nothing, sends its headers byte by byte, stays connected without a further
//! request, or does not read its answer would otherwise keep a place for ever. So the headers of a request must
//! arrive within a time, which also ends a connection that is idle between two requests; what is written must be read
//! within a time; and there are only so many connections. The body of a request has a time limit in
//! [`middleware`](crate::middleware), where the request is worked on.

use crate::api::Client;
use crate::limits::RequestLimits;
use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

/// How long to wait after the system has refused a connection, mostly for lack of file descriptors.
const BREATH: Duration = Duration::from_millis(200);

/// Connections by the address at their other end.
#[derive(Clone, Default)]
struct Clients(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// One of them, until it is dropped.
struct OwnPlace(Clients, IpAddr);

impl Clients {
    /// One more, if that is not too many.
    fn enter(&self, address: IpAddr, most: Option<usize>) -> Option<OwnPlace> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = held.entry(address).or_default();
        if most.is_some_and(|most| *own >= most) {
            return None;
        }
        *own += 1;
        Some(OwnPlace(self.clone(), address))
    }
}

impl Drop for OwnPlace {
    fn drop(&mut self) {
        let OwnPlace(clients, address) = self;
        let mut held = clients.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = held.get_mut(address) {
            *own -= 1;
            if *own == 0 {
                held.remove(address);
            }
        }
    }
}

/// The server's answers, to requests that say whose they are.
#[derive(Clone)]
struct OfClient {
    inner: TowerToHyperService<Router>,
    client: Client,
}

impl Service<Request<Incoming>> for OfClient {
    type Response = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Response;
    type Error = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Error;
    type Future = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Future;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.client);
        self.inner.call(request)
    }
}

/// Serves connections until `ending` says so, and then until those that are open have their answers.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: &RequestLimits,
    mut ending: watch::Receiver<bool>,
) {
    let room = Arc::new(Semaphore::new(limits.connections));
    let mut open = JoinSet::new();
    let clients = Clients::default();
    loop {
        // Those for whom there is no room wait in the system's queue.
        let accepted = async {
            let place = room.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        tokio::select! {
            () = async { drop(ending.wait_for(|ending| *ending).await) } => break,
            (place, accepted) = accepted => match accepted {
                Ok((stream, peer)) => {
                    // One client does not take the places of all others.
                    let Some(own) = clients.enter(peer.ip(), limits.connections_of_client) else {
                        continue;
                    };
                    let service = OfClient {
                        inner: TowerToHyperService::new(router.clone()),
                        client: Client(Some(peer.ip().to_canonical())),
                    };
                    let served = connection(stream, service, limits.clone(), ending.clone());
                    open.spawn(async move {
                        served.await;
                        drop((place, own));
                    });
                }
                Err(_) => tokio::time::sleep(BREATH).await,
            },
        }
        while open.try_join_next().is_some() {}
    }
    // Who comes now is refused at once, not kept waiting by a server that is about to end.
    drop(listener);
    while open.join_next().await.is_some() {}
}

async fn connection(
    stream: TcpStream,
    service: OfClient,
    limits: RequestLimits,
    mut ending: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.unread));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.headers)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    let mut served = std::pin::pin!(served);
    // A connection that fails has lost its client; nobody is left to be told.
    let over = tokio::select! {
        _ = served.as_mut() => true,
        () = async { drop(ending.wait_for(|ending| *ending).await) } => false,
    };
    if !over {
        served.as_mut().graceful_shutdown();
        let _ = served.await;
    }
}
