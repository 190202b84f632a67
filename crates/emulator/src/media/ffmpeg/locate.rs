use std::{
    env,
    path::{Path, PathBuf},
};

use crate::media::error::MediaError;

const MISSING: &str = "ffmpeg was not found: install it (on Debian `apt-get install ffmpeg`; \
anywhere `npm install @ffmpeg-installer/ffmpeg` in this folder), or name it with --ffmpeg or \
MEDIAGATE_FFMPEG";

/// Returns the path of the `configured` program, or else the first on PATH, or else the program in
/// the `node_modules` of the current folder or of a folder above. An empty `configured` path counts
/// as none.
pub(super) fn locate(configured: Option<&Path>) -> Result<PathBuf, MediaError> {
    let configured = configured.unwrap_or(Path::new(""));
    if configured.is_file() {
        return Ok(configured.to_owned());
    }
    if !configured.as_os_str().is_empty() {
        return Err(MediaError::MissingProgram(configured.to_owned()));
    }
    on_path()
        .or_else(npm_installed)
        .ok_or_else(|| MediaError::new(MISSING))
}

fn on_path() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(program()))
        .find(|program| program.is_file())
}

/// Returns the program of the npm package `@ffmpeg-installer/ffmpeg`. Each platform has a package
/// with its program, such as `@ffmpeg-installer/linux-x64`.
fn npm_installed() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    let below = Path::new("node_modules/@ffmpeg-installer")
        .join(platform())
        .join(program());
    here.ancestors()
        .map(|folder| folder.join(&below))
        .find(|program| program.is_file())
}

fn program() -> String {
    format!("ffmpeg{}", env::consts::EXE_SUFFIX)
}

/// Returns npm's name of this platform, such as `linux-x64`.
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
        let program = Path::new("/nowhere/ffmpeg");
        let error = locate(Some(program)).unwrap_err();
        assert!(
            matches!(&error, MediaError::MissingProgram(path) if path == program),
            "{error}"
        );
    }
}
