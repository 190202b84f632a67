//! Reads ffmpeg's error output. ffmpeg's messages contain paths of this machine, so they are
//! replaced by messages for the caller.

use std::{fs::File, io::Read, path::Path};

use crate::media::error::MediaError;

/// Returns the reason for an output of ffmpeg, in any of its versions.
fn known(output: &str) -> Option<MediaError> {
    let has = |patterns: &[&str]| patterns.iter().any(|pattern| output.contains(pattern));
    Some(
        if has(&["Unknown encoder", "No such filter", "shared libraries"]) {
            MediaError::MissingFeature
        } else if has(&["partial file", "File ended prematurely", "Read error"]) {
            MediaError::CutOff
        } else if has(&["corrupt input packet"]) {
            MediaError::Damaged
        } else if has(&["moov atom not found"]) {
            MediaError::MissingIndex
        } else if has(&["matches no streams", "does not contain any stream"]) {
            MediaError::MissingStream
        } else if has(&["decryption"]) {
            MediaError::of_input("the media is encrypted")
        } else if has(&["Picture size"]) {
            MediaError::of_input("the picture of the video is too large")
        } else if has(&["Cannot allocate memory"]) {
            MediaError::new("the media needs too much memory")
        } else {
            return None;
        },
    )
}

/// The most bytes of the error output that are read. A damaged file may cause any number of lines.
const MAX_STDERR_BYTES: u64 = 64 << 10;

pub(super) fn reason(stderr: &Path) -> Option<MediaError> {
    let mut output = Vec::new();
    File::open(stderr)
        .ok()?
        .take(MAX_STDERR_BYTES)
        .read_to_end(&mut output)
        .ok()?;
    known(&String::from_utf8_lossy(&output))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ffmpegs_own_message_is_not_repeated() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(
            file.path(),
            "[mov @ 0x1] moov atom not found\n/secret/path: Invalid data",
        )
        .unwrap();
        let reason = reason(file.path()).unwrap();
        assert!(
            matches!(reason, MediaError::MissingIndex) && !reason.to_string().contains("/secret"),
            "{reason}"
        );
        std::fs::write(file.path(), "something else").unwrap();
        assert!(super::reason(file.path()).is_none());
    }
}
