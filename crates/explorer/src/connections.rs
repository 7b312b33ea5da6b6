//! Connections: how many there are, and how long a client may keep one without saying or reading anything.
//!
//! A client that opens a connection and sends nothing, sends its headers byte by byte, stays connected without a further
//! request, or does not read its answer would otherwise keep a place for ever. So the headers of a request must
//! arrive within a time, which also ends a connection that is idle between two requests; what is written must be read
//! within a time; and there are only so many connections. The body of a request has a time limit in
//! [`middleware`](crate::middleware), where the request is worked on.

use crate::limits::RequestLimits;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

/// How long to wait after the system has refused a connection, mostly for lack of file descriptors.
const BREATH: Duration = Duration::from_millis(200);

/// Serves connections until `ending` says so, and then until those that are open have their answers.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: &RequestLimits,
    mut ending: watch::Receiver<bool>,
) {
    let room = Arc::new(Semaphore::new(limits.connections));
    let mut open = JoinSet::new();
    loop {
        // Those for whom there is no room wait in the system's queue.
        let accepted = async {
            let place = room.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        tokio::select! {
            () = async { drop(ending.wait_for(|ending| *ending).await) } => break,
            (place, accepted) = accepted => match accepted {
                Ok((stream, _)) => {
                    let served = connection(stream, router.clone(), limits.clone(), ending.clone());
                    open.spawn(async move {
                        served.await;
                        drop(place);
                    });
                }
                Err(_) => tokio::time::sleep(BREATH).await,
            },
        }
        while open.try_join_next().is_some() {}
    }
    while open.join_next().await.is_some() {}
}

async fn connection(
    stream: TcpStream,
    router: Router,
    limits: RequestLimits,
    mut ending: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.unread));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.headers)
        .serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(router));
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
