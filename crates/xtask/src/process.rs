//! Child processes that never outlive this one.
//!
//! Every child leads a process group of its own (a job on Windows), and the
//! group ends with it or with us: on Ctrl-C, on a failure, at a deadline.

use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use process_wrap::std::{ChildWrapper, CommandWrap};

/// How often a waiting loop looks.
pub(crate) const PULSE: Duration = Duration::from_millis(20);
/// How long a group may take to end by itself before it is killed.
const GRACE: Duration = Duration::from_secs(5);
/// How long any one command may take: what hangs must not hang CI.
const LIMIT: Duration = Duration::from_secs(25 * 60);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Turns SIGINT, SIGTERM and SIGHUP (Ctrl-C and its kin on Windows) into an orderly end.
///
/// # Errors
/// When the system refuses the handler.
pub(crate) fn end_children_on_interrupt() -> Result<()> {
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::SeqCst)).context("Ctrl-C cannot be handled here")
}

/// Whether the person wants us to stop.
pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// A running child with everything that it started.
#[derive(Debug)]
pub(crate) struct Group {
    name: String,
    child: Box<dyn ChildWrapper>,
}

impl Group {
    /// Starts a command without standard input.
    ///
    /// # Errors
    /// When the program cannot be started; the message names it.
    pub(crate) fn start(name: &str, mut command: Command) -> Result<Self> {
        command.stdin(Stdio::null());
        let mut wrapped = CommandWrap::from(command);
        #[cfg(unix)]
        wrapped.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        wrapped.wrap(process_wrap::std::JobObject);
        let child = wrapped.spawn().with_context(|| format!("{name} does not start"))?;
        Ok(Self { name: name.to_owned(), child })
    }

    /// Fails once the child has ended: it was meant to stay.
    ///
    /// # Errors
    /// When the child has ended, or we were asked to stop.
    pub(crate) fn expect_alive(&mut self) -> Result<()> {
        if is_interrupted() {
            bail!("stopped");
        }
        match self.child.try_wait().with_context(|| format!("{} is lost", self.name))? {
            None => Ok(()),
            Some(status) => bail!("{} ended ({}); its last lines above say why", self.name, describe(status)),
        }
    }

    /// Asks the whole group to end, without waiting for it.
    pub(crate) fn ask_to_end(&self) {
        // Fails when the group is gone already, which is what is wanted.
        #[cfg(unix)]
        let _ = self.child.signal(SIGTERM);
    }

    /// Waits for the child, and fails when it fails.
    fn finish(mut self, limit: Duration) -> Result<()> {
        let deadline = Instant::now() + limit;
        loop {
            if is_interrupted() {
                bail!("stopped");
            }
            if let Some(status) = self.child.try_wait().with_context(|| format!("{} is lost", self.name))? {
                return if status.success() { Ok(()) } else { bail!("{} failed ({})", self.name, describe(status)) };
            }
            if Instant::now() > deadline {
                bail!("{} took longer than {} minutes", self.name, limit.as_secs() / 60);
            }
            sleep(PULSE);
        }
    }
}

impl Drop for Group {
    /// Ends the group: by asking, then by force; and what a finished child left behind.
    fn drop(&mut self) {
        self.ask_to_end();
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                break;
            }
            sleep(PULSE);
        }
        let _ = self.child.start_kill();
        let _ = self.child.wait();
    }
}

/// The number of SIGTERM, which POSIX fixes.
#[cfg(unix)]
const SIGTERM: i32 = 15;

/// Runs a command to its end, its output shown; `name` is what an error calls it.
///
/// # Errors
/// When it does not start, fails, takes too long, or we are asked to stop.
pub(crate) fn run(name: &str, command: Command) -> Result<()> {
    Group::start(name, command)?.finish(LIMIT)
}

/// The standard output of a short command, trimmed; its standard error is dropped.
///
/// # Errors
/// When it does not start or fails.
pub(crate) fn read(name: &str, command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .with_context(|| format!("{name} does not start"))?;
    if !output.status.success() {
        bail!("{name} failed ({})", describe(output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn describe(status: ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_failing_command_is_named_with_its_exit_code() {
        let error = run("the step", shell("exit 3")).unwrap_err();
        assert_eq!(error.to_string(), "the step failed (exit code 3)");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run("the step", Command::new("no-such-program-here")).unwrap_err();
        assert_eq!(error.to_string(), "the step does not start");
    }

    #[test]
    fn dropping_a_group_ends_its_grandchildren() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let script = format!("sleep 60 & echo $! > {}; wait", file.display());
        let group = Group::start("sleeper", shell(&script)).unwrap();
        let pid = loop {
            match std::fs::read_to_string(&file) {
                Ok(pid) if pid.ends_with('\n') => break pid.trim().to_owned(),
                _ => sleep(PULSE),
            }
        };
        drop(group);
        let alive = shell(&format!("ps -o stat= -p {pid} | grep -qv Z")).status().unwrap().success();
        assert!(!alive, "process {pid} is still there");
    }

    #[test]
    fn a_service_that_ends_is_an_error() {
        let mut group = Group::start("the service", shell("exit 0")).unwrap();
        let error = loop {
            match group.expect_alive() {
                Ok(()) => sleep(PULSE),
                Err(error) => break error,
            }
        };
        assert_eq!(error.to_string(), "the service ended (exit code 0); its last lines above say why");
    }
}
