//! What the playground loads at once: its page, what that names, the client's wasm and the font. All else waits until
//! somebody opens a PDF, a picture or a video.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::{Size, measure};
use crate::checkout::Checkout;

const PAGE: &str = "www/dist/index.html";
const ASSETS: &str = "www/dist/assets";
/// Every start needs these, though the page does not name them: the script and the style sheet do.
const ALWAYS: [&str; 2] = ["wasm", "woff2"];

/// What is loaded at once, each file compressed by itself, and the bytes of what waits.
///
/// # Errors
/// When the playground is not built.
pub(super) fn sizes(checkout: &Checkout) -> Result<(Size, u64)> {
    let page = checkout.path(PAGE);
    let text = fs::read_to_string(&page).with_context(|| format!("{PAGE} is missing; run `cargo xtask build`"))?;
    let (first, later): (Vec<_>, Vec<_>) =
        assets(&checkout.path(ASSETS))?.into_iter().partition(|it| is_first(it, &text));
    if first.len() <= ALWAYS.len() {
        bail!("{PAGE} names no script; Vite writes it anew");
    }
    let first = first.iter().chain([&page]).map(|it| measure(&fs::read(it)?)).collect::<Result<Vec<_>>>()?;
    let later = later.iter().map(|it| Ok(fs::metadata(it)?.len())).sum::<Result<u64>>()?;
    Ok((first.into_iter().fold(Size { raw: 0, gzip: 0, brotli: 0 }, Size::plus), later))
}

fn assets(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{ASSETS} is missing; run `cargo xtask build`"))?;
    entries.map(|it| Ok(it?.path())).collect()
}

fn is_first(file: &Path, page: &str) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    page.contains(&*name) || ALWAYS.iter().any(|it| file.extension().is_some_and(|found| found == *it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_page_names_and_what_every_start_needs_is_first() {
        let page = r#"<script src="/assets/index-1.js"></script>"#;
        assert!(is_first(Path::new("a/index-1.js"), page));
        assert!(is_first(Path::new("a/client_bg-2.wasm"), page));
        assert!(!is_first(Path::new("a/Pages-3.js"), page));
    }
}
