//! `mediagate-probe`: finds out from a live media service what its document leaves open.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use mediagate_core::probe::Known;
use mediagate_operator::probe::{Destination, check_key, known, known_address, settings_file, summary};
use mediagate_probe::{Address, Key, Terminal, end_on_interrupt, make_new, run, say};

/// The capabilities whose tasks the probe creates.
const CREATED: [&str; 2] = mediagate_core::probe::CREATED;
/// The variable with the API key.
const KEY: &str = "UPSTREAM_API_KEY";

/// Find out from a live media service what its document leaves open, and write it down as settings of the gateway.
///
/// It begins with requests that cost nothing, uploads one small picture, and creates a task of each group only if you
/// consent. The API key comes from the environment (UPSTREAM_API_KEY), or is read from the terminal.
#[derive(Parser)]
#[command(name = "mediagate-probe", bin_name = "cargo xtask probe", version)]
struct Cli {
    /// The address of the media service, such as https://api.example.com [default: that of --known]
    #[arg(long, env = "UPSTREAM_BASE_URL", value_name = "URL")]
    base_url: Option<String>,
    /// The new file for what was found
    #[arg(long, value_name = "FILE", default_value = "found-dialect.toml")]
    output: PathBuf,
    /// What is known already: a file that an earlier run has written, with what you have added to it
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
    /// Consent to one task of this capability without being prompted; repeat it for both
    #[arg(long, value_name = "CAPABILITY", value_parser = CREATED)]
    create: Vec<String>,
    /// Show the result only, and no exchange
    #[arg(long)]
    quiet: bool,
}

fn main() -> ExitCode {
    match probe(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn probe(cli: Cli) -> Result<ExitCode> {
    let read = cli.known.as_deref().map(read_known).transpose()?;
    let (known, address) = read.unwrap_or_default();
    let address = cli.base_url.or(address).context("there is no address; give one with --base-url")?;
    let address = Address::parse(&address)?;
    let key = key()?;
    check_key(&key)?;
    let mut file = make_new(&cli.output)?;
    end_on_interrupt()?;
    let mut terminal = Terminal { consented: cli.create, shows: !cli.quiet };
    let report = run(&address, &Key::new(key, &address), known, &mut terminal);
    let text = settings_file(&address, &report)?;
    let is_written = file.write_all(text.as_bytes()).is_ok();
    let shown = cli.output.display().to_string();
    let place = if !Destination::is_needed(&report) {
        // A file without anything in it would only keep the next run from its place.
        let _ = std::fs::remove_file(&cli.output);
        Destination::Nowhere
    } else if is_written {
        Destination::File(&shown)
    } else {
        Destination::Unwritten(&shown, &text)
    };
    summary(&report, place).iter().for_each(|it| say(it));
    Ok(if report.stopped.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn read_known(path: &Path) -> Result<(Known, Option<String>)> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("{shown} can't be read"))?;
    let read = || Ok::<_, anyhow::Error>((known(&text)?, known_address(&text)?));
    read().with_context(|| format!("{shown} has no settings"))
}

/// The key, from the environment or the terminal: never from an argument, which shells store.
fn key() -> Result<String> {
    if let Some(key) = std::env::var_os(KEY).filter(|it| !it.is_empty()) {
        return key.into_string().ok().with_context(|| format!("{KEY} is no text"));
    }
    if !std::io::stdin().is_terminal() {
        bail!("there is no API key: set {KEY} in the environment, or run it in a terminal, where it is read unseen");
    }
    rpassword::prompt_password("API key (not shown): ").context("the key can't be read from the terminal")
}
