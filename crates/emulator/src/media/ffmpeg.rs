//! Runs ffmpeg where it is installed, under a limit of time and of size.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use super::Failure;

/// A run takes no longer than this.
const LONGEST: Duration = Duration::from_secs(60);

/// A result is cut off at this many bytes.
const LARGEST: &str = "536870912";

/// The installed ffmpeg.
#[derive(Clone, Debug)]
pub(crate) struct Ffmpeg(PathBuf);

impl Ffmpeg {
    /// The first `ffmpeg` on PATH.
    pub(crate) fn find() -> Option<Self> {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path)
            .map(|it| it.join("ffmpeg").with_extension(std::env::consts::EXE_EXTENSION))
            .find(|it| it.is_file())
            .map(Ffmpeg)
    }

    /// Runs it over `inputs` with `options` and gives the bytes of its one output, a file with this extension.
    pub(crate) fn run(&self, inputs: &[&Path], options: &[&str], extension: &str) -> Result<Vec<u8>, Failure> {
        let directory = tempfile::tempdir().map_err(|_| Failure::new("there is no room for temporary files"))?;
        let output = directory.path().join("output").with_extension(extension);
        let mut command = Command::new(&self.0);
        // Only local files: a playlist sent as a video must not make it fetch anything.
        command.args(["-hide_banner", "-loglevel", "error", "-nostdin", "-protocol_whitelist", "file"]);
        for input in inputs {
            command.args([OsStr::new("-i"), input.as_os_str()]);
        }
        command.args(options).args(["-fs", LARGEST]).arg(&output);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| Failure::new(format!("ffmpeg could not be started: {error}")))?;
        wait(child)?;
        match std::fs::read(&output) {
            Ok(bytes) if !bytes.is_empty() => Ok(bytes),
            _ => Err(Failure::new("nothing is left of the media after this operation")),
        }
    }
}

fn wait(mut child: Child) -> Result<(), Failure> {
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => return Err(Failure::new("the media is damaged, or not what its name says")),
            Ok(None) if started.elapsed() < LONGEST => std::thread::sleep(Duration::from_millis(20)),
            Ok(None) | Err(_) => {
                // Already gone is as good as killed.
                let _ = child.kill();
                let _ = child.wait();
                return Err(Failure::new(format!("the media took longer than {} s to process", LONGEST.as_secs())));
            }
        }
    }
}
