//! `cargo xtask dev`: runs the emulator, the gateway and the playground on this machine, until Ctrl-C.

use std::net::TcpListener;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::checkout::Checkout;
use crate::process::{Group, POLL_INTERVAL};
use crate::progress::step;
use crate::settings::Settings;
use crate::{build, npm, tools};

const EMULATOR: &str = "127.0.0.1:8788";
const EMULATOR_ADMIN: &str = "127.0.0.1:8789";
const GATEWAY_PORT: u16 = 8787;
const GATEWAY_HEALTH: &str = "http://127.0.0.1:8787/healthz";
/// The interval of the gateway's health checks, and their timeout.
const PROBE_INTERVAL: Duration = Duration::from_secs(2);
/// The number of failed health checks in a row that end the run.
const MAX_FAILED_PROBES: u32 = 3;
/// The time in which every part must respond after its start.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Builds every part whose inputs have changed, starts them, and runs until one ends or the process is interrupted.
///
/// # Errors
/// When a port is taken, a part does not build or start, or ends.
pub(crate) fn run(checkout: &Checkout) -> Result<()> {
    check_port(8788, "the emulator")?;
    check_port(8789, "the emulator's admin interface")?;
    check_port(GATEWAY_PORT, "the gateway")?;
    build::run(checkout, &build::Options::default())?;
    build::build_program(checkout, "mediagate-emulator")?;
    let settings = Settings::ensure(checkout)?;
    let mut parts = [
        Group::start("the emulator", emulator(checkout, &settings))?,
        Group::start("the gateway", gateway(checkout)?)?,
    ];
    let result = serve(&mut parts);
    // Signal all of them before waiting for each.
    parts.iter().for_each(Group::terminate);
    result
}

fn serve(parts: &mut [Group]) -> Result<()> {
    step("starting the emulator and the gateway", || {
        wait_until_healthy(parts, &format!("http://{EMULATOR}/healthz"))?;
        wait_until_healthy(parts, GATEWAY_HEALTH)
    })?;
    println!("\n  playground and gateway   http://127.0.0.1:{GATEWAY_PORT}");
    println!("  emulator                 http://{EMULATOR}, its admin interface at http://{EMULATOR_ADMIN}");
    println!("  Ctrl-C ends both\n");
    watch(parts)
}

/// Runs until a part ends or the gateway stops responding: wrangler does not notice when its workerd dies.
fn watch(parts: &mut [Group]) -> Result<()> {
    let (mut failures, mut probe) = (0, Instant::now() + PROBE_INTERVAL);
    loop {
        parts.iter_mut().try_for_each(Group::expect_alive)?;
        if Instant::now() > probe {
            failures = if is_responding(GATEWAY_HEALTH) { 0 } else { failures + 1 };
            probe = Instant::now() + PROBE_INTERVAL;
        }
        if failures == MAX_FAILED_PROBES {
            bail!("the gateway no longer responds; its last lines above show the reason");
        }
        sleep(POLL_INTERVAL);
    }
}

/// Whether the server at this URL responds, or is busy, as the gateway is during a rebuild.
fn is_responding(url: &str) -> bool {
    matches!(probe(url), Ok(_) | Err(ureq::Error::Timeout(_)))
}

fn probe(url: &str) -> Result<(), ureq::Error> {
    ureq::get(url).config().proxy(None).timeout_global(Some(PROBE_INTERVAL)).build().call().map(drop)
}

fn emulator(checkout: &Checkout, settings: &Settings) -> Command {
    let mut command = Command::new(checkout.program("mediagate-emulator"));
    // In the environment: every user of the machine can read a command line.
    command
        .args(["--listen", EMULATOR, "--log", "warn"])
        .env("MEDIAGATE_EMULATOR_API_KEY", settings.get("UPSTREAM_API_KEY"));
    command.current_dir(checkout.root());
    command
}

/// `wrangler dev`, without prompts, metrics or connections to other machines.
fn gateway(checkout: &Checkout) -> Result<Command> {
    let mut command = npm::script(checkout, "wrangler/bin/wrangler.js");
    command
        .args(["dev", "--local", "--ip", "127.0.0.1", "--port", &GATEWAY_PORT.to_string()])
        .args(["--show-interactive-dev-session=false", "--log-level", "warn"])
        .env("WRANGLER_SEND_METRICS", "false")
        .env("WRANGLER_SEND_ERROR_REPORTS", "false")
        .env("WRANGLER_HIDE_BANNER", "true")
        .env("CLOUDFLARE_CF_FETCH_ENABLED", "false")
        // Its [build] command runs this program, which must find the same tools.
        .env("PATH", tools::search_path(checkout)?);
    Ok(command)
}

fn check_port(port: u16, who: &str) -> Result<()> {
    if TcpListener::bind(("127.0.0.1", port)).is_err() {
        bail!(
            "port {port}, which {who} needs, is taken, perhaps by another `cargo xtask dev`; \
             `lsof -i :{port}` names the program: end it and run this again"
        );
    }
    Ok(())
}

fn wait_until_healthy(parts: &mut [Group], url: &str) -> Result<()> {
    let deadline = Instant::now() + START_TIMEOUT;
    while probe(url).is_err() {
        parts.iter_mut().try_for_each(Group::expect_alive)?;
        if Instant::now() > deadline {
            bail!(
                "{url} does not respond after {} seconds; the lines above may show the reason",
                START_TIMEOUT.as_secs()
            );
        }
        sleep(POLL_INTERVAL * 5);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_port_is_one_line_with_the_port_and_the_remedy() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let line = check_port(port, "the gateway").unwrap_err().to_string();
        assert!(line.contains(&format!("port {port}")) && line.contains("lsof"), "{line}");
        drop(listener);
        check_port(port, "the gateway").unwrap();
    }
}
