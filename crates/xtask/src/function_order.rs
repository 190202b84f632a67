//! The order of the functions in the client's wasm: alike ones beside each other, so that compression finds what they share.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};
use wasm_encoder::{Encode, NameMap, NameSection, Section};
use wasmparser::{KnownCustom, Parser, Payload, TypeRef};

use crate::checkout::Checkout;
use crate::process;

/// The encodings that the wasm uses: see `wasm-opt` in crates/browser/Cargo.toml.
const FEATURES: [&str; 7] = [
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// The wasm with its functions ordered by type and code. Binaryen moves functions by their names, so each gets its place as
/// its name for that; wasm that has names, for a debugger, stays as it is.
///
/// # Errors
/// When `wasm` is not a module, or `wasm-opt` fails.
pub(crate) fn sort(checkout: &Checkout, wasm: Vec<u8>) -> Result<Vec<u8>> {
    let Some(names) = names_by_place(&wasm)? else { return Ok(wasm) };
    let mut named = wasm;
    named.push(names.id());
    names.encode(&mut named);
    let (unsorted, sorted) = (checkout.path(".tools/unsorted.wasm"), checkout.path(".tools/sorted.wasm"));
    fs::write(&unsorted, named).with_context(|| format!("{} cannot be written", unsorted.display()))?;
    let mut opt = Command::new(checkout.path("node_modules/.bin/wasm-opt"));
    opt.args(FEATURES).args(["--reorder-functions-by-name", "--strip-debug"]).arg(&unsorted).arg("-o").arg(&sorted);
    process::run("wasm-opt", opt)?;
    let wasm = fs::read(&sorted).with_context(|| format!("{} cannot be read", sorted.display()))?;
    fs::remove_file(unsorted).and_then(|()| fs::remove_file(sorted)).context("a file in .tools cannot be removed")?;
    Ok(wasm)
}

/// A name section in which every function has its place in the order as its name; `None` for a module with names.
fn names_by_place(wasm: &[u8]) -> Result<Option<NameSection>> {
    let (mut imports, mut types, mut bodies) = (0, Vec::new(), Vec::new());
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    imports += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::FunctionSection(section) => types = section.into_iter().collect::<Result<_, _>>()?,
            Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes()),
            Payload::CustomSection(section) if matches!(section.as_known(), KnownCustom::Name(_)) => return Ok(None),
            _ => {}
        }
    }
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    order.sort_by_key(|it| (types.get(*it), bodies.get(*it)));
    let mut places = vec![0; bodies.len()];
    order.iter().enumerate().for_each(|(place, function)| places[*function] = place);
    let mut names = NameMap::new();
    for (function, place) in (imports..).zip(places) {
        names.append(function, &format!("{place:06}"));
    }
    let mut section = NameSection::new();
    section.functions(&names);
    Ok(Some(section))
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{CodeSection, Function, FunctionSection, Module, TypeSection};
    use wasmparser::{Name, NameSectionReader};

    use super::*;

    fn module(constants: [i32; 3]) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
        for constant in constants {
            functions.function(0);
            let mut body = Function::new([]);
            body.instructions().i32_const(constant).drop().end();
            code.function(&body);
        }
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&code);
        module.finish()
    }

    #[test]
    fn functions_are_named_by_their_place_in_the_order_of_their_code() {
        let section = names_by_place(&module([3, 1, 2])).unwrap().unwrap();
        let mut bytes = Vec::new();
        section.encode(&mut bytes);
        // The size of the section, and its own name.
        let content = wasmparser::BinaryReader::new(&bytes[6..], 0);
        let mut names = Vec::new();
        for subsection in NameSectionReader::new(content) {
            if let Name::Function(map) = subsection.unwrap() {
                names.extend(map.into_iter().map(|it| it.unwrap().name.to_owned()));
            }
        }
        assert_eq!(names, ["000002", "000000", "000001"]);
    }

    #[test]
    fn the_encodings_are_those_of_the_build() {
        let build = include_str!("../../browser/Cargo.toml");
        let enabled = build.lines().filter_map(|it| it.trim().strip_prefix('"')?.strip_suffix("\","));
        assert_eq!(enabled.filter(|it| it.starts_with("--enable-")).collect::<Vec<_>>(), FEATURES);
    }

    #[test]
    fn a_module_with_names_is_not_sorted() {
        let mut named = module([2, 1, 3]);
        let names = names_by_place(&named).unwrap().unwrap();
        named.push(names.id());
        names.encode(&mut named);
        assert!(names_by_place(&named).unwrap().is_none());
        assert!(names_by_place(b"no wasm").is_err());
    }
}
