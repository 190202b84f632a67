//! What ffmpeg says of its media, in words for the caller. Its own words name paths of this machine.

use std::{fs::File, io::Read, path::Path};

use crate::media::Failure;

const OTHER_FFMPEG: &str =
    "the ffmpeg in use lacks what this takes, such as libx264; name another with --ffmpeg or MEDIAGATE_FFMPEG";

/// What ffmpeg writes, in any of its versions, and what it means.
const MEANINGS: [(&str, &str); 13] = [
    ("Unknown encoder", OTHER_FFMPEG),
    ("No such filter", OTHER_FFMPEG),
    ("shared libraries", OTHER_FFMPEG),
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

/// Longest part of its words that is read.
const MOST_WORDS: u64 = 64 << 10;

/// The first complaint that means something, from the file with ffmpeg's words.
pub(super) fn complaint(errors: &Path) -> Option<Failure> {
    let mut words = Vec::new();
    File::open(errors).ok()?.take(MOST_WORDS).read_to_end(&mut words).ok()?;
    let words = String::from_utf8_lossy(&words);
    MEANINGS.iter().find(|(said, _)| words.contains(said)).map(|(_, meaning)| Failure::new(*meaning))
}

/// The last position in a report of progress, in seconds.
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
    fn its_own_words_are_not_repeated() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "[mov @ 0x1] moov atom not found\n/secret/path: Invalid data").unwrap();
        let said = complaint(file.path()).unwrap().to_string();
        assert!(said.contains("index") && !said.contains("/secret"));
        std::fs::write(file.path(), "something else").unwrap();
        assert!(complaint(file.path()).is_none());
    }
}
