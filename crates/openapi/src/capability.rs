//! The operation of a capability.

use mediagate_core::{Capability, Code, EXTENSION_NOTE, Group};
use mediagate_schema::{self as schema, Ids};

use crate::parts::{Document, Operation, RequestBody};

/// Returns the operation that creates a task, and adds the body's schema to the document. The
/// responses and the headers are added later.
pub(crate) fn create(document: &mut Document, capability: &Capability) -> Operation {
    let schema = document.component(
        "schemas",
        &input_name(capability),
        schema::input(capability, Ids::Sealed),
    );
    let examples = [("least", false), ("whole", true)]
        .map(|(name, all_fields)| (name, schema::example(capability, Ids::Sealed, all_fields)));
    Operation {
        id: camel_case(capability.name()),
        tag: match capability.group() {
            Group::Generate => "Generate",
            Group::Process => "Process",
        },
        summary: capability.title.into(),
        description: description(capability),
        body: Some(RequestBody::json(schema, examples.into())),
        ..Operation::default()
    }
}

/// Returns the name of the body's schema in the components, such as `ImageToVideoInput`.
pub(crate) fn input_name(capability: &Capability) -> String {
    let camel = camel_case(capability.name());
    let (first, rest) = camel.split_at(1);
    format!("{}{rest}Input", first.to_ascii_uppercase())
}

/// Returns the codes of a capability's responses: all codes if the document lists none.
pub(crate) fn codes(capability: &Capability) -> Vec<Code> {
    match capability.codes {
        [] => Code::ALL.iter().map(|row| row.0).collect(),
        listed => listed.to_vec(),
    }
}

fn description(capability: &Capability) -> String {
    let mut text = capability.summary.to_owned();
    if !capability.any_of.is_empty() {
        text += &format!(
            " One of {} must not be empty.",
            list(capability.any_of.iter().copied())
        );
    }
    if capability.may_omit_task {
        text += " The media service may respond with the result itself, without a task.";
    }
    if capability.is_extension {
        text = format!("{text} {EXTENSION_NOTE}");
    }
    let mut codes = codes(capability);
    codes.sort_unstable();
    let named: Vec<_> = codes
        .iter()
        .map(|code| format!("{} {}", code.0, code.name()))
        .collect();
    let which = if capability.codes.is_empty() {
        " The media service documents none; any of"
    } else {
        ""
    };
    let named = list(named.iter().map(String::as_str));
    format!("{text}\n\nApplication codes:{which} {named}.")
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Converts a name such as `image_to_video` to `imageToVideo`.
pub(crate) fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        name + &initial.to_ascii_uppercase() + rest
    })
}
