//! The catalogue as Rust: a type for each request, and the client's methods that take them, for the
//! crate `mediagate`.
//!
//! They are files of the checkout instead of the output of a build script. Editors and docs.rs show
//! them, and the published crate needs no catalogue for its build.

use std::collections::BTreeSet;
use std::fmt::Write;

use mediagate_core::{Capability, Field, Group, Kind};

use super::types::{COMMENT_WIDTH, about, any_of, default_of, known_values, medium, wrap};

const FOLDER: &str = "crates/mediagate/src";
const GENERATED: &str = "Written from the catalogue by `cargo xtask generate`; edits are lost.";

pub(super) fn files(capabilities: &[&Capability]) -> Vec<(String, String)> {
    let folder = format!("{FOLDER}/request/capabilities");
    let mut files = Vec::new();
    for capability in capabilities {
        let path = format!("{folder}/{}.rs", capability.name());
        files.push((path, request(capability)));
    }
    files.push((format!("{folder}/mod.rs"), modules(capabilities)));
    files.push((format!("{FOLDER}/api/methods.rs"), methods(capabilities)));
    files
}

fn modules(capabilities: &[&Capability]) -> String {
    let mut names: Vec<_> = capabilities.iter().map(|known| known.name()).collect();
    names.sort_unstable();
    let mut modules = String::new();
    let mut types = String::new();
    let mut list = String::new();
    for name in names {
        modules += &format!("mod {name};\n");
        types += &format!("pub use {name}::{};\n", type_name(name));
        list += &format!("    \"{name}\",\n");
    }
    let constant = format!(
        "/// The names of all capabilities, in alphabetical order.\n\
         pub const NAMES: &[&str] = &[\n{list}];\n"
    );
    format!("//! A request for each capability. {GENERATED}\n\n{modules}\n{types}\n{constant}")
}

fn request(capability: &Capability) -> String {
    let name = capability.name();
    let type_name = type_name(name);
    let (required, optional): (Vec<_>, Vec<_>) =
        capability.fields().partition(|field| field.required);
    let mut text = format!("//! `{name}`. {GENERATED}\n\n");
    text.push_str(
        "use std::fmt;\n\n\
         use serde::{Deserialize, Serialize};\n\
         use serde_json::{Map, Value as Json};\n\n",
    );
    let mut inputs = BTreeSet::new();
    let mut parts = String::new();
    for field in capability.fields() {
        if matches!(field.kind, Kind::Asset(_)) {
            inputs.insert("AssetInput");
        }
        if field.kind.media().is_some() {
            inputs.insert("FileInput");
        }
        if matches!(field.kind, Kind::FileOrFiles(_)) {
            inputs.insert("one_or_many");
        }
        if let Some(part) = part(field.kind) {
            parts += &format!(", {part}");
        }
    }
    if !inputs.is_empty() {
        let inputs: Vec<_> = inputs.into_iter().collect();
        let _ = writeln!(text, "use crate::reference::{{{}}};", inputs.join(", "));
    }
    let _ = writeln!(text, "use crate::request::{{Capability, Input{parts}}};\n");
    text.push_str(&comment("", &type_doc(capability)));
    let _ = writeln!(
        text,
        "#[derive(Clone, Serialize, Deserialize)]\n#[must_use]\npub struct {type_name} {{"
    );
    for field in capability.fields() {
        text.push_str(&member(capability, field));
    }
    text.push_str(MORE);
    let _ = writeln!(text, "}}\n\nimpl {type_name} {{");
    text.push_str(&constructor(&required, &optional));
    for field in &optional {
        text.push('\n');
        text.push_str(&setter(field));
    }
    let _ = write!(
        text,
        "}}\n\nimpl Capability for {type_name} {{\n    const NAME: &'static str = \"{name}\";\n"
    );
    text.push_str(&into_input(capability));
    let _ = write!(
        text,
        "}}\n\n\
         /// Prints only the names of the fields, because prompts are private.\n\
         impl fmt::Debug for {type_name} {{\n\
         fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {{\n\
         self.clone().into_input().debug_as(\"{type_name}\", formatter)\n\
         }}\n\
         }}\n"
    );
    text
}

