//! One import for each script in the client's glue. wasm-bindgen writes one for each function that the wasm calls without a
//! conversion, under the same key of one object, of which bundlers warn.

use std::collections::HashMap;

/// The glue with one import of each script as a whole.
pub(crate) fn merge(glue: &str) -> String {
    let mut first = HashMap::new();
    let mut merged = String::with_capacity(glue.len());
    for line in glue.lines() {
        let import = import(line).or_else(|| member(line));
        let is_repeated = import.is_some_and(|(name, script)| *first.entry(script).or_insert(name) != name);
        if !is_repeated {
            merged.push_str(line);
            merged.push('\n');
        }
    }
    merged
}

/// The name and the script of `import * as import1 from "./page.js"`.
fn import(line: &str) -> Option<(&str, &str)> {
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

    #[test]
    fn the_first_import_of_a_script_stays() {
        let glue = "\
import { a } from './page.js';
import * as import1 from \"./page.js\"
import * as import2 from \"./page.js\"
import * as import3 from \"./values.js\"
    return {
        __proto__: null,
        \"./client_bg.js\": import0,
        \"./page.js\": import1,
        \"./page.js\": import2,
        \"./values.js\": import3,
    };
";
        let merged = "\
import { a } from './page.js';
import * as import1 from \"./page.js\"
import * as import3 from \"./values.js\"
    return {
        __proto__: null,
        \"./client_bg.js\": import0,
        \"./page.js\": import1,
        \"./values.js\": import3,
    };
";
        assert_eq!(merge(glue), merged);
    }
}
