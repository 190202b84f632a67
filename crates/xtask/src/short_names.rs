//! Short names for the imports and exports between the client's wasm and its glue. wasm-bindgen's own names end in a
//! hash, which is in both files and does not compress; and each import has the name of a script, too.

use anyhow::{Context, Result, bail};
use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{ExportSection, ImportSection, Module, RawSection};
use wasmparser::{Parser, Payload};

use crate::glue_imports::{self, Import};

/// The wasm and its glue, with short names in both.
///
/// # Errors
/// When `wasm` is not a module, or a name is not in the glue.
pub(crate) fn shorten(wasm: &[u8], glue: &str) -> Result<(Vec<u8>, String)> {
    let mut names = Names::default();
    let scripts = glue_imports::scripts(glue);
    let mut called = Vec::new();
    let mut module = Module::new();
    let mut encoder = RoundtripReencoder;
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ImportSection(imports) => {
                let mut section = ImportSection::new();
                for import in imports.into_imports() {
                    let import = import?;
                    let short = if scripts.contains(import.module) {
                        let (script, name, short) = (import.module.into(), import.name.into(), names.next());
                        called.push(Import { script, name, short: short.clone() });
                        short
                    } else {
                        names.of(import.name)
                    };
                    section.import(MODULE, &short, encoder.entity_type(import.ty)?);
                }
                module.section(&section);
            }
            Payload::ExportSection(exports) => {
                let mut section = ExportSection::new();
                for export in exports {
                    let export = export?;
                    section.export(&names.of(export.name), encoder.export_kind(export.kind)?, export.index);
                }
                module.section(&section);
            }
            other => {
                if let Some((id, range)) = other.as_section() {
                    let data = wasm.get(range).context("a section is longer than its module")?;
                    module.section(&RawSection { id, data });
                }
            }
        }
    }
    Ok((module.finish(), glue_imports::by_name(&names.replaced(glue)?, &called, MODULE)?))
}

/// The module of every import.
const MODULE: &str = "$";

/// Long names, each with its short one.
#[derive(Default)]
struct Names {
    count: usize,
    long: Vec<(String, String)>,
}

impl Names {
    /// A short name that is new.
    fn next(&mut self) -> String {
        self.count += 1;
        short(self.count - 1)
    }

    /// The short name of one with a hash; any other name unchanged.
    fn of(&mut self, name: &str) -> String {
        if !has_hash(name) {
            return name.into();
        }
        let short = self.next();
        self.long.push((name.into(), short.clone()));
        short
    }

    /// The glue with every long name replaced.
    fn replaced(mut self, glue: &str) -> Result<String> {
        // Longest first: one name may be the start of another.
        self.long.sort_by_key(|(long, _)| std::cmp::Reverse(long.len()));
        self.long.iter().try_fold(glue.to_owned(), |glue, (long, short)| {
            if !glue.contains(long) {
                bail!("the glue has no `{long}`; wasm-bindgen's output has changed");
            }
            Ok(glue.replace(long, short))
        })
    }
}

/// Whether a name ends in a hash, or contains those of crates.
fn has_hash(name: &str) -> bool {
    let end = name.rsplit('_').next().unwrap_or_default();
    name.starts_with("wasm_bindgen_") || (end.len() == 16 && end.bytes().all(|it| it.is_ascii_hexdigit()))
}

/// `$a` to `$z`, then `$ba` and so on. No other name in the glue has this form.
fn short(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    let rest = if index < 26 { "$".into() } else { short(index / 26) };
    format!("{rest}{letter}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{EntityType, ExportKind, FunctionSection, TypeSection};

    const CLOSURE: &str = "wasm_bindgen_0123456789abcdef___convert";

    fn module() -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut imports = ImportSection::new();
        for name in ["__wbg_get_0123456789abcdef", "__wbg_task_new", "__wbg_get_0123456789abcdee"] {
            imports.import("./glue.js", name, EntityType::Function(0));
        }
        imports.import("./page.js", "now", EntityType::Function(0));
        let mut exports = ExportSection::new();
        exports.export("connect", ExportKind::Func, 0).export(CLOSURE, ExportKind::Func, 1);
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&FunctionSection::new()).section(&exports);
        module.finish()
    }

    fn names(wasm: &[u8]) -> Vec<String> {
        let mut names = Vec::new();
        for payload in Parser::new(0).parse_all(wasm) {
            match payload.unwrap() {
                Payload::ImportSection(it) => names.extend(it.into_imports().map(|it| it.unwrap().name.to_owned())),
                Payload::ExportSection(it) => names.extend(it.into_iter().map(|it| it.unwrap().name.to_owned())),
                _ => {}
            }
        }
        names
    }

    #[test]
    fn names_with_a_hash_are_shortened_in_both() {
        let glue = format!(
            "import * as import1 from \"./page.js\"\nconst import0 = {{\n__wbg_get_0123456789abcdef: f, \
             __wbg_get_0123456789abcdee: g }} wasm.{CLOSURE}()"
        );
        let (wasm, glue) = shorten(&module(), &glue).unwrap();
        assert_eq!(names(&wasm), ["$a", "__wbg_task_new", "$b", "$c", "connect", "$d"]);
        let short =
            "import { now as $c } from \"./page.js\";\nconst import0 = {\n        $c,\n$a: f, $b: g } wasm.$d()\n";
        assert_eq!(glue, short);
    }

    #[test]
    fn a_name_missing_from_the_glue_and_an_invalid_module_are_errors() {
        assert!(shorten(&module(), "{}").unwrap_err().to_string().contains("the glue has no"));
        assert!(shorten(b"no wasm", "{}").is_err());
    }

    #[test]
    fn short_names_are_unique() {
        let all: std::collections::BTreeSet<_> = (0..1000).map(short).collect();
        assert_eq!(all.len(), 1000);
        assert_eq!([short(0), short(25), short(26), short(52)], ["$a", "$z", "$ba", "$ca"]);
    }
}
