//! The server: bound, then served until it is told to stop.

use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::Router;
use tempfile::TempDir;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

use crate::{
    app::App,
    config::Config,
    connection::{Cord, Resettable},
    routes,
};

/// How long requests in flight may take to end once the server is told to stop.
const GRACE: Duration = Duration::from_secs(2);

/// Why the emulator does not run.
#[derive(Debug, thiserror::Error)]
pub enum EmulatorError {
    /// The port is taken.
    #[error("{0} is taken by another program; end that, or choose another port with --listen")]
    Taken(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, io::Error),
    /// There is no place for files.
    #[error("cannot make a temporary directory: {0}; set TMPDIR to one that can be written")]
    Storage(io::Error),
    /// The server ended by itself.
    #[error("the server failed: {0}")]
    Serve(io::Error),
}

/// An emulator that listens, but does not answer yet.
pub struct Emulator {
    listener: TcpListener,
    address: SocketAddr,
    base_url: String,
    router: Router,
    app: Arc<App>,
    /// Goes with the server, not with the state: a job that still runs must not keep it.
    directory: TempDir,
}

impl Emulator {
    /// Listens on the configured address; port 0 takes any free one.
    ///
    /// # Errors
    /// An address that is taken or not this machine's, no place for files.
    pub async fn bind(config: Config) -> Result<Self, EmulatorError> {
        let asked = config.listen;
        let unusable = |error: io::Error| match error.kind() {
            io::ErrorKind::AddrInUse => EmulatorError::Taken(asked),
            _ => EmulatorError::Listen(asked, error),
        };
        let listener = TcpListener::bind(asked).await.map_err(unusable)?;
        let address = listener.local_addr().map_err(unusable)?;
        let base_url = config.base_url.clone().unwrap_or_else(|| format!("http://{address}"));
        let base_url = base_url.trim_end_matches('/').to_owned();
        let directory = tempfile::Builder::new().prefix("mediagate-emulator-").tempdir();
        let directory = directory.map_err(EmulatorError::Storage)?;
        let app = App::new(config, base_url.clone(), directory.path()).map_err(EmulatorError::Storage)?;
        let app = Arc::new(app);
        Ok(Emulator { listener, address, base_url, router: routes::router(app.clone()), app, directory })
    }

    /// The address listened on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where callers reach it, such as `http://127.0.0.1:8788`.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The ffmpeg that works on videos.
    ///
    /// # Errors
    /// Why there is none, and what to do; videos then fail to be processed, everything else is served.
    pub fn ffmpeg(&self) -> Result<&Path, &str> {
        self.app.tools.ffmpeg.as_ref().map(|it| it.program()).map_err(|missing| &**missing)
    }

    /// Answers until `stop` is ready; then requests in flight have two seconds to end. Its files go with it.
    ///
    /// # Errors
    /// Whatever the operating system says of the listening socket.
    pub async fn serve(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), EmulatorError> {
        let (stopping, stopped) = oneshot::channel();
        let told = async move {
            stop.await;
            // Nobody waits any more only where the server ended by itself.
            let _ = stopping.send(());
        };
        let service = self.router.into_make_service_with_connect_info::<Cord>();
        let server = axum::serve(Resettable(self.listener), service).with_graceful_shutdown(told);
        let patience = async move {
            match stopped.await {
                Ok(()) => tokio::time::sleep(GRACE).await,
                Err(_) => std::future::pending().await,
            }
        };
        let ended = tokio::select! {
            ended = server => ended.map_err(EmulatorError::Serve),
            () = patience => Ok(()),
        };
        self.app.settle().await;
        drop(self.directory);
        ended
    }

    /// Serves in the background, for tests.
    pub fn spawn(self) -> Running {
        let (base_url, directory) = (self.base_url.clone(), self.directory.path().to_owned());
        let (stop, told) = oneshot::channel::<()>();
        let server = tokio::spawn(async move {
            // A sender that is dropped tells it as well.
            let _ = self.serve(async move { drop(told.await) }).await;
        });
        Running { base_url, directory, stop, server }
    }
}

/// An emulator that serves in the background, until this is dropped.
pub struct Running {
    base_url: String,
    directory: PathBuf,
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

impl Running {
    /// Where callers reach it, such as `http://127.0.0.1:41234`.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Where its files are, until it stops.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Stops it and waits until it is gone, its files with it.
    pub async fn stop(self) {
        drop(self.stop);
        // A server that panicked is gone too.
        let _ = self.server.await;
    }
}
