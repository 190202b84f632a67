//! The emulator's binary: reads its settings, serves until it is interrupted.

use std::process::ExitCode;

use clap::Parser;
use mediagate_emulator::{Cli, Config, Emulator, EmulatorError};

#[tokio::main]
async fn main() -> ExitCode {
    match run(Cli::parse().config).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mediagate-emulator: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(config: Config) -> Result<(), EmulatorError> {
    let emulator = Emulator::bind(config).await?;
    println!("mediagate-emulator: serving on {}", emulator.base_url());
    emulator.serve(interrupted()).await
}

/// Ready at SIGINT or SIGTERM.
async fn interrupted() {
    let interrupt = async {
        // Without a handler for it, the signal ends the process by itself.
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
