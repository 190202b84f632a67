//! Writes the parts of the npm package and of the crate `mediagate` that come from the catalogue, or compares them with
//! `--check`.
//!
//! `capabilities.d.ts` has the types of every request, with the docs that an editor shows; `catalogue.json` is the catalogue
//! as data, for forms. The table of refusals in `docs/gateway.md` comes from core, too.

mod catalogue;
mod refusals;
mod requests;
mod steps;
mod types;

use std::env;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use mediagate_core::CAPABILITIES;

fn main() -> Result<()> {
    // In a checkout, cargo runs this where it was called.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let is_check = env::args().nth(1).as_deref() == Some("--check");
    for (file, text) in files(&root)? {
        let text = if file.ends_with(".rs") {
            formatted(&text)?
        } else {
            text
        };
        let is_current = fs::read_to_string(root.join(&file)).is_ok_and(|present| present == text);
        // Writing an unchanged file would make everything that is built from it stale.
        if is_current {
            continue;
        }
        if is_check {
            bail!("{file} is missing or stale; run `cargo xtask generate`");
        }
        write(&root.join(&file), &text)?;
        println!("✓ {file} written");
    }
    Ok(())
}

/// The code as rustfmt writes it.
fn formatted(code: &str) -> Result<String> {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("rustfmt does not start; `rustup component add rustfmt` installs it")?;
    let mut input = rustfmt.stdin.take().context("rustfmt has no input")?;
    input.write_all(code.as_bytes())?;
    drop(input);
    let output = rustfmt.wait_with_output()?;
    if !output.status.success() {
        bail!("rustfmt failed on generated code");
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn write(path: &Path, text: &str) -> Result<()> {
    path.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(path, text))
        .with_context(|| format!("{} cannot be written", path.display()))
}

/// The generated files: their paths from the root of the checkout, and their contents.
fn files(root: &Path) -> Result<Vec<(String, String)>> {
    let mut files = requests::files(CAPABILITIES);
    let gateway_document = "docs/gateway.md";
    let present = fs::read_to_string(root.join(gateway_document))
        .with_context(|| format!("{gateway_document} cannot be read"))?;
    files.extend([
        (gateway_document.to_owned(), refusals::with_table(&present)?),
        (
            "pkg/dist/capabilities.d.ts".to_owned(),
            types::render(CAPABILITIES) + &steps::render(CAPABILITIES) + &refusals::render(),
        ),
        (
            "pkg/dist/catalogue.json".to_owned(),
            catalogue::render(CAPABILITIES)?,
        ),
    ]);
    Ok(files)
}
