//! Runs ffmpeg, under limits of time, memory and size, and leaves nothing behind.

mod find;
mod said;

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::Failure;

/// Pixels of the largest frame that is read; a small file can claim any size.
const MOST_PIXELS: &str = "40000000";

/// Bytes of the largest single piece of memory that ffmpeg may ask for.
const MOST_MEMORY: &str = "1073741824";

/// How often a run is looked at.
const PULSE: Duration = Duration::from_millis(10);

/// What holds for every run.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// A run that takes longer is ended.
    pub(crate) time: Duration,
    /// A result that is larger is none.
    pub(crate) bytes: u64,
}

/// The ffmpeg of this machine.
#[derive(Clone, Debug)]
pub(crate) struct Ffmpeg {
    program: PathBuf,
    limits: Limits,
    /// Where runs have their temporary files.
    scratch: PathBuf,
    /// Set when the emulator ends: every run then ends too.
    stopping: Arc<AtomicBool>,
}

/// One of the files that a run reads, and the options that stand before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    pub(crate) path: &'a Path,
    pub(crate) options: &'a [&'a str],
}

impl<'a> From<&'a Path> for Input<'a> {
    fn from(path: &'a Path) -> Self {
        Input { path, options: &[] }
    }
}

impl Ffmpeg {
    /// The ffmpeg that was set, else the first on PATH, else the one that npm installed in this folder or one above it.
    ///
    /// # Errors
    /// One line that says what is missing and how to get it.
    pub(crate) fn find(
        set: Option<&Path>,
        limits: Limits,
        scratch: PathBuf,
        stopping: Arc<AtomicBool>,
    ) -> Result<Self, Failure> {
        let program = find::find(set)?;
        Ok(Ffmpeg { program, limits, scratch, stopping })
    }

    /// Which program runs.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// A directory for the files of one job, which goes with the value.
    pub(crate) fn workspace(&self) -> Result<TempDir, Failure> {
        tempfile::tempdir_in(&self.scratch).map_err(|_| Failure::new("there is no room for temporary files"))
    }

    /// Runs it over `inputs` with `options` and gives the bytes of its one output, a file with this extension.
    pub(crate) fn convert(&self, inputs: &[Input<'_>], options: &[&str], extension: &str) -> Result<Vec<u8>, Failure> {
        let directory = self.workspace()?;
        let output = directory.path().join("output").with_extension(extension);
        let limit = self.limits.bytes.to_string();
        self.run(&directory, inputs, |command| {
            command.args(options).args(["-fs", &limit]).arg(&output);
        })?;
        let size = output.metadata().map_or(0, |it| it.len());
        match std::fs::read(&output) {
            // What `-fs` cuts off ends a little below the limit or above it.
            Ok(_) if size + size / 50 >= self.limits.bytes => {
                Err(Failure::new(format!("the result is larger than {} bytes", self.limits.bytes)))
            }
            Ok(bytes) if !bytes.is_empty() => Ok(bytes),
            _ => Err(Failure::new("nothing is left of the media after this operation")),
        }
    }

    /// The length of a sound or a video in seconds, measured by reading it to its end; `None` where it has none.
    pub(crate) fn seconds(&self, file: &Path) -> Option<f64> {
        let directory = self.workspace().ok()?;
        let report = directory.path().join("progress");
        self.run(&directory, &[file.into()], |command| {
            command.args(["-map", "0:v?", "-map", "0:a?", "-c", "copy", "-f", "null"]);
            command.arg("-progress").arg(&report).arg("-");
        })
        .ok()?;
        said::seconds(&std::fs::read_to_string(&report).ok()?)
    }

    fn run(&self, directory: &TempDir, inputs: &[Input<'_>], output: impl FnOnce(&mut Command)) -> Result<(), Failure> {
        let unusable = |_| Failure::new("there is no room for temporary files");
        let errors = directory.path().join("errors");
        let mut command = Command::new(&self.program);
        // `-timelimit`, in processor seconds, holds also where this process is killed and cannot end it.
        let processors = std::thread::available_parallelism().map_or(1, |it| it.get() as u64);
        let processor_seconds = (processors * (self.limits.time.as_secs() + 2)).to_string();
        command.args(["-hide_banner", "-loglevel", "error", "-nostdin", "-xerror", "-threads", "2"]);
        command.args(["-max_alloc", MOST_MEMORY, "-timelimit", &processor_seconds]);
        for input in inputs {
            // Only local files: a playlist sent as a video must not make it fetch anything.
            command.args(["-protocol_whitelist", "file", "-max_pixels", MOST_PIXELS]);
            command.args(input.options).arg("-i").arg(input.path);
        }
        output(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&errors).map_err(unusable)?);
        let child = command
            .spawn()
            .map_err(|error| Failure::new(format!("{} could not be started: {error}", self.program.display())))?;
        let succeeded = self.wait(child)?;
        match said::complaint(&errors) {
            Some(complaint) => Err(complaint),
            None if succeeded => Ok(()),
            None => Err(Failure::new("the media is damaged, or not what its name says")),
        }
    }

    /// Waits for a run and says whether it succeeded; one that takes too long is ended.
    fn wait(&self, mut child: Child) -> Result<bool, Failure> {
        let started = Instant::now();
        loop {
            let stopping = self.stopping.load(Relaxed);
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status.success()),
                Ok(None) if started.elapsed() < self.limits.time && !stopping => std::thread::sleep(PULSE),
                Ok(None) | Err(_) => {
                    // Already gone is as good as killed.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(if stopping {
                        Failure::new("the emulator was stopped")
                    } else {
                        Failure::too_long(self.limits.time)
                    });
                }
            }
        }
    }
}
