//! Writes the parts of the npm package and of the crate `mediagate` that come from the catalogue.
//!
//! Those of the npm package are built files, and `--built` writes only them: `capabilities.ts` has
//! the types of each request, with the docs that an editor shows, and the methods of the client.
//! `claims.ts`, `lifetime.ts` and `upload.ts` have what the package and the gateway must agree on.
//! `catalogue.json` is the catalogue as data, for forms. The requests in Rust and the table of
//! refusals in `docs/gateway.md` are committed.

mod catalogue;
mod constants;
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
    // cargo runs this in the folder of its caller, which may be any folder of the checkout.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = built()?;
    if env::args().nth(1).as_deref() != Some("--built") {
        files.extend(committed(&root)?);
    }
    for (file, text) in files {
        let path = root.join(&file);
        // Writing an unchanged file would make everything that is built from it stale.
        if fs::read_to_string(&path).is_ok_and(|present| present == text) {
            continue;
        }
        write(&path, &text)?;
        println!("✓ {file} written");
    }
    Ok(())
}

/// Formats code as `cargo xtask lint` requires it.
fn formatted(text: &str) -> Result<String> {
    // For its standard input, rustfmt reads no edition from `Cargo.toml`.
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024"]);
    filtered(rustfmt, text).context("rustfmt failed; `rustup component add rustfmt` installs it")
}

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

/// Returns the files that Git ignores, by their paths from the root of the checkout.
fn built() -> Result<Vec<(String, String)>> {
    let capabilities =
        types::render(CAPABILITIES) + &steps::render(CAPABILITIES) + &refusals::render();
    let files = [
        ("pkg/src/generated/capabilities.ts", capabilities),
        ("pkg/src/generated/lifetime.ts", constants::lifetime()),
        ("pkg/src/generated/claims.ts", constants::claims()),
        ("pkg/src/generated/upload.ts", constants::upload()),
        ("pkg/dist/catalogue.json", catalogue::render(CAPABILITIES)?),
    ];
    Ok(files.map(|(file, text)| (file.to_owned(), text)).into())
}

/// Returns the files that are committed, by their paths from the root of the checkout.
fn committed(root: &Path) -> Result<Vec<(String, String)>> {
    let mut files = requests::files(CAPABILITIES);
    for (_, text) in &mut files {
        *text = formatted(text)?;
    }
    let document = "docs/gateway.md";
    let present = fs::read_to_string(root.join(document))
        .with_context(|| format!("{document} cannot be read"))?;
    files.push((document.to_owned(), refusals::with_table(&present)?));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_files_are_current() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (file, text) in committed(&root).unwrap() {
            let present = fs::read_to_string(root.join(&file)).unwrap_or_default();
            assert!(
                present == text,
                "{file} is stale; run `cargo xtask generate`"
            );
        }
    }
}
