use serde::Deserialize;
use serde_json::{Map, Value};

/// A JSON value with placeholders. A text such as `{error/message}` stands for the value at this
/// path.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Template(Value);

impl Template {
    /// Replaces the placeholders by `values`. A member whose placeholder has no value is left out,
    /// and so is an object without members. Returns `None` if nothing is left.
    pub(super) fn fill(&self, values: &Value) -> Option<Value> {
        fill(&self.0, values)
    }
}

fn fill(template: &Value, values: &Value) -> Option<Value> {
    match template {
        Value::Object(members) => {
            let filled: Map<_, _> = members
                .iter()
                .filter_map(|(name, member)| Some((name.clone(), fill(member, values)?)))
                .collect();
            (!filled.is_empty()).then(|| filled.into())
        }
        Value::String(text) => match placeholder(text) {
            Some(path) => values.pointer(&format!("/{path}")).cloned(),
            None => Some(template.clone()),
        },
        _ => Some(template.clone()),
    }
}

fn placeholder(text: &str) -> Option<&str> {
    text.strip_prefix('{')?.strip_suffix('}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_without_a_value_are_left_out() {
        let template = Template(json!({
            "id": "{task/id}", "title": "{title}", "fixed": true, "word": "word",
            "error": { "message": "{error}" },
        }));
        let values = json!({ "task": { "id": 7 }, "title": null });
        let filled = json!({ "id": 7, "title": null, "fixed": true, "word": "word" });
        assert_eq!(template.fill(&values), Some(filled));
        assert_eq!(Template(json!("{error}")).fill(&values), None);
    }
}
