//! `pkg/dist` after wasm-pack: sorts the functions of the wasm, shortens the names between it and the glue, adds the scripts
//! that the glue imports, writes the wasm as a JavaScript module for `mediagate/inline`, and removes the glue's internal types.

use std::fs;
use std::io::Write;

use anyhow::{Context, Result};
use base64::{Engine, prelude::BASE64_STANDARD};
use flate2::{Compression, GzBuilder};

use crate::checkout::Checkout;
use crate::{function_order, short_names};

/// The glue between the wasm and JavaScript.
pub(crate) const GLUE: &str = "pkg/dist/mediagate.js";
/// The wasm.
pub(crate) const WASM: &str = "pkg/dist/mediagate_bg.wasm";
/// The wasm as a JavaScript module.
pub(crate) const INLINE: &str = "pkg/dist/inline.js";
/// The types.
pub(crate) const TYPES: &str = "pkg/dist/mediagate.d.ts";

/// The scripts that the glue and the entries import, by their places in the package.
pub(crate) const SCRIPTS: [&str; 6] = [
    "pkg/dist/copy.js",
    "pkg/dist/driver.js",
    "pkg/dist/events.js",
    "pkg/dist/network.js",
    "pkg/dist/page.js",
    "pkg/dist/values.js",
];
/// The package's generated files.
const DIST: &str = "pkg/dist";
/// Where the scripts come from.
const SOURCES: &str = "crates/browser/src";

/// The start of the glue's internal types: the raw exports, whose types are `any`, and the wasm's initialisation.
const INTERNALS: &str = "export type InitInput";

/// Shortens the names and the types, and writes the JavaScript module.
///
/// # Errors
/// When wasm-pack's output is not of the expected form, or a file cannot be written.
pub(crate) fn finish(checkout: &Checkout) -> Result<()> {
    let wasm = fs::read(checkout.path(WASM)).with_context(|| format!("{WASM} is missing; run `cargo xtask build`"))?;
    let wasm = function_order::sort(checkout, wasm)?;
    let (wasm, glue) = short_names::shorten(&wasm, &read(checkout, GLUE)?)?;
    let types = read(checkout, TYPES)?;
    let inline = inline_module(&wasm)?;
    let write = |path: &str, content: &[u8]| {
        fs::write(checkout.path(path), content).with_context(|| format!("{path} cannot be written"))
    };
    write(WASM, &wasm)?;
    write(GLUE, glue.as_bytes())?;
    write(INLINE, inline.as_bytes())?;
    for script in SCRIPTS {
        write(script, read(checkout, &script.replace(DIST, SOURCES))?.as_bytes())?;
    }
    write(TYPES, public_types(&types)?.as_bytes())
}

fn read(checkout: &Checkout, path: &str) -> Result<String> {
    fs::read_to_string(checkout.path(path)).with_context(|| format!("{path} is missing"))
}

/// The types without the glue's internal ones.
fn public_types(types: &str) -> Result<&str> {
    let end = types
        .find(INTERNALS)
        .with_context(|| format!("{TYPES} has no `{INTERNALS}`; wasm-bindgen's output has changed"))?;
    Ok(&types[..end])
}

/// The wasm as a JavaScript module: compressed first, because base64 compresses badly.
fn inline_module(wasm: &[u8]) -> Result<String> {
    // No time and no operating system in the header, so that the same wasm gives the same module.
    let mut packed = GzBuilder::new().operating_system(255).write(Vec::new(), Compression::best());
    packed.write_all(wasm)?;
    Ok(format!("export default \"{}\";\n", BASE64_STANDARD.encode(packed.finish()?)))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_glues_internal_types_are_removed() {
        let types = "export interface Media {}\n\nexport type InitInput = RequestInfo;\nany";
        assert_eq!(public_types(types).unwrap(), "export interface Media {}\n\n");
        assert!(public_types("export interface Media {}").is_err());
    }

    #[test]
    fn the_inline_module_holds_the_wasm() {
        let wasm = [b"\0asm".as_slice(), &[7; 5000]].concat();
        let script = inline_module(&wasm).unwrap();
        let packed = script.strip_prefix("export default \"").and_then(|it| it.strip_suffix("\";\n")).unwrap();
        let packed = BASE64_STANDARD.decode(packed).unwrap();
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
        assert!(packed.len() < 200 && unpacked == wasm);
    }
}