const MORE: &str = "    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
";

fn member(capability: &Capability, field: &Field) -> String {
    let doc = comment("    ", &field_doc(field, capability));
    let name = field.name;
    let value = value_type(field.kind);
    let attribute = match field.kind {
        Kind::FileOrFiles(_) => {
            "    #[serde(default, skip_serializing_if = \"Option::is_none\", \
             deserialize_with = \"one_or_many\")]\n"
        }
        _ if field.required => "",
        _ => "    #[serde(skip_serializing_if = \"Option::is_none\")]\n",
    };
    if field.required {
        format!("{doc}{attribute}    pub {name}: {value},\n")
    } else {
        format!("{doc}{attribute}    pub {name}: Option<{value}>,\n")
    }
}

/// Renders the method that turns a request into the client's `Input`.
fn into_input(capability: &Capability) -> String {
    let members: String = capability
        .fields()
        .map(|field| format!(".member(\"{0}\", self.{0})", field.name))
        .collect();
    format!(
        "\n    fn into_input(self) -> Input {{\n\
         Input::from(Json::Object(self.more)){members}\n\
         }}\n"
    )
}

fn type_doc(capability: &Capability) -> Vec<String> {
    let section = section(capability);
    let mut doc = about(capability);
    doc.push(String::new());
    if let Some(needed) = any_of(capability) {
        doc.extend([needed, String::new()]);
    }
    let path = capability.path;
    doc.push(format!(
        "The request of `{path}`{section}, for `Client::{}`.",
        capability.name()
    ));
    doc
}

fn constructor(required: &[&Field], optional: &[&Field]) -> String {
    let arguments: Vec<_> = required
        .iter()
        .map(|field| format!("{}: {}", field.name, argument(field.kind)))
        .collect();
    let mut members = Vec::new();
    for field in required {
        members.push(match value(field) {
            // Clippy rejects `name: name`.
            value if value == field.name => value,
            value => format!("{}: {value}", field.name),
        });
    }
    members.extend(optional.iter().map(|field| format!("{}: None", field.name)));
    members.push("more: Map::new()".to_owned());
    format!(
        "    /// Makes a request with the required fields.\n\
         pub fn new({}) -> Self {{\n\
         Self {{ {} }}\n\
         }}\n",
        arguments.join(", "),
        members.join(", ")
    )
}

fn setter(field: &Field) -> String {
    let name = field.name;
    let argument = argument(field.kind);
    format!(
        "    /// Sets `{name}`.\n\
         pub fn {name}(mut self, {name}: {argument}) -> Self {{\n\
         self.{name} = Some({});\n\
         self\n\
         }}\n",
        value(field)
    )
}

fn value(field: &Field) -> String {
    let name = field.name;
    match value_type(field.kind) {
        "Vec<Segment>" => format!("{name}.into_iter().collect()"),
        list if list.starts_with("Vec<") => format!("{name}.into_iter().map(Into::into).collect()"),
        "AssetInput" | "FileInput" | "String" => format!("{name}.into()"),
        _ => name.to_owned(),
    }
}

fn value_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Asset(_) => "AssetInput",
        Kind::Text
        | Kind::FilledText
        | Kind::Choice
        | Kind::Time
        | Kind::PageRange
        | Kind::Volume => "String",
        Kind::File(_) => "FileInput",
        Kind::Files(_) | Kind::FileOrFiles(_) => "Vec<FileInput>",
        Kind::Integer | Kind::PositiveInteger | Kind::Size => "i64",
        Kind::Int32 | Kind::PositiveInt32 => "i32",
        Kind::Number => "f64",
        Kind::Boolean => "bool",
        Kind::TextList => "Vec<String>",
        Kind::Segment => "Segment",
        Kind::Segments => "Vec<Segment>",
        Kind::Region => "Region",
        Kind::VideoSize => "VideoSize",
    }
}

