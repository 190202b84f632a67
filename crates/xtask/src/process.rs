//! Child processes that end with this process.
//!
//! Every child leads a process group of its own (a job on Windows). The whole group is ended with
//! the child, on Ctrl-C, on a failure and at a deadline.

use std::env;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use process_wrap::std::{ChildWrapper, CommandWrap};

/// The interval between the polls of a waiting loop. Shorter ones take a tenth of a slow core.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The time that a group has to end after SIGTERM before it is killed.
const GRACE_PERIOD: Duration = Duration::from_secs(5);
/// The timeout of every command. Without it, a command that hangs would hang CI. On a slow machine
/// whose cores are busy, the first build takes more than half an hour.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// The hosts of this machine, as in `NO_PROXY`.
const LOOPBACK: &str = "127.0.0.1,localhost,::1";

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Handles SIGINT, SIGTERM and SIGHUP (on Windows Ctrl-C and similar events) by ending the children
/// and then this process.
pub(crate) fn end_children_on_interrupt() -> Result<()> {
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::SeqCst))
        .context("no handler of Ctrl-C can be installed")
}

/// Returns the variables that keep requests to this machine from a proxy, which `HTTP_PROXY` and
/// similar variables may name. Some programs read the lower case, others the upper case.
fn without_proxy() -> [(&'static str, String); 2] {
    let set = ["no_proxy", "NO_PROXY"].map(|name| env::var(name).unwrap_or_default());
    let hosts = set
        .into_iter()
        .filter(|hosts| !hosts.is_empty())
        .chain([LOOPBACK.to_owned()])
        .collect::<Vec<_>>()
        .join(",");
    [("no_proxy", hosts.clone()), ("NO_PROXY", hosts)]
}

/// Returns true if this process has been interrupted.
pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// A running child with its descendants.
#[derive(Debug)]
pub(crate) struct Group {
    name: String,
    child: Box<dyn ChildWrapper>,
}

impl Group {
    /// Starts a command without standard input.
    pub(crate) fn start(name: &str, mut command: Command) -> Result<Self> {
        // A group in the background that reads from the terminal would be stopped.
        command.stdin(Stdio::null()).envs(without_proxy());
        let mut wrapped = CommandWrap::from(command);
        #[cfg(unix)]
        wrapped.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        wrapped.wrap(process_wrap::std::JobObject);
        let child = wrapped
            .spawn()
            .with_context(|| format!("{name} does not start"))?;
        Ok(Self {
            name: name.to_owned(),
            child,
        })
    }

    /// Sends SIGTERM to the whole group, without waiting for the group's end.
    fn terminate(&self) {
        // An error means that the group has ended already.
        #[cfg(unix)]
        let _ = self.child.signal(SIGTERM);
    }

    /// Waits until the child succeeds.
    ///
    /// # Errors
    /// If the child fails or takes longer than `timeout`, or on an interrupt, or once `is_unwanted`
    /// is set.
    fn finish(mut self, timeout: Duration, is_unwanted: &AtomicBool) -> Result<()> {
        let deadline = Instant::now() + timeout;
        loop {
            if is_interrupted() || is_unwanted.load(Ordering::SeqCst) {
                bail!("stopped");
            }
            if let Some(status) = self
                .child
                .try_wait()
                .with_context(|| format!("the state of {} cannot be read", self.name))?
            {
                return if status.success() {
                    Ok(())
                } else {
                    bail!("{} failed ({})", self.name, describe(status))
                };
            }
            if Instant::now() > deadline {
                bail!(
                    "{} took longer than {} minutes",
                    self.name,
                    timeout.as_secs() / 60
                );
            }
            sleep(POLL_INTERVAL);
        }
    }
}

impl Drop for Group {
    /// Ends the group by SIGTERM first, then by force. Descendants of a child that has ended end
    /// too.
    fn drop(&mut self) {
        self.terminate();
        let deadline = Instant::now() + GRACE_PERIOD;
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                break;
            }
            sleep(POLL_INTERVAL);
        }
        // Also ends descendants that ignore SIGTERM. An error means that the group has ended.
        let _ = self.child.start_kill();
        let _ = self.child.wait();
    }
}

/// The number of SIGTERM, which is the same on all systems with POSIX.
#[cfg(unix)]
const SIGTERM: i32 = 15;

/// Runs a command to its end and shows its output. Error messages call it `name`.
///
/// # Errors
/// If the command does not start, fails, or takes longer than [`TIMEOUT`], or if this process is
/// interrupted.
pub(crate) fn run(name: &str, command: Command) -> Result<()> {
    run_within(name, command, TIMEOUT)
}

/// Runs a command like [`run`], with another timeout.
pub(crate) fn run_within(name: &str, command: Command, timeout: Duration) -> Result<()> {
    Group::start(name, command)?.finish(timeout, &AtomicBool::new(false))
}

/// Runs a command like [`run`], and ends it once `is_unwanted` is set.
pub(crate) fn run_while_wanted(
    name: &str,
    command: Command,
    is_unwanted: &AtomicBool,
) -> Result<()> {
    Group::start(name, command)?.finish(TIMEOUT, is_unwanted)
}

/// Returns a copy of a command with a lower priority, which `nice` sets. The destination of its
/// output is not copied.
pub(crate) fn with_niceness(niceness: u32, command: &Command) -> Command {
    // Windows has no `nice`, so the priority stays.
    let mut low = match which::which("nice") {
        Ok(nice) => {
            let mut low = Command::new(nice);
            low.arg("-n")
                .arg(niceness.to_string())
                .arg(command.get_program());
            low
        }
        Err(_) => Command::new(command.get_program()),
    };
    low.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => low.env(name, value),
            None => low.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        low.current_dir(folder);
    }
    low
}

/// Returns the standard output of a short command, trimmed. Its standard error is discarded.
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

/// Parses the version of a program, such as `v20.19.4` or `Python 3.11.7`, as (20, 19) or (3, 11).
pub(crate) fn major_minor(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version
        .trim_start_matches(|letter: char| !letter.is_ascii_digit())
        .split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn describe(status: ExitStatus) -> String {
    status
        .code()
        .map_or_else(|| status.to_string(), |code| format!("exit code {code}"))
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
    fn versions_are_parsed_as_numbers() {
        assert_eq!(major_minor("v20.19.4"), Some((20, 19)));
        assert_eq!(major_minor("Python 3.11.0rc1"), Some((3, 11)));
        assert_eq!(major_minor("none"), None);
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
    fn requests_to_this_machine_use_no_proxy() {
        run(
            "the step",
            shell(r#"case "$NO_PROXY,$no_proxy" in *127.0.0.1*127.0.0.1*) ;; *) exit 1;; esac"#),
        )
        .unwrap();
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
