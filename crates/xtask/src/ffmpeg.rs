//! Installs the two ffmpegs of the emulator's tests: the oldest and the newest version that the
//! emulator supports. Tests never use the ffmpeg of the machine.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::checkout::Checkout;
use crate::{npm, process, python};

/// The requirements file with a recent ffmpeg.
const REQUIREMENTS: &str = "crates/emulator/tests/ffmpeg/requirements.txt";

/// The variable that names the emulator's ffmpeg.
pub(crate) const VARIABLE: &str = "MEDIAGATE_FFMPEG";

/// Returns the value of [`VARIABLE`] for tests: the value in this process, or else the old ffmpeg,
/// or else the recent ffmpeg.
pub(crate) fn for_tests(checkout: &Checkout) -> Result<OsString> {
    if let Some(set) = env::var_os(VARIABLE) {
        return Ok(set);
    }
    let program = old(checkout)?.map_or_else(|| recent(checkout), Ok)?;
    Ok(program.into_os_string())
}

/// Returns the ffmpeg of 2018 from npm, which the emulator uses if the `PATH` has no ffmpeg.
/// Returns `None` if npm has none for this platform.
pub(crate) fn old(checkout: &Checkout) -> Result<Option<PathBuf>> {
    npm::ensure(checkout)?;
    let Ok(platforms) = fs::read_dir(checkout.path("node_modules/@ffmpeg-installer")) else {
        return Ok(None);
    };
    let program = format!("ffmpeg{}", env::consts::EXE_SUFFIX);
    Ok(platforms
        .flatten()
        .map(|platform| platform.path().join(&program))
        .find(|program| program.is_file()))
}

/// Returns a recent ffmpeg, from PyPI.
pub(crate) fn recent(checkout: &Checkout) -> Result<PathBuf> {
    let python = python::ensure(checkout, REQUIREMENTS, "ffmpeg")?.join("python");
    let mut find = Command::new(python);
    find.args([
        "-c",
        "import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())",
    ])
    // A variable of the user's could name another program.
    .env_remove("IMAGEIO_FFMPEG_EXE");
    let program = PathBuf::from(process::read("imageio_ffmpeg", &mut find)?);
    if !program.is_absolute() {
        bail!("{REQUIREMENTS} has no ffmpeg for this platform; name an ffmpeg in MEDIAGATE_FFMPEG");
    }
    Ok(program)
}
