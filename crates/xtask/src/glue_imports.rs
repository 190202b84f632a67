//! What the client's glue imports of the scripts beside it. wasm-bindgen imports a script as a whole for each function that
//! the wasm calls without a conversion: every bundle would have all that the scripts export, by its name.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Result, bail};

/// A function of a script that the wasm calls.
#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) script: String,
    pub(crate) name: String,
    /// Its name in the wasm and in the glue.
    pub(crate) short: String,
}

/// The scripts that the glue imports as a whole.
pub(crate) fn scripts(glue: &str) -> HashSet<&str> {
    glue.lines().filter_map(whole).map(|(_, script)| script).collect()
}

/// The glue with these imports in the place of whole scripts, all in the one object that it gives to the wasm, whose name
/// becomes `module`.
///
/// # Errors
/// When the glue is not of the expected form.
pub(crate) fn by_name(glue: &str, imports: &[Import], module: &str) -> Result<String> {
    let mut of_scripts = BTreeMap::<_, Vec<_>>::new();
    for import in imports {
        of_scripts.entry(import.script.as_str()).or_default().push(format!("{} as {}", import.name, import.short));
    }
    let mut imported: String = of_scripts
        .iter()
        .map(|(script, names)| format!("import {{ {} }} from \"{script}\";\n", names.join(", ")))
        .collect();
    let names: String = imports.iter().map(|it| format!("        {},\n", it.short)).collect();
    let (mut result, mut objects) = (String::with_capacity(glue.len()), 0);
    for line in glue.lines() {
        if whole(line).is_some() {
            result.push_str(&std::mem::take(&mut imported));
            continue;
        }
        match member(line) {
            Some(("import0", _)) => result.push_str(&format!("        \"{module}\": import0,\n")),
            Some(_) => {}
            None => result.push_str(&format!("{line}\n")),
        }
        if line.trim() == "const import0 = {" {
            objects += 1;
            result.push_str(&names);
        }
    }
    if objects != 1 {
        bail!("the glue has {objects} objects of imports in the place of one; wasm-bindgen's output has changed");
    }
    Ok(result)
}

/// The name and the script of `import * as import1 from "./page.js"`.
fn whole(line: &str) -> Option<(&str, &str)> {
    let (name, script) = line.strip_prefix("import * as ")?.split_once(" from ")?;
    Some((name, script.trim_end_matches(';').trim_matches('"')))
}

/// The name and the script of `"./page.js": import1,`.
fn member(line: &str) -> Option<(&str, &str)> {
    let (script, name) = line.trim().strip_prefix('"')?.split_once("\": ")?;
    let name = name.strip_suffix(',')?;
    name.starts_with("import").then_some((name, script))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLUE: &str = "\
import { a } from './page.js';
import * as import1 from \"./page.js\"
import * as import2 from \"./page.js\"
import * as import3 from \"./values.js\"
    const import0 = {
        __proto__: null,
        $a: function() {},
    };
    return {
        __proto__: null,
        \"./client_bg.js\": import0,
        \"./page.js\": import1,
        \"./page.js\": import2,
        \"./values.js\": import3,
    };
";

    fn import(script: &str, name: &str, short: &str) -> Import {
        Import { script: script.into(), name: name.into(), short: short.into() }
    }

    #[test]
    fn what_the_wasm_calls_is_imported_by_name() {
        assert_eq!(scripts(GLUE), HashSet::from(["./page.js", "./values.js"]));
        let imports =
            [import("./values.js", "at", "$b"), import("./page.js", "now", "$c"), import("./values.js", "is", "$d")];
        let by_name = by_name(GLUE, &imports, "$").unwrap();
        assert_eq!(
            by_name,
            "\
import { a } from './page.js';
import { now as $c } from \"./page.js\";
import { at as $b, is as $d } from \"./values.js\";
    const import0 = {
        $b,
        $c,
        $d,
        __proto__: null,
        $a: function() {},
    };
    return {
        __proto__: null,
        \"$\": import0,
    };
"
        );
    }

    #[test]
    fn glue_of_another_form_is_an_error() {
        assert!(by_name("import { a } from './page.js';\n", &[], "$").is_err());
    }
}
