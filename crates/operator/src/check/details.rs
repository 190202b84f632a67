//! The parts of a response that only a module has: outputs by a path, warnings, and the name of the
//! provider.

use std::collections::BTreeMap;

use mediagate_upstream::refused_content;
use serde_json::Value;

use super::show::shown_text;

#[derive(Debug, Default)]
pub(super) struct PathOutputs {
    paths: BTreeMap<String, String>,
}

impl PathOutputs {
    /// Replaces the paths among the outputs of a task by URLs below `base_url`, where the gateway
    /// has URLs of its own.
    pub(super) fn resolve(body: Option<&mut Value>, base_url: &str) -> Self {
        let mut found = PathOutputs::default();
        let outputs = body
            .and_then(|body| body.pointer_mut("/data/task/outputs"))
            .and_then(Value::as_array_mut);
        for output in outputs.into_iter().flatten() {
            let Some(path) = output["url"].as_str().filter(|text| is_path(text)) else {
                continue;
            };
            let path = path.to_owned();
            let url = [base_url, &path].concat();
            output["url"] = url.as_str().into();
            found.paths.insert(url, path);
        }
        found
    }

    pub(super) fn path_of(&self, url: &str) -> Option<&str> {
        self.paths.get(url).map(String::as_str)
    }
}

/// Returns true for a path. A URL could begin with two slashes.
fn is_path(text: &str) -> bool {
    let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    text.starts_with('/') && !text.starts_with("//") && !text.contains('\\') && is_visible
}

/// Returns lines with the warnings, the refusal and the provider of a task. `data` has the record
/// as its `task`.
pub(super) fn details_of(data: &Value) -> Vec<String> {
    let record = &data["task"];
    let warnings = record["warnings"].as_array().into_iter().flatten();
    let mut lines: Vec<String> = warnings
        .filter_map(Value::as_str)
        .map(|text| format!("  · a warning, which callers get: {}", shown_text(text)))
        .collect();
    if let Some(reason) = refused_content(record) {
        lines.push(format!("  ✓ the provider refuses the content: {reason}"));
    }
    let provider = record["provider"].as_str().or(data["provider"].as_str());
    lines.extend(provider.map(|name| {
        let name = shown_text(name);
        format!("  · the provider: {name} (in the log; callers get it only with SHOW_PROVIDER)")
    }));
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_become_urls_of_the_service() {
        let outputs = |of: [&str; 4]| {
            let outputs = of.map(|url| json!({ "url": url }));
            json!({"data": {"task": {"outputs": outputs}}})
        };
        let others = ["https://h.example/a", "//h.example/a", "/a b"];
        let [one, two, three] = others;
        let mut body = outputs(["/outputs/7", one, two, three]);
        let paths = PathOutputs::resolve(Some(&mut body), "http://127.0.0.1:1/x");
        let url = "http://127.0.0.1:1/x/outputs/7";
        assert_eq!(body, outputs([url, one, two, three]));
        assert_eq!(paths.path_of(url), Some("/outputs/7"));
        assert!(others.iter().all(|url| paths.path_of(url).is_none()));
        let none = PathOutputs::resolve(None, "http://127.0.0.1:1");
        assert!(none.paths.is_empty());
    }
}
