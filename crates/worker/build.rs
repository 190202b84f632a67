//! Writes the description of the gateway as tables of text: the pieces of its OpenAPI document, and
//! the schemas of its tools.

use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let pieces: Vec<_> = mediagate_openapi::pieces()
        .into_iter()
        .map(|piece| (piece.needed_by, piece.text))
        .collect();
    let tools: Vec<_> = mediagate_openapi::tools()
        .into_iter()
        .map(|(name, tool)| (name, tool.to_string()))
        .collect();
    let text = format!(
        "/// Pieces of the document, each with the capabilities that need it, as bits.\n\
         pub(crate) static OPENAPI: [(u32, &str); {}] = {pieces:?};\n\
         /// What describes a tool, by its name, as JSON.\n\
         pub(crate) static TOOLS: [(&str, &str); {}] = {tools:?};\n",
        pieces.len(),
        tools.len(),
    );
    let folder = env::var("OUT_DIR")?;
    fs::write(Path::new(&folder).join("description.rs"), text)?;
    Ok(())
}
