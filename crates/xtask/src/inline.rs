//! The client's wasm as a module of text, for `mediagate/inline`: where no file can stand beside a script.

use std::fs;
use std::io::Write;

use anyhow::{Context, Result};
use base64::{Engine, prelude::BASE64_STANDARD};
use flate2::{Compression, GzBuilder};

use crate::checkout::Checkout;

/// What is packed.
pub(crate) const WASM: &str = "pkg/dist/mediagate_bg.wasm";
/// Where the module is.
pub(crate) const TEXT: &str = "pkg/dist/inline.js";

/// Packs the wasm into its module.
///
/// # Errors
/// When the wasm was not built, or the module cannot be written.
pub(crate) fn write(checkout: &Checkout) -> Result<()> {
    let wasm = fs::read(checkout.path(WASM)).with_context(|| format!("{WASM} is missing; run `cargo xtask build`"))?;
    fs::write(checkout.path(TEXT), module(&wasm)?).with_context(|| format!("{TEXT} cannot be written"))
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
