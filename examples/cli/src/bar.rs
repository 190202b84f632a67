//! The progress bar, on standard error.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use mediagate::{File, Progress, Retry, TaskSnapshot};

/// How often the bar moves by itself.
const TICK: Duration = Duration::from_millis(100);
/// What a whole task counts.
const WHOLE: f64 = 1000.0;

/// A bar, which is not drawn where standard error is no terminal.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar of nothing yet.
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::new(0);
        bar.enable_steady_tick(TICK);
        let bar = Bar(bar);
        bar.working("connecting");
        bar
    }

    /// Shows work of which no progress is known.
    pub(crate) fn working(&self, what: &str) {
        self.0.set_style(style("{spinner} {msg} {elapsed}"));
        self.0.set_message(what.to_owned());
    }

    /// Shows that a file is being uploaded.
    pub(crate) fn uploading(&self, file: &File) {
        self.0
            .set_style(style("{msg} {wide_bar} {bytes} of {total_bytes}"));
        self.0.set_length(file.size());
        self.0.set_position(0);
        self.0.set_message(format!("uploading {}", file.name()));
    }

    /// Shows how much of the file was sent.
    pub(crate) fn sent(&self, progress: Progress) {
        self.0.set_position(progress.loaded);
    }

    /// Shows that a request is sent again.
    pub(crate) fn retrying(&self, retry: &Retry) {
        self.working(&format!(
            "{}; trying again in {:.0} s",
            retry.error,
            retry.delay.as_secs_f64()
        ));
    }

    /// Shows how far a task is.
    pub(crate) fn following(&self, task: &TaskSnapshot) {
        let state = task.state.as_deref().unwrap_or("waiting").to_lowercase();
        match task.progress {
            Some(progress) => {
                self.0
                    .set_style(style("{msg} {wide_bar} {percent} % {elapsed}"));
                self.0.set_length(WHOLE as u64);
                self.0.set_position((progress * WHOLE) as u64);
                self.0.set_message(state);
            }
            None => self.working(&state),
        }
    }

    /// Removes the bar.
    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
    }
}

/// The style of a template; the default one for a template that is not valid.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
