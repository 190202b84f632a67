//! `cargo xtask dev`: everything on this machine, until Ctrl-C.

use std::net::TcpListener;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::checkout::Checkout;
use crate::process::{Group, PULSE};
use crate::progress::step;
use crate::settings::Settings;
use crate::{build, npm, tools};

const EMULATOR: &str = "127.0.0.1:8788";
const EMULATOR_ADMIN: &str = "127.0.0.1:8789";
const GATEWAY_PORT: u16 = 8787;
const GATEWAY_HEALTH: &str = "http://127.0.0.1:8787/healthz";
/// How often, and how long, the gateway is asked whether it is there; and how often in a row it may be silent.
const PROBE: Duration = Duration::from_secs(2);
const PROBES: u32 = 3;
/// How long the parts may take to answer.
const START: Duration = Duration::from_secs(60);

/// Builds what is not fresh, starts every part, and stays until one ends or we are asked to stop.
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
    // All at once, before each is waited for.
    parts.iter().for_each(Group::ask_to_end);
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

/// Stays until a part ends, or the gateway no longer answers: wrangler itself does not notice when its workerd dies.
fn watch(parts: &mut [Group]) -> Result<()> {
    let (mut failures, mut probe) = (0, Instant::now() + PROBE);
    loop {
        parts.iter_mut().try_for_each(Group::expect_alive)?;
        if Instant::now() > probe {
            failures = if is_answering(GATEWAY_HEALTH) { 0 } else { failures + 1 };
            probe = Instant::now() + PROBE;
        }
        if failures == PROBES {
            bail!("the gateway no longer answers; its last lines above say why");
        }
        sleep(PULSE);
    }
}

/// Whether the service is there; one that is busy, as while it is built anew, is.
fn is_answering(url: &str) -> bool {
    matches!(probe(url), Ok(_) | Err(ureq::Error::Timeout(_)))
}

fn probe(url: &str) -> Result<(), ureq::Error> {
    ureq::get(url).config().timeout_global(Some(PROBE)).build().call().map(drop)
}

fn emulator(checkout: &Checkout, settings: &Settings) -> Command {
    let mut command = Command::new(checkout.program("mediagate-emulator"));
    // By the environment: a command line can be read by everyone on the machine.
    command
        .args(["--listen", EMULATOR, "--log", "warn"])
        .env("MEDIAGATE_EMULATOR_API_KEY", settings.get("UPSTREAM_API_KEY"));
    command.current_dir(checkout.root());
    command
}

/// `wrangler dev`, which asks nothing, reports nothing and reaches nothing but this machine.
fn gateway(checkout: &Checkout) -> Result<Command> {
    let mut command = npm::script(checkout, "wrangler/bin/wrangler.js");
    command
        .args(["dev", "--local", "--ip", "127.0.0.1", "--port", &GATEWAY_PORT.to_string()])
        .args(["--show-interactive-dev-session=false", "--log-level", "warn"])
        .env("WRANGLER_SEND_METRICS", "false")
        .env("WRANGLER_SEND_ERROR_REPORTS", "false")
        .env("WRANGLER_HIDE_BANNER", "true")
        .env("CLOUDFLARE_CF_FETCH_ENABLED", "false")
        // Its [build] command is this program again; it must find the same tools.
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
    let deadline = Instant::now() + START;
    while probe(url).is_err() {
        parts.iter_mut().try_for_each(Group::expect_alive)?;
        if Instant::now() > deadline {
            bail!("{url} does not answer after {} seconds; the lines above may say why", START.as_secs());
        }
        sleep(PULSE * 5);
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
