//! A person at a terminal.

use std::io::{BufRead, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use mediagate_core::Capability;

use crate::shell::Person;

/// Whether the person has interrupted the program.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Has an interrupt end the probe, so that what was found is still written; a second one ends the program.
///
/// # Errors
/// When the handler can't be installed.
pub fn end_on_interrupt() -> Result<()> {
    let handler = || {
        if INTERRUPTED.swap(true, Relaxed) {
            std::process::exit(130);
        }
        eprintln!("\nInterrupted: what was found until now is written. At a question, press Enter.");
    };
    ctrlc::set_handler(handler).context("interrupts can't be handled")
}

/// Prints a line. One that no one reads any more, as at the end of a pipe, is dropped.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A person at a terminal, or none, where the input is no terminal.
pub struct Terminal {
    /// Names of capabilities whose tasks may be created without a question.
    pub consented: Vec<String>,
    /// Whether each exchange is shown.
    pub shows: bool,
}

impl Person for Terminal {
    fn show(&mut self, lines: &str) {
        if self.shows {
            say(lines);
        }
    }

    fn consents(&mut self, capability: &Capability) -> bool {
        let name = capability.name();
        if self.consented.iter().any(|it| it == name) {
            return true;
        }
        if !std::io::stdin().is_terminal() {
            say(&format!("No task of {name} is created: `--create {name}` would consent to it.\n"));
            return false;
        }
        say(&format!(
            "May one task of {name} be created? The media service may charge credits for it. Without it, where a task has \
             its parts stays unknown. [y/N]"
        ));
        // The question may be late where the terminal is gone; so is its reader then.
        let _ = std::io::stdout().flush();
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        let consents = read.is_ok() && matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes");
        if !consents {
            say(&format!("No task of {name} is created.\n"));
        }
        consents && !self.is_interrupted()
    }

    fn is_interrupted(&self) -> bool {
        INTERRUPTED.load(Relaxed)
    }

    fn wait(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end && !self.is_interrupted() {
            sleep(Duration::from_millis(50).min(time));
        }
    }
}
