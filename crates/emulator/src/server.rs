//! The server: bound, then served until it is told to stop.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{
    net::TcpListener,
    sync::{oneshot, watch},
    task::JoinHandle,
};

use crate::{
    app::App,
    config::Config,
    connection::{Cord, Resettable},
    place::Place,
    routes,
    scene::Scene,
};

/// How long requests in flight may take to end once the server is told to stop.
const GRACE: Duration = Duration::from_secs(2);

/// Why the emulator does not run.
#[derive(Debug, thiserror::Error)]
pub enum EmulatorError {
    /// The port is taken.
    #[error("{0} is taken by another program; end that, or choose another port with {1}")]
    Taken(SocketAddr, &'static str),
    /// The address cannot be listened on.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, io::Error),
    /// There is no place for files.
    #[error("cannot make a temporary directory: {0}; set TMPDIR to one that can be written")]
    Storage(io::Error),
    /// The directory that is to stay cannot be used.
    #[error("cannot use {0:?} for --data: {1}")]
    Data(PathBuf, io::Error),
    /// The directory that is to stay has an emulator already.
    #[error("{0:?} is in use by another emulator; end that, or give another directory with --data")]
    InUse(PathBuf),
    /// The changes to the scene are not right.
    #[error("the scene is not right: {0}")]
    Scene(String),
    /// The server ended by itself.
    #[error("the server failed: {0}")]
    Serve(io::Error),
}

/// An emulator that listens, but does not answer yet.
pub struct Emulator {
    listener: TcpListener,
    admin: TcpListener,
    address: SocketAddr,
    admin_address: SocketAddr,
    app: Arc<App>,
    /// Goes with the server, not with the state: a job that still runs must not keep it.
    place: Place,
}

impl Emulator {
    /// Listens on the configured addresses; port 0 takes any free one. Tasks that a restart interrupted go on.
    ///
    /// # Errors
    /// An address that is taken or not this machine's, no place for files, a scene that is not right.
    pub async fn bind(config: Config) -> Result<Self, EmulatorError> {
        let scene = Scene::new(&config).map_err(EmulatorError::Scene)?;
        let (listener, address) = listen(config.listen, "--listen").await?;
        let beside = if config.listen.port() == 0 { 0 } else { address.port().wrapping_add(1) };
        let admin = config.admin.unwrap_or_else(|| (Ipv4Addr::LOCALHOST, beside).into());
        let (admin, admin_address) = listen(admin, "--admin").await?;
        let base_url = config.base_url.clone().unwrap_or_else(|| format!("http://{address}"));
        let base_url = base_url.trim_end_matches('/').to_owned();
        let place = Place::new(config.data.as_deref())?;
        let app = App::new(config, scene, base_url, place.path()).map_err(EmulatorError::Storage)?;
        let app = Arc::new(app);
        app.resume();
        Ok(Emulator { listener, admin, address, admin_address, app, place })
    }

    /// The address listened on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where callers reach it, such as `http://127.0.0.1:8788`.
    pub fn base_url(&self) -> &str {
        &self.app.base_url
    }

    /// Where the admin interface is, such as `http://127.0.0.1:8789`.
    pub fn admin_url(&self) -> String {
        format!("http://{}", self.admin_address)
    }

    /// The ffmpeg that works on videos.
    ///
    /// # Errors
    /// Why there is none, and what to do; videos then fail to be processed, everything else is served.
    pub fn ffmpeg(&self) -> Result<&Path, &str> {
        self.app.tools.ffmpeg.as_ref().map(|it| it.program()).map_err(|missing| &**missing)
    }

    /// Answers until `stop` is ready; then requests in flight have two seconds to end. Its files go with it, unless
    /// they are to stay.
    ///
    /// # Errors
    /// Whatever the operating system says of the listening sockets.
    pub async fn serve(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), EmulatorError> {
        let (stopping, stopped) = watch::channel(false);
        let told = || {
            let mut stopped = stopped.clone();
            // A sender that is gone tells it as well.
            async move { drop(stopped.wait_for(|it| *it).await) }
        };
        let service = routes::router(self.app.clone()).into_make_service_with_connect_info::<Cord>();
        let server = axum::serve(Resettable(self.listener), service).with_graceful_shutdown(told());
        let admin = axum::serve(self.admin, routes::admin(self.app.clone())).with_graceful_shutdown(told());
        let patience = async move {
            stop.await;
            // Nobody listens any more only where the server ended by itself.
            let _ = stopping.send(true);
            tokio::time::sleep(GRACE).await;
        };
        let ended = tokio::select! {
            ended = async { tokio::try_join!(server, admin) } => ended.map(drop).map_err(EmulatorError::Serve),
            () = patience => Ok(()),
        };
        self.app.settle().await;
        drop(self.place);
        ended
    }

    /// Serves in the background, for tests.
    pub fn spawn(self) -> Running {
        let (base_url, admin_url) = (self.base_url().to_owned(), self.admin_url());
        let directory = self.place.path().to_owned();
        let (stop, told) = oneshot::channel::<()>();
        let server = tokio::spawn(async move {
            // A sender that is dropped tells it as well.
            let _ = self.serve(async move { drop(told.await) }).await;
        });
        Running { base_url, admin_url, directory, stop, server }
    }
}

async fn listen(asked: SocketAddr, flag: &'static str) -> Result<(TcpListener, SocketAddr), EmulatorError> {
    let unusable = |error: io::Error| match error.kind() {
        io::ErrorKind::AddrInUse => EmulatorError::Taken(asked, flag),
        _ => EmulatorError::Listen(asked, error),
    };
    let listener = TcpListener::bind(asked).await.map_err(unusable)?;
    let address = listener.local_addr().map_err(unusable)?;
    Ok((listener, address))
}

/// An emulator that serves in the background, until this is dropped.
pub struct Running {
    base_url: String,
    admin_url: String,
    directory: PathBuf,
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

impl Running {
    /// Where callers reach it, such as `http://127.0.0.1:41234`.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Where the admin interface is.
    pub fn admin_url(&self) -> &str {
        &self.admin_url
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
