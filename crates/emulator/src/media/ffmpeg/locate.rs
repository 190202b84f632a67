//! Finds the ffmpeg of this machine.

use std::{
    env,
    path::{Path, PathBuf},
};

use crate::media::error::MediaError;

const MISSING: &str = "ffmpeg was not found: install it (on Debian `apt-get install ffmpeg`; anywhere `npm install \
    @ffmpeg-installer/ffmpeg` in this folder), or name it with --ffmpeg or MEDIAGATE_FFMPEG";

/// The path of ffmpeg: the `configured` one, else on PATH, else in the `node_modules` of the current folder or one
/// above it. An empty `configured` path counts as none.
///
/// # Errors
/// No program at the configured path, or none anywhere.
pub(super) fn locate(configured: Option<&Path>) -> Result<PathBuf, MediaError> {
    if let Some(program) = configured.filter(|it| !it.as_os_str().is_empty()) {
        let missing = || MediaError::MissingProgram(program.to_owned());
        return program
            .is_file()
            .then(|| program.to_owned())
            .ok_or_else(missing);
    }
    on_path()
        .or_else(npm_installed)
        .ok_or_else(|| MediaError::new(MISSING))
}

fn on_path() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|it| it.join(program()))
        .find(|it| it.is_file())
}

/// The program of the npm package `@ffmpeg-installer/ffmpeg`, which has one package for each platform.
fn npm_installed() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    let below = Path::new("node_modules/@ffmpeg-installer")
        .join(platform())
        .join(program());
    here.ancestors()
        .map(|it| it.join(&below))
        .find(|it| it.is_file())
}

fn program() -> String {
    format!("ffmpeg{}", env::consts::EXE_SUFFIX)
}

/// The name of this platform in npm packages, such as `linux-x64`.
fn platform() -> String {
    let system = match env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let processor = match env::consts::ARCH {
        "x86_64" => "x64",
        "x86" => "ia32",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}-{processor}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configured_program_must_exist() {
        let error = locate(Some(Path::new("/nowhere/ffmpeg"))).unwrap_err();
        assert!(
            matches!(&error, MediaError::MissingProgram(path) if path == Path::new("/nowhere/ffmpeg")),
            "{error}"
        );
    }
}
