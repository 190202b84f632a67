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
    error::EmulatorError,
    http::{ResetHandle, ResettableListener},
    routes,
    scene::Scene,
    storage::DataDirectory,
};

/// The time that requests in flight have once the server is stopping.
const GRACE_PERIOD: Duration = Duration::from_secs(2);

/// An emulator that listens on its addresses. It responds to requests once it is
/// [served](Emulator::serve) or
/// [spawned](Emulator::spawn).
pub struct Emulator {
    listener: TcpListener,
    admin: TcpListener,
    admin_address: SocketAddr,
    app: Arc<App>,
    /// Dropped with the server, not with the state: a running job may keep the state alive.
    directory: DataDirectory,
}

impl Emulator {
    /// Binds the configured addresses, where port 0 stands for any free port, and starts the work
    /// of tasks that a restart interrupted.
    ///
    /// # Errors
    /// An address that is taken or is not an address of this machine, a directory that cannot be
    /// used, and an invalid scene.
    pub async fn bind(config: Config) -> Result<Self, EmulatorError> {
        let scene = Scene::new(&config).map_err(EmulatorError::Scene)?;
        let (listener, address) = listen(config.listen, "--listen").await?;
        let next_port = if config.listen.port() == 0 {
            0
        } else {
            // After the last port comes 0, which is any free port.
            address.port().wrapping_add(1)
        };
        let admin = config
            .admin
            .unwrap_or_else(|| (Ipv4Addr::LOCALHOST, next_port).into());
        let (admin, admin_address) = listen(admin, "--admin").await?;
        let base_url = config
            .base_url
            .clone()
            .unwrap_or_else(|| format!("http://{address}"));
        let base_url = base_url.trim_end_matches('/').to_owned();
        let directory = DataDirectory::new(config.data.as_deref())?;
        let app =
            App::new(config, scene, base_url, directory.path()).map_err(EmulatorError::Storage)?;
        let app = Arc::new(app);
        app.resume();
        Ok(Emulator {
            listener,
            admin,
            admin_address,
            app,
            directory,
        })
    }

    /// The URL that callers use, such as `http://127.0.0.1:8788`, without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.app.base_url
    }

    /// The URL of the admin interface, such as `http://127.0.0.1:8789`.
    pub fn admin_url(&self) -> String {
        format!("http://{}", self.admin_address)
    }

    /// The path of the ffmpeg that processes videos.
    ///
    /// # Errors
    /// A sentence that says why there is no ffmpeg and how to install it. Tasks that need ffmpeg
    /// then fail, and everything else works. With
    /// [`Results::Placeholder`](crate::Results::Placeholder) ffmpeg is neither needed nor searched
    /// for.
    pub fn ffmpeg(&self) -> Result<&Path, &str> {
        self.app
            .tools
            .ffmpeg
            .as_ref()
            .map(|ffmpeg| ffmpeg.program())
            .map_err(|missing| &**missing)
    }

    /// Serves until `stop` is ready. Requests in flight then have two seconds to end. At the end,
    /// the files of the emulator are removed unless [`Config::data`] is set.
    pub async fn serve(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), EmulatorError> {
        let (stopping, stopped) = watch::channel(false);
        let stop_signal = || {
            let mut stopped = stopped.clone();
            // A dropped sender counts as a stop signal too.
            async move { drop(stopped.wait_for(|is_stopping| *is_stopping).await) }
        };
        let service =
            routes::router(self.app.clone()).into_make_service_with_connect_info::<ResetHandle>();
        let server = axum::serve(ResettableListener(self.listener), service)
            .with_graceful_shutdown(stop_signal());
        let admin = axum::serve(self.admin, routes::admin_router(self.app.clone()))
            .with_graceful_shutdown(stop_signal());
        let grace_period = async move {
            stop.await;
            // Sending fails only if both servers have ended already.
            let _ = stopping.send(true);
            tokio::time::sleep(GRACE_PERIOD).await;
        };
        let servers = async { tokio::try_join!(server, admin) };
        let ended = tokio::select! {
        ended = servers => ended.map(drop).map_err(EmulatorError::Serve),
        () = grace_period => Ok(()),
        };
        // Jobs may still write to the directory, so they end before it is removed.
        self.app.shut_down().await;
        drop(self.directory);
        ended
    }

    /// Serves in the background of the current Tokio runtime, for tests.
    pub fn spawn(self) -> Running {
        let base_url = self.base_url().to_owned();
        let admin_url = self.admin_url();
        let directory = self.directory.path().to_owned();
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(async move {
            // Dropping the sender stops the server too.
            let _ = self.serve(async move { drop(stopped.await) }).await;
        });
        Running {
            base_url,
            admin_url,
            directory,
            stop,
            server,
        }
    }
}

async fn listen(
    requested: SocketAddr,
    flag: &'static str,
) -> Result<(TcpListener, SocketAddr), EmulatorError> {
    let unusable = |error: io::Error| match error.kind() {
        io::ErrorKind::AddrInUse => EmulatorError::Taken(requested, flag),
        _ => EmulatorError::Listen(requested, error),
    };
    let listener = TcpListener::bind(requested).await.map_err(unusable)?;
    let address = listener.local_addr().map_err(unusable)?;
    Ok((listener, address))
}

/// An emulator that serves in the background until this value is dropped.
pub struct Running {
    base_url: String,
    admin_url: String,
    directory: PathBuf,
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

impl Running {
    /// The URL that callers use, such as `http://127.0.0.1:41234`.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The URL of the admin interface, such as `http://127.0.0.1:41235`.
    pub fn admin_url(&self) -> &str {
        &self.admin_url
    }

    /// The directory of the emulator's files, which exists until the emulator stops.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Stops the emulator and waits until it has ended and removed its files.
    pub async fn stop(self) {
        drop(self.stop);
        // A server that panicked has ended too.
        let _ = self.server.await;
    }
}
