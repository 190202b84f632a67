//! Writes the parts of the npm package and of the crate `mediagate` that come from the catalogue,
//! or compares them with `--check`.
//!
//! `capabilities.ts` has the types of each request, with the docs that an editor shows, and the
//! methods of the client. `lifetime.ts`, `scope.ts` and `upload.ts` have what the package and the
//! gateway must agree on. `catalogue.json` is the catalogue as data, for forms. The table of
//! refusals in `docs/gateway.md` also comes from core.

mod catalogue;
mod constants;
mod refusals;
mod requests;
mod steps;
mod types;

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use mediagate_core::CAPABILITIES;

fn main() -> Result<()> {
    // cargo runs this in the folder of its caller, which may be any folder of the checkout.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let is_check = env::args().nth(1).as_deref() == Some("--check");
    for (file, text) in files(&root)? {
        let text = formatted(&root, &file, text)?;
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

/// Formats code, as `cargo xtask lint` requires it. Other files stay as they are.
fn formatted(root: &Path, file: &str, text: String) -> Result<String> {
    match Path::new(file).extension().and_then(OsStr::to_str) {
        Some("rs") => {
            // For its standard input, rustfmt reads no edition from `Cargo.toml`.
            let mut rustfmt = Command::new("rustfmt");
            rustfmt.args(["--edition", "2024"]);
            filtered(rustfmt, &text)
                .context("rustfmt failed; `rustup component add rustfmt` installs it")
        }
        Some("ts") => {
            let mut biome = Command::new("node");
            biome
                .arg("node_modules/@biomejs/biome/bin/biome")
                .arg("format")
                .arg(format!("--stdin-file-path={file}"))
                .current_dir(root);
            filtered(biome, &text).context("biome failed; `npm ci` installs it")
        }
        _ => Ok(text),
    }
}

/// Runs a program with the text as its input, and returns its output.
fn filtered(mut program: Command, text: &str) -> Result<String> {
    let mut process = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = process.stdin.take().context("the program has no input")?;
    input.write_all(text.as_bytes())?;
    // The program reads until the end of its input.
    drop(input);
    let output = process.wait_with_output()?;
    if !output.status.success() {
        bail!("the program rejects the generated code");
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn write(path: &Path, text: &str) -> Result<()> {
    path.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(path, text))
        .with_context(|| format!("{} cannot be written", path.display()))
}

/// Returns the path of each generated file from the root of the checkout, and its content.
fn files(root: &Path) -> Result<Vec<(String, String)>> {
    let mut files = requests::files(CAPABILITIES);
    let gateway_document = "docs/gateway.md";
    let present = fs::read_to_string(root.join(gateway_document))
        .with_context(|| format!("{gateway_document} cannot be read"))?;
    files.extend([
        (gateway_document.to_owned(), refusals::with_table(&present)?),
        (
            "pkg/src/generated/capabilities.ts".to_owned(),
            types::render(CAPABILITIES) + &steps::render(CAPABILITIES) + &refusals::render(),
        ),
        (
            "pkg/src/generated/lifetime.ts".to_owned(),
            constants::lifetime(),
        ),
        ("pkg/src/generated/scope.ts".to_owned(), constants::scope()),
        (
            "pkg/src/generated/upload.ts".to_owned(),
            constants::upload(),
        ),
        (
            "pkg/dist/catalogue.json".to_owned(),
            catalogue::render(CAPABILITIES)?,
        ),
    ]);
    Ok(files)
}
