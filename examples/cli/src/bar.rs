//! The progress bar, on standard error.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use mediagate::{File, Progress, Retry, TaskSnapshot};

/// The interval between two steps of the spinner.
const TICK: Duration = Duration::from_millis(100);
/// The length of the bar of a task.
const WHOLE: f64 = 1000.0;

/// A progress bar. It is drawn only if standard error is a terminal.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// Creates a bar for the connection to the gateway.
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::new(0);
        bar.enable_steady_tick(TICK);
        let bar = Bar(bar);
        bar.working("connecting");
        bar
    }

    /// Shows work of unknown length.
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

    /// Shows the sent part of the file.
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

    /// Shows the state and the progress of a task.
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

/// Returns the style of a template, or the default style if the template is invalid.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
