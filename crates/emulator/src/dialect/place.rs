//! The places of values: JSON Pointers (RFC 6901).

use json_patch::jsonptr::{Pointer, PointerBuf};
use serde_json::Value;

/// Returns a constant pointer. A test uses each of them.
pub(super) fn at(text: &'static str) -> PointerBuf {
    Pointer::from_static(text).to_buf()
}

/// Returns the place of a member that is beside a place.
pub(super) fn beside(place: &Pointer, name: &str) -> PointerBuf {
    let parent = place.parent().unwrap_or_default();
    parent.with_trailing_token(name)
}

/// Returns true if the places are equal, or if one of them contains the second.
pub(super) fn overlap(one: &Pointer, other: &Pointer) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// Returns a place as messages write it, such as `file.name` for `/file/name`.
pub(super) fn dotted(place: &Pointer) -> String {
    let names: Vec<_> = place.tokens().map(|token| token.to_string()).collect();
    names.join(".")
}

/// Puts a value at a place in `root`. Missing parents are created: a list for a `0`, or else an
/// object. An object is merged into an object that is there already.
pub(super) fn place(root: &mut Value, pointer: &Pointer, value: Value) {
    if let Some(Value::Object(there)) = root.pointer_mut(pointer.as_str())
        && let Value::Object(more) = value
    {
        there.extend(more);
        return;
    }
    // Fails for a name in a list. The dialect then lacks this part.
    let _ = pointer.assign(root, value);
}

/// Places a value that the dialect may leave out.
pub(super) fn place_optional(root: &mut Value, pointer: &Option<PointerBuf>, value: Value) {
    if let Some(pointer) = pointer {
        place(root, pointer, value);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_placed_beside_others() {
        for (mut root, pointer, value, expected) in [
            (json!({}), "/a/0/b", json!(1), json!({"a": [{"b": 1}]})),
            (json!({}), "/a~1b", json!(1), json!({"a/b": 1})),
            (json!({"a": "x"}), "/a/b", json!(1), json!({"a": {"b": 1}})),
            (
                json!({"a": 1}),
                "",
                json!({"b": 2}),
                json!({"a": 1, "b": 2}),
            ),
        ] {
            place(&mut root, &at(pointer), value);
            assert_eq!(root, expected, "{pointer}");
        }
    }

    #[test]
    fn places_overlap_if_one_contains_the_other() {
        let overlaps = |one, other| overlap(&at(one), &at(other));
        assert!(overlaps("/a", "/a") && overlaps("/a", "/a/b") && overlaps("/a/b", ""));
        assert!(!overlaps("/a", "/b") && !overlaps("/a", "/ab"));
    }
}
