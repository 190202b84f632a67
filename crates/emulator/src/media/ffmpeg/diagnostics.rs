//! Reads ffmpeg's error output and its progress reports. Its own messages contain paths of this machine, so they are
//! replaced by messages for the caller.

use std::{fs::File, io::Read, path::Path};

const MISSING_FEATURE: &str =
    "the ffmpeg in use lacks what this takes, such as libx264; name another with --ffmpeg or MEDIAGATE_FFMPEG";

/// Parts of ffmpeg's messages, in any of its versions, and the message for the caller.
const MESSAGES: [(&str, &str); 13] = [
    ("Unknown encoder", MISSING_FEATURE),
    ("No such filter", MISSING_FEATURE),
    ("shared libraries", MISSING_FEATURE),
    ("partial file", "the media is cut off: its end is missing"),
    ("corrupt input packet", "the media is damaged or cut off"),
    ("File ended prematurely", "the media is cut off: its end is missing"),
    ("Read error", "the media is cut off: its end is missing"),
    ("moov atom not found", "the video is cut off or no video: it has no index"),
    ("matches no streams", "the media is damaged, or has no picture or no sound where one is needed"),
    ("does not contain any stream", "the media is damaged, or has no picture or no sound where one is needed"),
    ("decryption", "the media is encrypted"),
    ("Picture size", "the picture of the video is too large"),
    ("Cannot allocate memory", "the media needs too much memory"),
];

/// Bytes of the error output that are read.
const MAX_STDERR_BYTES: u64 = 64 << 10;

/// The message for the caller, from the file with ffmpeg's error output; `None` where it contains no known error.
pub(super) fn error_message(stderr: &Path) -> Option<&'static str> {
    let mut output = Vec::new();
    File::open(stderr).ok()?.take(MAX_STDERR_BYTES).read_to_end(&mut output).ok()?;
    let output = String::from_utf8_lossy(&output);
    MESSAGES.iter().find(|(pattern, _)| output.contains(pattern)).map(|(_, message)| *message)
}

/// The last position in a progress report, in seconds.
pub(super) fn seconds(report: &str) -> Option<f64> {
    let microseconds = report.lines().rev().find_map(|it| it.strip_prefix("out_time_us="))?;
    microseconds.parse().ok().filter(|it: &f64| *it >= 0.0).map(|it| it / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_position_counts() {
        assert_eq!(seconds("out_time_us=1000000\nprogress=continue\nout_time_us=2500000\nprogress=end\n"), Some(2.5));
        assert_eq!(seconds("out_time_us=N/A\n"), None);
        assert_eq!(seconds(""), None);
    }

    #[test]
    fn ffmpegs_own_message_is_not_repeated() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "[mov @ 0x1] moov atom not found\n/secret/path: Invalid data").unwrap();
        let message = error_message(file.path()).unwrap();
        assert!(message.contains("index") && !message.contains("/secret"));
        std::fs::write(file.path(), "something else").unwrap();
        assert!(error_message(file.path()).is_none());
    }
}
