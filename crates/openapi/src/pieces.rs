//! Takes the document apart into pieces of its text, so that a gateway can leave out those of the
//! capabilities that it does not offer.

use std::collections::{BTreeMap, BTreeSet};

use mediagate_core::{CAPABILITIES, PREFIX};
use serde_json::Value;

use crate::document;

/// A piece of the text.
#[derive(Debug, PartialEq, Eq)]
pub struct Piece {
    /// The capabilities of which one must be offered, as bits by their positions in
    /// [`CAPABILITIES`]; 0 if every gateway has the piece.
    ///
    /// Such a piece is an element of an array or a member of an object, with a comma after it. The
    /// comma goes if the next piece closes the array or the object.
    pub needed_by: u32,
    /// JSON.
    pub text: String,
}

/// Returns the pieces of the document, in their order.
pub fn pieces() -> Vec<Piece> {
    let document = document();
    let mut writer = Writer {
        components: needed_components(&document),
        pieces: Vec::new(),
    };
    writer.write(&document, &[]);
    writer.pieces
}

/// The capabilities that need a part of the document, as bits; [`EVERY`] for a part that a gateway
/// without any of them needs, too.
type NeededBy = u32;

const EVERY: NeededBy = NeededBy::MAX;

struct Writer {
    /// The capabilities that need each component, by its reference.
    components: BTreeMap<String, NeededBy>,
    pieces: Vec<Piece>,
}

impl Writer {
    /// Writes a value, which is at these members of the document.
    fn write(&mut self, value: &Value, path: &[&str]) {
        match value {
            Value::Object(members) => {
                let members = members.iter().map(|(name, member)| {
                    let needed_by = match path {
                        ["paths"] => of_path(name),
                        [.., "examples"] => of_name(name),
                        ["components", kind] => self.of_component(kind, name),
                        _ => EVERY,
                    };
                    (needed_by, Some(name.as_str()), member)
                });
                let members = members.collect();
                self.write_all("{", members, "}", path);
            }
            Value::Array(elements) => {
                let is_choice = is_choice(path);
                let elements = elements.iter().map(|element| {
                    let needed_by = if is_choice {
                        of_element(element)
                    } else {
                        EVERY
                    };
                    (needed_by, None, element)
                });
                self.write_all("[", elements.collect(), "]", path);
            }
            scalar => self.text(&scalar.to_string()),
        }
    }

    /// Writes members or elements. Those that every gateway needs come last, because the others end
    /// with a comma.
    fn write_all(
        &mut self,
        open: &str,
        mut all: Vec<(NeededBy, Option<&str>, &Value)>,
        close: &str,
        path: &[&str],
    ) {
        self.text(open);
        all.sort_by_key(|(needed_by, ..)| *needed_by == EVERY);
        let mut is_first = true;
        for (needed_by, name, value) in all {
            let name = name.unwrap_or_default();
            let key = match name {
                "" => String::new(),
                name => format!("{}:", Value::from(name)),
            };
            if needed_by == EVERY {
                if !is_first {
                    self.text(",");
                }
                is_first = false;
                self.text(&key);
                self.write(value, &[path, &[name]].concat());
            } else {
                self.pieces.push(Piece {
                    needed_by,
                    text: format!("{key}{value},"),
                });
            }
        }
        self.text(close);
    }

    /// Adds text that every gateway has.
    fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(last) if last.needed_by == 0 => last.text += text,
            _ => self.pieces.push(Piece {
                needed_by: 0,
                text: text.to_owned(),
            }),
        }
    }

    fn of_component(&self, kind: &str, name: &str) -> NeededBy {
        let needed_by = self.components.get(&reference(kind, name));
        needed_by.copied().unwrap_or(EVERY)
    }
}

/// Returns the capability that needs an operation.
fn of_path(path: &str) -> NeededBy {
    let path = path.strip_prefix(PREFIX).unwrap_or(path);
    bit(|capability| capability.path == path)
}

/// Returns true if an array lists what is offered.
fn is_choice(path: &[&str]) -> bool {
    matches!(path.last(), Some(&("enum" | "oneOf")))
}

/// Returns the capability that a choice is for: a choice is its name, or a schema.
fn of_element(element: &Value) -> NeededBy {
    let name = element
        .as_str()
        .or_else(|| element["properties"]["capability"]["const"].as_str());
    name.map_or(EVERY, of_name)
}

fn of_name(name: &str) -> NeededBy {
    bit(|capability| capability.name() == name)
}

fn bit(is_meant: impl Fn(&mediagate_core::Capability) -> bool) -> NeededBy {
    let position = CAPABILITIES
        .iter()
        .position(|capability| is_meant(capability));
    position.map_or(EVERY, |position| 1 << position)
}

fn reference(kind: &str, name: &str) -> String {
    format!("#/components/{kind}/{name}")
}

/// Returns the capabilities that need each component that an operation refers to, itself or through
/// another component. Only its own capability needs an input, although the request of an estimate
/// also refers to it.
fn needed_components(document: &Value) -> BTreeMap<String, NeededBy> {
    let mut needed = BTreeMap::new();
    for (path, operations) in document["paths"].as_object().into_iter().flatten() {
        let mut found = BTreeSet::new();
        find_references(operations, document, &mut found);
        for reference in found {
            *needed.entry(reference).or_insert(0) |= of_path(path);
        }
    }
    needed
}

/// Adds the references in a value, and those in the components that they lead to. Skips parts that
/// one capability needs: an operation of its own refers to the same components.
fn find_references(value: &Value, document: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str)
                && found.insert(reference.to_owned())
                && let Some(component) = document.pointer(&reference[1..])
            {
                find_references(component, document, found);
            }
            for member in members.values() {
                find_references(member, document, found);
            }
        }
        Value::Array(elements) => {
            for element in elements
                .iter()
                .filter(|element| of_element(element) == EVERY)
            {
                find_references(element, document, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::input_name;

    fn joined(offered: u32) -> Value {
        let mut text = String::new();
        for piece in pieces() {
            if piece.needed_by == 0 {
                if piece.text.starts_with([']', '}']) && text.ends_with(',') {
                    text.pop();
                }
            } else if piece.needed_by & offered == 0 {
                continue;
            }
            text += &piece.text;
        }
        serde_json::from_str(&text).expect("JSON")
    }

    #[test]
    fn all_pieces_are_the_document() {
        assert_eq!(joined(EVERY), document());
    }

    #[test]
    fn without_a_capability_nothing_names_it_and_no_reference_is_broken() {
        for (position, capability) in CAPABILITIES.iter().enumerate() {
            let document = joined(1 << position);
            let text = document.to_string();
            for other in CAPABILITIES
                .iter()
                .filter(|other| other.name() != capability.name())
            {
                let path = format!("{:?}", [PREFIX, other.path].concat());
                assert!(!text.contains(&path), "{path}");
                let name = format!("{:?}", input_name(other));
                assert!(!text.contains(&name), "{name}");
            }
            let mut references = BTreeSet::new();
            find_references(&document, &document, &mut references);
            for reference in references {
                assert!(document.pointer(&reference[1..]).is_some(), "{reference}");
            }
        }
    }
}
