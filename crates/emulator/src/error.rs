use std::{io, net::SocketAddr, path::PathBuf};

/// An error that keeps the emulator from starting, or that stops it.
#[derive(Debug, thiserror::Error)]
pub enum EmulatorError {
    /// Another program listens on this address. The second value is the flag that sets the address.
    #[error("{0} is taken by another program; end that, or choose another port with {1}")]
    Taken(SocketAddr, &'static str),
    /// The address cannot be listened on for any other reason.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, io::Error),
    /// The directory for files cannot be created or read.
    #[error("cannot make a temporary directory: {0}; set TMPDIR to one that can be written")]
    Storage(io::Error),
    /// The directory of `--data` cannot be used.
    #[error("cannot use {0:?} for --data: {1}")]
    Data(PathBuf, io::Error),
    /// Another emulator uses the directory of `--data`.
    #[error("{0:?} is in use by another emulator; end that, or give another directory with --data")]
    InUse(PathBuf),
    /// The changes to the scene are invalid. The message names the first error.
    #[error("the scene is invalid: {0}")]
    Scene(String),
    /// The server failed while it was running.
    #[error("the server failed: {0}")]
    Serve(io::Error),
}
