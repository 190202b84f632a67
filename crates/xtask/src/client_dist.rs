//! What wasm-pack leaves, made fit for the npm package: short names between the wasm and its glue, the wasm once more as
//! a module of text, for `mediagate/inline`, and the types without those of the glue's own workings.

use std::fs;
use std::io::Write;

use anyhow::{Context, Result};
use base64::{Engine, prelude::BASE64_STANDARD};
use flate2::{Compression, GzBuilder};

use crate::checkout::Checkout;
use crate::short_names;

/// What is between the wasm and JavaScript.
pub(crate) const GLUE: &str = "pkg/dist/mediagate.js";
/// What is packed.
pub(crate) const WASM: &str = "pkg/dist/mediagate_bg.wasm";
/// Where the module is.
pub(crate) const TEXT: &str = "pkg/dist/inline.js";
/// Where the types are.
pub(crate) const TYPES: &str = "pkg/dist/mediagate.d.ts";

/// Where the scripts are that the glue imports, each in a folder of its own, named anew when it moves.
pub(crate) const SCRIPTS: &str = "pkg/dist/snippets";

/// What the types of the glue's own workings begin with: raw exports, all of them `any`, and how to start the wasm.
const WORKINGS: &str = "export type InitInput";

/// Takes away what an earlier build has left and a new one may not write over.
///
/// # Errors
/// When it cannot be removed.
pub(crate) fn clear(checkout: &Checkout) -> Result<()> {
    let scripts = checkout.path(SCRIPTS);
    if scripts.exists() {
        fs::remove_dir_all(scripts).with_context(|| format!("{SCRIPTS} cannot be removed"))?;
    }
    Ok(())
}

/// Shortens names and types, and writes the module of text.
///
/// # Errors
/// When wasm-pack has left something else than it used to, or a file cannot be written.
pub(crate) fn finish(checkout: &Checkout) -> Result<()> {
    let wasm = fs::read(checkout.path(WASM)).with_context(|| format!("{WASM} is missing; run `cargo xtask build`"))?;
    let (wasm, glue) = short_names::shorten(&wasm, &text(checkout, GLUE)?)?;
    let types = text(checkout, TYPES)?;
    let inline = module(&wasm)?;
    let write = |path: &str, content: &[u8]| {
        fs::write(checkout.path(path), content).with_context(|| format!("{path} cannot be written"))
    };
    write(WASM, &wasm)?;
    write(GLUE, glue.as_bytes())?;
    write(TEXT, inline.as_bytes())?;
    write(TYPES, public(&types)?.as_bytes())
}

fn text(checkout: &Checkout, path: &str) -> Result<String> {
    fs::read_to_string(checkout.path(path)).with_context(|| format!("{path} is missing"))
}

/// The types without the glue's.
fn public(types: &str) -> Result<&str> {
    let end =
        types.find(WORKINGS).with_context(|| format!("{TYPES} has no `{WORKINGS}`; wasm-bindgen writes it anew"))?;
    Ok(&types[..end])
}

/// Compressed before it becomes text: servers could not make much of the text.
fn module(wasm: &[u8]) -> Result<String> {
    // Without a time or a system in its header, so that the same wasm is the same text.
    let mut packed = GzBuilder::new().operating_system(255).write(Vec::new(), Compression::best());
    packed.write_all(wasm)?;
    Ok(format!("export default \"{}\";\n", BASE64_STANDARD.encode(packed.finish()?)))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_glues_types_are_left_out() {
        let types = "export interface Media {}\n\nexport type InitInput = RequestInfo;\nany";
        assert_eq!(public(types).unwrap(), "export interface Media {}\n\n");
        assert!(public("export interface Media {}").is_err());
    }

    #[test]
    fn what_was_packed_comes_out_again() {
        let wasm = [b"\0asm".as_slice(), &[7; 5000]].concat();
        let text = module(&wasm).unwrap();
        let packed = text.strip_prefix("export default \"").and_then(|it| it.strip_suffix("\";\n")).unwrap();
        let packed = BASE64_STANDARD.decode(packed).unwrap();
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
        assert!(packed.len() < 200 && unpacked == wasm);
    }
}
