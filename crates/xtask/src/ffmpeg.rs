//! Installs the two ffmpegs of the emulator's tests: the oldest and the newest version that the
//! emulator supports. Tests never use the ffmpeg of the machine.

use std::env;
use std::ffi::OsString;

use anyhow::{Context, Result};
use xshell::cmd;

use crate::checkout::Checkout;
use crate::{npm, python};

pub(crate) const VARIABLE: &str = "MEDIAGATE_FFMPEG";

/// Returns the value of [`VARIABLE`] for tests: the value in this process, or else the ffmpeg of
/// 2018 from npm, or the recent one if npm has none for this platform.
pub(crate) fn for_tests(checkout: &Checkout) -> Result<OsString> {
    if let Some(set) = env::var_os(VARIABLE) {
        return Ok(set);
    }
    npm::ensure(checkout)?;
    let find = "console.log(require('@ffmpeg-installer/ffmpeg').path)";
    let old = cmd!(checkout, "node -e {find}").ignore_stderr().read();
    old.map_or_else(|_| recent(checkout), |path| Ok(path.into()))
}

/// Returns a recent ffmpeg, from PyPI.
pub(crate) fn recent(checkout: &Checkout) -> Result<OsString> {
    let requirements = "crates/emulator/tests/ffmpeg/requirements.txt";
    let python = python::ensure(checkout, requirements, "ffmpeg")?.join("python");
    let find = "import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())";
    cmd!(checkout, "{python} -c {find}")
        // A variable of the user's could name another program.
        .env_remove("IMAGEIO_FFMPEG_EXE")
        .read()
        .map(OsString::from)
        .context("PyPI has no ffmpeg for this platform; name an ffmpeg in MEDIAGATE_FFMPEG")
}