/// Returns the type of an argument, which is more general than the type of the member.
fn argument(kind: Kind) -> &'static str {
    match value_type(kind) {
        "AssetInput" => "impl Into<AssetInput>",
        "FileInput" => "impl Into<FileInput>",
        "String" => "impl Into<String>",
        "Vec<FileInput>" => "impl IntoIterator<Item = impl Into<FileInput>>",
        "Vec<String>" => "impl IntoIterator<Item = impl Into<String>>",
        "Vec<Segment>" => "impl IntoIterator<Item = Segment>",
        other => other,
    }
}

/// Returns the type in `request/parts.rs` for a field that has members of its own.
fn part(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Segment | Kind::Segments => Some("Segment"),
        Kind::Region => Some("Region"),
        Kind::VideoSize => Some("VideoSize"),
        _ => None,
    }
}

fn field_doc(field: &Field, capability: &Capability) -> Vec<String> {
    let mut doc = vec![field.doc.to_owned()];
    if let Some(medium) = medium(field.kind) {
        doc.push(format!("Takes {medium}."));
    } else if matches!(field.kind, Kind::Asset(_)) {
        doc.push(format!(
            "Takes {}, or a result that is such an asset.",
            field.kind.expected()
        ));
    } else if matches!(field.kind, Kind::Time) {
        doc.push(format!("Takes {}.", field.kind.expected()));
    }
    doc.extend(known_values(field));
    if matches!(field.kind, Kind::FileOrFiles(_)) {
        doc.push("A single file is a list of one.".to_owned());
    }
    if let Some(default) = default_of(capability, field) {
        doc.push(format!("The default is `{default}`."));
    }
    doc
}

fn methods(capabilities: &[&Capability]) -> String {
    let mut text = format!("//! A method for each capability. {GENERATED}\n\n");
    text.push_str(
        "use super::call::Call;\n\
         use super::client::Client;\n\
         use super::create::Create;\n\
         use crate::request;\n\n\
         /// A method for each capability. Each is [`Client::create`] with the type of its \
         request.\n\
         impl Client {\n",
    );
    for (index, capability) in capabilities.iter().enumerate() {
        let name = capability.name();
        let type_name = type_name(name);
        let gap = if index == 0 { "" } else { "\n" };
        let _ = write!(text, "{gap}{}", comment("    ", &method_doc(capability)));
        let _ = writeln!(
            text,
            "    pub fn {name}(&self, request: request::{type_name}) -> Call<Create> {{"
        );
        text.push_str("        self.create(request)\n    }\n");
    }
    text.push_str("}\n");
    text
}

fn method_doc(capability: &Capability) -> Vec<String> {
    let path = capability.path;
    let section = section(capability);
    let type_name = type_name(capability.name());
    let mut doc = about(capability);
    doc.extend([
        String::new(),
        format!("The path is `{path}`{section}. [`request::{type_name}`] has the fields."),
    ]);
    doc
}

/// Returns the section of the upstream document, in brackets after a space. Empty for an extension,
/// which the document does not have.
fn section(capability: &Capability) -> &'static str {
    if capability.is_extension {
        return "";
    }
    match capability.group() {
        Group::Generate => " (§4.2 of the upstream document)",
        Group::Process => " (§4.3 of the upstream document)",
    }
}

/// Writes `image_to_video` as `ImageToVideo`.
fn type_name(name: &str) -> String {
    let words = name.split('_');
    words
        .map(|word| word[..1].to_uppercase() + &word[1..])
        .collect()
}

/// Renders a doc comment, and wraps each line of text.
fn comment(indent: &str, lines: &[String]) -> String {
    let start = format!("{indent}/// ");
    let mut text = String::new();
    for line in lines {
        for line in wrap(line, COMMENT_WIDTH - start.len()) {
            text += format!("{start}{line}").trim_end();
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use mediagate_core::CAPABILITIES;

    use super::*;

    #[test]
    fn an_extension_has_no_section_of_the_upstream_document() {
        for capability in CAPABILITIES {
            for doc in [type_doc(capability), method_doc(capability)] {
                let text = doc.concat();
                assert_eq!(
                    text.contains("of the upstream document"),
                    !capability.is_extension,
                    "{text}"
                );
                assert_eq!(
                    text.contains("An extension: "),
                    capability.is_extension,
                    "{text}"
                );
            }
        }
    }
}
