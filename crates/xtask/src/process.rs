//! Child processes that end with this process.
//!
//! Every child leads a process group of its own (a job on Windows). The whole group is ended with
//! the child, on Ctrl-C, on a failure and at a deadline.

use std::ffi::OsStr;
use std::panic::resume_unwind;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use process_wrap::std::{ChildWrapper, CommandWrap};

use crate::checkout::Checkout;

/// Shorter ones take a tenth of a slow core.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The time that a group has to end after SIGTERM before it is killed.
const GRACE_PERIOD: Duration = Duration::from_secs(5);
/// The timeout of a command. Without it, a command that hangs would hang CI. On a slow machine
/// whose cores are busy, the first build takes more than half an hour.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60 * 60);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Handles SIGINT, SIGTERM and SIGHUP (on Windows Ctrl-C and similar events) by ending the children
/// and then this process.
pub(crate) fn end_children_on_interrupt() -> Result<()> {
    Ok(ctrlc::set_handler(|| {
        INTERRUPTED.store(true, Ordering::SeqCst)
    })?)
}

pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Runs a command to its end and shows its output. Fails after an hour, or on an interrupt.
pub(crate) fn call(command: impl Into<Command>) -> Result<()> {
    Group::start(command.into())?.finish(Some(TIMEOUT), &AtomicBool::new(false))
}

/// Runs a command like [`call`], without a limit to its time.
pub(crate) fn call_until_interrupted(command: impl Into<Command>) -> Result<()> {
    Group::start(command.into())?.finish(None, &AtomicBool::new(false))
}

/// Does two things at once, such as one that waits for the network and one that needs the cores.
pub(crate) fn both(
    checkout: &Checkout,
    first: impl FnOnce(&Checkout) -> Result<()> + Send,
    second: impl FnOnce(&Checkout) -> Result<()>,
) -> Result<()> {
    let copy = checkout.clone();
    thread::scope(|scope| {
        let first = scope.spawn(move || first(&copy));
        let second = second(checkout);
        let first = first.join().unwrap_or_else(|panic| resume_unwind(panic));
        first.and(second)
    })
}

/// A running child with its descendants.
pub(crate) struct Group {
    name: String,
    child: Box<dyn ChildWrapper>,
}

impl Group {
    /// Starts a command without standard input.
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        let name = name(&command);
        // A group in the background that reads from the terminal would be stopped.
        command.stdin(Stdio::null());
        let mut wrapped = CommandWrap::from(command);
        #[cfg(unix)]
        wrapped.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        wrapped.wrap(process_wrap::std::JobObject);
        let child = wrapped
            .spawn()
            .with_context(|| format!("`{name}` does not start"))?;
        Ok(Self { name, child })
    }

    /// Waits until the child succeeds, until a timeout, or until `is_unwanted` is set.
    pub(crate) fn finish(
        mut self,
        timeout: Option<Duration>,
        is_unwanted: &AtomicBool,
    ) -> Result<()> {
        let start = Instant::now();
        loop {
            if is_interrupted() || is_unwanted.load(Ordering::SeqCst) {
                bail!("stopped");
            }
            match self.child.try_wait()? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => bail!("`{}` failed ({status})", self.name),
                None if timeout.is_some_and(|timeout| start.elapsed() > timeout) => {
                    bail!("`{}` took longer than an hour", self.name)
                }
                None => sleep(POLL_INTERVAL),
            }
        }
    }
}

impl Drop for Group {
    /// Ends the group by SIGTERM first, then by force. Descendants of a child that has ended end
    /// too.
    fn drop(&mut self) {
        // An error of a signal means that the group has ended already.
        #[cfg(unix)]
        let _ = self.child.signal(SIGTERM);
        let deadline = Instant::now() + GRACE_PERIOD;
        while Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
            sleep(POLL_INTERVAL);
        }
        // Also ends descendants that ignore SIGTERM.
        let _ = self.child.start_kill();
        let _ = self.child.wait();
    }
}

/// The number of SIGTERM, which is the same on all systems with POSIX.
#[cfg(unix)]
const SIGTERM: i32 = 15;

/// Returns the first words, such as `cargo build --bin xtask`.
fn name(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let words = program.file_stem().into_iter().chain(command.get_args());
    let words: Vec<_> = words.take(4).map(OsStr::to_string_lossy).collect();
    words.join(" ")
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
    fn dropping_a_group_ends_its_grandchildren() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let script = format!("sleep 60 & echo $! > {}; wait", file.display());
        let group = Group::start(shell(&script)).unwrap();
        let pid = loop {
            match std::fs::read_to_string(&file) {
                Ok(pid) if pid.ends_with('\n') => break pid.trim().to_owned(),
                _ => sleep(POLL_INTERVAL),
            }
        };
        drop(group);
        let alive = shell(&format!("ps -o stat= -p {pid} | grep -qv Z"))
            .status()
            .unwrap()
            .success();
        assert!(!alive, "process {pid} is still there");
    }
}
