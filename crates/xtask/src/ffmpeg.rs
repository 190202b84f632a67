//! The two ffmpegs that the emulator is tested with, neither of which is the machine's: the oldest and the newest that it
//! runs with.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::checkout::Checkout;
use crate::{npm, process, python};

/// The packages of a recent ffmpeg.
const REQUIREMENTS: &str = "crates/emulator/tests/ffmpeg/requirements.txt";

/// The variable that names the emulator's ffmpeg.
pub(crate) const VARIABLE: &str = "MEDIAGATE_FFMPEG";

/// The value of [`VARIABLE`] for tests: that of this process, or else the old ffmpeg, or the recent one where npm has no
/// old one. It is never the one on the `PATH`.
///
/// # Errors
/// As [`old`] and [`recent`].
pub(crate) fn for_tests(checkout: &Checkout) -> Result<OsString> {
    if let Some(set) = env::var_os(VARIABLE) {
        return Ok(set);
    }
    let program = old(checkout)?.map_or_else(|| recent(checkout), Ok)?;
    Ok(program.into_os_string())
}

/// The ffmpeg of 2018 from npm, which the emulator uses where the `PATH` has none; `None` where npm has none for this
/// platform.
///
/// # Errors
/// When npm cannot install.
pub(crate) fn old(checkout: &Checkout) -> Result<Option<PathBuf>> {
    npm::ensure(checkout)?;
    let Ok(platforms) = fs::read_dir(checkout.path("node_modules/@ffmpeg-installer")) else {
        return Ok(None);
    };
    let program = format!("ffmpeg{}", env::consts::EXE_SUFFIX);
    Ok(platforms
        .flatten()
        .map(|it| it.path().join(&program))
        .find(|it| it.is_file()))
}

/// A recent ffmpeg, from PyPI.
///
/// # Errors
/// When Python is missing or too old, or the package cannot be installed, or has no program for this platform.
pub(crate) fn recent(checkout: &Checkout) -> Result<PathBuf> {
    let python = python::ensure(checkout, REQUIREMENTS, "ffmpeg")?.join("python");
    let mut find = Command::new(python);
    // The variable would name another program.
    find.args([
        "-c",
        "import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())",
    ])
    .env_remove("IMAGEIO_FFMPEG_EXE");
    let program = PathBuf::from(process::read("imageio_ffmpeg", &mut find)?);
    if !program.is_absolute() {
        bail!(
            "{REQUIREMENTS} brings no ffmpeg for this platform; set MEDIAGATE_FFMPEG, to test with that one only"
        );
    }
    Ok(program)
}
