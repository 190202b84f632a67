//! The deadline of a run of ffmpeg. A run ends once it makes no progress, so that long media may
//! take long.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::PathBuf,
    time::{Duration, Instant},
};

/// The longest duration of a run that makes progress, as a multiple of its patience.
pub(super) const MAX_PATIENCE: u32 = 20;

/// The number of bytes at the end of ffmpeg's reports that are read. A report is shorter.
const REPORT_BYTES: i64 = 2048;

pub(super) struct Deadline {
    patience: Duration,
    /// The file that receives ffmpeg's reports (`-progress`).
    reports: PathBuf,
    /// The position in the output, from the last report that was read.
    position: Option<String>,
    next: Instant,
    last: Instant,
}

impl Deadline {
    pub(super) fn new(patience: Duration, reports: PathBuf) -> Self {
        let now = Instant::now();
        Deadline {
            patience,
            reports,
            position: None,
            next: now + patience,
            last: now + patience * MAX_PATIENCE,
        }
    }

    /// Returns true if the run has made no progress for its patience. As the reports are read only
    /// once in that time, a stop is noticed within twice the patience.
    pub(super) fn has_passed(&mut self) -> bool {
        let now = Instant::now();
        if now < self.next {
            return false;
        }
        let position = self.reported();
        if now >= self.last || position == self.position {
            return true;
        }
        self.position = position;
        self.next = now + self.patience;
        false
    }

    fn reported(&self) -> Option<String> {
        let mut file = File::open(&self.reports).ok()?;
        let start = file.metadata().ok()?.len().min(REPORT_BYTES as u64) as i64;
        file.seek(SeekFrom::End(-start)).ok()?;
        let mut tail = Vec::new();
        file.read_to_end(&mut tail).ok()?;
        // Both are in microseconds: versions before 4.1 only have the name with `ms`.
        let names = ["out_time_us=", "out_time_ms="];
        let text = String::from_utf8_lossy(&tail);
        text.lines()
            .rev()
            .find_map(|line| names.iter().find_map(|name| line.strip_prefix(name)))
            .map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    const PATIENCE: Duration = Duration::from_millis(20);

    fn report(file: &std::path::Path, micros: &str) {
        let text = format!(
            "{}frame=1\nout_time_us={micros}\nprogress=continue\n",
            "speed=1x\n".repeat(400)
        );
        std::fs::write(file, text).unwrap();
    }

    #[test]
    fn a_run_may_go_on_as_long_as_it_makes_progress() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("reports");
        let mut deadline = Deadline::new(PATIENCE, file.clone());
        for micros in ["1", "2", "3"] {
            report(&file, micros);
            sleep(PATIENCE);
            assert!(!deadline.has_passed(), "{micros}");
        }
        sleep(PATIENCE);
        assert!(deadline.has_passed());
    }

    #[test]
    fn no_run_goes_on_for_ever() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("reports");
        let mut deadline = Deadline::new(Duration::from_millis(1), file.clone());
        sleep(Duration::from_millis(1) * MAX_PATIENCE);
        report(&file, "1");
        assert!(deadline.has_passed());
    }
}
