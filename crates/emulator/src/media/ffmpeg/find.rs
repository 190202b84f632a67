use std::{
    env,
    path::{Path, PathBuf},
};

use crate::media::Failure;

const MISSING: &str = "ffmpeg was not found: install it (on Debian `apt-get install ffmpeg`; anywhere `npm install \
    @ffmpeg-installer/ffmpeg` in this folder), or name it with --ffmpeg or MEDIAGATE_FFMPEG";

/// Where ffmpeg is: as set, on PATH, or in the `node_modules` of the current folder or one above it.
pub(super) fn find(set: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(program) = set.filter(|it| !it.as_os_str().is_empty()) {
        let missing = || Failure::new(format!("there is no program at {}, the ffmpeg that was set", program.display()));
        return program.is_file().then(|| program.to_owned()).ok_or_else(missing);
    }
    on_path().or_else(installed).ok_or_else(|| Failure::new(MISSING))
}

fn on_path() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|it| it.join(program())).find(|it| it.is_file())
}

/// The npm package `@ffmpeg-installer/ffmpeg` brings one program for each platform inside its packages.
fn installed() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    let below = Path::new("node_modules/@ffmpeg-installer").join(platform()).join(program());
    here.ancestors().map(|it| it.join(&below)).find(|it| it.is_file())
}

fn program() -> String {
    format!("ffmpeg{}", env::consts::EXE_SUFFIX)
}

/// This platform, as npm writes it.
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
    fn one_that_was_set_must_be_there() {
        let error = find(Some(Path::new("/nowhere/ffmpeg"))).unwrap_err().to_string();
        assert_eq!(error, "there is no program at /nowhere/ffmpeg, the ffmpeg that was set");
    }
}
