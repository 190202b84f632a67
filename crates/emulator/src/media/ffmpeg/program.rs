use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use tempfile::TempDir;

use super::{
    deadline::{Deadline, MAX_PATIENCE},
    diagnostics, length, locate,
};
use crate::media::error::MediaError;

/// The most pixels in a frame that is read. A small file can declare any size.
const MAX_FRAME_PIXELS: u32 = 40_000_000;

const MAX_ALLOCATION_BYTES: u32 = 1 << 30;

/// The most audio packets that ffmpeg 4 may hold while it waits for the first packet of a picture
/// that hardly changes. Later versions hold any number.
const MAX_QUEUED_PACKETS: u32 = 100_000;

/// The number of threads of a run's decoders and encoders.
const THREADS: u64 = 2;

const CHECK_INTERVAL: Duration = Duration::from_millis(10);

#[derive(Clone, Debug)]
pub(crate) struct FfmpegLimits {
    /// The longest time without progress, after which a run is killed.
    pub(crate) time: Duration,
    /// The size that a result must not reach.
    pub(crate) bytes: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Ffmpeg {
    program: PathBuf,
    limits: FfmpegLimits,
    scratch: PathBuf,
    /// Set when the emulator stops; every run is then killed.
    stopping: Arc<AtomicBool>,
}

/// An input file of a run. The options are before its `-i`, separated by spaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    pub(crate) path: &'a Path,
    pub(crate) options: &'a str,
}

impl<'a> From<&'a Path> for Input<'a> {
    fn from(path: &'a Path) -> Self {
        Input { path, options: "" }
    }
}

impl Ffmpeg {
    /// Locates ffmpeg. `scratch` is an existing directory for temporary files. Setting `stopping`
    /// ends every run. The error is one line that says what is missing and how to install it.
    pub(crate) fn locate(
        configured: Option<&Path>,
        limits: FfmpegLimits,
        scratch: PathBuf,
        stopping: Arc<AtomicBool>,
    ) -> Result<Self, MediaError> {
        let program = locate::locate(configured)?;
        Ok(Ffmpeg {
            program,
            limits,
            scratch,
            stopping,
        })
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// Creates a temporary directory, which is removed when the value is dropped.
    pub(crate) fn workspace(&self) -> Result<TempDir, MediaError> {
        tempfile::tempdir_in(&self.scratch)
            .map_err(|_| MediaError::new("there is no room for temporary files"))
    }

    /// Runs ffmpeg and returns the bytes of its output. `options` are separated by spaces.
    /// `extension` is the output's. Fails for media that ffmpeg cannot process, for an empty
    /// result, and if a limit is exceeded.
    pub(crate) fn convert(
        &self,
        inputs: &[Input<'_>],
        options: &str,
        extension: &str,
    ) -> Result<Vec<u8>, MediaError> {
        let directory = self.workspace()?;
        let output = directory.path().join("output").with_extension(extension);
        let limit = self.limits.bytes;
        let options = format!("{options} -max_muxing_queue_size {MAX_QUEUED_PACKETS} -fs {limit}");
        self.run(&directory, inputs, &options, &output)?;
        let size = output.metadata().map_or(0, |metadata| metadata.len());
        match std::fs::read(&output) {
            // ffmpeg succeeds when `-fs` stops it, at a size a little below or above the limit.
            Ok(_) if size + size / 50 >= limit => Err(MediaError::TooLarge(limit)),
            Ok(bytes) if !bytes.is_empty() => Ok(bytes),
            _ => Err(MediaError::new(
                "nothing is left of the media after this operation",
            )),
        }
    }

    /// Returns the length of a file, rounded to tenths. Returns `None` if it cannot be read to its
    /// end.
    pub(crate) fn seconds(&self, file: &Path) -> Option<f64> {
        let directory = self.workspace().ok()?;
        let packets = directory.path().join("packets");
        // `V` leaves out pictures such as the cover of an audio file. `copy` decodes nothing.
        let options = "-map 0:V? -map 0:a? -c copy -f framecrc";
        self.run(&directory, &[file.into()], options, &packets)
            .ok()?;
        length::seconds(BufReader::new(File::open(&packets).ok()?))
    }

    /// Runs ffmpeg. `directory` receives the reports and the error output.
    fn run(
        &self,
        directory: &TempDir,
        inputs: &[Input<'_>],
        options: &str,
        output: &Path,
    ) -> Result<(), MediaError> {
        let unusable = |_| MediaError::new("there is no room for temporary files");
        let errors = directory.path().join("errors");
        let mut command = Command::new(&self.program);
        let reports = directory.path().join("reports");
        // `-timelimit`, in processor seconds, ends a run even if the emulator is killed and nobody
        // waits for the run any more.
        let seconds = self.limits.time.as_secs() * u64::from(MAX_PATIENCE) + 2;
        let processor_seconds = THREADS * seconds;
        // `-xerror` stops at the first error: a part of the media must not pass for the whole.
        let limits = format!(
            "-hide_banner -loglevel error -nostdin -xerror -threads {THREADS} \
             -max_alloc {MAX_ALLOCATION_BYTES} -timelimit {processor_seconds}"
        );
        command.args(limits.split_whitespace());
        command.arg("-progress").arg(&reports);
        for input in inputs {
            // Local files only: a playlist that is uploaded as a video must not make ffmpeg fetch
            // URLs.
            let limits = format!("-protocol_whitelist file -max_pixels {MAX_FRAME_PIXELS}");
            command.args(limits.split_whitespace());
            command.args(input.options.split_whitespace());
            command.arg("-i").arg(input.path);
        }
        command.args(options.split_whitespace()).arg(output);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&errors).map_err(unusable)?);
        let deadline = Deadline::new(self.limits.time, reports);
        let child = command.spawn().map_err(|error| {
            MediaError::new(format!(
                "{} could not be started: {error}",
                self.program.display()
            ))
        })?;
        let succeeded = self.wait(child, deadline)?;
        // ffmpeg may succeed in spite of an error, with a result that lacks the damaged part.
        match diagnostics::reason(&errors) {
            Some(reason) => Err(reason),
            None if succeeded => Ok(()),
            None => Err(MediaError::Unrecognized),
        }
    }

    /// Waits for a run, and returns true if it succeeded. A run that passes its deadline is killed.
    fn wait(&self, mut child: Child, mut deadline: Deadline) -> Result<bool, MediaError> {
        loop {
            let stopping = self.stopping.load(Relaxed);
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status.success()),
                Ok(None) if !stopping && !deadline.has_passed() => {
                    std::thread::sleep(CHECK_INTERVAL)
                }
                Ok(None) | Err(_) => {
                    // Killing fails if the run has ended meanwhile. Waiting removes the ended
                    // process.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(if stopping {
                        MediaError::new("the emulator was stopped")
                    } else {
                        MediaError::Timeout(self.limits.time)
                    });
                }
            }
        }
    }
}
