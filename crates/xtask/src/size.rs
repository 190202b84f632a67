//! `cargo xtask size`: what a page downloads, and whether it fits the budget.

mod playground;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use clap::Args;
use flate2::{Compression, write::GzEncoder};

use crate::checkout::Checkout;
use crate::package::WASM;
use crate::{build, npm, tools};

const BUDGET: &str = "pkg/size-budget.json";

/// Whether to hold the sizes against the budget.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Fail where a part is over its budget
    #[arg(long)]
    check: bool,
}

/// The bytes of one file that a page downloads.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Size {
    raw: usize,
    gzip: usize,
    brotli: usize,
}

impl Size {
    fn plus(self, other: Self) -> Self {
        Self { raw: self.raw + other.raw, gzip: self.gzip + other.gzip, brotli: self.brotli + other.brotli }
    }
}

/// The most bytes, after brotli, of each part: `{"glue": …, "wasm": …, "playground": …}`.
type Budget = BTreeMap<String, usize>;

/// Builds the client and the playground, and prints their sizes.
///
/// # Errors
/// When it does not build, or with `--check` is over budget.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    build::run(checkout, &build::Options::default())?;
    report(checkout, options.check)
}

/// Prints the sizes of what is built; `check` fails where it is over budget.
///
/// # Errors
/// When something was not built, the budget is missing, or a part is over it.
pub(crate) fn report(checkout: &Checkout, check: bool) -> Result<()> {
    let wasm = fs::read(checkout.path(WASM)).with_context(|| format!("{WASM} is missing; run `cargo xtask build`"))?;
    let (page, later) = playground::sizes(checkout)?;
    let parts = [("glue", measure(&bundle_glue(checkout)?)?), ("wasm", measure(&wasm)?), ("playground", page)];
    let budget = read_budget(&checkout.path(BUDGET))?;
    println!("{:<12}{:>10}{:>10}{:>10}{:>10}", "", "raw", "gzip", "brotli", "budget");
    for (name, size) in parts {
        let limit = budget.get(name).map_or_else(|| "none".to_owned(), ToString::to_string);
        println!("{name:<12}{:>10}{:>10}{:>10}{limit:>10}", size.raw, size.gzip, size.brotli);
    }
    let both = parts[0].1.plus(parts[1].1);
    println!("{:<12}{:>10}{:>10}{:>10}", "glue + wasm", both.raw, both.gzip, both.brotli);
    println!("the playground loads {later} bytes more (raw) when somebody opens a PDF, a picture or a video");
    if check { compare(&parts, &budget) } else { Ok(()) }
}

/// The package's entry and all it imports, bundled and minified as an app's bundler does; the wasm stays apart.
fn bundle_glue(checkout: &Checkout) -> Result<Vec<u8>> {
    let mut esbuild = tools::command(checkout, npm::bin(checkout, "esbuild"))?;
    let mut child = esbuild
        .args(["--bundle", "--minify", "--format=esm", "--platform=browser", "--log-level=error"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("esbuild does not start; run `cargo xtask build`")?;
    let mut stdin = child.stdin.take().context("esbuild takes no input")?;
    stdin.write_all(b"export * from 'mediagate';").context("esbuild takes no input")?;
    drop(stdin);
    let output = child.wait_with_output().context("esbuild is lost")?;
    if !output.status.success() {
        bail!("the package's entry cannot be bundled; esbuild's lines above say why");
    }
    Ok(output.stdout)
}

fn measure(bytes: &[u8]) -> Result<Size> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    let mut brotli = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    brotli::BrotliCompress(&mut &bytes[..], &mut brotli, &parameters)?;
    Ok(Size { raw: bytes.len(), gzip: gzip.finish()?.len(), brotli: brotli.len() })
}

fn read_budget(path: &Path) -> Result<Budget> {
    let text = fs::read_to_string(path).with_context(|| format!("{BUDGET} is missing; restore it from git"))?;
    serde_json::from_str(&text).with_context(|| format!("{BUDGET} is not an object of part names and bytes"))
}

fn compare(parts: &[(&str, Size)], budget: &Budget) -> Result<()> {
    for (name, size) in parts {
        let Some(limit) = budget.get(*name) else { bail!("{BUDGET} has no budget for `{name}`; add it") };
        if size.brotli > *limit {
            bail!(
                "{name} is {} bytes after brotli, {} over its budget of {limit}; make it smaller, or raise {BUDGET} and say why",
                size.brotli,
                size.brotli - limit
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(brotli: usize) -> Size {
        Size { raw: 9000, gzip: 4000, brotli }
    }

    #[test]
    fn a_part_at_its_budget_passes_and_one_byte_more_fails() {
        let budget = Budget::from([("wasm".to_owned(), 100)]);
        compare(&[("wasm", size(100))], &budget).unwrap();
        let error = compare(&[("wasm", size(101))], &budget).unwrap_err();
        assert!(error.to_string().starts_with("wasm is 101 bytes after brotli, 1 over"), "{error}");
    }

    #[test]
    fn a_part_without_a_budget_fails() {
        assert!(compare(&[("glue", size(1))], &Budget::new()).is_err());
    }

    #[test]
    fn compression_makes_repetition_small() {
        let measured = measure(&[b'a'; 10_000]).unwrap();
        assert_eq!(measured.raw, 10_000);
        assert!(measured.gzip < 100 && measured.brotli < measured.gzip, "{measured:?}");
    }
}
