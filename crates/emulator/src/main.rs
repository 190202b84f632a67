//! The emulator's binary: reads the command line and serves until it is interrupted.

use std::process::ExitCode;

use clap::Parser;
use mediagate_emulator::{Cli, Config, Emulator, EmulatorError, Results};
use tokio::runtime::Runtime;

fn main() -> ExitCode {
    let Cli { config, log } = Cli::parse();
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_target(false)
        .with_max_level(log)
        .init();
    let served = Runtime::new()
        .map_err(EmulatorError::Serve)
        .and_then(|runtime| {
            let served = runtime.block_on(run(config));
            // Does not wait for a job that is still running.
            runtime.shutdown_background();
            served
        });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mediagate-emulator: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(config: Config) -> Result<(), EmulatorError> {
    let is_placeholder = config.results == Results::Placeholder;
    let emulator = Emulator::bind(config).await?;
    // Programs that start the emulator read its addresses from the first two lines of the log.
    tracing::info!(url = emulator.base_url(), "serving");
    tracing::info!(url = emulator.admin_url(), "the admin interface is serving");
    match emulator.ffmpeg() {
        Err(_) if is_placeholder => tracing::info!("results are placeholders"),
        Ok(program) => tracing::info!(program = %program.display(), "ffmpeg was found"),
        Err(missing) => tracing::warn!(
            "videos can be made, but not processed (cut, resized and the like): {missing}"
        ),
    }
    emulator.serve(interrupted()).await
}

async fn interrupted() {
    let interrupt = async {
        // If no handler can be installed, the signal ends the process by itself.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = interrupt => {}
        () = terminated() => {}
    }
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}
