//! Puts values at the places of JSON Pointers.

use serde_json::{Map, Value};

use super::pointer::Pointer;

/// The largest index in a list that is created. Larger numbers become names of members: the items
/// before an index are `null`, so a dialect could otherwise ask for a list of any length.
const MAX_INDEX: usize = 99;

/// Puts a value at a pointer in `root`.
///
/// Missing parents are created: a list for a number, or else an object. A scalar in the way is
/// replaced. An object is merged into an object that is at the pointer already.
pub(super) fn place(root: &mut Value, pointer: &Pointer, value: Value) {
    let mut at = root;
    for token in pointer.tokens() {
        at = member(at, token);
    }
    match (at, value) {
        (Value::Object(there), Value::Object(more)) => there.extend(more),
        (at, value) => *at = value,
    }
}

/// Returns the member with this name, or the item with this index, and creates it if it is missing.
fn member(parent: &mut Value, token: String) -> &mut Value {
    let index = token
        .parse::<usize>()
        .ok()
        .filter(|index| *index <= MAX_INDEX);
    match index {
        Some(index) if !parent.is_object() => {
            if !parent.is_array() {
                *parent = Value::Array(Vec::new());
            }
            let Value::Array(items) = parent else {
                return parent;
            };
            if items.len() <= index {
                items.resize(index + 1, Value::Null);
            }
            &mut items[index]
        }
        _ => {
            if !parent.is_object() {
                *parent = Value::Object(Map::new());
            }
            let Value::Object(members) = parent else {
                return parent;
            };
            members.entry(token).or_insert(Value::Null)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn placed(mut root: Value, pointer: &str, value: Value) -> Value {
        place(&mut root, &Pointer::new(pointer), value);
        root
    }

    #[test]
    fn objects_and_lists_are_created() {
        assert_eq!(
            placed(json!(null), "/a/b", json!(1)),
            json!({"a": {"b": 1}})
        );
        assert_eq!(
            placed(json!({"a": null}), "/a/0/b", json!(1)),
            json!({"a": [{"b": 1}]})
        );
        assert_eq!(
            placed(json!({}), "/a/2", json!(1)),
            json!({"a": [null, null, 1]})
        );
        assert_eq!(placed(json!({}), "/a~1b", json!(1)), json!({"a/b": 1}));
        assert_eq!(placed(json!({}), "/", json!(1)), json!({"": 1}));
    }

    #[test]
    fn what_is_there_stays_beside_the_value() {
        assert_eq!(
            placed(json!({"a": {"b": 1}}), "/a/c", json!(2)),
            json!({"a": {"b": 1, "c": 2}})
        );
        assert_eq!(
            placed(json!({"a": [{"b": 1}]}), "/a/0/c", json!(2)),
            json!({"a": [{"b": 1, "c": 2}]})
        );
        assert_eq!(
            placed(json!({"a": {"b": 1}}), "/a", json!({"c": 2})),
            json!({"a": {"b": 1, "c": 2}})
        );
        assert_eq!(
            placed(json!({"a": 1}), "", json!({"b": 2})),
            json!({"a": 1, "b": 2})
        );
        assert_eq!(
            placed(json!({"a": {"b": 1}}), "/a/0", json!(2)),
            json!({"a": {"b": 1, "0": 2}}),
            "no list"
        );
    }

    #[test]
    fn a_scalar_in_the_way_is_replaced() {
        assert_eq!(
            placed(json!({"a": "x"}), "/a/b", json!(1)),
            json!({"a": {"b": 1}})
        );
        assert_eq!(placed(json!(1), "", json!("x")), json!("x"));
        assert_eq!(
            placed(json!({}), "/9999999", json!(1)),
            json!({"9999999": 1}),
            "no list of millions"
        );
    }
}
